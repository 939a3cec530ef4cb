"""Every measure as a requirement, from the specification to a recount of the written file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.release import seal_of
from tests.api.conftest import ATTRIBUTES, make_rows, make_spec
from tests.oracles import measures as oracle

if TYPE_CHECKING:
    from pathlib import Path

TREE = {"infection": ["flu", "cold"], "other": ["cancer", "none"]}
REQUIREMENTS: dict[str, float] = {
    "entropy_l(diagnosis)": 2.5,
    "recursive_l(diagnosis, 3)": 3,
    "recursive_l(diagnosis, 0.9)": 2,
    "share_l(diagnosis)": 2.1,
    "t(diagnosis)": 0.3,
    "t(diagnosis, ordered)": 0.2,
    "t(diagnosis, hierarchical)": 0.25,
    "t(dose, ordered)": 0.15,
    "t(severity, ordered)": 0.2,
    "usefulness": 0.2,
    "protection": 0.3,
    "hdm": 300,
}


def attributes(**others: object) -> dict[str, Any]:
    """Return the patients' attributes with three sensitive ones: with a tree, numbers, and ordinals."""
    return {
        **ATTRIBUTES,
        "diagnosis": {"role": "sensitive", "hierarchy": {"tree": TREE}},
        "dose": {"role": "sensitive"},
        "severity": {"role": "sensitive", "kind": "ordinal", "order": ["low", "mid", "high"]},
        **others,
    }


def rows(count: int = 400, seed: int = 7) -> pd.DataFrame:
    """Return patients with an ordinal column; some sensitive cells are missing."""
    frame = pd.DataFrame(make_rows(count, seed))
    frame["severity"] = [("low", "mid", "high")[number // 2 % 3] for number in range(count)]
    frame.loc[frame.index % 17 == 0, ["diagnosis", "severity"]] = None
    frame.loc[frame.index % 19 == 0, "dose"] = None
    return frame


@pytest.mark.some(3)
@pytest.mark.parametrize("output", ["drop", "mask"])
@pytest.mark.parametrize("name", REQUIREMENTS)
def test_a_requirement_holds_in_the_written_file(name: str, output: str, tmp_path: Path) -> None:
    """The recount shares nothing with the search and finds the same number."""
    spec = sf.Spec.from_dict(
        make_spec(
            attributes=attributes(),
            require={"k": 2, name: REQUIREMENTS[name]},
            suppression={"limit": 0.15, "output": output},
        )
    )
    release = sf.anonymize(rows(), spec)
    manifest = release.write(tmp_path / "out.csv")
    found = sf.verify(tmp_path / "out.csv")
    assert (found["holds"], found["violations"]) == (True, [])
    measures: Any = found["measures"]
    assert {"share_l(dose)", "recursive_l(severity, 3)"} <= set(measures)
    if name in manifest.withheld:
        assert name in ("usefulness", "protection") or "ordered" in name
        return
    stated, tolerance = manifest.measures[name], manifest.tolerance.get(name, 0.0)
    assert abs(stated - release.measures[name]) <= tolerance + 1e-9 * abs(stated)
    if name == "hdm":
        assert found["not_recounted"] == {"hdm": "it depends on the original values, which are not published"}
    else:
        assert abs(measures[name] - release.measures[name]) <= tolerance + 1e-9 * abs(stated)
        assert found["not_recounted"] == {}


@pytest.mark.some(2)
@pytest.mark.parametrize("name", ["t(diagnosis, ordered)", "t(diagnosis, hierarchical)", "protection", "hdm"])
def test_an_objective_is_searched_for(name: str) -> None:
    """Fronts about them are complete, and their best is a release."""
    maximize, minimize = (["usefulness", name], []) if name == "protection" else (["usefulness"], [name])
    spec = sf.Spec.from_dict(
        make_spec(
            attributes=attributes(),
            require={"k": 2},
            objectives={"maximize": maximize, "minimize": minimize},
        )
    )
    front = sf.explore(rows(), spec)
    assert front.complete
    assert len(front) >= 1
    assert front[0].release().verify()["usefulness"] == pytest.approx(front[0].measures["usefulness"])


def test_a_stated_number_that_misses_its_requirement_is_noticed(tmp_path: Path) -> None:
    """Of what nobody can recount, manifest and requirement must at least agree."""
    spec = sf.Spec.from_dict(make_spec(require={"k": 4, "hdm": 300}))
    sf.anonymize(pd.DataFrame(make_rows()), spec).write(tmp_path / "out.csv")
    stated = json.loads((tmp_path / "out.csv.json").read_text(encoding="utf-8"))
    stated["measures"]["hdm"] = 301
    del stated["tolerance"]
    stated["seal"] = seal_of(stated)
    (tmp_path / "out.csv.json").write_text(json.dumps(stated), encoding="utf-8")
    assert sf.verify(tmp_path / "out.csv")["violations"] == ["hdm: at most 300 promised, 301 stated."]
    del stated["measures"]["hdm"]
    (tmp_path / "out.csv.json").write_text(json.dumps(stated), encoding="utf-8")
    violations: Any = sf.verify(tmp_path / "out.csv")["violations"]
    assert "it cannot be recounted" in violations[0]


def test_the_manifest_states_order_and_tree_only_where_they_are_needed(tmp_path: Path) -> None:
    """The overall distribution leaves only if t asks for it."""
    spec = sf.Spec.from_dict(
        make_spec(
            attributes=attributes(), require={"t(diagnosis, hierarchical)": 0.25, "t(severity, ordered)": 0.2}
        )
    )
    reference = sf.anonymize(rows(), spec).write(tmp_path / "out.csv").reference
    stated: Any = reference["distributions"]
    assert sorted(stated) == ["diagnosis", "severity"]
    assert stated["severity"]["values"] == ["low", "mid", "high", None]
    assert stated["diagnosis"]["values"][-1] is None
    assert len(stated["diagnosis"]["levels"]) == 3
    assert stated["diagnosis"]["levels"][1][-1] == 2  # missing by itself, directly under the root
    assert "levels" not in stated["severity"]


def test_a_recipe_keeps_order_and_tree_for_new_rows(tmp_path: Path) -> None:
    """New rows are held against the requirements too."""
    require = {
        "k": 2,
        "t(diagnosis, hierarchical)": 0.4,
        "t(severity, ordered)": 0.4,
        "t(dose, ordered)": 0.4,
    }
    spec = sf.Spec.from_dict(make_spec(attributes=attributes(), require=require, suppression={"limit": 0.3}))
    sf.anonymize(rows(), spec).write(tmp_path / "out.csv")
    again = sf.Recipe.load(tmp_path / "out.csv.json").apply(rows(500, seed=9))
    found = again.verify()
    assert all(found[name] <= limit for name, limit in require.items() if name != "k")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("t(diagnosis, hierarchical)", "needs a hierarchy of 'diagnosis', but there is none"),
        ("t(diagnosis, ordered)", "needs an order of the values of 'diagnosis'"),
        ("recursive_l(diagnosis, x)", "needs a number c"),
        ("entropy_l(diagnosis)", "must be 1 or above; got 0.5"),
    ],
)
def test_mistakes_name_their_place(name: str, message: str, tmp_path: Path) -> None:
    """The line of the specification file, and what to do."""
    pd.DataFrame(make_rows(50)).to_csv(tmp_path / "data.csv", index=False)
    lines = ['[data]\npath = "data.csv"', '[attributes.age]\nrole = "quasi-identifier"']
    lines += ['[attributes.diagnosis]\nrole = "sensitive"', f'[require]\n"{name}" = 0.5']
    (tmp_path / "spec.toml").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(sf.SpecError, match=message) as error:
        sf.check(sf.Spec.load(tmp_path / "spec.toml"))
    assert "spec.toml:8" in str(error.value.where)


def test_measure_lists_them() -> None:
    """All that a table alone tells; ordered t where the values are numbers."""
    frame = rows()
    found = sf.measure(frame, ["sex", "work"], ["diagnosis", "dose"])
    classes = list(frame.groupby(["sex", "work"], dropna=False).indices.values())
    values = [None if pd.isna(value) else str(value) for value in frame["diagnosis"]]
    members = [list(map(int, item)) for item in classes]
    assert found["entropy_l(diagnosis)"] == pytest.approx(oracle.entropy_l(members, values))
    assert found["share_l(diagnosis)"] == pytest.approx(float(oracle.share_l(members, values)))
    assert "recursive_l(diagnosis, 3)" in found
    doses = [None if pd.isna(value) else str(value) for value in frame["dose"]]
    order = sorted({dose for dose in doses if dose is not None}, key=float)
    expected = oracle.t_ordered(members, doses, [*order, None])
    assert found["t(dose, ordered)"] == pytest.approx(float(expected))
    assert "t(diagnosis, ordered)" not in found
    assert not {"usefulness", "protection", "loss"} & set(found)
