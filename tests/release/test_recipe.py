"""Recipes and manifests survive their files, and wrong files are told so."""

from __future__ import annotations

import datetime as dt
import json
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
import pytest

from sfumato.errors import DataError, OutputError, ParameterError
from sfumato.release.json_files import load_json_object, stable_json
from sfumato.release.manifest import Manifest, current_versions, manifest_path
from sfumato.release.recipe import Generalization, RecipeAttribute
from sfumato.release.reference import distribution, recoded_attribute
from tests.release.made import REQUIRE, ROWS, make_recipe, make_reference_of_release

if TYPE_CHECKING:
    from pathlib import Path


def make_manifest() -> Manifest:
    reference = make_reference_of_release()
    recipe = make_recipe().to_dict()
    return Manifest(recipe, {"k": 3, "loss": 0.1}, REQUIRE, ROWS, "ab" * 32, reference, {"python": "3"})


def test_a_recipe_survives_its_file(tmp_path: Path) -> None:
    recipe = make_recipe(suppressed_output="mask", person="name", order="input", missing=("", "?"))
    recipe.save(tmp_path / "recipe.json")
    loaded = Generalization.load(tmp_path / "recipe.json")
    assert loaded == recipe
    assert list(loaded.attributes) == ["name", "zip", "age", "disease", "note"]
    with pytest.raises(OutputError, match="--force"):
        recipe.save(tmp_path / "recipe.json")


def test_blocks_survive_their_file(tmp_path: Path) -> None:
    blocks = (("a", "b"), (1, 2.5), (None,))
    attribute = RecipeAttribute("quasi-identifier", "category", scheme="sets", blocks=blocks)
    Generalization({"x": attribute}).save(tmp_path / "r.json")
    assert Generalization.load(tmp_path / "r.json").attributes["x"].blocks == blocks


def test_a_recipe_knows_what_leaves() -> None:
    recipe = make_recipe(person="note")
    assert recipe.quasi_identifiers == ("zip", "age")
    assert recipe.sensitive == ("disease",)
    assert recipe.released == ("zip", "age", "disease")


def test_a_recipe_can_be_read_from_a_manifest(tmp_path: Path) -> None:
    path = tmp_path / "r.csv.json"
    path.write_text(make_manifest().to_json(), encoding="utf-8")
    assert Generalization.load(path) == make_recipe()


CHANGES: dict[str, tuple[tuple[str, ...], object, str]] = {
    "version": (("version",), 2, "newer"),
    "role": (("attributes", "age", "role"), "quasi", "one of"),
    "unknown key": (("attributes", "age", "levle"), 1, "unknown"),
    "no partition": (("attributes", "age", "partition"), None, "must have a partition"),
    "partition of another role": (("attributes", "note", "partition"), {"level": 1}, "must have a partition"),
    "two partitions": (("attributes", "age", "partition"), {"level": 1, "blocks": []}, "either"),
    "level": (("attributes", "age", "partition"), {"level": -1}, "whole number"),
    "blocks": (("attributes", "age", "partition"), {"blocks": [3]}, "list of blocks"),
    "block": (("attributes", "age", "partition"), {"blocks": [[[]]]}, "blocks of texts"),
    "weight": (("attributes", "age", "weight"), True, "a number"),
    "hierarchy": (("attributes", "age", "hierarchy"), 5, "an object"),
    "columns": (("columns",), ["age"], "each of the attributes once"),
    "columns, wrong kind": (("columns",), [1], "list of texts"),
    "rule": (("suppression", "rule"), "some", "one of"),
    "require": (("require",), {"k": "five"}, "numbers by name"),
    "person": (("data", "person"), 5, "a text"),
    "order": (("release",), {}, "missing"),
    "nearest": (("sufficient",), 1, "unknown"),
}


@pytest.mark.parametrize(("place", "value", "message"), CHANGES.values(), ids=CHANGES)
def test_a_wrong_recipe_names_the_place(place: tuple[str, ...], value: object, message: str) -> None:
    content = json.loads(stable_json(make_recipe().to_dict()))
    target = content
    for key in place[:-1]:
        target = target[key]
    target[place[-1]] = value
    with pytest.raises(DataError, match=message) as caught:
        Generalization.from_dict(content)
    assert str(caught.value).startswith(".".join(("recipe", *place[:-1])))


def test_a_manifest_survives_its_file(tmp_path: Path) -> None:
    path = manifest_path(tmp_path / "r.csv")
    path.write_text(make_manifest().to_json(), encoding="utf-8")
    loaded = Manifest.load(path)
    assert loaded == make_manifest()
    assert loaded.to_json() == make_manifest().to_json()
    assert loaded.promise().columns == ("zip", "age", "disease", "note")


def test_the_text_of_a_manifest_is_stable() -> None:
    text = make_manifest().to_json()
    assert text.endswith("}\n")
    assert not text.endswith("\n\n")
    assert list(json.loads(text)) == sorted(json.loads(text))
    assert '\n  "measures": {\n    "k": 3,\n    "loss": 0.1\n  },' in text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"not JSON", "not JSON"),
        (b"[]", "JSON object"),
        (b"\xff", "UTF-8"),
        (b"{}", "missing"),
        (b'{"x": NaN}', "not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b"", "not JSON"),
    ],
)
def test_a_file_that_is_no_manifest_is_told_so(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "r.csv.json"
    path.write_bytes(content)
    with pytest.raises(DataError, match=message) as caught:
        Manifest.load(path)
    assert str(path) in str(caught.value)


def test_a_manifest_that_is_not_there_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        load_json_object(tmp_path / "absent.json")
    with pytest.raises(DataError, match="cannot be read"):
        load_json_object(tmp_path)
    with pytest.raises(DataError, match="cannot be read"):
        load_json_object("nul\0.json")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("rows", {"in": 1}),
        ("rows", {"in": -1, "out": 0, "suppressed": 0}),
        ("sha256", "abc"),
        ("measures", {"k": None}),
        ("require", {"k": "5"}),
        ("reference", None),
        ("recipe", "x"),
    ],
)
def test_a_manifest_of_wrong_kinds_is_told_so(tmp_path: Path, key: str, value: object) -> None:
    path = tmp_path / "r.csv.json"
    path.write_text(stable_json({**make_manifest().to_dict(), key: value}), encoding="utf-8")
    with pytest.raises(DataError):
        Manifest.load(path)


def test_versions_are_told() -> None:
    assert {"python", "duckdb", "numpy"} <= set(current_versions())


def test_json_knows_dates_mappings_and_array_scalars() -> None:
    value = {"d": dt.date(2020, 1, 2), "m": MappingProxyType({"a": 1}), "n": np.int64(3)}
    assert json.loads(stable_json(value)) == {"d": "2020-01-02", "m": {"a": 1}, "n": 3}
    with pytest.raises(TypeError):
        stable_json({"x": object()})
    with pytest.raises(ValueError, match="not JSON compliant"):
        stable_json({"x": float("inf")})


def test_a_reference_refuses_what_could_not_be_read_back() -> None:
    with pytest.raises(ParameterError, match="label of its own"):
        recoded_attribute(["a", "a"], [1, 1], level=1, height=2)
    with pytest.raises(ParameterError, match="has a count"):
        distribution(["a"], [1, 2])


def test_a_domain_of_one_value_costs_nothing() -> None:
    stated = recoded_attribute(["*"], [1], level=1, height=1)
    assert stated["loss"] == {"cells": [["*", 0, 1]]}
    assert stated["height"] == {"default": [0, 1], "cells": []}
