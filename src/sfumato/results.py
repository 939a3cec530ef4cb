"""Public result objects: a front, its solutions, a release, a recipe."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, Self, cast

import numpy as np

from sfumato import front as fronts
from sfumato.errors import DataError, ParameterError, VerificationError
from sfumato.notebooks import ShownInNotebook
from sfumato.preparing import Prepared, asked_objectives, load, make_problem
from sfumato.publishable import PublishableRows
from sfumato.release import (
    TREATMENTS,
    Generalization,
    apply_recipe,
    count_classes,
    count_unknown,
    holds,
    make_draft,
    make_groupings,
    read_recoding,
)
from sfumato.search import Monitor, Problem, draw_near
from sfumato.table import make_frame

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping, Sequence

    from sfumato.assess.exposure import Exposure
    from sfumato.assess.gather import Origin
    from sfumato.release import Draft, Grouping, Manifest
    from sfumato.release.new_data import Treatment
    from sfumato.report import Comparison
    from sfumato.spec import Spec


OLD_TREATMENTS = {"error": "refuse", "*": "generalize"}


class Measures(dict[str, float], ShownInNotebook):
    """Measures by name, which a notebook shows as a table."""

    shown_by = "measures_cell"


class Release(PublishableRows, ShownInNotebook):
    """A solution applied to the full table, to be verified and written.

    Made by `sfumato.anonymize`, `Solution.release` and `Recipe.apply`.
    """

    shown_by = "release_cell"

    def __init__(
        self, draft: Draft, run: Mapping[str, object] | None = None, front: fronts.PlainFront | None = None
    ) -> None:
        self._draft = draft
        self._front = front
        self.run = self._run = dict(run or {})

    def __repr__(self) -> str:
        rows = self.rows
        left_out = f"; left out: {', '.join(self.left_out)}" if self.left_out else ""
        return f"<release of {rows['out']} rows, {rows['suppressed']} suppressed{left_out}>"

    @property
    def measures(self) -> dict[str, float]:
        """All measures by name."""
        return dict(self._draft.measures)

    @property
    def rows(self) -> dict[str, int]:
        """Rows that came ``in``, go ``out``, and are ``suppressed``."""
        return dict(self._draft.promise.rows or {})

    @property
    def recoding(self) -> dict[str, object]:
        """Attribute → level, or blocks of values under other schemes than ``levels``."""
        return dict(self._draft.recoding)

    @property
    def groupings(self) -> tuple[Grouping, ...]:
        """What was done to each quasi-identifier: its blocks and their labels."""
        return self._draft.groupings

    @property
    def spec(self) -> Spec:
        """The specification that it was made by."""
        return self._draft.prepared.spec

    @property
    def left_out(self) -> tuple[str, ...]:
        """Columns that the specification or recipe does not name, and that are therefore left out."""
        # A recipe names identifiers too, which new data may have or not.
        named = self._draft.recipe.attributes
        return tuple(name for name in self._draft.prepared.table.left_out if name not in named)

    @property
    def unchanged(self) -> tuple[str, ...]:
        """Columns whose values are published as they came."""
        changed = {item.name for item in self.groupings if not item.keep}
        return tuple(name for name in self._draft.recipe.released if name not in changed)

    @cached_property
    def exposures(self) -> list[Exposure]:
        """What columns outside the quasi-identifiers give away; found when it is asked for, for you only.

        Each tells how many rows are in smaller classes than `k` requires if the column is known too, and
        which generalized or removed columns it predicts. As text each is a warning.
        """
        from sfumato.assess.exposure import expose_draft

        return expose_draft(self._draft)

    @property
    def unknown(self) -> dict[str, dict[str, int]]:
        """Column → how many ``values`` a recipe did not know, and in how many ``rows``; for you only."""
        return {name: asdict(many) for name, many in count_unknown(self._draft.prepared).items()}

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

    def _rows(self) -> object:
        return self._draft.frame

    @property
    def _hides_rows(self) -> bool:
        return self.rows.get("suppressed", 0) > 0

    def _write(self, path: Path, *, force: bool = False) -> Manifest:
        return self._draft.write(path, force=force)

    def _spare_inputs(self, *outputs: Path) -> None:
        self._draft.spare_inputs(*outputs)

    def _origin(self) -> Origin:
        from sfumato.assess.gather import Origin

        prepared = self._draft.prepared
        return Origin(prepared.table.source, prepared.spec, self._draft)


@dataclass(frozen=True)
class Recipe(Generalization):
    """What was done to a table, so that it can be done again.

    `Recipe.load` reads it from its own file or from a release's ``FILE.json``.
    """

    def apply(
        self, data: object, *, unknown: Literal["suppress", "refuse", "generalize", "error", "*"] = "suppress"
    ) -> Release:
        """Recode new data in the same way and check the requirements again.

        Intervals, masks and dates take any value. An ordered block of numbers
        or dates takes all from its first value up to the next block's first;
        below the first block and above the last, and before a block that the
        release did not show, values are unknown. So is a category that the
        recipe does not list: a recipe lists no value that only suppressed rows
        had. Classes that miss a requirement are suppressed within the limit.

        Parameters
        ----------
        data
            A frame or the path of a file with the columns of the recipe.
        unknown
            ``suppress``: rows with an unknown value are suppressed first, and count against the limit.
            They were suppressed in the release that the recipe comes from, or are new and rare, and
            nothing shows that they are different. ``refuse``: an unknown value is an error.
            ``generalize``: it becomes ``*`` and its rows are classes of their own, which must meet the
            requirements too; the release then shows that they had a value that is not listed.
            (``error`` and ``*`` are old names of the last two.)

        Returns
        -------
        Release
            The recoded rows; its ``unknown`` counts what the recipe did not know.

        Raises
        ------
        HierarchyError
            If a value is unknown, and that is refused.
        InfeasibleError
            If the requirements cannot be met within the limit.
        """
        chosen = OLD_TREATMENTS.get(unknown, unknown)
        if chosen not in TREATMENTS:
            raise ParameterError(
                f"unknown must be 'suppress', 'refuse' or 'generalize'; got {unknown!r}.", where="unknown"
            )
        if chosen != unknown:
            message = f"unknown={unknown!r} is an old name; write unknown={chosen!r}."
            warnings.warn(message, DeprecationWarning, stacklevel=2)
        return Release(apply_recipe(self, data, cast("Treatment", chosen)))


@dataclass(frozen=True)
class Solution(fronts.PlainSolution):
    """One recoding with its measures; `release` applies it."""

    front: Front | None = field(default=None, repr=False, compare=False)

    def class_sizes(self) -> fronts.ClassSizes:
        """Return how the rows are spread over classes of different sizes.

        Raises
        ------
        DataError
            If the front was loaded from files: it needs its data, see `Front.attach`.
        """
        return count_classes(*self._source(), [self.recoding])[0]

    def _source(self) -> tuple[Prepared, Problem]:
        if self.front is None or self.front.source is None:
            raise DataError(
                "this front was loaded from files; attach its data first: front.attach(data, spec)."
            )
        return self.front.source

    def release(self) -> Release:
        """Apply this solution to the full table.

        With ``[release] choice = "near-optimal"`` another recoding is applied: one drawn at random among all
        that are within the tolerance of this one in every objective, and not worse in those that protect
        people (k, ℓ and t). ``release.run["choice"]`` says, for you only, how many there were.

        Raises
        ------
        DataError
            If the front was loaded from files: it needs its data, see `Front.attach`.
        """
        prepared, problem = self._source()
        try:
            lattice, node = read_recoding(prepared, self.recoding)
        except DataError as error:
            raise DataError(error.message, where=f"solution {self.number} of the front") from None
        draft = make_draft(prepared, problem, node, lattice)
        self._check_same(draft)
        run = {} if self.front is None else dict(self.front.run)
        asked = prepared.spec.release
        if asked.choice == "near-optimal":
            watch = Monitor(prepared.spec.search.time_limit)
            lattice, node, run["choice"] = draw_near(
                problem, (lattice, node), asked.tolerance, asked.seed, hold_privacy=True, monitor=watch
            )
            draft = make_draft(prepared, problem, node, lattice)
        return Release(draft, run, self.front)

    def _check_same(self, draft: Draft) -> None:
        found = draft.measures
        if not all(np.isclose(found[name], value, rtol=1e-9) for name, value in self.measures.items()):
            raise DataError(
                "the front was made with another specification: its measures differ. "
                "Run 'sfumato explore' again."
            )


@dataclass(frozen=True)
class Front(fronts.PlainFront, ShownInNotebook):
    """The whole trade-off: solutions that cannot be improved in one respect without getting worse in another.

    Iterate over it, index it, `pick` from it. ``complete`` says that no
    recoding of the space can add a solution.
    """

    shown_by: ClassVar[str] = "front_cell"
    source: tuple[Prepared, Problem] | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        names = ", ".join(item.name for item in self.objectives)
        return f"<{'complete' if self.complete else 'incomplete'} front of {len(self)} solutions in {names}>"

    @property
    def left_out(self) -> tuple[str, ...]:
        """Columns that the specification does not name, if the front has its data."""
        return () if self.source is None else self.source[0].table.left_out

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
            If the data are not the same.
        """
        prepared = load(data, spec)
        if self.run.get("fingerprint") != prepared.cube.fingerprint:
            raise DataError(
                "the front was made from other data or other hierarchies. Run 'sfumato explore' again."
            )
        problem = make_problem(prepared, *asked_objectives(spec))
        return replace(self, source=(prepared, problem))

    def pick(self, text: str | int) -> Solution:
        """Choose a solution.

        Parameters
        ----------
        text
            A solution's number, ``knee``, ``flat`` (the end of the longest flat region), or comparisons
            such as ``k >= 10 and loss <= 0.4``; of those that match, the best by the first objective to
            minimize.

        Returns
        -------
        Solution
            The chosen one.

        Raises
        ------
        InfeasibleError
            If none matches; the message names the nearest.
        """
        return self[fronts.pick_solution(self, str(text)).number - 1]

    def knee(self) -> Solution:
        """Return the solution where the front bends: the most balanced one."""
        return self[fronts.find_knee(self)]

    def flat_regions(
        self, of: str | None = None, *, gain: float = 0.05, cost: float = 0.02
    ) -> list[fronts.FlatRegion[Solution]]:
        """Return where much of one objective costs little of the others, longest stretch first.

        Parameters
        ----------
        of
            The objective to improve; by default each objective to maximize (if there is none, each
            objective).
        gain
            How much it has to gain, as a share of its range over the front.
        cost
            How much every other objective may lose, as a share of its own range. Ranges are of
            logarithms where values span more than two orders of magnitude, as in the figure.

        Returns
        -------
        list
            Each prints as a sentence such as ``k from 12 to 31 costs 0.4 % more loss`` and has the
            solutions ``start`` and ``end``. Empty if the front is nowhere flat.

        Raises
        ------
        ParameterError
            If the front has no such objective, or a share is out of its range.
        """
        found = fronts.find_flat_regions(self, of, gain=gain, cost=cost)
        return cast("list[fronts.FlatRegion[Solution]]", found)

    def suggestions(self, n: int = 3) -> list[fronts.Suggestion[Solution]]:
        """Return up to ``n`` solutions worth a look, each with one sentence why.

        Returns
        -------
        list
            The knee, the end of the longest flat region, the least loss among those with a
            smallest class of 10 (5, 3, 2), then others; see `sfumato.front.make_suggestions`.
        """
        return cast("list[fronts.Suggestion[Solution]]", fronts.make_suggestions(self, n))

    def better_than(self, point: fronts.Point, *, objectives: Sequence[str] | None = None) -> list[Solution]:
        """Return the solutions that are as good as a point in everything and better in something.

        Parameters
        ----------
        point
            A solution (of this or of another front), its number or a pick, a release, or measures by name.
        objectives
            Compare only these, if others are not known for the point.

        Returns
        -------
        list
            Best first; empty for every solution of the front itself. If the front is ``complete``,
            an empty list proves that no recoding of the space is better.
        """
        return cast("list[Solution]", fronts.find_better(self, point, objectives=objectives))

    def trade(
        self,
        point: fronts.Point,
        better: str,
        worse: str | Sequence[str] | None = None,
        *,
        at_most: float | str = 0.0,
    ) -> list[Solution]:
        """Return the solutions that are better in one objective if others may be at most this much worse.

        Parameters
        ----------
        point
            A solution, its number or a pick, a release, or measures by name.
        better
            The objective to improve.
        worse
            What may get worse; by default all other objectives. Those not named must be as good.
        at_most
            How much worse: in the measure's own unit, or as a share of the point's own value,
            such as ``"2 %"``.

        Returns
        -------
        list
            The best in ``better`` first.

        Examples
        --------
        ``front.trade("knee", better="k", worse="loss", at_most=0.02)``
        """
        return cast("list[Solution]", fronts.find_trades(self, point, better, worse, at_most=at_most))

    def compare(
        self, first: Solution | int | str, second: Solution | int | str, *, show_labels: bool = True
    ) -> Comparison[Solution]:
        """Put two solutions side by side: measures, attributes, sizes of the classes.

        Parameters
        ----------
        first, second
            Solutions of this front, their numbers, or picks.
        show_labels
            Whether attributes are shown with labels, which may be values of the data.

        Returns
        -------
        Comparison
            Print it, ``plot`` it, or write its ``html``. A front loaded from files has labels and class
            sizes only after `attach`.
        """
        from sfumato.report import make_comparison

        pair = [self.pick(item.number if isinstance(item, Solution) else item) for item in (first, second)]
        numbers = [item.number for item in pair]
        labels = self.labels(numbers) if show_labels else None
        counted = self.class_sizes(numbers)
        sizes = None if counted is None else (counted[numbers[0]], counted[numbers[1]])
        return make_comparison(self, pair[0], pair[1], labels=labels, sizes=sizes)

    def class_sizes(self, numbers: Sequence[int] | None = None) -> dict[int, fronts.ClassSizes] | None:
        """Return for each solution, or for some, how rows are spread over classes.

        None for a front loaded from files.
        """
        if self.source is None:
            return None
        wanted = range(1, len(self) + 1) if numbers is None else numbers
        counted = count_classes(*self.source, [self[number - 1].recoding for number in wanted])
        return dict(zip(wanted, counted, strict=True))

    def to_frame(self) -> object:
        """Return ``front.csv`` as a frame: the kind that came in, or an Arrow table if it was a file."""
        names = [name for name in self.measure_names if name != "suppressed"]
        columns: dict[str, list[object]] = {"solution": [item.number for item in self.solutions]}
        for name in names:
            columns[name] = fronts.whole_numbers([item.measures[name] for item in self.solutions], name)
        columns["suppressed"] = [item.suppressed for item in self.solutions]
        columns["recoding"] = [item.recoding_text for item in self.solutions]
        return make_frame(columns, "pyarrow" if self.source is None else self.source[0].table.source.kind)

    def plot(self, picked: int | None = None) -> object:
        """Return an interactive figure of the front (plotly)."""
        from sfumato.report import front_figure

        return front_figure(self, picked, labels=self.labels())

    def labels(self, numbers: Sequence[int] | None = None) -> dict[int, dict[str, str]] | None:
        """Return what the columns of each solution look like; None for a front loaded from files.

        Parameters
        ----------
        numbers
            Only these solutions.

        Returns
        -------
        dict
            Solution's number → attribute → a label of its level, or the labels of its blocks.
        """
        if self.source is None:
            return None
        from sfumato.report.phrases import block_words, example

        prepared, known = self.source[0], {}
        found: dict[int, dict[str, str]] = {}
        for item in self.solutions:
            if numbers is not None and item.number not in numbers:
                continue
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
