"""Where all combinations do not fit into memory, levels that no release can use are left out of the cube."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

import sfumato as sf
from sfumato.errors import TooManyError
from sfumato.preparing import load
from sfumato.table.tally import BYTES_EACH
from tests.table import backends

if TYPE_CHECKING:
    from pathlib import Path

BACKENDS = ("polars", "pandas", "polars-lazy", "pyarrow", "duckdb", "csv", "parquet")
COLUMNS = 4  # those that are counted


def columns_of(draw: random.Random) -> dict[str, list[object]]:
    """Return a table with a number that is nearly unique, and one that never is."""
    rows = draw.randrange(150, 300)
    return {
        "income": [draw.choice([None, *range(0, 640, 5)]) for _ in range(rows)],
        "age": [draw.choice([20, 21, 30, 31, 40]) for _ in range(rows)],
        "town": [draw.choice("abcd") for _ in range(rows)],
        "illness": [draw.choice("xyz") for _ in range(rows)],
        "note": [draw.choice(["9", "n", ""]) for _ in range(rows)],
    }


def make_spec(draw: random.Random, **changed: object) -> sf.Spec:
    intervals = {"intervals": [20, 80, 320], "origin": 0}
    # "9" is missing as a text, and must not become missing as the number of a block.
    return sf.Spec.from_dict(
        {
            "data": {"missing": ["", "9"]},
            "attributes": {
                "income": {"role": "quasi-identifier", "kind": "number", "hierarchy": intervals},
                "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 20], "origin": 0}},
                "town": {
                    "role": "quasi-identifier",
                    "hierarchy": {"tree": {"ab": ["a", "b"], "cd": ["c", "d"]}},
                },
                "illness": {"role": "sensitive"},
                "note": {"role": "other"},
            },
            "suppression": {"limit": draw.choice([0.0, 0.05, 0.2])},
            "require": {"k": draw.choice([3, 5, 8])},
            "objectives": {"maximize": ["k"], "minimize": ["loss", "suppressed"]},
            "search": {"seed": 1},
            **changed,
        }
    )


def limit_memory(monkeypatch: pytest.MonkeyPatch, tuples: float) -> None:
    """Let this machine have memory for so many combinations."""
    monkeypatch.setattr("sfumato.table.tally.FEW", 0)
    monkeypatch.setattr("sfumato.table.engine.machine_memory", lambda: BYTES_EACH * COLUMNS * tuples)


def written(data: object, spec: sf.Spec, folder: Path) -> tuple[bytes, str, object, dict[str, object]]:
    release = sf.anonymize(data, spec)
    release.write(folder / "r.csv", force=True)
    published = [item.published.tolist() for item in release._draft.groupings]
    return (folder / "r.csv").read_bytes(), (folder / "r.csv.json").read_text(), published, dict(release.run)


@pytest.mark.some(6)
@pytest.mark.parametrize("seed", range(14))
def test_nothing_is_lost(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(seed)
    columns, spec = columns_of(draw), make_spec(draw)
    data = backends.make(BACKENDS[seed % len(BACKENDS)], columns, tmp_path)
    whole = load(data, spec).cube
    expected, front = written(data, spec, tmp_path), sf.explore(data, spec)
    assert "raised" not in expected[-1]
    limit_memory(monkeypatch, len(whole.rows) - 1)
    with pytest.raises(TooManyError):
        load(data, spec)
    coarse = load(data, spec, to_search=True)
    assert coarse.table.raised["income"] >= 1
    assert len(coarse.cube.rows) < len(whole.rows)
    assert coarse.cube.row_count == whole.row_count
    found = written(data, spec, tmp_path)
    assert found[:-1] == expected[:-1]
    assert found[-1]["raised"] == coarse.table.raised
    again = sf.explore(data, spec)
    assert [(item.recoding, item.measures) for item in again] == [
        (item.recoding, item.measures) for item in front
    ]


@pytest.mark.parametrize(
    "changed",
    [
        {"objectives": {"minimize": ["hdm"]}},
        {"require": {}},
        {"recoding": {"scope": "local"}, "objectives": {"minimize": ["loss"]}},
    ],
)
def test_what_could_lose_something_is_refused(
    changed: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = random.Random(1)
    data, spec = backends.make("polars", columns_of(draw), tmp_path), make_spec(draw, **changed)
    limit_memory(monkeypatch, len(load(data, spec).cube.rows) - 1)
    with pytest.raises(TooManyError, match="Leave columns out"):
        load(data, spec, to_search=True)


def test_large_files_are_estimated_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(2)
    data, spec = backends.make("csv", columns_of(draw), tmp_path), make_spec(draw)
    whole = load(data, spec).cube
    monkeypatch.setattr("sfumato.table.tally.LARGE", 1)
    limit_memory(monkeypatch, len(whole.rows) / 2)
    with pytest.raises(TooManyError, match="there are about"):
        load(data, spec)
    limit_memory(monkeypatch, 2 * len(whole.rows))
    assert load(data, spec).cube.fingerprint == whole.fingerprint
