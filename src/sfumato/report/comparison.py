"""Two solutions side by side: measures, what becomes of each attribute, sizes of the classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Literal

from sfumato.front.flat_regions import SolutionT
from sfumato.front.words import list_words, pair_words, printable
from sfumato.report.words import partition_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plotly.graph_objects import Figure

    from sfumato.front import ClassSizes, Front

NO_LABELS: dict[int, dict[str, str]] = {}


@dataclass(frozen=True)
class MeasurePair:
    """One measure of two solutions."""

    name: str  # the measure
    # its values
    first: float
    second: float
    # which of them is better; None where they are equal, or the measure is no objective
    better: Literal["first", "second"] | None


@dataclass(frozen=True)
class AttributePair:
    """What two solutions make of one attribute, in words; ``same`` tells whether it is the same."""

    name: str
    first: str
    second: str
    same: bool


@dataclass(frozen=True)
class Comparison(Generic[SolutionT]):
    """Two solutions of a front side by side; print it, `plot` it, or write its `html`."""

    # the solutions
    first: SolutionT
    second: SolutionT
    measures: tuple[MeasurePair, ...]  # objectives and required measures, then suppressed rows
    attributes: tuple[AttributePair, ...]  # the quasi-identifiers
    # the sizes of the classes of both; None for a front that came from files without its data
    sizes: tuple[ClassSizes, ClassSizes] | None = None

    @property
    def numbers(self) -> tuple[int, int]:
        """The numbers of the solutions."""
        return self.first.number, self.second.number

    @property
    def sentence(self) -> str:
        """In which objectives either solution is better, in words."""
        parts = [self._wins("first", self.first.number), self._wins("second", self.second.number)]
        text = "; ".join(part for part in parts if part)
        return f"{text[0].upper()}{text[1:]}." if text else "Both are equal in every objective."

    def _wins(self, side: str, number: int) -> str:
        wins = []
        for item in self.measures:
            if item.better == side:
                first, second = pair_words(item.first, item.second)
                mine, other = (first, second) if side == "first" else (second, first)
                wins.append(f"{printable(item.name)} ({mine} instead of {other})")
        return f"solution {number} is better in {list_words(wins)}" if wins else ""

    def __str__(self) -> str:
        from sfumato.report.comparison_text import comparison_text

        return comparison_text(self)

    def plot(self) -> Figure:
        """Return a figure of the cumulative class sizes of both (plotly)."""
        from sfumato.report.comparison_page import comparison_figure

        return comparison_figure(self)

    def html(self) -> str:
        """Return a page that opens without a network: the tables, and the figure where sizes are known."""
        from sfumato.report.comparison_page import comparison_html

        return comparison_html(self)

    def to_dict(self) -> dict[str, object]:
        """Return all of it as JSON can hold it."""
        return {
            "solutions": list(self.numbers),
            "measures": {item.name: [item.first, item.second] for item in self.measures},
            "better": {
                item.name: self.first.number if item.better == "first" else self.second.number
                for item in self.measures
                if item.better
            },
            "attributes": {item.name: [item.first, item.second] for item in self.attributes},
            "class_sizes": None if self.sizes is None else [_sizes_dict(item) for item in self.sizes],
        }


def make_comparison(
    front: Front,
    first: SolutionT,
    second: SolutionT,
    *,
    labels: Mapping[int, Mapping[str, str]] | None = None,
    sizes: tuple[ClassSizes, ClassSizes] | None = None,
) -> Comparison[SolutionT]:
    """Put two solutions of a front side by side."""
    directions = {item.name: item.maximize for item in front.objectives}
    names = dict.fromkeys([*front.measure_names, "suppressed"])
    measures = tuple(
        _measure_pair(name, first.value(name), second.value(name), directions.get(name)) for name in names
    )
    looks = [(labels or NO_LABELS).get(item.number, {}) for item in (first, second)]
    attributes = tuple(
        AttributePair(
            name,
            partition_words(first.recoding[name], looks[0].get(name)),
            partition_words(second.recoding[name], looks[1].get(name)),
            first.recoding[name] == second.recoding[name],
        )
        for name in first.recoding
    )
    return Comparison(first, second, measures, attributes, sizes)


def _measure_pair(name: str, first: float, second: float, maximize: bool | None) -> MeasurePair:
    better: Literal["first", "second"] | None = None
    if maximize is not None and (first < second or second < first):
        better = "first" if (first > second) == maximize else "second"
    return MeasurePair(name, first, second, better)


def _sizes_dict(item: ClassSizes) -> dict[str, object]:
    return {
        "sizes": list(item.sizes),
        "classes": list(item.classes),
        "rows": list(item.rows),
        "suppressed": item.suppressed,
    }
