"""All cases by name."""

from __future__ import annotations

import contextlib
from functools import partial
from typing import TYPE_CHECKING

from tests.goldens import commands, frames, microaggregating, python, schemes
from tests.goldens.desk import Desk

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CASES: dict[str, Callable[[Desk], None]] = {
    **{name: partial(schemes.whole_way, plan=plan) for name, plan in schemes.PLANS.items()},
    **commands.CASES,
    **frames.CASES,
    **microaggregating.CASES,
    **python.CASES,
}


def run_case(name: str, folder: Path) -> dict[str, str]:
    """Run a case in an empty folder; return its outputs by name."""
    desk = Desk(folder)
    with contextlib.chdir(folder):
        CASES[name](desk)
    return desk.result()
