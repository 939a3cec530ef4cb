"""Releases of every kind for the audit, and everything that can be changed in a manifest."""

from __future__ import annotations

import copy
import functools
import json
import random
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa

import sfumato as sf
from sfumato.errors import SfumatoError
from sfumato.release import manifest_path, seal_of
from sfumato.verifier import hash_file

if TYPE_CHECKING:
    from collections.abc import Iterator

Place: TypeAlias = "tuple[str | int, ...]"

Q = "quasi-identifier"
TREE = {"G": ["a", "b"], "P": ["c", {"Q": ["d", "e"]}]}
OTHERS: dict[str, dict[str, object]] = {
    "name": {"role": "identifier"},
    "disease": {"role": "sensitive"},
    "note": {"role": "other"},
}
COLUMNS: dict[str, dict[str, dict[str, object]]] = {
    "levels": {
        "age": {"hierarchy": {"intervals": [5, 20], "bottom": 20, "top": 40}},
        "zip": {"hierarchy": {"mask": 4}},
        "work": {"hierarchy": {"tree": TREE}, "weight": 2},
        "born": {"hierarchy": {"dates": ["quarter", "year"]}},
    },
    "ordered": {"age": {"scheme": "ordered"}, "height": {"scheme": "ordered"}, "work": {}},
    "guided-ordered": {"born": {"scheme": "GOPS", "hierarchy": {"dates": ["month", "year"]}}, "work": {}},
    "cuts": {"work": {"scheme": "cuts", "hierarchy": {"tree": TREE}}, "age": {"granularity": 5}},
    "sets": {"work": {"scheme": "sets"}, "age": {"hierarchy": {"intervals": [10]}, "granularity": 5}},
    "guided-sets": {"work": {"scheme": "GSPS", "hierarchy": {"tree": TREE}}},
    "declared": {
        "age": {"hierarchy": {"intervals": [5, 20], "bottom": 10, "top": 50}, "levels": [1, 1]},
        "work": {"hierarchy": {"tree": TREE}, "weight": 2},
    },
    "statistics": {"age": {"hierarchy": {"intervals": [10, 20]}, "output": "mean"}, "work": {}},
}
MASKED = {"suppression": {"limit": 0.1, "output": "mask"}}
CLOSE = {"require": {"k": 6, "t(disease)": 0.6}}
CONFIDENTIAL = {"confidential": [{"sentence": "disease == 'gout'"}], "require": {"k": 6, "secure": 1}}
CASES: dict[str, tuple[str, dict[str, object]]] = {
    **{scheme: (scheme, {}) for scheme in COLUMNS},
    "masked": ("levels", MASKED),
    "closeness": ("levels", CLOSE),
    "confidential": ("sets", CONFIDENTIAL),
    "hdm": ("levels", {"require": {"k": 6, "hdm": 400}}),
    "person": ("guided-sets", {"data": {"person": "name"}}),
}
SUFFIXES = (".csv", ".csv.gz", ".tsv", ".jsonl", ".parquet", ".arrow")


def make_columns(rows: int = 240, seed: int = 3) -> dict[str, list[object]]:
    """Return a made-up table; some heights are missing."""
    generator = random.Random(seed)
    days = ["2001-01-03", "2001-02-07", "2001-05-09", "2003-05-05"]
    made: dict[str, list[object]] = {"name": [f"p{row // 2}" for row in range(rows)]}
    made["age"] = [generator.choice([18, 22, 25, 30, 31, 44]) for _ in range(rows)]
    made["zip"] = [generator.choice(["0210", "0211", "0330", "0339"]) for _ in range(rows)]
    made["work"] = [generator.choice("abcde") for _ in range(rows)]
    made["height"] = [generator.choice([1.5, 1.6, 1.75, 1.9, None]) for _ in range(rows)]
    made["born"] = [generator.choice(days) for _ in range(rows)]
    made["disease"] = [generator.choice(["flu", "gout", "none"]) for _ in range(rows)]
    made["note"] = [generator.choice("xyz") for _ in range(rows)]
    return made


def write_case(case: str, path: Path) -> Path:
    """Write one of the releases."""
    return _put(_made(case, "".join(path.suffixes)), path)


def _put(made: tuple[bytes, bytes], path: Path) -> Path:
    for place, content in zip((path, manifest_path(path)), made, strict=True):
        place.write_bytes(content)
    return path


@functools.cache
def _made(case: str, suffix: str) -> tuple[bytes, bytes]:
    """Make a release once: a file and its manifest, which say nothing of where they stand."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"r{suffix}")
        if case == "microaggregated":
            _microaggregate(path)
        else:
            _anonymize(case, path)
        return path.read_bytes(), manifest_path(path).read_bytes()


def _anonymize(case: str, path: Path) -> None:
    scheme, parts = CASES[case]
    asked = {name: {"role": Q, **about} for name, about in COLUMNS[scheme].items()}
    spec = {
        "attributes": {**asked, **OTHERS},
        "require": {"k": 6},
        "suppression": {"limit": 0.1},
        "objectives": {"minimize": ["loss"]},
        **parts,
    }
    sf.anonymize(pa.table(make_columns()), sf.Spec.from_dict(spec)).write(path)


def make_numbers() -> pa.Table:
    """Return a made-up table of numbers, an ordinal column among them."""
    generator = random.Random(5)
    table: dict[str, list[object]] = {
        name: [generator.random() for _ in range(40)] for name in ("u", "v", "w")
    }
    table["note"] = [float(row % 3) for row in range(40)]
    table["size"] = [generator.choice("SML") for _ in range(40)]
    return pa.table(table)


def write_microaggregated(path: Path) -> Path:
    """Write a microaggregated table of three groups of columns."""
    return _put(_made("microaggregated", "".join(path.suffixes)), path)


def _microaggregate(path: Path) -> None:
    columns, groups = ["u", "v", "w", "size"], [["u", "v"], ["w"], ["size"]]
    orders = {"size": ["S", "M", "L"]}
    sf.microaggregate(make_numbers(), columns, 4, groups=groups, orders=orders, keep=["note"]).write(path)


def read_manifest(path: Path) -> dict[str, object]:
    """Return the manifest of a release as JSON."""
    found = json.loads(manifest_path(path).read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def write_manifest(path: Path, content: dict[str, object], *, sealed: bool) -> None:
    """Put a manifest beside a release; ``sealed`` as a forger would, who makes the seal anew."""
    content = {**content, "seal": seal_of(content)} if sealed else content
    manifest_path(path).write_text(json.dumps(content), encoding="utf-8")


def adapt(path: Path, **rows: int) -> None:
    """Make digest, rows and seal of a manifest fit its changed file, as a forger would."""
    content = read_manifest(path)
    content["sha256"] = hash_file(path)
    stated = content["rows"]
    assert isinstance(stated, dict)
    stated |= {"in" if key == "came" else key: number for key, number in rows.items()}
    write_manifest(path, content, sealed=True)


def leaves_of(value: object, place: Place = ()) -> Iterator[Place]:
    """Walk over all that is no object and no list with something in it."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves_of(inner, (*place, key))
    elif isinstance(value, list) and value:
        for number, inner in enumerate(value):
            yield from leaves_of(inner, (*place, number))
    else:
        yield place


def changed(content: dict[str, object], place: Place) -> dict[str, object]:
    """Return a manifest in which one leaf is another."""
    made = copy.deepcopy(content)
    target: object = made
    for key in place[:-1]:
        target = target[key]  # type: ignore[index]
    target[place[-1]] = _another(target[place[-1]], str(place[-1]))  # type: ignore[index]
    return made


def _another(value: object, key: str) -> object:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if value is None:
        return "x"
    if isinstance(value, str):
        digest = key in ("sha256", "seal")
        return ("1" if value[0] == "0" else "0") + value[1:] if digest else f"{value}x"
    return ["x"] if isinstance(value, list) else {"x": 1}


def verdict(path: Path) -> list[str]:
    """Return what the audit finds broken, or the one line that it ends with."""
    try:
        found = sf.verify(path)["violations"]
    except SfumatoError as error:
        return [str(error)]
    assert isinstance(found, list)
    return found
