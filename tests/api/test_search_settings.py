"""Settings of a search do something, or are refused."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.search import METHODS
from tests.api.conftest import make_rows, make_spec

if TYPE_CHECKING:
    from collections.abc import Sequence

Point = tuple[float, float]
FRONT = {"objectives": {"maximize": ["k"], "minimize": ["loss"]}, "require": {}}
GIVEN: dict[str, object] = {
    "variant": "breadth-first",
    "population": 10,
    "iterations": 3,
    "crossover": 0.5,
    "mutation": 0.2,
    "walk": 2,
    "screening": False,
    "elite": 0,
    "constrained_mutation": 0.1,
    "seeding": False,
    "patience": 4,
}


def explore(search: dict[str, object], **parts: Any) -> sf.Front:
    return sf.explore(pa.table(make_rows(120)), sf.Spec.from_dict(make_spec(**FRONT | parts, search=search)))


@pytest.mark.parametrize("method", ["auto", *METHODS])
@pytest.mark.parametrize("key", GIVEN)
def test_a_setting_that_the_search_does_not_use_is_refused(method: str, key: str) -> None:
    known = METHODS.get(method)
    names = [] if known is None or known.parameters is None else dataclasses.fields(known.parameters)
    if key in [item.name for item in names]:
        return
    alone = {"objectives": {"minimize": ["loss"]}, "require": {"k": 3}}
    parts = alone if method in ("optimal", "descent", "lattice") else {}
    if known is not None and known.partitions_alone:
        written: dict[str, Any] = make_spec()["attributes"]
        ranges = {
            name: {**item, "scheme": "ordered"} if item["role"] == "quasi-identifier" else item
            for name, item in written.items()
        }
        parts = {**alone, "attributes": ranges}
    with pytest.raises(sf.SpecError) as caught:
        explore({"method": method, key: GIVEN[key]}, **parts)
    users = [name for name, item in METHODS.items() if key in item.used]
    assert users
    assert all(repr(name) in str(caught.value) for name in users)
    assert f"Remove {key}" in str(caught.value)
    assert ("auto chose 'exhaustive'" in str(caught.value)) == (method == "auto")


def covers(
    found: Sequence[tuple[float, float]], point: tuple[float, float], widths: tuple[float, float]
) -> bool:
    """Tell whether a solution is in the box of a point, or in one that is nowhere worse."""

    def box(values: Point) -> tuple[int, int]:
        return int(values[0] // widths[0]), int((1 - values[1]) / widths[1] + 1e-12)

    return any(all(x >= y for x, y in zip(box(one), box(point), strict=True)) for one in found)


@pytest.mark.some(2)
@pytest.mark.parametrize("method", ["auto", "exhaustive", "nsga2", "pbg-ea", "spea2"])
def test_boxes_leave_a_representative_part_of_the_front(method: str) -> None:
    boxes = {"k": 4.0, "loss": 0.1}
    few = {"method": method, "boxes": boxes}
    if method in ("nsga2", "spea2", "pbg-ea"):
        few |= {"iterations": 40, "population": 50}
    whole, part = explore({"method": "exhaustive"}), explore(few)
    every = {(item.measures["k"], item.measures["loss"]) for item in whole}
    found = [(item.measures["k"], item.measures["loss"]) for item in part]
    assert 1 < len(found) < len(every)
    assert set(found) <= every
    assert len({(int(k // 4), round((1 - loss) // 0.1)) for k, loss in found}) == len(found)
    assert all(covers(found, point, (4.0, 0.1)) for point in every)


def test_boxes_name_objectives() -> None:
    with pytest.raises(sf.SpecError, match="'dm', which is not an objective"):
        explore({"boxes": {"dm": 4.0}})


def test_screening_is_heard() -> None:
    asked = {"method": "pbg-ea", "population": 20, "iterations": 20, "walk": 0}
    evaluated = {on: explore({**asked, "screening": on}).run["evaluated"] for on in (True, False)}
    assert evaluated[True] != evaluated[False]
