"""Fronts of local recodings: a ladder of requirements, each solution with its bound, released exactly."""

from __future__ import annotations

import csv
import itertools
import json
import os
import stat
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import DataError, InfeasibleError, SpecError
from sfumato.front import BESIDE, CLASSES, front_csv, local_files, run_json
from tests.oracles import local_recoding as oracle
from tests.release.test_local_release import draw, faults_of, frame_rows

if TYPE_CHECKING:
    from fractions import Fraction
    from pathlib import Path

SEX = {"role": "quasi-identifier", "kind": "ordinal", "order": ["f", "m"]}
BASE: dict = {
    "attributes": {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [2, 4], "bottom": 0, "top": 8}},
        "job": {"role": "quasi-identifier"},
        "sex": SEX,
        "ill": {"role": "sensitive"},
    },
    "recoding": {"scope": "local"},
    "objectives": {"maximize": ["k"], "minimize": ["loss"]},
    "search": {"iterations": 3000},
}


def table(rows: int = 60, seed: int = 0) -> pa.Table:
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "age": rng.integers(0, 8, rows),
            "job": rng.choice(["a", "b", "c", "d"], rows),
            "sex": rng.choice(["f", "m"], rows),
            "ill": rng.choice(["flu", "cold", "hiv", "cut", "burn"], rows),
        }
    )


def spec_of(**more: object) -> sf.Spec:
    return sf.Spec.from_dict({**json.loads(json.dumps(BASE)), **more})


def save(front: sf.Front, folder: Path) -> None:
    files = {"front.csv": front_csv(front), "run.json": run_json(front), **local_files(front)}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def test_every_step_of_the_ladder_is_a_solution_with_its_bound():
    front = sf.explore(table(), spec_of(require={"k": 2}))
    assert [item.name for item in front.objectives] == ["k", "loss"]
    assert [step["limit"] for step in front.run["ladder"]["steps"]] == [50, 20, 10, 5, 3, 2]
    ks, losses = ([item.value(name) for item in front] for name in ("k", "loss"))
    assert ks == sorted(ks, reverse=True)
    assert losses == sorted(losses, reverse=True), "no solution is beaten by a stricter one"
    assert len(set(ks)) == len(ks)
    for item in front:
        assert item.gap is not None
        assert item.gap >= -1e-9
        assert item.certainty.startswith(("at most ", "proven optimal"))
        release = item.release()
        assert release.measures["k"] == item.value("k")
        assert release.verify()["k"] == item.value("k")


def least_loss(data: pa.Table, k: int) -> Fraction:
    """Return the least loss over all partitions of the tuples into classes, by brute force."""
    rows = list(zip(*(data.column(name).to_pylist() for name in ("age", "job", "sex")), strict=True))
    ages = sorted({row[0] for row in rows})
    jobs, sexes = sorted({row[1] for row in rows}), ["f", "m"]
    tuples = sorted(set(rows))
    codes = [(ages.index(a), jobs.index(b), sexes.index(c)) for a, b, c in tuples]
    plain = [
        {"kind": "range", "size": 8, "missing": None},
        {"kind": "set", "size": len(jobs), "missing": None},
        {"kind": "set", "size": 2, "missing": None},
    ]
    # Ages cost by the domain that is declared, 0 to 7: their places in it, not in what occurs.
    codes = [(ages[a], b, c) for a, b, c in codes]
    counts = [rows.count(item) for item in tuples]
    found = oracle.least_cost(plain, [1, 1, 1], codes, counts, lambda own: sum(counts[i] for i in own) >= k)
    assert found is not None
    return found


@pytest.mark.some(2)
@pytest.mark.parametrize("seed", range(6))
def test_solutions_reach_the_least_loss_and_bounds_do_not_exceed_it(seed):
    data = table(60, seed)
    keys = list(dict.fromkeys(zip(*(data.column(n).to_pylist() for n in ("age", "job", "sex")), strict=True)))
    few = set(keys[:9])
    rows = [row for row in data.to_pylist() if (row["age"], row["job"], row["sex"]) in few]
    small = pa.Table.from_pylist(rows * 2)
    front = sf.explore(small, spec_of(recoding={"scope": "local", "ladder": [2, 4, 6, 9]}))
    for step in front.run["ladder"]["steps"]:
        least = least_loss(small, int(step["limit"]))
        assert step["bound"] <= float(least) * (1 + 1e-9)
        if "solution" in step:
            loss = front[step["solution"] - 1].value("loss")
            assert loss >= float(least) * (1 - 1e-9)
            assert loss == pytest.approx(float(least), rel=1e-9), "so small a table is solved"
            assert loss <= step["bound"] * (1 + step["gap"]) * (1 + 1e-9)


def test_the_same_seed_gives_the_same_front_on_any_number_of_threads():
    fronts = [sf.explore(table(120), spec_of(), threads=threads) for threads in (1, 2)]
    texts = {front_csv(front) + local_files(front)[CLASSES] for front in fronts}
    assert len(texts) == 1


@pytest.mark.some(3)
@pytest.mark.parametrize("seed", [3, 5, 14, 22, 31, 40, 47])
def test_releases_of_a_saved_front_are_the_ones_that_were_found(seed, tmp_path):
    drawn = draw(seed)
    drawn.spec["objectives"]["minimize"] = ["loss"]
    rows = pa.Table.from_pylist(drawn.rows)
    spec = sf.Spec.from_dict(drawn.spec)
    try:
        front = sf.explore(rows, spec, threads=1)
    except InfeasibleError:
        pytest.skip("nothing meets the requirements")
    save(front, tmp_path)
    loaded = sf.Front.load(tmp_path)
    assert loaded.is_local
    assert loaded.equals(front)
    assert (loaded.beside is None) == (front.beside is None)
    for own, other in zip(front, loaded.attach(rows, spec), strict=True):
        assert own.gap == other.gap
        made = frame_rows(own.release().frame)
        assert faults_of(drawn, made) == []
        assert made == frame_rows(other.release().frame)
        assert own.class_sizes() == other.class_sizes()


def test_a_solution_is_a_release_that_is_written_and_verified(tmp_path):
    data, spec = table(120), spec_of(recoding={"scope": "local", "ladder": [3, 8]})
    front = sf.explore(data, spec)
    release = front.pick("k >= 8").release()
    release.write(tmp_path / "out.csv")
    verdict = sf.verify(tmp_path / "out.csv", data=data)
    assert verdict["holds"], verdict["violations"]
    stated = json.loads((tmp_path / "out.csv.json").read_text(encoding="utf-8"))
    assert "above the optimum" in stated["certificate"]["text"]
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        shown = [(row["age"], row["job"], row["sex"]) for row in csv.DictReader(file)]
    assert min(shown.count(item) for item in set(shown)) >= 8


def test_the_global_front_stands_beside_it():
    data, spec = table(120), spec_of(require={"k": 2})
    front = sf.explore(data, spec)
    plain = json.loads(json.dumps(BASE))
    del plain["recoding"], plain["search"]
    alone = sf.explore(data, sf.Spec.from_dict({**plain, "require": {"k": 2}}))
    assert front.beside is not None
    assert front.beside.complete
    assert front.beside.equals(alone)
    assert front.beside[0].release().measures["k"] == front.beside[0].value("k")
    for item, other in itertools.product(front, front.beside):
        if item.value("k") <= other.value("k"):
            assert item.value("loss") <= other.value("loss") + 1e-12, "global recodings are local ones"
    columns = next(csv.reader(front_csv(front).splitlines()))
    assert columns[:5] == ["solution", "scope", "gap", "k", "loss"]
    assert {row["scope"] for row in csv.DictReader(front_csv(front).splitlines())} == {"local"}
    beside = local_files(front)[BESIDE]
    assert {row["scope"] for row in csv.DictReader(beside.splitlines())} == {"global"}
    assert "scope" not in front_csv(alone)


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("objectives", "require", "measure", "steps"),
    [
        ({"minimize": ["loss"]}, {"k": 4}, "k", [50, 20, 10, 5, 4]),
        ({"minimize": ["loss"]}, {}, "k", [50, 20, 10, 5, 3, 2]),
        (
            {"maximize": ["distinct_l(ill)"], "minimize": ["loss"]},
            {"k": 3},
            "distinct_l(ill)",
            [5, 4, 3, 2],
        ),
        ({"minimize": ["t(ill)", "loss"]}, {"t(ill)": 0.35}, "t(ill)", [0.1, 0.15, 0.2, 0.3, 0.35]),
        ({"minimize": ["loss"]}, {"entropy_l(ill)": 2.5}, "entropy_l(ill)", [4, 3, 2.5]),
    ],
)
def test_the_ladder_is_over_the_privacy_objective_or_requirement(objectives, require, measure, steps):
    front = sf.explore(table(90), spec_of(objectives=objectives, require=require))
    ladder = front.run["ladder"]
    assert ladder["measure"] == measure
    assert [step["limit"] for step in ladder["steps"]] == steps
    assert measure in [item.name for item in front.objectives]
    for item in front:
        for name, limit in require.items():
            value = item.release().measures[name]
            assert value <= limit if name.startswith("t(") else value >= limit


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"recoding": {"scope": "local", "ladder": [2.5]}}, "whole number"),
        ({"recoding": {"scope": "local", "ladder": [5, 61]}}, "from 1 to the 60 rows"),
        ({"recoding": {"scope": "local", "ladder": [2, 5]}, "require": {"k": 3}}, "weaker than what is"),
        ({"objectives": {"maximize": ["k"], "minimize": ["loss", "hdm"]}}, "not defined for local"),
        ({"objectives": {"maximize": ["k"]}}, "cannot be minimized"),
    ],
)
def test_what_cannot_be_is_said(more, words):
    with pytest.raises(SpecError, match=words):
        sf.explore(table(60), spec_of(**more))


def test_mistakes_in_files_and_arguments_are_told(tmp_path):
    with pytest.raises(SpecError, match='is for scope = "local"'):
        spec_of(recoding={"ladder": [2]})
    with pytest.raises(SpecError, match="repeats"):
        spec_of(recoding={"scope": "local", "ladder": [2, 2]})
    data, spec = table(60), spec_of()
    kept = spec_of(
        attributes={
            name: {"role": item["role"], **({"keep": True} if item["role"] != "sensitive" else {})}
            for name, item in BASE["attributes"].items()
        },
        require={"k": 30},
    )
    with pytest.raises(InfeasibleError):
        sf.explore(data, kept)
    save(sf.explore(data, spec), tmp_path)
    content = json.loads((tmp_path / CLASSES).read_text(encoding="utf-8"))
    content["classes"]["1"] = content["classes"]["1"][:-1]
    (tmp_path / CLASSES).write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(DataError, match="do not fit"):
        sf.Front.load(tmp_path).attach(data, spec)[0].release()
    content["fingerprint"] = "other"
    (tmp_path / CLASSES).write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(DataError, match="cannot be read"):
        sf.Front.load(tmp_path)
    (tmp_path / CLASSES).unlink()
    with pytest.raises(DataError, match=r"classes\.json is missing"):
        sf.Front.load(tmp_path)


def test_a_search_that_is_stopped_has_what_it_found():
    seen = []

    def stop(progress):
        seen.append(progress.fraction)
        return True

    front = sf.explore(table(400), spec_of(search={"iterations": 300_000}), callback=stop)
    assert len(front) == 1
    assert front.run["stopped"] == "stopped"
    assert all(0 <= share <= 1 for share in seen)


@pytest.mark.slow
def test_command_line(tmp_path):
    import pyarrow.csv as pc

    from tests.cli.running import run

    pc.write_csv(table(120), tmp_path / "people.csv")
    spec_of(data={"path": "people.csv"}, require={"k": 2}).save(tmp_path / "people.toml")
    folder = tmp_path / "front"
    found = run("explore", tmp_path / "people.toml", "--out", folder)
    assert (found.status, found.err) == (0, "")
    for words in ("local", "above the optimum", "global"):
        assert words in found.out
    names = sorted(file.name for file in folder.iterdir())
    assert names == ["classes.json", "front.csv", "front.html", "global.csv", "run.json"]
    if os.name == "posix":
        assert {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o600}
    page = (folder / "front.html").read_text(encoding="utf-8")
    for words in ("one label for each value", "above the optimum"):
        assert words in page
    assert run("explore", tmp_path / "people.toml", "--out", folder).status == 2
    out = tmp_path / "out.csv"
    made = run("release", tmp_path / "people.toml", "--front", folder, "--pick", "k >= 5", "--out", out)
    assert made.status == 0
    assert run("verify", out, "--data", tmp_path / "people.csv").status == 0
    told = run("explore", tmp_path / "people.toml", "--out", folder, "--force", "--json").json
    assert told["front"][0]["gap"] is not None
    assert told["run"]["global"]["complete"] is True
