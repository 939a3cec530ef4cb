"""What users hold in their hands: a front, its solutions, a release, a recipe."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

import numpy as np

from sfumato import front as fronts
from sfumato.errors import DataError, ParameterError, VerificationError
from sfumato.preparing import load, make_problem
from sfumato.release import Recipe as RecipeFile
from sfumato.release import (
    Recount,
    holds,
    make_draft,
    make_groupings,
    manifest_path,
    read_recoding,
    recipe_problem,
)
from sfumato.table import make_frame

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping

    from sfumato.preparing import Prepared
    from sfumato.release import Draft, Manifest
    from sfumato.search import Problem
    from sfumato.spec import Spec

COUNTS = frozenset({"k", "distinct_l", "spread_k", "spread_l", "dm", "cm", "sl", "exposed", "secure"})
"""Measures that count rows, persons or values, and are whole numbers."""


class Release:
    """A solution applied to the full table, to be verified and written.

    Made by `sfumato.anonymize`, `Solution.release` and `Recipe.apply`.
    """

    def __init__(self, draft: Draft, run: Mapping[str, object] | None = None) -> None:
        self._draft = draft
        self.run = dict(run or {})

    def __repr__(self) -> str:
        rows = self.rows
        return f"<release of {rows['out']} rows, {rows['suppressed']} suppressed>"

    @property
    def frame(self) -> object:
        """The released rows: the same kind of frame that came in, an engine's relation for a file."""
        return self._draft.frame

    @property
    def measures(self) -> dict[str, float]:
        """All measures by name."""
        return self._draft.measures

    @property
    def rows(self) -> dict[str, int]:
        """Rows that came ``in``, go ``out``, and are ``suppressed``."""
        return dict(self._draft.promise.rows or {})

    @property
    def recoding(self) -> dict[str, object]:
        """Attribute → level, or blocks of values under other schemes than ``levels``."""
        return dict(self._draft.recoding)

    @property
    def left_out(self) -> tuple[str, ...]:
        """Columns that the specification does not name, and that therefore stay behind."""
        return self._draft.prepared.table.left_out

    @property
    def classes(self) -> int:
        """Number of classes that remain."""
        return int((~self._draft.classes.suppressed).sum())

    @property
    def recipe(self) -> Recipe:
        """What was done, so that it can be done again to new data."""
        return Recipe.from_dict(self._draft.recipe.to_dict())

    def verify(self) -> dict[str, float]:
        """Recount the release with code that shares nothing with the search.

        Returns
        -------
        dict
            Measure → number as recounted.

        Raises
        ------
        VerificationError
            If the promise does not hold.
        """
        found = self._draft.verify()
        violations = holds(found, self._draft.promise)
        if violations:
            raise VerificationError(" ".join(violations))
        return dict(found.measures)

    def write(self, path: str | os.PathLike[str], *, force: bool = False) -> Manifest:
        """Write the release and its manifest, if the written file keeps its promise.

        Parameters
        ----------
        path
            The file; its suffix tells the format. ``FILE.json`` is the manifest.
        force
            Replace files that exist.

        Returns
        -------
        Manifest
            What stands in ``FILE.json``.

        Raises
        ------
        OutputError
            If the file exists, or folder or disk refuse.
        VerificationError
            If the promise does not hold. Nothing is written then.
        """
        return self._draft.write(Path(path), force=force)


@dataclass(frozen=True)
class Recipe(RecipeFile):
    """What was done to a table, so that it can be done again.

    `Recipe.load` reads it from its own file or from a release's ``FILE.json``.
    """

    def apply(self, data: object, *, unknown: Literal["error", "*"] = "error") -> Release:
        """Recode new data in the same way and count the requirements anew.

        Intervals, masks and dates take any value. An ordered block of numbers
        or dates takes all from its first value up to the next block's first;
        below the first block and above the last, and before a block that the
        release did not show, values are unknown. So is a category that the
        recipe does not list. An unknown value is an error, or becomes ``*``.
        Classes that fail a requirement are suppressed within the limit.

        Parameters
        ----------
        data
            A frame or the path of a file with the columns of the recipe.
        unknown
            ``error``, or ``*`` to write unknown values as ``*``.

        Returns
        -------
        Release
            The recoded rows.

        Raises
        ------
        HierarchyError
            If a value is unknown.
        InfeasibleError
            If the requirements cannot be met within the limit.
        """
        if unknown not in ("error", "*"):
            raise ParameterError(f"unknown must be 'error' or '*'; got {unknown!r}.")
        prepared, problem = recipe_problem(self, data, unknown)
        return Release(make_draft(prepared, problem, prepared.lattice.bottom, recipe=self))


@dataclass(frozen=True)
class Solution(fronts.Solution):
    """One recoding with its measures; `release` applies it."""

    front: Front | None = field(default=None, repr=False, compare=False)

    def release(self) -> Release:
        """Apply this solution to the full table.

        Raises
        ------
        DataError
            If the front was loaded from files: it needs its data, see `Front.attach`.
        """
        if self.front is None or self.front.source is None:
            raise DataError("this front came from files; give it its data first: front.attach(data, spec).")
        prepared, problem = self.front.source
        try:
            lattice, node = read_recoding(prepared, self.recoding)
        except DataError as error:
            raise DataError(error.message, where=f"solution {self.number} of the front") from None
        draft = make_draft(prepared, problem, node, lattice)
        self._check_same(draft)
        return Release(draft, self.front.run)

    def _check_same(self, draft: Draft) -> None:
        found = draft.measures
        if not all(np.isclose(found[name], value, rtol=1e-9) for name, value in self.measures.items()):
            raise DataError(
                "the front was made with another specification: its measures differ. "
                "Run 'sfumato explore' again."
            )


@dataclass(frozen=True)
class Front(fronts.Front):
    """The whole trade-off: solutions to which no other is as good in everything and better in something.

    Iterate over it, index it, `pick` from it. ``complete`` tells whether no
    recoding of the space can add a solution.
    """

    source: tuple[Prepared, Problem] | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        names = ", ".join(item.name for item in self.objectives)
        return f"<{'complete' if self.complete else 'incomplete'} front of {len(self)} solutions in {names}>"

    def __iter__(self) -> Iterator[Solution]:
        return (self[place] for place in range(len(self)))

    def __getitem__(self, place: int) -> Solution:
        item = self.solutions[place]
        return Solution(item.number, item.measures, item.suppressed, item.recoding, self)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """Read a front that ``sfumato explore`` wrote."""
        found = fronts.load_front(Path(folder))
        return cls(found.solutions, found.objectives, found.run)

    def attach(self, data: object, spec: Spec) -> Self:
        """Return the front with the data it was made from, so that solutions can be released.

        Parameters
        ----------
        data
            A frame, a path, or None for the path that the specification names.
        spec
            The specification that the front was made with.

        Raises
        ------
        DataError
            If the data are others.
        """
        prepared = load(data, spec)
        if self.run.get("fingerprint") != prepared.cube.fingerprint:
            raise DataError(
                "the front was made from other data or other hierarchies. Run 'sfumato explore' again."
            )
        problem = make_problem(prepared, spec.objectives.maximize, spec.objectives.minimize)
        return replace(self, source=(prepared, problem))

    def pick(self, text: str | int) -> Solution:
        """Choose a solution.

        Parameters
        ----------
        text
            A solution's number, ``knee``, or comparisons such as ``k >= 10 and loss <= 0.4``;
            among those that fit, the best by the first objective to minimize.

        Returns
        -------
        Solution
            The chosen one.

        Raises
        ------
        InfeasibleError
            If none fits; the message names the nearest.
        """
        return self[fronts.pick_solution(self, str(text)).number - 1]

    def knee(self) -> Solution:
        """Return the solution where the front bends most."""
        return self[fronts.find_knee(self)]

    def to_frame(self) -> object:
        """Return ``front.csv`` as a frame: the kind that came in, an Arrow table where a file did."""
        names = [name for name in self.measure_names if name != "suppressed"]
        columns: dict[str, list[object]] = {"solution": [item.number for item in self.solutions]}
        for name in names:
            columns[name] = _whole_numbers([item.measures[name] for item in self.solutions], name)
        columns["suppressed"] = [item.suppressed for item in self.solutions]
        columns["recoding"] = [item.recoding_text for item in self.solutions]
        return make_frame(columns, "pyarrow" if self.source is None else self.source[0].table.source.kind)

    def plot(self, picked: int | None = None) -> object:
        """Return an interactive figure of the front (plotly)."""
        from sfumato.report import front_figure

        return front_figure(self, picked, labels=self.labels())

    def labels(self) -> dict[int, dict[str, str]] | None:
        """Return for each solution what its columns look like; None for a front that came from files.

        Returns
        -------
        dict
            Solution's number → attribute → a label of its level, or the labels of its blocks.
        """
        if self.source is None:
            return None
        from sfumato.report.words import block_words, example

        prepared, known = self.source[0], {}
        found: dict[int, dict[str, str]] = {}
        for item in self.solutions:
            lattice, node = read_recoding(prepared, item.recoding)
            looks = found.setdefault(item.number, {})
            for grouping in make_groupings(prepared, lattice, node):
                level = grouping.level
                key = (grouping.name, grouping.block.tobytes() if level is None else level)
                if key not in known:
                    labels = grouping.labels
                    known[key] = block_words(labels) if level is None else example(labels, level)
                looks[grouping.name] = known[key]
        return found


def _whole_numbers(values: list[float], name: str) -> list[object]:
    """Return counts as integers; other measures stay what they are, whole or not."""
    if name.partition("(")[0] not in COUNTS or not all(value.is_integer() for value in values):
        return [*values]
    return [int(value) for value in values]


__all__ = ["Front", "Recipe", "Recount", "Release", "Solution", "manifest_path"]
