"""docs/specification.md says what holds: its tables are those of the models, and every example of it runs."""

from __future__ import annotations

import doctest
import re
import tomllib
from typing import TYPE_CHECKING, Annotated, get_args

import pandas as pd
import pytest
from pydantic import TypeAdapter, ValidationError

import sfumato as sf
from sfumato.errors import SpecError
from sfumato.release.manifest import Manifest
from sfumato.release.recipe import _ATTRIBUTE_KEYS, _KEYS
from sfumato.spec import choices
from sfumato.table import code_table, open_source
from sfumato.table.files import FORMATS
from tests import reference

if TYPE_CHECKING:
    from pathlib import Path

PAGE = reference.PAGE.read_text(encoding="utf-8")
PARTS = {part["name"]: part[0] for part in reference.PART.finditer(PAGE)}
PROSE = reference.PART.sub("", PAGE)
FILES = dict(re.findall(r"`([\w.]+)`:\n\n```(?:csv|toml)\n(.*?)```", PAGE, re.DOTALL))
TOML = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)

AROUND = {
    "attributes": {
        "age": {"role": "quasi-identifier"},
        "diagnosis": {
            "role": "sensitive",
            "hierarchy": {"tree": {"lung": ["flu", "asthma"], "heart": "angina"}},
        },
    },
    "confidential": [{"sentence": "diagnosis == flu"}],
}
"""What the fragments of the page refer to."""

COMPANIONS: dict[str, dict[str, object]] = {
    "cuts": {"hierarchy": {"mask": 5}},
    "order": {"kind": "ordinal"},
    "unknown": {"role": "sensitive"},
    "partitions": {"scheme": "admissible"},
    "origin": {"intervals": [5]},
    "bottom": {"intervals": [5]},
    "top": {"intervals": [5]},
    "declared": {"tree": ["24126"]},
    "for": {"sentence": "diagnosis == HIV"},
    "record": {"sentence": "diagnosis == HIV"},
    "damage": {"sentence": "diagnosis == HIV"},
}
"""Keys, or choices, that are an error alone → what makes them valid."""


def cells(text: str) -> list[list[str]]:
    """Return the rows of the tables in a text, their headers left out."""
    rows = [line for line in text.splitlines() if line.startswith("|")]
    rules = [place for place, line in enumerate(rows) if set(line) <= set("|- ")]
    left = [line for place, line in enumerate(rows) if not {place, place + 1} & set(rules)]
    return [
        [cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in left
    ]


def written(name: str, key: str, value: object) -> dict[str, object]:
    """Return the tables of a file in which a key of one of its tables has a value."""
    around = COMPANIONS.get(str(value), COMPANIONS.get(key, {}))
    if name == "hierarchy":
        return written("attributes", "hierarchy", {**around, key: value})
    if name == "attributes":
        whole = {"role": "quasi-identifier", **around, key: value}
        local = {"recoding": {"scope": "local"}} if key in ("labels", "keep", "snap") else {}
        return {**AROUND, **local, "attributes": {**AROUND["attributes"], "zip": whole}}  # type: ignore[dict-item]
    if key in ("ladder", "weighted"):
        around = {"scope": "local"}
    elif name != "confidential":
        around = {}
    whole = {**around, key: value}
    if key == "weighted":
        return {**AROUND, "data": {"weight": "weight"}, name: whole}
    if key == "partition_by":  # only published columns name folders
        people = {**AROUND["attributes"], "sex": {"role": "quasi-identifier"}}  # type: ignore[dict-item]
        return {**AROUND, "attributes": people, name: whole}
    return {**AROUND, name: [whole] if name == "confidential" else whole}


def key_rows() -> list[tuple[str, list[str]]]:
    return [(name, row) for name, model in reference.models() if name != "file" for row in cells(PARTS[name])]


ROWS = [pytest.param(name, row, id=f"{name}.{row[0][1:-1]}") for name, row in key_rows()]


def test_tables_are_those_of_the_models() -> None:
    assert reference.page() == PAGE, "run: python -m tests.reference"
    names = [part["name"] for part in reference.PART.finditer(PAGE)]
    assert sorted(names) == sorted(reference.tables())


def test_every_key_of_every_model_is_on_the_page_exactly_once() -> None:
    """As pydantic itself lists the keys, for programs."""
    schema = sf.Spec.model_json_schema(by_alias=True)
    expected = sorted(key for part in schema["$defs"].values() for key in part["properties"])
    assert sorted(row[0][1:-1] for _, row in key_rows()) == expected
    sections = [re.sub(r"[\[\]`]|\.NAME", "", row[0]) for row in cells(PARTS["file"])]
    assert sections == list(schema["properties"])


@pytest.mark.parametrize(("name", "row"), ROWS)
def test_examples_are_valid_and_differ_from_the_default(name: str, row: list[str]) -> None:
    key, (value,) = row[0][1:-1], tomllib.loads(row[4][1:-1]).values()
    spec = sf.Spec.from_dict(written(name, key, value))
    kept = spec.to_dict()
    assert spec == sf.Spec.from_dict(kept)
    place = kept["attributes"]["zip"] if name in ("attributes", "hierarchy") else kept[name]  # type: ignore[index, call-overload]
    if name == "hierarchy":
        place = place["hierarchy"]  # type: ignore[index, call-overload]
    assert key in (place[0] if isinstance(place, list) else place)  # type: ignore[operator]


@pytest.mark.parametrize(("name", "row"), [item for item in ROWS if item.values[1][2].startswith("`")])
def test_a_key_at_its_default_changes_nothing(name: str, row: list[str]) -> None:
    key, default = row[0][1:-1], tomllib.loads(f"x = {row[2][1:-1]}")["x"]
    without = written(name, key, default)
    part = without[name]
    inner = part["zip"] if name == "attributes" else part[0] if name == "confidential" else part  # type: ignore[index, call-overload]
    spec = sf.Spec.from_dict(without)
    del inner[key]  # type: ignore[attr-defined]
    assert spec == sf.Spec.from_dict(without)


def wrong_values(words: str) -> list[object]:
    """Return values that the words of a type rule out."""
    found: list[object] = [] if "list" in words else [[1]]
    if words.startswith(("text", "path", "one of")):
        return [*found, 5, True]
    if words == "true or false":
        return [*found, 1, "true"]
    if words.startswith(("list", "table")):
        return [5, "x"]
    found += ["5", True]
    found += [1.5] if words.startswith("whole") else []
    if limits := re.search(r"from 0 to ([\d,]+)", words):
        found += [-0.5, int(limits[1].replace(",", "")) + 1]
    if lowest := re.search(r", (\d+) or above", words):
        found.append(int(lowest[1]) - 1)
    return [*found, 0] if words.endswith("above 0") else found


def right_values(words: str) -> list[object]:
    """Return the outermost values that the words of a type allow."""
    if words.startswith("one of"):
        return list(re.findall("`([^`]+)`", words))
    if limits := re.search(r"from 0 to ([\d,]+)", words):
        return [0, int(limits[1].replace(",", ""))]
    lowest = re.search(r", (\d+) or above", words)
    return [int(lowest[1])] if lowest else [1e-9] if words.endswith("above 0") else []


@pytest.mark.parametrize(("name", "row"), ROWS)
def test_types_are_true(name: str, row: list[str]) -> None:
    """What the words allow is taken, and what they rule out is refused."""
    field = dict(reference.keys(dict(reference.models())[name]))[row[0][1:-1]]
    checks = Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation  # type: ignore[valid-type]
    adapter = TypeAdapter(checks)
    for value in right_values(row[1]):
        adapter.validate_python(value)
    wrong = wrong_values(row[1])
    assert wrong
    for value in wrong:
        with pytest.raises(ValidationError):
            adapter.validate_python(value)


@pytest.mark.parametrize("text", TOML)
def test_specifications_of_the_page_are_valid(text: str, folder: Path) -> None:
    """Fragments together with what they refer to; whole ones are checked with their data."""
    tables = tomllib.loads(text)
    if "data" in tables:
        assert sf.check(sf.Spec.from_dict(tables, folder))["ok"]
        return
    attributes = {**AROUND["attributes"], **tables.get("attributes", {})}  # type: ignore[dict-item]
    sf.Spec.from_dict({**AROUND, **tables, "attributes": attributes}, folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the files that the page shows."""
    assert set(FILES) == {"patients.csv", "education.csv", "patients.toml"}
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_python_of_the_page_prints_what_it_says(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    found = doctest.testfile(
        str(reference.PAGE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE, encoding="utf-8"
    )
    assert found.attempted > 15
    assert found.failed == 0


SHOWN = re.findall(
    r"```toml\n((?:(?!```).)*?)```\n\n(?:[^\n|`]*`[^\n]*\n\n)?(\| value .*?)\n\n", PAGE, re.DOTALL
)


def test_hierarchies_have_the_levels_that_the_page_shows(folder: Path) -> None:
    """One table for each source, and one for steps."""
    sources = set()
    for text, table in SHOWN:
        ((name, asked),) = tomllib.loads(text)["attributes"].items()
        spec = sf.Spec.from_dict({"attributes": {name: asked}}, folder)
        attribute = spec.attributes[name]
        assert attribute.hierarchy is not None
        sources.add(attribute.hierarchy.source)
        header, *_ = table.splitlines()
        numbers = [int(number) for number in re.findall(r"level (\d)", header)]
        rows = cells(table)
        assert levels_of(spec, name, [row[0] for row in rows], numbers) == [row[1:] for row in rows]
    assert sources == {"intervals", "mask", "prefix", "file", "tree", "dates"}
    assert len(SHOWN) == PAGE.count("| value |") >= 7


def levels_of(spec: sf.Spec, name: str, texts: list[str], numbers: list[int]) -> list[list[str]]:
    """Return the labels of values on some levels, as a release shows them."""
    values = [None if text == "(missing)" else text for text in texts]
    table = code_table(open_source(pd.DataFrame({name: values})), spec)
    hierarchy, raw = table.hierarchies[name], table.raw[name]
    codes = dict(zip(raw.values.to_pylist(), raw.codes.tolist(), strict=True)) | {None: hierarchy.size - 1}
    assert numbers[-1] == hierarchy.height
    return [
        [hierarchy.labels[level][hierarchy.levels[level][codes[value]]] or "(missing)" for level in numbers]
        for value in values
    ]


def test_missing_counts_as_the_page_says() -> None:
    """As nothing in the measures that it names, and as one person."""
    rows = {"zip": list("aaabbb"), "illness": ["flu", None, "flu", None, None, "cold"]}
    frame = pd.DataFrame({**rows, "person": ["P1", None, None, "P2", "P3", None]})
    found = sf.measure(frame, ["zip"], ["illness"])
    named = [row[0] for row in cells(PROSE) if row[1].startswith("nothing: ")]
    known = sf.measure(frame.dropna(subset="illness"), ["zip"], ["illness"])
    for name in re.findall("`([^`]+)`", "".join(named)):
        (measure,) = (measure for measure in found if measure.startswith(f"{name}("))
        assert found[measure] == known[measure], measure
    filled = sf.measure(frame.fillna({"illness": "unknown"}), ["zip"], ["illness"])
    assert (found["t(illness)"], found["cm(illness)"]) == (filled["t(illness)"], filled["cm(illness)"])
    declared = {"role": "sensitive", "unknown": ["unknown"]}
    spec = sf.Spec.from_dict({"attributes": {**AROUND["attributes"], "illness": declared}})
    assert found == sf.measure(frame.fillna({"illness": "unknown"}), ["zip"], ["illness"], spec=spec)
    assert sf.measure(frame, ["zip"], person="person")["k"] == 2
    assert sf.measure(frame, ["illness"])["k"] == 1
    assert sf.measure(frame.replace("cold", "flu"), ["illness"])["k"] == 3


MEASURES = [pytest.param(row, id=row[0][1:-1]) for row in cells(PARTS["measures"])]


@pytest.mark.parametrize("row", MEASURES)
def test_measures_have_the_direction_and_the_range_that_the_page_says(row: list[str]) -> None:
    frame = pd.DataFrame({"age": [30, 30, 40, 40], "diagnosis": ["flu", "asthma", "flu", "angina"]})
    name = row[0][1:-1].replace("(A", "(diagnosis")
    sides = ["minimize", "maximize"] if row[3] == "smaller" else ["maximize", "minimize"]
    assert sf.check(frame, sf.Spec.from_dict({**AROUND, "objectives": {sides[0]: [name]}}))["ok"]
    with pytest.raises(SpecError, match="list it under"):
        sf.check(frame, sf.Spec.from_dict({**AROUND, "objectives": {sides[1]: [name]}}))
    low, high = re.fullmatch(r"(\d) (?:to (\d)|or above)", row[5]).groups()  # type: ignore[union-attr]
    for number in (int(low), int(high or low)):
        sf.check(frame, sf.Spec.from_dict({**AROUND, "require": {name: number}}))
    for number in (int(low) - 1, *([int(high) + 1] if high else [])):
        with pytest.raises(SpecError, match="must be"):
            sf.check(frame, sf.Spec.from_dict({**AROUND, "require": {name: number}}))


def test_every_choice_is_explained() -> None:
    firsts = " ".join(row[0] for row in cells(PROSE))
    listed = (choices.Role, choices.Kind, choices.Scheme, choices.SuppressionRule, choices.Method)
    for choice in (item for group in listed for item in get_args(group)):
        assert f"`{choice}`" in firsts, choice
    for suffix in FORMATS:
        assert f"`{suffix}`" in PROSE, suffix


def named(header: str) -> list[str]:
    """Return the keys in the first column of the table with a header."""
    table = PAGE.split(f"| {header} | what it is |\n")[1].split("\n\n")[0]
    return [name for row in cells(f"| |\n{table}") for name in re.findall("`([^`]+)`", row[0])]


def test_keys_of_manifest_and_recipe_are_explained() -> None:
    stated = (
        {"loss": "why"},
        {"t": 0.1},
        "fits",
        0.1,
        {"date": "2024-01-01"},
        {"bom": True},
        {"text": "words"},
    )
    everything = Manifest({}, {}, {}, {}, "", {}, {}, *stated)
    assert sorted(named("key of the manifest")) == sorted(everything.to_dict())
    assert sorted(named("key of the recipe")) == sorted(_KEYS)
    assert sorted(named("key of an attribute")) == sorted(_ATTRIBUTE_KEYS)


def test_links_of_the_page_lead_somewhere() -> None:
    heads = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", PAGE, flags=re.DOTALL), re.MULTILINE)
    anchors = {"#" + re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}
    for target in re.findall(r"\]\(([^)]+)\)", PAGE):
        assert target in anchors or (reference.PAGE.parent / target).is_file(), target
