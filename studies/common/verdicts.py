"""What was found, held against the paper, against targets of our own, and against what must be so anyway."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from studies.common.markdown import table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Source: TypeAlias = Literal["paper", "ours", "check"]

TITLES: dict[Source, str] = {
    "paper": "What the paper says or shows",
    "ours": "Targets of our own, which no paper gives",
    "check": "Checks of the programs: true by definition or by construction, so they find nothing out",
}


@dataclass(frozen=True)
class Verdict:
    """One statement: what was found, what it says, and whether it holds.

    Parameters
    ----------
    source
        Who says it: the paper, we, or nobody, because it could not be otherwise unless a program is wrong.
    why
        Of a statement that does not hold, what the numbers say instead; made from the results.
    place
        The table or figure of the paper that it is about.
    """

    name: str
    found: str
    wanted: str
    holds: bool
    source: Source = "paper"
    why: str = ""
    place: str = ""


@dataclass(frozen=True)
class Look:
    """A table or figure of a paper in one line: what it shows, and what is found here."""

    place: str
    paper: str
    here: str


def misses(verdicts: Sequence[Verdict]) -> list[str]:
    """Return the names of the statements that do not hold."""
    return [verdict.name for verdict in verdicts if not verdict.holds]


def summary(verdicts: Sequence[Verdict]) -> str:
    """Say how many statements hold; checks of the programs do not count."""
    texts = []
    for source, words in (("paper", "statements and figures of the paper"), ("ours", "targets of our own")):
        asked = [verdict for verdict in verdicts if verdict.source == source]
        if asked:
            held = sum(verdict.holds for verdict in asked)
            texts.append(f"{held} of {len(asked)} {words} {'hold' if held != 1 else 'holds'}")
    broken = [verdict for verdict in verdicts if verdict.source == "check" and not verdict.holds]
    failed = f"; {len(broken)} checks of the programs FAIL" if broken else ""
    return f"{' and '.join(texts)}{failed}."


def glance(looks: Sequence[Look], verdicts: Sequence[Verdict]) -> str:
    """Return one line for each table and figure, with how many of the statements about it hold."""
    lines = [[item.place, item.paper, item.here, _held(item.place, verdicts)] for item in looks]
    return table(["of the paper", "paper", "here", "holds"], lines, left=4)


def _held(place: str, verdicts: Sequence[Verdict]) -> str:
    asked = [verdict for verdict in verdicts if verdict.place == place and verdict.source == "paper"]
    held = sum(verdict.holds for verdict in asked)
    if not asked:
        return "nothing to compare"
    if held == len(asked):
        return "yes"
    if len(asked) == 1:
        return f"**no**: {asked[0].found}"
    return f"{held} of {len(asked)}" if held else "**no**"


def span(values: Sequence[float], number: Callable[[float], str]) -> str:
    """Return the least and the largest of some numbers."""
    low, high = number(min(values)), number(max(values))
    return low if low == high else f"{low} to {high}"


def tables(verdicts: Sequence[Verdict]) -> str:
    """Return a table for each source, and below it why statements do not hold."""
    parts = []
    for source, title in TITLES.items():
        asked = [verdict for verdict in verdicts if verdict.source == source]
        if not asked:
            continue
        lines = [[item.name, item.found, item.wanted, "yes" if item.holds else "**no**"] for item in asked]
        reasons = [f"- **{item.name}.** {item.why}" for item in asked if item.why and not item.holds]
        parts += [
            f"### {title}",
            table(["what", "found", "wanted", "holds"], lines, left=4),
            "\n".join(reasons),
        ]
    return "\n\n".join(part for part in parts if part)


__all__ = ["Look", "Source", "Verdict", "glance", "misses", "span", "summary", "tables"]
