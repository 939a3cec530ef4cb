"""Local recoding and microaggregation: cut anywhere, resumed from the checkpoint, and the same in the end."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sfumato.search import Progress

CENSUS = sf.datasets.adult().slice(0, 500).to_pandas()
LOCAL: dict[str, Any] = {
    "attributes": {
        **{name: {"role": "quasi-identifier"} for name in ("age", "education", "hours-per-week", "race")},
        "occupation": {"role": "sensitive"},
    },
    "recoding": {"scope": "local"},
    "suppression": {"limit": 0.02},
    "require": {"k": 5, "distinct_l(occupation)": 2},
    "objectives": {"minimize": ["loss"]},
    "search": {"iterations": 60_000},
}


def stop_at(fraction: float) -> Callable[[Progress], bool]:
    """Return a callback that stops a search when it has come so far."""
    return lambda progress: progress.fraction > fraction


def make_spec(**more: object) -> sf.Spec:
    return sf.Spec.from_dict({**LOCAL, **more})


def is_private(path: Path) -> bool:
    return os.name == "nt" or path.stat().st_mode & 0o777 == 0o600


@pytest.mark.slow
@pytest.mark.parametrize("cut", [0.4, 0.0])
def test_a_local_recoding_goes_on_where_it_was(cut: float, tmp_path: Path) -> None:
    path, few = tmp_path / "kept", CENSUS.head(80)
    whole = sf.anonymize(few, make_spec())
    part = sf.anonymize(few, make_spec(), checkpoint=path, callback=stop_at(cut))
    assert part.run["stopped"] == "stopped"
    assert is_private(path)
    part.verify()
    rest = sf.anonymize(few, make_spec(), checkpoint=path)
    assert "stopped" not in rest.run
    assert rest.measures["loss"] <= part.measures["loss"]
    assert rest.measures == whole.measures
    assert rest.run["bound"] == whole.run["bound"]
    pd.testing.assert_frame_equal(rest.frame, whole.frame)  # type: ignore[arg-type]


def test_a_local_recoding_by_the_clock_never_loses(tmp_path: Path) -> None:
    path, asked = tmp_path / "kept", make_spec(search={"time_limit": 2.0})
    part = sf.anonymize(CENSUS, asked, checkpoint=path, callback=stop_at(0.3))
    assert part.run["stopped"] == "stopped"
    rest = sf.anonymize(CENSUS, make_spec(search={"time_limit": 0.5}), checkpoint=path)
    assert rest.measures["loss"] <= part.measures["loss"]


def test_a_ladder_goes_on_with_the_step_it_was_in(tmp_path: Path) -> None:
    asked = make_spec(
        objectives={"maximize": ["k"], "minimize": ["loss"]},
        recoding={"scope": "local", "ladder": [3, 4, 6]},
        require={"k": 3},
        search={"iterations": 100_000, "time_limit": 8.0},
    )
    path = tmp_path / "kept"
    part = sf.explore(CENSUS, asked, checkpoint=path, callback=stop_at(0.5))
    assert part.run["stopped"] == "stopped"
    assert is_private(path)
    reached = {item.value("k"): item.value("loss") for item in part}
    seen: list[float] = []
    rest = sf.explore(CENSUS, asked, checkpoint=path, callback=lambda at: bool(seen.append(at.fraction)))
    # The global front to compare with comes first, and says 0.
    assert min(filter(None, seen)) >= 0.3, "the first step was searched again"
    for k, loss in reached.items():
        assert min(item.value("loss") for item in rest if item.value("k") >= k) <= loss
    assert len(rest) == 3
    assert rest[0].release().verify()


@pytest.mark.some(2)
@pytest.mark.parametrize(
    "change",
    [
        {"require": {"k": 6, "distinct_l(occupation)": 2}},
        {"search": {"iterations": 60_000, "seed": 2}},
        {"search": {"iterations": 50_000}},
        {"suppression": {"limit": 0.03}},
        {"attributes": {**LOCAL["attributes"], "age": {"role": "quasi-identifier", "weight": 2.0}}},
        {"attributes": {**LOCAL["attributes"], "race": {"role": "quasi-identifier", "labels": "suppress"}}},
    ],
)
def test_another_specification_or_table_is_refused(
    change: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kept"
    few = CENSUS.head(250)
    sf.anonymize(few, make_spec(), checkpoint=path, callback=stop_at(-1.0))
    for data, spec in ((few, make_spec(**change)), (CENSUS.tail(250), make_spec())):
        with pytest.raises(ParameterError, match="another run"):
            sf.anonymize(data, spec, checkpoint=path)


def numbers(seed: int = 1) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    made = pd.DataFrame(random.normal(size=(600, 6)), columns=list("abcdef"))
    return made.assign(area=np.arange(600) % 3)


WAYS: dict[str, dict[str, Any]] = {
    "annealing": {"method": "annealing", "steps": 3000},
    "strata": {"method": "annealing", "steps": 1500, "within": "area"},
    "gomm": {"groups": "gomm"},
    "both": {"groups": "auto", "method": "annealing", "steps": 300},
}


@pytest.mark.some(1)
@pytest.mark.parametrize("way", WAYS)
def test_microaggregation_goes_on_where_it_was(way: str, tmp_path: Path) -> None:
    path, given = tmp_path / "kept", {"columns": list("abcdef"), "k": 5, **WAYS[way]}
    whole = sf.microaggregate(numbers(), **given)
    part = sf.microaggregate(
        numbers(), **given, checkpoint=path, callback=stop_at(0.1 if way != "strata" else -1.0)
    )
    assert part.stopped
    assert is_private(path)
    part.verify()
    rest = sf.microaggregate(numbers(), **given, checkpoint=path)
    assert not rest.stopped
    assert rest.groups == whole.groups
    assert [item.tolist() for item in rest.labels.values()] == [
        item.tolist() for item in whole.labels.values()
    ]
    if way in ("annealing", "strata"):
        assert rest.measures["il"] <= part.measures["il"] + 1e-9
    with pytest.raises(ParameterError, match="another run"):
        sf.microaggregate(numbers(2), **given, checkpoint=path)
    with pytest.raises(ParameterError, match="another run"):
        sf.microaggregate(numbers(), **{**given, "k": 6}, checkpoint=path)


def test_rows_that_are_sorted_are_not_released_after_a_stop(tmp_path: Path) -> None:
    """What was stopped cannot be made again, and sorted rows are compared with the data by doing so."""
    with pytest.raises(ParameterError, match="do not sort"):
        sf.microaggregate(
            numbers(), list("abcdef"), 5, method="annealing", steps=3000, sort=True, callback=stop_at(0.1)
        )
