"""What the paper prints in section 7: its settings and the numbers of its tables."""

from __future__ import annotations

from dataclasses import dataclass

POPULATION = 25
ITERATIONS = 100
CROSSOVER = 0.8
LIMIT = 0.01
SEEDS = 20
EVALUATIONS = POPULATION * ITERATIONS

L = "distinct_l(occupation)"
S_L = "spread_l(occupation)"
CM = "cm(salary-class)"

WORDS = {"k": "k", L: "ℓ", "spread_k": "S_k", S_L: "S_ℓ", "glm": "GLM", CM: "CM"}
"""Our names of the objectives → the paper's."""

TABLE_1A = {
    "age": ("Age", 74, 6),
    "workclass": ("Work Class", 7, 3),
    "education": ("Education", 16, 3),
    "marital-status": ("Marital Status", 7, 3),
    "race": ("Race", 5, 1),
    "sex": ("Gender", 2, 1),
    "native-country": ("Native Country", 41, 4),
    "salary-class": ("Salary Class", 2, 1),
    "occupation": ("Occupation", 14, None),
}
"""Attribute → the paper's name, number of values and length of the hierarchy (None: sensitive)."""


@dataclass(frozen=True)
class Row:
    """One row of a table.

    Parameters
    ----------
    name
        Its key in the results.
    maximize, minimize
        Objectives, by our names.
    widths
        Width of the boxes in each objective, those to maximize first.
    ce, rr
        Mean and variance of convergence error and representation ratio in the paper.
    evaluations
        Mean number of evaluated nodes in the paper.
    """

    name: str
    maximize: tuple[str, ...]
    minimize: tuple[str, ...]
    widths: tuple[float, ...]
    ce: tuple[float, float] | None = None
    rr: tuple[float, float] | None = None
    evaluations: int | None = None

    @property
    def objectives(self) -> tuple[str, ...]:
        """Those to maximize, then those to minimize."""
        return self.maximize + self.minimize

    @property
    def title(self) -> str:
        """The objectives in the paper's words."""
        return ", ".join(WORDS[name] for name in self.objectives)

    @property
    def boxes(self) -> dict[str, float]:
        """Objective → width of its boxes."""
        return dict(zip(self.objectives, self.widths, strict=True))

    @property
    def label(self) -> str:
        """The objectives with the widths of their boxes, where these are not 1."""
        widths = ", ".join(f"{width:g}" for width in self.widths)
        return self.title if set(self.widths) == {1} else f"{self.title}; boxes {widths}"


K_GLM = ("k",), ("glm",)
K_L_GLM = ("k", L), ("glm",)

TABLE_1B = (
    Row("k_glm", *K_GLM, (1, 1), (3.7e-4, 6.5e-9), (0.94, 8e-4), 916),
    Row("k_l_glm", *K_L_GLM, (1, 1, 1), (3.3e-4, 1.1e-7), (0.93, 1.1e-3), 946),
    Row("sk_glm", ("spread_k",), ("glm",), (1, 1), (5.7e-4, 2.5e-7), (0.84, 1.7e-3), 1136),
    Row("sk_sl_glm", ("spread_k", S_L), ("glm",), (1, 1, 1), (6.6e-4, 2.0e-7), (0.83, 1.4e-3), 1197),
)
TABLE_2A = (
    Row("k_glm_5_100", *K_GLM, (5, 100), (4.3e-4, 2.6e-7), (0.95, 1.6e-3)),
    Row("k_glm_10_1000", *K_GLM, (10, 1000), (1.6e-4, 8.0e-8), (0.98, 8.2e-4)),
    Row("k_glm_50_10000", *K_GLM, (50, 10000), (1.7e-4, 1.1e-8), (1.0, 0.0)),
    Row("k_l_glm_5_2_100", *K_L_GLM, (5, 2, 100), (4.9e-3, 2.5e-7), (0.92, 1.2e-3)),
    Row("k_l_glm_10_4_1000", *K_L_GLM, (10, 4, 1000), (7.4e-3, 9.3e-7), (0.92, 7.0e-4)),
    Row("k_l_glm_50_6_10000", *K_L_GLM, (50, 6, 10000), (1.8e-2, 8.2e-6), (0.88, 1.7e-3)),
)
TWO_LOSSES = Row("k_glm_cm", ("k",), ("glm", CM), (1, 1, 1), evaluations=1073)
TABLE_2B = (*TABLE_1B, TWO_LOSSES)
ROWS = (*TABLE_1B, *TABLE_2A, TWO_LOSSES)


__all__ = [
    "CROSSOVER",
    "EVALUATIONS",
    "ITERATIONS",
    "LIMIT",
    "POPULATION",
    "ROWS",
    "SEEDS",
    "TABLE_1A",
    "TABLE_1B",
    "TABLE_2A",
    "TABLE_2B",
    "TWO_LOSSES",
    "WORDS",
    "Row",
]
