"""Examine one drawn table: two worlds, one recoding, the same rows suppressed, one publication."""

from __future__ import annotations

import re
import shutil
import tempfile
import warnings
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import numpy as np

import sfumato as sf
from sfumato.errors import SfumatoError
from tests.worlds.comparing import UNSHOWN_FILE, UNSHOWN_FRAME, compare, find_marks
from tests.worlds.frames import make_data
from tests.worlds.publishing import one_day, publish
from tests.worlds.releasing import (
    Rejected,
    draw_recoding,
    make_release,
    make_spec,
    open_front,
    probe_front,
    recoding_of,
    rows_lost_by_applying,
    suppressed_rows,
)
from tests.worlds.tables import OF_TYPE, change_world, draw_case

PUBLISHED = ("quasi-identifier", "sensitive", "other")

if TYPE_CHECKING:
    from tests.worlds.comparing import Difference
    from tests.worlds.publishing import Published
    from tests.worlds.releasing import Recoding
    from tests.worlds.tables import Case, World

RECODINGS, WORLDS = 8, 4
"""Recodings that are drawn until some rows are suppressed, and second worlds until these rows stay so."""


@dataclass
class Outcome:
    """What became of one seed.

    Parameters
    ----------
    case
        The drawn table.
    rejected
        Why it was not compared; None where it was.
    differences
        What the two worlds publish differently.
    worlds
        What they publish.
    """

    case: Case
    rejected: str | None = None
    differences: list[Difference] = field(default_factory=list)
    worlds: tuple[Published, Published] | None = None

    @property
    def shape(self) -> str:
        """How the table came in and went out, and what was changed, in a few words."""
        case = self.case
        columns = " ".join(
            f"{column.flavour.name}/{column.scheme}/{column.output}"
            for column in case.named("quasi-identifier")
            if column.flavour
        )
        return f"{case.change}: {case.engine} to {case.suffix} by {case.route}, {columns}"


@one_day
def examine(seed: str, change: str | None = None, *, with_report: bool = False) -> Outcome:
    """Draw a table and compare what its two worlds publish."""
    case = draw_case(seed, change)
    folder = Path(tempfile.mkdtemp(prefix="worlds-"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _examine(case, folder, with_report=with_report)
    except Rejected as reason:
        return Outcome(case, str(reason))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _examine(case: Case, folder: Path, *, with_report: bool) -> Outcome:
    chance, rng = np.random.default_rng(abs(hash_of(case.seed))), Random(f"{case.seed} second")
    recoding, hidden = _find_recoding(case, folder, chance)
    if _has_empty_column(case, hidden):
        raise Rejected("a column is published without any value: its type is taken for public")
    try:
        release = make_release(case, case.world, recoding, folder, chance)
        recipe = release.recipe.to_dict() if case.route == "apply" else None
        if recipe is not None:
            release = make_release(case, case.world, recoding, folder, chance, recipe)
        first = publish(release, folder / "out", case.suffix, with_report=with_report)
    except SfumatoError as error:
        raise Rejected(f"first world: {type(error).__name__}: {_short(error)}") from error
    lost = hidden if recipe is None else rows_lost_by_applying(case, case.world, recoding, folder, chance)
    if release.rows["suppressed"] != len(hidden) or lost != hidden:
        raise Rejected("first world: other rows than in the probe")
    for _ in range(WORLDS):
        world = change_world(case, sorted(hidden), rng)
        try:
            second = make_release(case, world, recoding, folder, chance, recipe)
            if second.rows != release.rows:
                continue
            theirs = publish(second, folder / "out", case.suffix, with_report=with_report)
            found = compare(
                first,
                theirs,
                same_order=case.change != "order",
                rows=(len(hidden), release.rows["in"]),
            )
            if found and suppressed_rows(probe_front(case, world, folder), recoding, chance) != hidden:
                continue
        except (SfumatoError, Rejected):
            continue
        both = ((first, case.world), (theirs, world))
        marks = {
            item.kind: item for done, own in both for item in find_marks(done, _shown(case, own, hidden))
        }
        found += marks.values()
        if any(item.kind in (UNSHOWN_FILE, UNSHOWN_FRAME) for item in found):
            again = make_release(case, case.world, recoding, folder, chance, recipe)
            found = _name_memory(found, first, publish(again, folder / "out", case.suffix))
        if case.change == "missing":
            # A missing cell changes the types that libraries give to whole columns of frames.
            found = [item for item in found if not item.kind.startswith("frame")]
        if case.change in OF_TYPE:
            found = [replace(item, kind=f"[{case.change}] {item.kind}") for item in found]
        return Outcome(case, None, found, (first, theirs))
    raise Rejected("second world: other rows are suppressed, or it cannot be released")


def _shown(case: Case, world: World, hidden: frozenset[int]) -> set[str]:
    """Return the texts of the cells of published rows in columns that are published."""
    names = [column.name for column in case.columns if column.role in PUBLISHED]
    rows = [row for row in range(len(world.order)) if row not in hidden]
    return {str(world.cells[name][row]) for name in names for row in rows}


def _has_empty_column(case: Case, hidden: frozenset[int]) -> bool:
    """Tell whether the kind of a column would be guessed from hidden cells alone."""
    names = [column.name for column in case.columns if column.role in PUBLISHED]
    rows = [row for row in range(len(case.world.order)) if row not in hidden]
    return any(all(case.world.cells[name][row] is None for row in rows) for name in names)


def _name_memory(found: list[Difference], first: Published, again: Published) -> list[Difference]:
    """Tell bytes that differ between two runs of one world, which are left-over memory, from all others."""
    parts = {UNSHOWN_FILE: "FILE", UNSHOWN_FRAME: "frame/bytes"}
    return [
        replace(item, kind=f"[memory] {item.kind}")
        if item.kind in parts and first.get(parts[item.kind]) != again.get(parts[item.kind])
        else item
        for item in found
    ]


def _find_recoding(case: Case, folder: Path, chance: np.random.Generator) -> tuple[Recoding, frozenset[int]]:
    """Draw recodings until one suppresses some rows and keeps some."""
    try:
        probe = probe_front(case, case.world, folder)
        if case.route == "search":
            return _search(case, folder, probe, chance)
    except SfumatoError as error:
        raise Rejected(f"probe: {type(error).__name__}: {_short(error)}") from error
    for _ in range(RECODINGS):
        recoding = draw_recoding(probe, chance)
        try:
            hidden = suppressed_rows(probe, recoding, chance)
        except SfumatoError:
            continue
        if hidden:
            return recoding, hidden
    raise Rejected("no recoding suppresses rows and meets the requirements")


def _search(
    case: Case, folder: Path, probe: object, chance: np.random.Generator
) -> tuple[Recoding, frozenset[int]]:
    """Let the library find its own best release."""
    spec = make_spec(case, case.world, folder)
    data = make_data(case, case.world, folder)
    if any(column.scheme != "levels" for column in case.named("quasi-identifier")) or not spec.require:
        raise Rejected("search: not only levels")
    recoding = recoding_of(sf.anonymize(data, spec, threads=1), open_front(data, spec))
    hidden = suppressed_rows(probe, recoding, chance)  # type: ignore[arg-type]
    if not hidden:
        raise Rejected("search: no row is suppressed")
    return recoding, hidden


def _short(error: SfumatoError) -> str:
    """Return a message without numbers and names, so that equal reasons are counted together."""
    return re.sub(r"\b[qso]?\d+\b|'[^']*'", "…", error.message)[:90]


def hash_of(seed: str) -> int:
    """Return a number for a seed that is the same in every process."""
    return int.from_bytes(seed.encode(), "big") % 2**63
