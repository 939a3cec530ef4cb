"""One table with columns of every kind, and one specification for each scheme."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

import sfumato as sf
from tests.goldens.schemes import PLANS
from tests.goldens.tables import draw_people, write_areas

if TYPE_CHECKING:
    from sfumato.spec import Spec

SPECS = Path(__file__).parents[1] / "goldens" / "specs"
SCHEMES = tuple(sorted(PLANS))


@functools.cache
def columns(scheme: str) -> dict[str, list[object]]:
    """The table that a specification is about."""
    plan = PLANS[scheme]
    return draw_people(plan.rows, missing=plan.missing)


def arrow(scheme: str) -> pa.Table:
    """The same as Arrow holds it."""
    return pa.table(columns(scheme))


def spec(scheme: str, folder: Path, **data: str) -> Spec:
    """The specification of a scheme; its data are named by the test."""
    write_areas(folder)
    tables = sf.Spec.load(SPECS / f"{scheme}.toml").to_dict()
    own = {key: value for key, value in tables["data"].items() if key != "path"}
    return sf.Spec.from_dict({**tables, "data": {**own, **data}}, folder)
