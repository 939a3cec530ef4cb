"""The closed choices of a specification, and which of them this version supports.

The first half lists every name that a specification may hold. The second half lists
what works today: a later version that learns a scheme, an output or a method adds its
name there and nowhere else.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

Role: TypeAlias = Literal["identifier", "quasi-identifier", "sensitive", "other"]
Kind: TypeAlias = Literal["number", "category", "ordinal", "date"]
Scheme: TypeAlias = Literal[
    "levels", "cuts", "ordered", "guided-ordered", "sets", "guided-sets", "admissible"
]
Output: TypeAlias = Literal["label", "mean", "median", "mode"]
Method: TypeAlias = Literal[
    "auto",
    "optimal",
    "exhaustive",
    "lattice",
    "pbg-ea",
    "nsga2",
    "nsga3",
    "unsga3",
    "agemoea",
    "smsemoa",
    "spea2",
    "moead",
    "granulation-ga",
]
Variant: TypeAlias = Literal["incognito", "breadth-first"]
SuppressionRule: TypeAlias = Literal["auto", "none", "failing", "smallest", "below-mean"]
SuppressionOutput: TypeAlias = Literal["drop", "mask"]
RowOrder: TypeAlias = Literal["sorted", "input"]
ReleaseChoice: TypeAlias = Literal["optimal", "near-optimal"]
Formulas: TypeAlias = Literal["keep", "escape"]
DateUnit: TypeAlias = Literal["day", "month", "quarter", "year", "decade", "century"]

ROLES: tuple[str, ...] = get_args(Role)
KINDS: tuple[str, ...] = get_args(Kind)
SCHEMES: tuple[str, ...] = get_args(Scheme)
OUTPUTS: tuple[str, ...] = get_args(Output)
METHODS: tuple[str, ...] = get_args(Method)
VARIANTS: tuple[str, ...] = get_args(Variant)
SUPPRESSION_RULES: tuple[str, ...] = get_args(SuppressionRule)
SUPPRESSION_OUTPUTS: tuple[str, ...] = get_args(SuppressionOutput)
ROW_ORDERS: tuple[str, ...] = get_args(RowOrder)
RELEASE_CHOICES: tuple[str, ...] = get_args(ReleaseChoice)
FORMULAS: tuple[str, ...] = get_args(Formulas)
DATE_UNITS: tuple[str, ...] = get_args(DateUnit)  # from fine to coarse

SCHEME_ACRONYMS: dict[str, str] = {
    "BHS": "levels",
    "GHS": "cuts",
    "OPS": "ordered",
    "GOPS": "guided-ordered",
    "SPS": "sets",
    "GSPS": "guided-sets",
}

GUIDED_SCHEMES: tuple[str, ...] = ("cuts", "guided-ordered", "guided-sets")
"""The schemes whose blocks follow a tree, so that they need a hierarchy."""

SUPPORTED_SCHEMES: tuple[str, ...] = SCHEMES
SUPPORTED_OUTPUTS: tuple[str, ...] = OUTPUTS
SUPPORTED_METHODS: tuple[str, ...] = (
    *("auto", "exhaustive", "optimal", "lattice", "pbg-ea", "granulation-ga"),
    *("nsga2", "nsga3", "unsga3", "agemoea", "smsemoa", "spea2", "moead"),
)
