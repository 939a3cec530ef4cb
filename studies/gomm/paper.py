"""What the paper prints: its settings, its ad-hoc groupings, the numbers of its tables."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.microaggregation.column_groups.chromosome import Grouping, make_grouping

POPULATION = 200
GENERATIONS = 100
CROSSOVERS = 25
MUTATIONS = 10
KS = (5, 10, 25, 50, 100)
ANALYSED_K = 25
"""The k of Figures 6 and 7, on Water-treatment."""

TABLE_3 = {
    "G10c": """
        1 4 5 6 7 11 13 17 20 36 / 3 9 10 15 16 18 21 22 23 29 / 2 8 12 14 19 26 28 31 33 37
        / 24 25 27 30 32 34 35 38""",
    "G10nc": """
        1 2 3 24 4 9 8 25 5 10 / 12 27 6 15 14 30 7 16 19 32 / 11 18 26 34 13 21 28 35 17 22
        / 20 36 29 23 31 33 37 38""",
    "G5c": """
        1 4 5 6 7 / 11 13 17 20 36 / 3 9 10 15 16 / 18 21 22 23 29 / 2 8 12 14 19 / 26 28 31 33 37
        / 24 25 27 30 / 32 34 35 38""",
    "G5nc": """
        1 2 3 24 4 / 9 8 25 5 10 / 12 27 6 15 14 30 / 7 16 19 32 / 11 18 26 34 13 21 / 28 35 17 22
        / 20 36 29 23 / 31 33 37 38""",
    "G3c": """
        1 4 5 / 6 7 11 / 13 17 20 / 3 9 10 / 15 16 18 / 21 22 23 / 2 8 12 / 14 19 26 / 28 31 33
        / 29 36 37 / 24 25 27 / 30 32 34 / 35 38""",
    "G3nc": """
        1 2 3 / 24 4 9 / 8 25 5 / 12 27 6 / 15 14 30 / 7 16 19 / 11 18 26 / 34 13 21 / 28 35 17
        / 10 32 22 / 20 36 29 / 23 31 33 / 37 38""",
}
"""Name of a grouping → its groups of attribute numbers, counted from 1."""
TABLE_4 = {
    "G4c": "2 4 6 7 / 5 10 11 12 / 1 3 8 9",
    "G4nc": "1 2 4 5 / 3 6 10 11 / 7 8 9 12",
    "G3c": "2 4 7 / 3 11 12 / 5 6 10 / 1 8 9",
    "G3nc": "2 3 5 / 8 10 11 / 7 9 12 / 1 4 6",
}

WATER_TABLE_1 = {
    5: (35.74, 27.93, 15.89, 28.82, 1),
    10: (48.05, 25.07, 7.15, 32.08, 1),
    25: (50.11, 23.62, 18.29, 35.53, 2),
    50: (57.85, 23.23, 6.91, 36.46, 2),
    100: (63.38, 21.77, 14.18, 40.68, 5),
}
"""k → IL, ID, DLD, score and number of groups of GOMM's solution."""
CENSUS_TABLE_2 = {
    5: (8.01, 32.01, 14.56, 15.64, 1),
    10: (11.97, 25.90, 6.69, 14.13, 1),
    25: (17.97, 21.06, 2.53, 14.88, 1),
    50: (18.36, 18.15, 6.02, 15.23, 2),
    100: (16.91, 21.85, 5.57, 15.31, 2),
}
WATER_TABLE_5 = {
    "G38": (28.8, 32.1, 36.9, 42.0, 50.6),
    "G1": (49.4, 48.9, 47.2, 45.0, 46.2),
    "G10c": (43.8, 45.4, 44.6, 42.7, 42.3),
    "G10nc": (43.6, 46.2, 44.7, 42.7, 45.5),
    "G5c": (42.1, 44.0, 47.0, 49.7, 47.0),
    "G5nc": (42.8, 45.3, 48.7, 49.9, 50.3),
    "G3c": (42.4, 43.2, 46.7, 50.1, 52.7),
    "G3nc": (42.3, 43.4, 46.1, 49.8, 52.3),
    "GOMM": (28.8, 32.1, 35.5, 36.7, 40.7),
}
"""Grouping → its score for each k."""
CENSUS_TABLE_6 = {
    "G12": (15.6, 14.1, 14.9, 15.9, 18.1),
    "G1": (48.9, 48.1, 45.3, 41.8, 37.6),
    "G4c": (39.7, 37.4, 32.1, 26.4, 19.8),
    "G4nc": (34.7, 28.5, 21.8, 17.2, 16.5),
    "G3c": (40.4, 38.1, 33.3, 27.7, 22.3),
    "G3nc": (38.0, 34.5, 28.1, 22.5, 18.3),
    "GOMM": (15.6, 14.1, 14.9, 15.2, 15.3),
}


@dataclass(frozen=True)
class Data:
    """One of the paper's two data sets.

    Parameters
    ----------
    name
        Its key in the results.
    title
        What the paper calls it.
    file
        The file in the data folder.
    left_out
        Columns that are not a1, a2, …
    rows, attributes
        Its complete rows and its attributes.
    groupings
        The ad-hoc groupings of Table 3 or 4.
    solutions
        Table 1 or 2.
    scores
        Table 5 or 6.
    numbers
        The numbers of these three tables.
    """

    name: str
    title: str
    file: str
    left_out: str
    rows: int
    attributes: int
    groupings: dict[str, str]
    solutions: dict[int, tuple[float, float, float, float, int]]
    scores: dict[str, tuple[float, ...]]
    numbers: tuple[int, int, int]

    @property
    def whole(self) -> str:
        """The name of the grouping that puts everything together."""
        return f"G{self.attributes}"

    @property
    def names(self) -> list[str]:
        """The ad-hoc groupings in the order of the paper's tables."""
        return [self.whole, "G1", *self.groupings]

    def ad_hoc(self, attributes: int) -> dict[str, Grouping]:
        """Return the groupings that GOMM is compared with, of the first so many attributes.

        All of them in the study itself; fewer only where a quick run has a narrower table.
        """
        everything = range(attributes)
        named = {self.whole: [list(everything)], "G1": [[place] for place in everything]}
        for name, text in self.groupings.items():
            numbers = [[int(item) - 1 for item in group.split()] for group in text.split("/")]
            kept = [[place for place in group if place < attributes] for group in numbers]
            named[name] = [group for group in kept if group]
        return {name: make_grouping(groups) for name, groups in named.items()}


WATER = Data(
    "water",
    "Water-treatment",
    "water_treatment.csv",
    "DAY",
    380,
    38,
    TABLE_3,
    WATER_TABLE_1,
    WATER_TABLE_5,
    (3, 1, 5),
)
CENSUS = Data(
    "census",
    "Census",
    "casc_census.csv",
    "INTVAL",
    1080,
    12,
    TABLE_4,
    CENSUS_TABLE_2,
    CENSUS_TABLE_6,
    (4, 2, 6),
)
DATA = (WATER, CENSUS)


__all__ = [
    "ANALYSED_K",
    "CENSUS",
    "CROSSOVERS",
    "DATA",
    "GENERATIONS",
    "KS",
    "MUTATIONS",
    "POPULATION",
    "WATER",
    "Data",
]
