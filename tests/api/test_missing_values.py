"""Missing sensitive values and those declared unknown: one meaning from the search to the recipient."""

from __future__ import annotations

import csv
import json
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from tests.examples import examples
from tests.oracles import lattice as oracle
from tests.oracles import measures
from tests.oracles.classes import Ladder, Table, Value, group
from tests.strategies import off_grid

TREE = {"x": ["x1", "x2"], "y": ["y1", "y2"]}
ILLNESSES = {"low": ["a", "b"], "high": ["c", "d", "untested"]}
UNKNOWN = ("untested", "refused")
ATTRIBUTES: dict[str, dict[str, object]] = {
    "place": {"role": "quasi-identifier", "hierarchy": {"tree": TREE}},
    "sex": {"role": "quasi-identifier", "kind": "ordinal", "order": ["f", "m"]},
    "ill": {"role": "sensitive", "hierarchy": {"tree": ILLNESSES}, "unknown": list(UNKNOWN)},
}
JUDGED: dict[str, st.SearchStrategy[float]] = {
    "k": st.integers(1, 3),
    "distinct_l(ill)": st.integers(1, 3),
    "entropy_l(ill)": off_grid(1, 3),
    "share_l(ill)": off_grid(1, 3),
    "recursive_l(ill, 3)": st.integers(1, 3),
    "t(ill)": off_grid(0, 0.8),
    "t(ill, ordered)": off_grid(0, 0.8),
    "t(ill, hierarchical)": off_grid(0, 0.8),
}


def ladder(name: str, tree: dict[str, list[str]], column: list[Value]) -> Ladder:
    """Return the levels of a tree; missing is last where it occurs, and alone below the root."""
    leaves = {leaf: block for block, members in tree.items() for leaf in members}
    values: tuple[Value, ...] = (*leaves, *((None,) if None in column else ()))
    same: dict[Value, Value] = {value: value for value in values}
    inner = [] if set(tree) == set(leaves) else [{value: leaves.get(value or "") for value in values}]
    return Ladder(name, values, (same, *inner, dict.fromkeys(values, "*")))


def plain_table(columns: dict[str, list[Value]]) -> Table:
    """Return the table as the oracle sees it."""
    sexes = {"f": ["f"], "m": ["m"]}
    ladders = (ladder("place", TREE, columns["place"]), ladder("sex", sexes, columns["sex"]))
    rows = list(zip(columns["place"], columns["sex"], strict=True))
    return Table(
        ladders,
        rows,
        {"ill": columns["ill"]},
        trees={"ill": ladder("ill", ILLNESSES, columns["ill"])},
        unknown={"ill": frozenset(UNKNOWN)},
    )


@st.composite
def tables(draw: st.DrawFn) -> dict[str, list[Value]]:
    """Draw up to 24 rows, some cells of which are missing."""
    n = draw(st.integers(2, 24))
    cells = {
        "place": ["x1", "x2", "y1", "y2", None],
        "sex": ["f", "m"],
        "ill": ["a", "b", "c", "d", "untested", None],
    }
    return {
        name: draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))
        for name, values in cells.items()
    }


def told(path: Path) -> dict[str, Any]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    cells = [(row["place"], row["sex"]) for row in rows]
    same = [{cell[place]: cell[place] for cell in cells} for place in range(2)]
    classes = list(group(cells, same).values())  # type: ignore[arg-type]
    values = [row["ill"] or None for row in rows]
    return {
        "distinct_l(ill)": measures.distinct_l(classes, values, UNKNOWN),
        "share_l(ill)": measures.share_l(classes, values, UNKNOWN),
        "entropy_l(ill)": measures.entropy_l(classes, values, UNKNOWN),
        "spread_l(ill)": measures.spread_l(classes, values, UNKNOWN),
    }


@given(tables(), st.sampled_from([0.0, 0.2, 0.4]), st.data())
@examples(60)
def test_the_best_of_all_recodings_and_its_recipient(
    columns: dict[str, list[Value]], limit: float, data: st.DataObject
) -> None:
    """The optimum is the one that brute force finds; the file proves it to people without the data."""
    chosen = data.draw(st.lists(st.sampled_from(list(JUDGED)), min_size=1, max_size=2, unique=True))
    require = {name: data.draw(JUDGED[name]) for name in chosen if name != "k"}
    require |= {"k": min(data.draw(JUDGED["k"]), len(columns["ill"]))}
    asked = oracle.Problem(
        plain_table(columns), minimize=("loss",), require=require, limit=limit, rule="failing"
    )
    expected = oracle.optimum(asked)
    spec = sf.Spec.from_dict(
        {
            "attributes": ATTRIBUTES,
            "suppression": {"limit": limit, "rule": "failing"},
            "require": require,
            "objectives": {"minimize": ["loss"]},
        }
    )
    frame = pd.DataFrame(columns, dtype=object)
    if expected is None:
        with pytest.raises(sf.InfeasibleError):
            sf.anonymize(frame, spec)
        return
    release = sf.anonymize(frame, spec)
    assert json.dumps(release.recoding) == expected.recoding
    for name, number in expected.measures.items():
        assert release.measures[name] == pytest.approx(float(number), rel=1e-9), name
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "out.csv")
        manifest = release.write(path)
        found = sf.verify(path)
        assert found["holds"], found["violations"]
        assert sf.verify(path, data=frame)["holds"]
        for name, number in told(path).items():
            assert manifest.measures[name] == pytest.approx(float(number), rel=1e-9), name


def test_the_recipe_carries_what_is_unknown(tmp_path: Path) -> None:
    """The recipient's count and the one of new data follow the list; without it the file does not hold."""
    rows = {"place": ["x1"] * 6 + ["y1"] * 6, "sex": ["f"] * 12, "ill": ["a", "b", "untested"] * 4}
    attributes = {**ATTRIBUTES, "ill": {"role": "sensitive", "unknown": ["untested", 9]}}
    spec = sf.Spec.from_dict(
        {
            "attributes": attributes,
            "require": {"k": 2, "distinct_l(ill)": 2},
            "objectives": {"minimize": ["loss"]},
        }
    )
    path = tmp_path / "out.csv"
    sf.anonymize(pd.DataFrame(rows), spec).write(path)
    stated = json.loads((tmp_path / "out.csv.json").read_text(encoding="utf-8"))
    assert stated["recipe"]["attributes"]["ill"]["unknown"] == ["untested", "9"]
    assert stated["measures"]["distinct_l(ill)"] == 2
    assert "untested" in path.read_text(encoding="utf-8")
    assert sf.verify(path, spec=spec)["holds"]
    recipe = sf.Recipe.load(tmp_path / "out.csv.json")
    assert recipe.apply(pd.DataFrame(rows)).measures["distinct_l(ill)"] == 2
    worse = pd.DataFrame({**rows, "ill": ["a", "untested", None] * 4})
    with pytest.raises(sf.InfeasibleError):
        recipe.apply(worse)
    (tmp_path / "alone").mkdir()
    worse.to_csv(tmp_path / "alone" / "out.csv", index=False)
    assert not sf.verify(tmp_path / "alone" / "out.csv", spec=spec)["holds"]


def test_numbers_are_compared_as_numbers(tmp_path: Path) -> None:
    """9 and 9.0 are one value, in the order of the others it has no place, and a file says so too."""
    loads = [1, 2, 3, 9, 1, 2, 3, 3, None, 9]
    rows = pd.DataFrame(
        {"place": ["x1"] * 5 + ["y1"] * 5, "load": [None if n is None else n / 1 for n in loads]}
    )
    attributes = {"place": ATTRIBUTES["place"], "load": {"role": "sensitive", "unknown": ["9"]}}
    spec = sf.Spec.from_dict({"attributes": attributes})
    values = [None if load is None else str(load) for load in loads]
    members = [list(range(5)), list(range(5, 10))]
    found = sf.measure(rows, ["place"], ["load"], spec=spec)
    expected = measures.t_ordered(members, values, ["1", "2", "3", "9"], {"9"})
    assert found["t(load, ordered)"] == pytest.approx(float(expected))
    assert found["distinct_l(load)"] == 2
    assert sf.measure(rows, ["place"], ["load"])["distinct_l(load)"] == 3
    asked = {"attributes": attributes, "require": {"k": 2, "t(load, ordered)": 0.9}}
    release = sf.anonymize(rows, sf.Spec.from_dict(asked | {"objectives": {"minimize": ["loss"]}}))
    for name in ("out.csv", "out.parquet"):
        release.write(tmp_path / name)
        assert sf.verify(tmp_path / name)["holds"]
        assert sf.verify(tmp_path / name)["measures"]["distinct_l(load)"] == 2


def test_blanks_do_not_make_a_class_diverse() -> None:
    """HIV five times and five blanks; a class of blanks alone; a text that tells as little."""
    for blank, spec in ((None, None), ("untested", {"unknown": ["untested"]})):
        ward = pd.DataFrame({"place": ["x"] * 10 + ["y"] * 4, "ill": ["HIV", blank] * 5 + [blank] * 4})
        attributes = {"place": {"role": "quasi-identifier"}, "ill": {"role": "sensitive", **(spec or {})}}
        found = sf.measure(ward, ["place"], ["ill"], spec=sf.Spec.from_dict({"attributes": attributes}))
        assert [found[f"{form}(ill)"] for form in ("distinct_l", "entropy_l", "share_l")] == [1, 1, 1]
        assert (found["recursive_l(ill, 3)"], found["spread_l(ill)"]) == (1, 25)
        risk = sf.risk(ward, ["place"], ["ill"], spec=sf.Spec.from_dict({"attributes": attributes}))
        assert risk.before.attributes[0].homogeneous_rows == 5


def test_only_sensitive_attributes_have_unknown_values() -> None:
    """The place, what is wrong, and values that cannot be told from others."""
    with pytest.raises(sf.SpecError, match="only allowed for sensitive attributes") as error:
        sf.Spec.from_dict({"attributes": {"age": {"role": "quasi-identifier", "unknown": [9]}}})
    assert "unknown" in str(error.value.where)
    with pytest.raises(sf.SpecError, match="repeats entry 1"):
        sf.Spec.from_dict({"attributes": {"age": {"role": "sensitive", "unknown": [9, "9"]}}})
    for united in ({"granularity": 10}, {"hierarchy": {"intervals": [5], "top": 9}}):
        with pytest.raises(sf.SpecError, match="which unite values"):
            sf.Spec.from_dict({"attributes": {"age": {"role": "sensitive", "unknown": [9], **united}}})


def test_check_counts_what_does_not_occur() -> None:
    """A hint, no error: another delivery may have it."""
    rows = pd.DataFrame({"place": ["x", "x"], "ill": ["a", "untested"]})
    attributes = {
        "place": {"role": "quasi-identifier"},
        "ill": {"role": "sensitive", "unknown": list(UNKNOWN)},
    }
    found = sf.check(rows, sf.Spec.from_dict({"attributes": attributes, "require": {"k": 2}}))
    assert found["ok"]
    assert "declared unknown for 'ill', but not in these data: 1 of 2 values." in found["warnings"]
