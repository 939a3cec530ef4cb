"""Small functions of this room, each by an example."""

from __future__ import annotations

from sfumato.release.json_files import seal_of, stable_json
from sfumato.release.manifest import manifest_path
from sfumato.release.microaggregated import coarse
from sfumato.release.publishing import step_above


def test_stable_json() -> None:
    assert stable_json({"k": 5, "A": [0.1]}) == '{\n  "A": [\n    0.1\n  ],\n  "k": 5\n}\n'


def test_seal_of() -> None:
    assert seal_of({"k": 5, "A": 1}) == seal_of({"A": 1, "k": 5, "seal": "any"})
    assert seal_of({"k": 5}) != seal_of({"k": 6})


def test_manifest_path() -> None:
    assert manifest_path("open/adult.csv.gz").name == "adult.csv.gz.json"


def test_coarse() -> None:
    assert coarse({"il": 3.2, "id": 0.0, "id_standardized": 0.3, "dld": 20.0, "score": 6.6}) == {
        "il": 5.0,
        "id": 1.0,
        "id_standardized": 1.0,
        "dld": 20.0,
        "score": 7.75,
    }


def test_step_above() -> None:
    assert (step_above(0.013), step_above(0.5), step_above(0.0)) == (0.02, 0.5, 0.0)
