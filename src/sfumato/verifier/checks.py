"""One thing that was checked, and what was found."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Outcome: TypeAlias = Literal["holds", "broken", "cannot be recounted"]


@dataclass(frozen=True)
class Check:
    """One thing that was checked."""

    name: str  # what it is, e.g. `rows out`, `require k` or `labels of 'age'`.
    verdict: Outcome  # `holds`, `broken`, or `cannot be recounted`: file and manifest do not determine it
    # what was stated and counted, or why it cannot be counted: one sentence, without a cell of the file
    detail: str


def held(name: str, detail: str) -> Check:
    """Return a check that holds."""
    return Check(name, "holds", detail)


def broken(name: str, detail: str) -> Check:
    """Return a check that is broken."""
    return Check(name, "broken", detail)


def unknown(name: str, detail: str) -> Check:
    """Return a check that file and manifest do not decide."""
    return Check(name, "cannot be recounted", detail)


def judged(name: str, found: str, *, is_held: bool, of: str | None = None) -> Check:
    """Return what was found; if something is broken, the sentence begins with what it is about."""
    return held(name, found) if is_held else broken(name, f"{of or name}: {found}")
    return held(name, found) if is_held else broken(name, f"{of or name}: {found}")


def judge_order(late: int, columns: int) -> tuple[Check, ...]:
    """Say whether rows are sorted, given how many come too late."""
    if late:
        detail = f"the rows are not sorted by all columns; rows out of order: {late}."
        return (broken("order of rows", detail),)
    return (held("order of rows", f"sorted by all {columns} columns, so that it reveals nothing."),)


def violations_of(checks: Sequence[Check]) -> list[str]:
    """Return the sentences of what is broken, each once."""
    return list(dict.fromkeys(check.detail for check in checks if check.verdict == "broken"))


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What was found out about a file: everything that was checked, and the numbers."""

    require: Mapping[str, float]  # measure → number that must hold
    stated: Mapping[str, float]  # measure → number in the manifest
    measures: Mapping[str, float] = field(default_factory=dict)  # measure → number as recounted
    not_recounted: Mapping[str, str] = field(default_factory=dict)  # measure → why it cannot be recounted
    rows: Mapping[str, int] = field(default_factory=dict)
    classes: int | None = None  # None where nothing could be counted
    notes: Sequence[str] = ()
    sha256: str | None  # None of rows that are not written yet
    checks: Sequence[Check]

    @property
    def violations(self) -> list[str]:
        """What is broken, in words."""
        return violations_of(self.checks)

    @property
    def holds(self) -> bool:
        """Whether nothing is broken."""
        return not self.violations

    def to_dict(self) -> dict[str, object]:
        """Return what `sfumato.verify` returns."""
        return {
            "holds": self.holds,
            "violations": self.violations,
            **{
                key: dict(value) if isinstance(value, Mapping) else value for key, value in vars(self).items()
            },
            "notes": list(self.notes),
            "checks": [dict(vars(check)) for check in self.checks],
        }


_NAME = re.compile(r"([A-Za-z_]\w*)(?:\((.*)\))?", re.DOTALL)
_ARGUMENT = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^,()"]*[^,()"\s]))\s*(,|$)')


def split_name(text: str) -> tuple[str, tuple[str, ...]]:
    """Split ``t("zip, code", ordered)`` into its name and arguments."""
    # A text that is not the name of a measure comes back whole, without arguments.
    match = _NAME.fullmatch(text.strip())
    if match is None:
        return text, ()
    if match.group(2) is None:
        return match.group(1), ()
    arguments: list[str] = []
    place, more = 0, ","
    while more:
        argument = _ARGUMENT.match(match.group(2), place)
        if argument is None:
            return text, ()
        quoted, bare, more = argument.groups()
        arguments.append(bare.strip() if quoted is None else quoted.replace('""', '"'))
        place = argument.end()
    return match.group(1), tuple(arguments)
