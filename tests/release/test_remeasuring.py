"""With the original, every measure that is stated or required is computed anew, and lies are found."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

import sfumato as sf
from tests.release.audited import COLUMNS, OTHERS, Q, adapt, make_columns, read_manifest, write_manifest

if TYPE_CHECKING:
    from pathlib import Path

TABLE = pa.table(make_columns())
EASY: dict[str, float] = {"k": 6}
HELD = {"sentence": "disease == 'gout'", "holders": "age > 25"}
# Measure → the scheme of the release, what else its specification says, and a limit that it cannot meet.
ONLY_BY_ORIGINAL: dict[str, tuple[str, dict[str, object], float]] = {
    "hdm": ("levels", {"require": {"k": 6, "hdm": 400}}, 0.5),
    "mean_k": ("levels", {"suppression": {"rule": "below-mean"}, "require": {"mean_k": 1}}, 1e6),
    "ql": ("levels", {"require": {"k": 6, "ql": 0.0}}, 1.0),
    "sf": ("sets", {"confidential": [{"sentence": "disease == 'gout'"}], "require": {"k": 6, "sf": 0}}, 1.0),
    "t(disease)": ("levels", {"require": {"k": 6, "t(disease)": 0.6}}, 0.001),
    "loss": ("levels", {"require": {"k": 6, "loss": 1}}, 0.001),
    "glm": ("levels", {"require": {"k": 6, "glm": 10_000}}, 1.0),
    "gl": ("levels", {"require": {"k": 6, "gl": 10_000}}, 1.0),
    "usefulness": ("levels", {"require": {"k": 6, "usefulness": 0}}, 0.999),
    "precision": ("levels", {"require": {"k": 6, "precision": 0}}, 0.999),
    "protection": ("levels", {"require": {"k": 6, "protection": 0}}, 0.999),
    "k": ("guided-sets", {"data": {"person": "name"}}, 1000),
}


def specify(scheme: str, parts: dict[str, object]) -> sf.Spec:
    asked = {name: {"role": Q, **about} for name, about in COLUMNS[scheme].items()}
    return sf.Spec.from_dict(
        {
            "attributes": {**asked, **OTHERS},
            "require": EASY,
            "suppression": {"limit": 0.1},
            "objectives": {"minimize": ["loss"]},
            **parts,
        }
    )


def release(path: Path, spec: sf.Spec, table: pa.Table = TABLE) -> Path:
    sf.anonymize(table, spec).write(path)
    return path


def forge(path: Path, name: str, *, stated: float | None = None, required: float | None = None) -> None:
    """Change a number or a requirement everywhere, and seal the manifest anew."""
    content = read_manifest(path)
    measures, require, recipe = content["measures"], content["require"], content["recipe"]
    assert isinstance(measures, dict)
    assert isinstance(require, dict)
    assert isinstance(recipe, dict)
    if stated is not None:
        measures[name] = stated
    if required is not None:
        require[name] = recipe["require"][name] = required
    write_manifest(path, content, sealed=True)


def verdicts(path: Path, spec: sf.Spec | None = None, table: object = TABLE) -> dict[str, str]:
    found = sf.verify(path, spec, table)
    checks = found["checks"]
    assert isinstance(checks, list)
    assert found["holds"] == all(item["verdict"] != "broken" for item in checks)
    return {item["name"]: item["verdict"] for item in checks}


@pytest.mark.some(1)
@pytest.mark.parametrize("name", ONLY_BY_ORIGINAL)
def test_a_false_number_and_a_false_requirement_are_found(tmp_path: Path, name: str) -> None:
    scheme, parts, limit = ONLY_BY_ORIGINAL[name]
    path = release(tmp_path / "r.csv", specify(scheme, parts))
    honest = read_manifest(path)
    found = verdicts(path)
    assert found[f"require {name}"] == found.get(name, "holds") == "holds"
    assert (name in found) != (name in honest.get("withheld", {}))  # type: ignore[operator]
    forge(path, name, required=limit)
    assert verdicts(path)[f"require {name}"] == "broken"
    # The number that would make the requirement hold is as false.
    forge(path, name, stated=limit)
    found = verdicts(path)
    assert found[name] == found[f"require {name}"] == "broken"
    write_manifest(path, honest, sealed=True)
    assert "broken" not in verdicts(path).values()


@pytest.mark.parametrize(
    ("output", "scheme"),
    [
        # What is masked is counted before any scheme is looked at.
        pytest.param(output, scheme, marks=() if scheme in short else pytest.mark.slow)
        for output, short in (("drop", ("levels", "ordered", "statistics")), ("mask", ("levels", "sets")))
        for scheme in COLUMNS
    ],
)
def test_measures_of_every_scheme_are_those_of_the_search(tmp_path: Path, scheme: str, output: str) -> None:
    require = {"k": 6, "hdm": 1e6, "ql": 0, "t(disease)": 1, "loss": 1, "precision": 0, "usefulness": 0}
    spec = specify(scheme, {"suppression": {"limit": 0.1, "output": output}, "require": require})
    made = sf.anonymize(TABLE, spec)
    made.write(tmp_path / "r.csv")
    found = sf.verify(tmp_path / "r.csv", spec, TABLE)
    assert found["holds"], found["violations"]
    counted = found["measures"]
    assert isinstance(counted, dict)
    for name in require:
        if name in counted:
            assert counted[name] == pytest.approx(made.measures[name], rel=1e-9), name
        else:
            assert name in ("hdm", "ql", "precision"), name
    if scheme == "levels":
        assert set(require) <= set(counted)


def test_a_lie_is_found_by_the_best_case_where_the_recipe_leaves_values_out(tmp_path: Path) -> None:
    """Values of suppressed rows alone stand in no recipe: the measure is open, but not without a bound."""
    columns = make_columns()
    columns["work"] = ["z", *columns["work"][1:]]
    table = pa.table(columns)
    spec = specify(
        "sets", {"require": {"k": 12, "hdm": 1e6, "ql": 0}, "suppression": {"limit": 0.1, "rule": "failing"}}
    )
    path = release(tmp_path / "r.csv", spec, table)
    recipe = read_manifest(path)["recipe"]
    if "z" in str(recipe):
        pytest.skip("the one value of its kind was kept")
    before = verdicts(path, table=table)
    assert before["hdm"] == before["require ql"] == "cannot be recounted"
    forge(path, "hdm", required=0.5)
    assert verdicts(path, table=table)["require hdm"] == "broken"
    forge(path, "hdm", stated=0.5)
    assert verdicts(path, table=table)["hdm"] == "broken"


@pytest.mark.some(1)
@pytest.mark.parametrize("name", ["secure", "exposed", "sf"])
def test_who_holds_a_sentence_is_told_by_the_specification(tmp_path: Path, name: str) -> None:
    spec = specify("sets", {"confidential": [HELD], "require": {"k": 2, "sf": 0}})
    path = release(tmp_path / "r.csv", spec)
    with_spec = verdicts(path, spec)
    assert with_spec[name] == "holds"
    alone = sf.verify(path, data=TABLE)
    assert alone["holds"]
    stated = read_manifest(path)["measures"]
    assert isinstance(stated, dict)
    forge(path, name, stated=0.5 if name == "sf" else stated[name] + 1)
    assert verdicts(path, spec)[name] == "broken"
    if name == "sf":
        reasons = sf.verify(path, data=TABLE)["not_recounted"]
        assert isinstance(reasons, dict)
        assert "--spec" in reasons[name]


def test_doing_it_again_never_fails_in_silence(tmp_path: Path) -> None:
    """A specification that does not fit the data leaves every measure open, with the reason."""
    path = release(tmp_path / "r.csv", specify("levels", {"require": {"k": 6, "hdm": 400}}))
    wrong = specify("levels", {"require": {"k": 6}}).to_dict()
    wrong["attributes"]["work"]["hierarchy"] = {"tree": {"G": ["a", "b"]}}  # type: ignore[index,call-overload]
    found = sf.verify(path, sf.Spec.from_dict(wrong), TABLE)
    reasons = found["not_recounted"]
    assert isinstance(reasons, dict)
    assert "applying the recipe again fails" in reasons["hdm"]


NUMBERS = ("9007199254740993", "9007199254740992")
PAIRS = [
    NUMBERS,
    ("00092", "92"),
    ("x", "x "),
    ("x", " x"),
    ("1.0", "1"),
    ("1e3", "1000"),
    ("x", "X"),
    ("\u00e9", "e\u0301"),
]


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("one", "other", "suffix", "source"),
    [
        *((*pair, ".csv", "table") for pair in PAIRS),
        *((*PAIRS[1], suffix, "csv") for suffix in (".csv", ".parquet", ".jsonl", ".arrow")),
        *((*NUMBERS, suffix, "parquet") for suffix in (".csv", ".parquet", ".jsonl")),
    ],
)
def test_other_cells_are_compared_to_the_last_character(
    tmp_path: Path, one: str, other: str, suffix: str, source: str
) -> None:
    import pyarrow.csv as pa_csv
    import pyarrow.parquet as pq

    def original(cell: str) -> object:
        columns = make_columns(60)
        columns["note"] = [cell if row == 5 else "y" for row in range(60)]
        table = pa.table(columns)
        if source == "table":
            return table
        path = tmp_path / f"{abs(hash(cell))}.{source}"
        pa_csv.write_csv(table, path) if source == "csv" else pq.write_table(table, path)
        return path

    spec = specify("guided-sets", {"require": {"k": 2}, "suppression": {"limit": 0}})
    path = tmp_path / f"r{suffix}"
    sf.anonymize(original(one), spec).write(path)
    assert verdicts(path, table=original(one))["rows of the original"] == "holds"
    assert verdicts(path, table=original(other))["rows of the original"] == "broken"


@pytest.mark.slow
@pytest.mark.parametrize("role", ["other", "sensitive", Q])
def test_whole_numbers_beyond_doubles_are_told_apart(tmp_path: Path, role: str) -> None:
    def original(number: int) -> pa.Table:
        return pa.table({"work": ["a"] * 6, "code": [number] * 6, "pay": [1, 1, 2, 2, 3, 3]})

    attributes = {"work": {"role": Q}, "code": {"role": role}, "pay": {"role": "sensitive"}}
    spec = sf.Spec.from_dict(
        {"attributes": attributes, "require": {"k": 2}, "objectives": {"minimize": ["loss"]}}
    )
    first, second = map(int, NUMBERS)
    for suffix in (".csv", ".parquet"):
        path = tmp_path / f"{role}{suffix}"
        sf.anonymize(original(first), spec).write(path)
        assert verdicts(path, table=original(first))["rows of the original"] == "holds"
        assert verdicts(path, table=original(second))["rows of the original"] == "broken"


@pytest.mark.some(1)
@pytest.mark.parametrize("with_data", [False, True])
def test_false_costs_are_found_with_and_without_the_original(tmp_path: Path, with_data: bool) -> None:
    path = release(tmp_path / "r.csv", specify("declared", {}))
    content = read_manifest(path)
    for kind in ("loss", "extent"):
        forged = copy.deepcopy(content)
        entry = forged["reference"]["attributes"]["age"][kind]  # type: ignore[index,call-overload]
        entry["cells"] = [[label, max(top - 1, 0), bottom] for label, top, bottom in entry["cells"]]
        write_manifest(path, forged, sealed=True)
        assert not sf.verify(path, data=TABLE if with_data else None)["holds"], kind


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pay", "seen"])
def test_numbers_and_dates_may_differ_in_spellings_of_formats_alone(tmp_path: Path, name: str) -> None:
    columns = {"pay": [25, 25, 30, 30], "seen": ["2020-01-03", "2020-02-04"] * 2, "work": ["a"] * 4}
    attributes = {
        "work": {"role": Q},
        "pay": {"role": "sensitive", "kind": "number"},
        "seen": {"role": "sensitive", "kind": "date"},
    }
    spec = sf.Spec.from_dict(
        {"attributes": attributes, "require": {"k": 2}, "objectives": {"minimize": ["loss"]}}
    )
    path = tmp_path / "r.csv"
    sf.anonymize(pa.table(columns), spec).write(path)
    other = {"pay": [25.0, 25.0, 30.0, 30.0], "seen": [f"{day} 00:00:00" for day in columns["seen"]]}
    assert verdicts(path, table=pa.table({**columns, name: other[name]}))["rows of the original"] == "holds"
    shown = str(columns[name][0])
    honest = path.read_text(encoding="utf-8")
    for spelt in (f"0{shown}", f"{shown} ", f" {shown}"):
        path.write_text(honest.replace(shown, spelt, 1), encoding="utf-8")
        adapt(path)
        assert verdicts(path, table=pa.table(columns))["rows of the original"] == "broken", spelt
