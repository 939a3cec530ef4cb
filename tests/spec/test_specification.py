"""A specification loads, saves and reads back; the example of the documentation is one."""

from __future__ import annotations

import copy
import datetime as dt
import json
import os
import pickle
import subprocess
import sys
import tomllib
from pathlib import Path, PurePosixPath
from types import MappingProxyType

import numpy as np
import pytest

from sfumato.errors import OutputError, SpecError
from sfumato.spec import AttributeSpec, DataSpec, HierarchySpec, Spec

EXAMPLE = """
[data]
path = "adult.csv"
separator = ","
encoding = "utf-8"
missing = [""]
person = "patient_id"

[attributes.age]
role = "quasi-identifier"
kind = "number"
hierarchy = { intervals = [5, 10, 20, 40], origin = 0, bottom = 15, top = 90 }
levels = [0, 3]
scheme = "levels"
weight = 1.0
output = "label"

[attributes.zip]
role = "quasi-identifier"
hierarchy = { mask = 5 }

[attributes.education]
role = "quasi-identifier"
hierarchy = { file = "adult_hierarchy_education.csv" }

[attributes.workclass]
role = "quasi-identifier"
hierarchy = { tree = { Government = ["State-gov", "Local-gov"], Private = ["Private"] } }

[attributes.born]
role = "quasi-identifier"
hierarchy = { dates = ["month", "year", "decade"] }

[attributes.income]
role = "quasi-identifier"
kind = "ordinal"
order = ["low", "mid", "high"]

[attributes.height]
role = "quasi-identifier"
granularity = 5
scheme = "OPS"

[attributes.occupation]
role = "sensitive"

[attributes.name]
role = "identifier"

[attributes.remark]
role = "other"

[suppression]
limit = 0.01
rule = "auto"
output = "drop"

[require]
k = 5
"distinct_l(occupation)" = 3
"t(occupation)" = 0.3

[objectives]
maximize = ["k", "distinct_l(occupation)"]
minimize = ["loss"]

[search]
method = "auto"
seed = 1
time_limit = 60

[release]
order = "sorted"
"""


@pytest.fixture
def example(tmp_path: Path) -> Spec:
    (tmp_path / "adult.toml").write_text(EXAMPLE, encoding="utf-8")
    return Spec.load(tmp_path / "adult.toml")


def test_the_example_holds_what_the_file_says(example: Spec) -> None:
    assert example.data == DataSpec(path="adult.csv", separator=",", person="patient_id")
    age = example.attributes["age"]
    assert age.hierarchy == HierarchySpec(intervals=(5, 10, 20, 40), origin=0, bottom=15, top=90)
    assert age.hierarchy is not None
    assert all(type(width) is int for width in age.hierarchy.intervals or ())
    assert (age.kind, age.levels, age.scheme, age.weight, age.output) == (
        "number",
        (0, 3),
        "levels",
        1.0,
        "label",
    )
    sources = {name: a.hierarchy.source for name, a in example.attributes.items() if a.hierarchy}
    assert list(sources.values()) == ["intervals", "mask", "file", "tree", "dates"]
    assert example.attributes["income"].order == ("low", "mid", "high")
    assert example.attributes["height"].granularity == 5
    assert example.attributes["height"].scheme == "ordered"
    assert example.require == {"k": 5, "distinct_l(occupation)": 3, "t(occupation)": 0.3}
    assert example.objectives.names == ("k", "distinct_l(occupation)", "loss")
    assert (example.search.method, example.search.seed, example.search.time_limit) == ("auto", 1, 60)
    assert (example.suppression.limit, example.release.order) == (0.01, "sorted")


def test_names_by_role_in_the_order_of_the_file(example: Spec) -> None:
    expected = ("age", "zip", "education", "workclass", "born", "income", "height")
    assert example.quasi_identifiers == expected
    assert example.sensitive == ("occupation",)
    assert example.identifiers == ("name",)
    assert example.others == ("remark",)


def test_later_errors_can_name_the_place(example: Spec, tmp_path: Path) -> None:
    file = tmp_path / "adult.toml"
    lines = EXAMPLE.splitlines()
    required = lines.index('"t(occupation)" = 0.3') + 1
    maximized = lines.index('maximize = ["k", "distinct_l(occupation)"]') + 1
    assert example.where("require", "t(occupation)") == f'{file}:{required}: [require] "t(occupation)"'
    assert example.where("objectives", "maximize", 1) == f"{file}:{maximized}: [objectives] maximize, entry 2"
    assert example.where("attributes", "age", "granularity") == f"{file}:9: [attributes.age] granularity"
    copied = pickle.loads(pickle.dumps(example.model_copy(update={"require": {}})))
    assert copied.where("data", "path") == f"{file}:3: [data] path"
    assert (
        Spec.from_dict(example.to_dict()).where("objectives", "minimize", 0)
        == "[objectives] minimize, entry 1"
    )


def test_to_dict_leaves_defaults_out(example: Spec) -> None:
    plain = example.to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert plain["suppression"] == {"limit": 0.01}
    assert "search" not in plain
    assert "release" not in plain
    height = {"role": "quasi-identifier", "scheme": "ordered", "granularity": 5}
    assert plain["attributes"]["height"] == height  # type: ignore[index,call-overload]
    assert json.dumps(plain["require"]) == '{"k": 5, "distinct_l(occupation)": 3, "t(occupation)": 0.3}'


def test_what_is_saved_loads_back_equal(example: Spec, tmp_path: Path) -> None:
    example.save(tmp_path / "again.toml")
    assert Spec.model_validate_json(example.model_dump_json(exclude_defaults=True)) == example
    again = Spec.load(tmp_path / "again.toml")
    assert again == example
    assert list(again.attributes) == list(example.attributes)
    assert Spec.from_dict(example.to_dict()) == example


def test_built_field_by_field() -> None:
    spec = Spec(attributes={"age": {"role": "quasi-identifier"}}, require={"k": 5})
    assert spec == Spec(attributes={"age": AttributeSpec(role="quasi-identifier")}, require={"k": 5.0})
    assert spec.data == DataSpec()
    assert spec.data.missing == ("",)
    assert spec.suppression.limit == 0
    assert spec.search.time_limit == 60
    assert spec != Spec(attributes={"age": {"role": "quasi-identifier"}}, require={"k": 6})
    assert spec != 5


def test_python_values_beside_those_of_a_file() -> None:
    hierarchy = {"intervals": (np.int64(5), np.float64(10))}
    spec = Spec(
        data={"path": PurePosixPath("a/b.csv")},
        attributes=MappingProxyType(
            {"age": MappingProxyType({"role": "quasi-identifier", "hierarchy": hierarchy})}
        ),
        require={"k": np.int32(5)},
        search={"seed": np.int64(3), "method": "optimal"},
    )
    assert spec.to_dict() == {
        "data": {"path": "a/b.csv"},
        "attributes": {"age": {"role": "quasi-identifier", "hierarchy": {"intervals": [5, 10.0]}}},
        "require": {"k": 5},
        "search": {"seed": 3, "method": "optimal"},
    }


def test_a_specification_does_not_change(example: Spec) -> None:
    with pytest.raises(ValueError, match="frozen"):
        example.data = DataSpec()  # type: ignore[misc]
    changed = example.model_copy(update={"require": {"k": 9.0}})
    assert changed.require == {"k": 9.0}
    assert example.require["k"] == 5
    assert changed.folder == example.folder


def test_defaults_are_not_shared() -> None:
    first = Spec(attributes={"age": {"role": "quasi-identifier"}})
    first.require["k"] = 2.0
    assert Spec(attributes={"age": {"role": "quasi-identifier"}}).require == {}


def test_copies_and_pickles_are_equal(example: Spec) -> None:
    assert copy.deepcopy(example) == example
    again = pickle.loads(pickle.dumps(example))
    assert again == example
    assert again.folder == example.folder


def test_relative_paths_refer_to_the_folder_of_the_file(
    example: Spec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert example.folder == tmp_path
    assert example.resolve("adult.csv") == tmp_path / "adult.csv"
    assert example.resolve(tmp_path / "x.csv") == tmp_path / "x.csv"
    monkeypatch.chdir(tmp_path)
    by_name = Spec.load("adult.toml")
    (tmp_path / "deep").mkdir()
    monkeypatch.chdir(tmp_path / "deep")
    assert by_name.resolve("adult.csv") == tmp_path / "adult.csv"


def test_without_a_file_the_current_folder_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = {"attributes": {"age": {"role": "quasi-identifier"}}}
    spec = Spec.from_dict(tables)
    monkeypatch.chdir(tmp_path)
    assert spec.resolve("a.csv") == Path.cwd() / "a.csv"
    elsewhere = Spec.from_dict(tables, folder="there")
    assert elsewhere.folder == Path("there")
    assert elsewhere == spec


def test_acronyms_stand_for_schemes() -> None:
    names = {
        "BHS": "levels",
        "GHS": "cuts",
        "OPS": "ordered",
        "GOPS": "guided-ordered",
        "SPS": "sets",
        "GSPS": "guided-sets",
    }
    for acronym, name in names.items():
        for text in (acronym, acronym.lower(), name):
            attribute = AttributeSpec(role="quasi-identifier", scheme=text, hierarchy={"mask": 5})
            assert attribute.scheme == name


def test_numbers_that_are_only_discretized_are_ordered() -> None:
    asked = {"role": "quasi-identifier", "granularity": 5}
    assert AttributeSpec(**asked).scheme == "ordered"
    assert AttributeSpec(**asked, hierarchy={"intervals": [10]}).scheme == "levels"
    assert AttributeSpec(**asked, levels=[0, 1]).scheme == "levels"
    assert AttributeSpec(role="sensitive", granularity=5).scheme == "levels"
    levels = Spec(attributes={"height": {**asked, "scheme": "levels"}})
    assert levels.attributes["height"].scheme == "levels"
    assert Spec.from_dict(levels.to_dict()) == levels


def test_listed_partitions_are_kept_as_plain_values() -> None:
    listed = [1, "month", [["a", 1], [dt.date(2001, 2, 3), True, 0.5]]]
    attribute = AttributeSpec(role="quasi-identifier", scheme="admissible", partitions=listed)
    assert attribute.partitions == (1, "month", (("a", 1), ("2001-02-03", "true", 0.5)))


def test_the_person_need_not_be_an_attribute() -> None:
    age = {"role": "quasi-identifier"}
    assert Spec(data={"person": "id"}, attributes={"age": age}).identifiers == ()
    listed = Spec(data={"person": "id"}, attributes={"age": age, "id": {"role": "identifier"}})
    assert listed.identifiers == ("id",)
    for role in ("quasi-identifier", "sensitive", "other"):
        with pytest.raises(SpecError, match="must be 'identifier'"):
            Spec(data={"person": "id"}, attributes={"age": age, "id": {"role": role}})


@pytest.mark.parametrize(
    ("intervals", "fits"),
    [
        ([0.1, 0.3], True),
        ([0.1, 0.2, 1], True),
        ([0.1, 0.25], False),
        ([2.5, 5], True),
        ([2**60, 2**61], True),
        ([2**60, 2**61 + 1], False),
        ([1e-300, 1e300], False),
        ([5, 5], False),
    ],
)
def test_widths_nest(intervals: list[float], fits: bool) -> None:
    if fits:
        assert HierarchySpec(intervals=intervals).intervals == tuple(intervals)
    else:
        with pytest.raises(SpecError, match="entry 2: must be"):
            HierarchySpec(intervals=intervals)


def test_a_tree_may_have_branches_of_different_length() -> None:
    tree = {"Any": ["x", {"Low": [1, 2.0, 2.5]}], "Rest": {"More": {"Most": "y"}}}
    expected = {"Any": ["x", {"Low": ["1", "2", "2.5"]}], "Rest": {"More": {"Most": ["y"]}}}
    assert HierarchySpec(tree=tree).tree == expected


def test_leaves_are_texts() -> None:
    assert HierarchySpec(tree=["007", -0.5, True, dt.date(2020, 1, 31)]).tree == [
        "007",
        "-0.5",
        "true",
        "2020-01-31",
    ]


def test_the_deepest_tree_survives_saving(tmp_path: Path) -> None:
    tree: object = ["x"]
    for depth in range(99):
        tree = {f"n{depth}": tree}
    spec = Spec(attributes={"a": {"role": "quasi-identifier", "hierarchy": {"tree": tree}}})
    spec.save(tmp_path / "deep.toml")
    assert Spec.load(tmp_path / "deep.toml") == spec


def test_a_sensitive_attribute_may_have_a_hierarchy_and_an_order() -> None:
    attribute = AttributeSpec(
        role="sensitive", kind="ordinal", order=[1, 2], hierarchy={"tree": {"a": [1, 2]}}
    )
    assert attribute.order == (1, 2)


def test_byte_order_mark_and_line_ends_of_windows(tmp_path: Path) -> None:
    text = "\ufeff" + EXAMPLE.replace("\n", "\r\n")
    (tmp_path / "w.toml").write_bytes(text.encode())
    assert Spec.load(tmp_path / "w.toml") == Spec.from_dict(tomllib.loads(EXAMPLE))


def test_saving_replaces_in_one_step(example: Spec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "old.toml"
    target.write_text("old", encoding="utf-8")
    before = sorted(os.listdir(tmp_path))

    def refuse(source: object, destination: object) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", refuse)
        with pytest.raises(OutputError) as caught:
            example.save(target)
    assert str(caught.value) == f"{target}: cannot be written: Permission denied."
    assert target.read_text(encoding="utf-8") == "old"
    assert sorted(os.listdir(tmp_path)) == before
    example.save(target)
    assert Spec.load(target) == example
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.parametrize("name", ["missing/spec.toml", "folder", "nul\0.toml"])
def test_places_that_cannot_be_written(example: Spec, tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OutputError, match="cannot be written"):
        example.save(f"{tmp_path}/{name}")
    assert sorted(os.listdir(tmp_path)) == ["adult.toml", "folder"]


def test_importing_brings_no_heavy_library() -> None:
    code = "import sys, sfumato.spec; print([m for m in sys.argv[1:] if m in sys.modules])"
    heavy = ["numba", "numpy", "pandas", "polars", "duckdb", "pyarrow", "plotly", "narwhals"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run(
        [sys.executable, "-c", code, *heavy], capture_output=True, text=True, check=True, env=environment
    )
    assert result.stdout.strip() == "[]"
