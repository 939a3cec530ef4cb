"""What the paper prints in section 5: its table, its settings, and what its text says of the figures."""

from __future__ import annotations

from dataclasses import dataclass

FIGURE_9 = {
    "age": ("Age", 74, 5),
    "workclass": ("Work-class", 8, 3),
    "education": ("Education", 16, 4),
    "native-country": ("Country", 41, 3),
    "marital-status": ("Marital-Status", 7, 3),
    "race": ("Race", 5, 3),
    "sex": ("Gender", 2, 2),
}
"""Our name of a quasi-identifier → the paper's, its number of values, and the levels of its hierarchy."""

ATTRIBUTES = tuple(FIGURE_9)
FOUR = ("age", "marital-status", "race", "sex")
"""The quasi-identifiers of Figure 10a."""

FIRST_AGE, AGE_WIDTH, AGE_INTERVALS = 17, 5, 15
KS = (2, 5, 10, 20, 50)
DIRECTION_KS = (2, 3, 5, 10, 20, 50)
FIXED_K = 5
COSTS = ("dm", "hdm")


@dataclass(frozen=True)
class Scheme:
    """A scheme of the paper, for categories and for the age.

    Parameters
    ----------
    name
        The paper's name, and its key in the results.
    category, age
        Our names of what is used for categories, and for the age.
    """

    name: str
    category: str
    age: str


BHS = Scheme("BHS", "levels", "levels")
GHS = Scheme("GHS", "cuts", "cuts")
GOPS = Scheme("GOPS", "guided-ordered", "guided-ordered")
OPS = Scheme("OPS", "ordered", "ordered")
GSPS = Scheme("GSPS", "guided-sets", "guided-ordered")
SPS = Scheme("SPS", "sets", "ordered")
SCHEMES = (BHS, GHS, GOPS, OPS, GSPS, SPS)
"""The age is a number: under the two schemes of sets it keeps its order, as section 2.4 proposes."""

SPS_AGE = Scheme("SPS, age too", "sets", "sets")
"""By the letter: sets of ages in any order. For GSPS that changes nothing: halves have one neighbour each."""

INCLUSIONS = ((BHS, GHS), (GHS, GOPS), (GOPS, OPS), (OPS, SPS), (GOPS, GSPS), (GSPS, SPS))
"""Smaller and larger scheme: the larger one never costs more."""

SAVED = {"seeding & modified BFS": 0.4, "both": 0.6}
"""Share of the time that techniques save at most in Figure 13, as the text says."""


__all__ = [
    "AGE_INTERVALS",
    "AGE_WIDTH",
    "ATTRIBUTES",
    "BHS",
    "COSTS",
    "DIRECTION_KS",
    "FIGURE_9",
    "FIRST_AGE",
    "FIXED_K",
    "FOUR",
    "GHS",
    "GOPS",
    "GSPS",
    "INCLUSIONS",
    "KS",
    "OPS",
    "SAVED",
    "SCHEMES",
    "SPS",
    "SPS_AGE",
    "Scheme",
]
