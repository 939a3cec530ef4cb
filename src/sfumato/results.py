"""A front and its solutions."""

from __future__ import annotations

import contextlib
import itertools
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self, cast

import numpy as np

from sfumato import front as fronts
from sfumato import release as releasing
from sfumato.errors import DataError, InfeasibleError
from sfumato.local import LocalProblem, LocalSolution, make_solution
from sfumato.notebooks import ShownInNotebook
from sfumato.preparing import Prepared, asked_objectives, load, make_local_problem, make_problem
from sfumato.releases import Release
from sfumato.search import Monitor, Problem, draw_near
from sfumato.table import make_frame
from sfumato.words import count_words

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping, Sequence

    from sfumato.report.comparison import Comparison
    from sfumato.spec import Spec


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
        prepared, problem = self._source()
        if self.is_local:
            return releasing.sizes_of(
                releasing.measure_solution(prepared, problem, *self._local(prepared, problem))[1]
            )
        return releasing.count_classes(prepared, problem, [self.recoding])[0]

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

        A local recoding has exactly the classes that were found: a saved front keeps them in
        ``classes.json``.

        Raises
        ------
        DataError
            If the front was loaded from files: it needs its data, see `Front.attach`.
        """
        prepared, problem = self._source()
        if self.is_local:
            draft = releasing.make_local_draft(prepared, problem, *self._local(prepared, problem))
            self._check_same(draft)
            run = {} if self.front is None else {**self.front.run, "solution": self.number}
            return Release(draft, run if self.gap is None else {**run, "gap": self.gap}, self.front)
        try:
            lattice, node = releasing.read_recoding(prepared, self.recoding)
        except DataError as error:
            raise DataError(error.message, where=f"solution {self.number} of the front") from None
        draft = releasing.make_draft(prepared, problem, node, lattice)
        self._check_same(draft)
        run = {} if self.front is None else {**self.front.run}
        asked = prepared.spec.release
        if asked.choice == "near-optimal":
            watch = Monitor(prepared.spec.search.time_limit)
            lattice, node, run["choice"] = draw_near(
                problem, (lattice, node), asked.tolerance, asked.seed, hold_privacy=True, monitor=watch
            )
            draft = releasing.make_draft(prepared, problem, node, lattice)
        return Release(draft, run, self.front)

    def _local(self, prepared: Prepared, problem: Problem) -> tuple[LocalProblem, LocalSolution]:
        """Return the classes of a local recoding with their labels."""
        tuples, classes = make_local_problem(prepared, problem), self.classes
        n = len(tuples.codes)
        if not prepared.spec.is_local or classes is None or len(classes) != n or classes.max(initial=-1) >= n:
            raise DataError(
                "the front was made with another specification: its classes do not fit. "
                "Run 'sfumato explore' again.",
                where=f"solution {self.number} of the front",
            )
        found = make_solution(tuples, np.where(classes < 0, n, classes).astype(np.int32))
        return tuples, found if self.gap is None else found.with_gap(self.gap)

    def _check_same(self, draft: releasing.Draft) -> None:
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
        return Solution(**vars(item), front=self)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """Read a front that ``sfumato explore`` wrote."""
        found = fronts.load_front(Path(folder))
        return cls(found.solutions, found.objectives, found.run, found.beside)

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
        prepared = load(data, spec, to_search=True)
        if self.run.get("fingerprint") != prepared.cube.fingerprint:
            raise DataError(
                "the front was made from other data or other hierarchies. Run 'sfumato explore' again."
            )
        # A local front may be about a measure that is only required.
        wanted = (
            [item.name for item in self.objectives if item.maximize],
            [item.name for item in self.objectives if not item.maximize],
        )
        problem = make_problem(prepared, *(wanted if self.is_local else asked_objectives(spec)))
        return replace(self, source=(prepared, problem))

    def pick(self, text: str | int) -> Solution:
        """Choose a solution.

        Parameters
        ----------
        text
            A solution's number, ``knee``, ``flat`` (the end of the longest flat region), ``product`` (the
            largest product of objectives that are all maximized), or comparisons
            such as ``k >= 10 and loss <= 0.4``; of those that match, the best by the first objective to
            minimize.

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
        from sfumato.report.comparison import make_comparison

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
        if self.is_local:
            return {number: self[number - 1].class_sizes() for number in wanted}
        counted = releasing.count_classes(*self.source, [self[number - 1].recoding for number in wanted])
        return dict(zip(wanted, counted, strict=True))

    def to_frame(self) -> object:
        """Return ``front.csv`` as a frame: the kind that came in, or an Arrow table if it was a file."""
        names = [name for name in self.measure_names if name != "suppressed"]
        columns: dict[str, list[object]] = {"solution": [item.number for item in self.solutions]}
        if self.is_local:
            columns["scope"] = ["local"] * len(self)
            columns["gap"] = [item.gap for item in self.solutions]
        for name in names:
            columns[name] = fronts.whole_numbers([item.measures[name] for item in self.solutions], name)
        columns["suppressed"] = [item.suppressed for item in self.solutions]
        columns["recoding"] = [item.recoding_text for item in self.solutions]
        return make_frame(columns, "pyarrow" if self.source is None else self.source[0].table.source.kind)

    def plot(self, picked: int | None = None) -> object:
        """Return an interactive figure of the front (plotly)."""
        from sfumato.report.page import front_figure

        return front_figure(self, picked, labels=self.labels())

    def labels(self, numbers: Sequence[int] | None = None) -> dict[int, dict[str, str]] | None:
        """Return what the columns of each solution look like; None for a local or loaded front.

        Parameters
        ----------
        numbers
            Only these solutions.

        Returns
        -------
        dict
            Solution's number → attribute → a label of its level, or the labels of its blocks.
        """
        if self.source is None or self.is_local:
            return None
        from sfumato.report.phrases import block_words, example

        prepared, known = self.source[0], {}
        found: dict[int, dict[str, str]] = {}
        for item in self.solutions:
            if numbers is not None and item.number not in numbers:
                continue
            lattice, node = releasing.read_recoding(prepared, item.recoding)
            looks = found.setdefault(item.number, {})
            for grouping in releasing.make_groupings(prepared, lattice, node):
                level = grouping.level
                key = (grouping.name, grouping.block.tobytes() if level is None else level)
                if key not in known:
                    labels = grouping.labels
                    known[key] = block_words(labels) if level is None else example(labels, level)
                looks[grouping.name] = known[key]
        return found


MOST_TRIED = 40
"""How many other recodings are tried where one cannot follow earlier releases."""


def follow(made: Release, others: Iterator[tuple[str, Release]], series: Mapping[str, str | None]) -> Release:
    """Return a release that may follow earlier ones; if it may not, say which other one may."""
    try:
        return made.in_series(**series)
    except InfeasibleError as error:
        tried, near = 0, ""
        for name, other in itertools.islice(others, MOST_TRIED):
            tried, near = tried + 1, f"None of {tried + 1} other recodings holds either."
            with contextlib.suppress(InfeasibleError):
                rows = count_words(other.in_series(**series).rows["suppressed"], "row")
                near = f"The nearest that holds is {name}, with {rows} suppressed."
                break
        raise InfeasibleError(f"{error.message} {near}".rstrip(), where=error.where) from None


def other_releases(front: Front, spec: Spec, chosen: int) -> Iterator[tuple[str, Release]]:
    """Make the other solutions of a front, the best by the first objective to minimize first."""
    attached = front.attach(None, spec)
    name = (spec.objectives.minimize or (attached.measure_names[0],))[0]
    for item in sorted(attached, key=lambda item: item.measures[name]):
        if item.number != chosen:
            with contextlib.suppress(InfeasibleError):
                yield f"solution {item.number} ({name} {item.measures[name]:.4g})", item.release()


def coarser_releases(made: Release) -> Iterator[tuple[str, Release]]:
    """Make coarser recodings of the same rows, the least loss first."""
    for draft in releasing.coarser_drafts(made._draft):
        levels = ", ".join(f"{name} {level}" for name, level in draft.recoding.items())
        yield f"the recoding at levels {levels} (loss {draft.measures['loss']:.4g})", Release(draft, made.run)
