"""One thing that was looked at, and what was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Verdict: TypeAlias = Literal["holds", "broken", "cannot be recounted"]


@dataclass(frozen=True)
class Check:
    """One thing that was looked at."""

    name: str  # what it is, e.g. `rows out`, `require k` or `labels of 'age'`.
    verdict: Verdict  # `holds`, `broken`, or `cannot be recounted`: file and manifest do not determine it
    # what was stated and counted, or why it cannot be counted: one sentence, without a cell of the file
    detail: str

    def to_dict(self) -> dict[str, str]:
        """Return the JSON form."""
        return {"name": self.name, "verdict": self.verdict, "detail": self.detail}


def held(name: str, detail: str) -> Check:
    """Return that something is as it should be."""
    return Check(name, "holds", detail)


def broken(name: str, detail: str) -> Check:
    """Return that something is not as it should be."""
    return Check(name, "broken", detail)


def unknown(name: str, detail: str) -> Check:
    """Return that file and manifest do not tell."""
    return Check(name, "cannot be recounted", detail)


def violations_of(checks: list[Check]) -> list[str]:
    """Return the sentences of what is broken, each once."""
    return list(dict.fromkeys(check.detail for check in checks if check.verdict == "broken"))
