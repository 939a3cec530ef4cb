"""What the paper prints: its running example, and what is said of it.

The paper's own slips are put right here, and the README names them: the ZIP code 26617 in the last five rows
of Figure 4 is the middle row and not the middle value, and Figure 8's second crossover has one point.
"""

from __future__ import annotations

NAMES = ("born", "zip", "height", "income", "health")
TABLE = (
    ("1956-09-24", "24126", 161, 400, 1),
    ("1956-09-06", "24129", 167, 300, 1),
    ("1956-09-30", "24133", 163, 300, 1),
    ("1956-03-23", "10427", 160, 300, 0),
    ("1956-03-18", "10431", 165, 100, 2),
    ("1956-03-05", "10466", 168, 100, 2),
    ("1955-04-20", "26015", 175, 400, 2),
    ("1955-04-18", "26032", 170, 300, 1),
    ("1955-04-09", "26617", 173, 100, 0),
    ("1955-04-01", "26628", 171, 400, 0),
    ("1955-04-23", "26328", 176, 400, 0),
)
"""Figure 1, dates in ISO form and incomes in thousands."""

PARTITIONS = {
    "born": ("dd/mm/yy", "mm/yy", "yy", "*"),
    "zip": ("d1d2d3d4d5", "d1d2d3d4*", "d1d2d3**", "d1d2***", "d1****", "*"),
    "height": ("I1", "I5", "I10", "I20", "*"),
}
"""Figure 3: the admissible partitions, finest first."""

CHOSEN = (1, 3, 2)
"""Section 3.2: (mm/yy, d1d2***, I10)."""

CLASSES = ((1, 2, 3), (4, 5, 6), (7, 8, 9, 10, 11))
FIGURE_2 = (
    *((("1956-09", "24***", "160-169"),) * 3),
    *((("1956-03", "10***", "160-169"),) * 3),
    *((("1955-04", "26***", "170-179"),) * 5),
)
FIGURE_4 = (
    *((("1956-09-24", "24129", 164),) * 3),
    *((("1956-03-18", "10431", 164),) * 3),
    *((("1955-04-18", "26328", 173),) * 5),
)
SECRET = "health == 2"
OF_FIRST = "health == 1"
"""Sections 3.2: confidential for everyone; and for u1, about whom the chosen recoding discloses it."""

SECURE = 38
MOST_SPECIFIC = ((1, 2, 2), (2, 5, 1))
"""For the first sentence: recodings of 120 that are secure, and the most specific ones; our computation."""

CODE = "01011010"
PARENTS = ("01011010", "00100101")
CHILDREN = ("01000101", "00111010")
REPAIRED = ("01000000", "00001010")
"""Section 4.3: the code of the chosen recoding; a crossover after the third bit, and its repair."""

POPULATION, CROSSOVER, ELITE, SEEDS = 50, 0.8, 1, 20


def words(node: tuple[int, ...] | list[int]) -> str:
    """Write a recoding of the running example as the paper does, marked so that its stars stay stars.

    Examples
    --------
    >>> words((1, 3, 2))
    '`(mm/yy, d1d2***, I10)`'
    """
    parts = [names[place] for names, place in zip(PARTITIONS.values(), node, strict=True)]
    return f"`({', '.join(parts)})`"


__all__ = [
    "CHILDREN",
    "CHOSEN",
    "CLASSES",
    "CODE",
    "CROSSOVER",
    "ELITE",
    "FIGURE_2",
    "FIGURE_4",
    "MOST_SPECIFIC",
    "NAMES",
    "OF_FIRST",
    "PARENTS",
    "PARTITIONS",
    "POPULATION",
    "REPAIRED",
    "SECRET",
    "SECURE",
    "SEEDS",
    "TABLE",
    "words",
]
