"""A recipe on its own data and on new ones: the same rows again, and three ways to treat unknown values."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from typing import TYPE_CHECKING, Any

import pandas
import pyarrow as pa
import pytest

import sfumato as sf

if TYPE_CHECKING:
    from pathlib import Path

TREE = {
    "office": {"clerk": ["typist", "teller"], "expert": ["lawyer", "analyst"]},
    "hands": ["smith", "cook"],
}
JOBS = ["typist", "teller", "lawyer", "analyst", "smith", "cook"]
REQUIRED = {"k": 4}

# Attributes whose rare values are suppressed, and how that is done.
CASES: dict[str, tuple[dict[str, dict[str, Any]], dict[str, Any]]] = {
    "levels": ({"age": {"levels": [0, 0]}, "job": {"levels": [0, 0]}}, {}),
    "levels, masked": ({"age": {"levels": [0, 0]}, "job": {"levels": [0, 0]}}, {"output": "mask"}),
    "levels, smallest": ({"age": {"levels": [0, 0]}}, {"rule": "smallest"}),
    "intervals": ({"age": {"hierarchy": {"intervals": [5, 10]}, "levels": [1, 1]}, "job": {}}, {}),
    "intervals, mean": (
        {"age": {"hierarchy": {"intervals": [5]}, "levels": [1, 1], "output": "mean"}},
        {"output": "mask"},
    ),
    "cuts, mode": ({"job": {"scheme": "cuts", "hierarchy": {"tree": TREE}, "output": "mode"}, "age": {}}, {}),
    "ordered": ({"age": {"scheme": "ordered"}, "sex": {}}, {}),
    "ordered, median, masked": ({"age": {"scheme": "ordered", "output": "median"}}, {"output": "mask"}),
    "ordered, mean": ({"age": {"scheme": "ordered", "granularity": 5, "output": "mean"}, "sex": {}}, {}),
    "sets": ({"job": {"scheme": "sets"}, "sex": {}}, {}),
    "sets, mode, masked": ({"job": {"scheme": "sets", "output": "mode"}, "sex": {}}, {"output": "mask"}),
    "guided sets": ({"job": {"scheme": "guided-sets", "hierarchy": {"tree": TREE}}, "age": {}}, {}),
}


def draw_rows(rows: int = 160, seed: int = 1) -> dict[str, list[Any]]:
    """Draw people among whom two have an age, one a job and one a pay that nobody else has."""
    chance = random.Random(seed)
    drawn: dict[str, list[Any]] = {
        "age": [chance.choice((20, 21, 24, 30, 33, 41)) for _ in range(rows)],
        "job": [chance.choice(JOBS[:5]) for _ in range(rows)],
        "sex": [chance.choice("fm") for _ in range(rows)],
        "ill": [chance.choice(("flu", "gout", "cold")) for _ in range(rows)],
        "pay": [chance.choice((10, 20, 30)) for _ in range(rows)],
        "note": [f"note {chance.randrange(9)}" for _ in range(rows)],
    }
    drawn["age"][3], drawn["age"][77], drawn["job"][5], drawn["pay"][3] = 97, 12, "cook", 99
    return drawn


def write_csv(path: Path, columns: dict[str, list[Any]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(columns)
        rows.writerows(zip(*columns.values(), strict=True))
    return path


def make_spec(attributes: dict[str, dict[str, Any]], suppression: dict[str, Any], **more: Any) -> sf.Spec:
    return sf.Spec.from_dict(
        {
            "attributes": {
                **{name: {"role": "quasi-identifier", **about} for name, about in attributes.items()},
                "ill": {"role": "sensitive"},
                "pay": {"role": "sensitive", "kind": "number"},
                "note": {"role": "other"},
            },
            "suppression": {"limit": 0.3, **suppression},
            "require": REQUIRED,
            "objectives": {"minimize": ["loss"]},
            **more,
        }
    )


def simple_recipe(folder: Path, suppression: dict[str, Any] | None = None, **more: Any) -> sf.Recipe:
    """Return the recipe of a release that shows ages and jobs as they are."""
    kept: dict[str, dict[str, Any]] = {"age": {"levels": [0, 0]}, "job": {"levels": [0, 0]}}
    data = write_csv(folder / "first.csv", draw_rows())
    sf.anonymize(data, make_spec(kept, suppression or {}, **more)).write(folder / "first-out.csv")
    return sf.Recipe.load(folder / "first-out.csv.json")


def rows_of(release: sf.Release) -> list[dict[str, Any]]:
    frame: Any = release.frame
    return frame.to_pylist() if isinstance(frame, pa.Table) else frame.to_arrow_table().to_pylist()


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("case", "suffix"),
    [
        *[
            ("levels", "csv"),
            ("ordered, mean", "parquet"),
            ("sets, mode, masked", "csv"),
            ("levels", "parquet"),
        ],
        *((case, "csv") for case in CASES if case not in ("levels", "sets, mode, masked")),
    ],
)
def test_its_own_data_give_the_same_bytes(case: str, suffix: str, tmp_path: Path) -> None:
    """Values that only suppressed rows had are unknown, and these rows are suppressed again."""
    data = write_csv(tmp_path / "in.csv", draw_rows())
    first, again = tmp_path / f"first.{suffix}", tmp_path / f"again.{suffix}"
    made = sf.anonymize(data, make_spec(*CASES[case]))
    assert made.rows["suppressed"] > 0
    made.write(first)
    applied = sf.Recipe.load(f"{first}.json").apply(data)
    applied.write(again)
    assert again.read_bytes() == first.read_bytes()
    assert applied.rows == made.rows
    assert sf.verify(again)["holds"]
    assert sf.verify(again, data=data)["holds"]


@pytest.mark.slow
def test_the_cases_have_values_that_only_suppressed_rows_had(tmp_path: Path) -> None:
    """Else the test before would not show anything."""
    data, unknown = write_csv(tmp_path / "in.csv", draw_rows()), {}
    for case, about in CASES.items():
        unknown[case] = sf.anonymize(data, make_spec(*about)).recipe.apply(data).unknown
    assert sum(map(bool, unknown.values())) >= 8
    assert unknown["levels"] == {"age": {"values": 2, "rows": 2}, "job": {"values": 1, "rows": 1}}


@pytest.mark.some(1)
@pytest.mark.parametrize("unknown", ["suppress", "generalize"])
def test_what_an_applied_median_states_does_not_depend_on_suppressed_ages(
    unknown: Any, tmp_path: Path
) -> None:
    about = {"hierarchy": {"intervals": [5], "bottom": 0, "top": 100}, "levels": [1, 1], "output": "median"}
    stated = []
    for age in (97, 12):
        columns = draw_rows()
        columns["age"] = [age if known in (97, 12) else known for known in columns["age"]]
        made = sf.anonymize(write_csv(tmp_path / "in.csv", columns), make_spec({"age": about}, {}))
        applied = made.recipe.apply(tmp_path / "in.csv", unknown=unknown)
        assert applied.rows["suppressed"] == 2
        applied.write(tmp_path / "out.csv", force=True)
        manifest = json.loads((tmp_path / "out.csv.json").read_text(encoding="utf-8"))
        assert sf.verify(tmp_path / "out.csv", data=tmp_path / "in.csv")["holds"]
        stated.append((manifest["measures"], manifest["reference"], made.recipe.to_dict()))
    assert stated[0] == stated[1]


def test_below_the_mean_no_further_row_is_published(tmp_path: Path) -> None:
    """Unknown values count as one in the mean, which can only become larger; two of them are pooled here."""
    columns = draw_rows()
    columns["job"][6] = "pirate"
    data = write_csv(tmp_path / "in.csv", columns)
    made = sf.anonymize(data, make_spec({"job": {"levels": [0, 0]}}, {"rule": "below-mean"}))
    applied = made.recipe.apply(data)
    assert applied.unknown["job"]["values"] >= 2
    assert not Counter(map(str, rows_of(applied))) - Counter(map(str, rows_of(made)))
    assert applied.verify()["k"] >= REQUIRED["k"]


def test_unknown_rows_are_suppressed_within_the_limit(tmp_path: Path) -> None:
    """Counted by hand: pirates first, then classes of fewer than four; 0.3 of 200 rows are 60."""
    recipe, columns = simple_recipe(tmp_path), draw_rows(200, seed=2)
    for place in range(0, 200, 8):
        columns["job"][place] = f"pirate {place}"
    columns["age"][0] = 98
    sizes = Counter(zip(columns["age"], columns["job"], strict=True))
    known = [set(recipe.attributes[name].hierarchy["values"]) for name in ("age", "job")]  # type: ignore[index,arg-type]
    stays = [
        age in known[0] and job in known[1] and sizes[age, job] >= REQUIRED["k"]
        for age, job in zip(columns["age"], columns["job"], strict=True)
    ]
    expected = [
        {name: column[place] for name, column in columns.items() if name != "sex"}
        for place in range(200)
        if stays[place]
    ]
    release = recipe.apply(pa.table(columns))
    assert rows_of(release) == expected
    assert release.rows == {"in": 200, "out": len(expected), "suppressed": 200 - len(expected)}
    assert release.unknown["job"] == {"values": 25 + 1, "rows": 25 + 1}
    assert release.left_out == ("sex",)
    release.write(tmp_path / "out.csv")
    assert sf.verify(tmp_path / "out.csv", data=pa.table(columns))["holds"]
    with pytest.raises(
        sf.HierarchyError, match=r"does not know .* and 26 values in 26 rows of 'job'"
    ) as error:
        recipe.apply(pa.table(columns), unknown="refuse")
    assert "'suppress'" in str(error.value)
    assert "'generalize'" in str(error.value)
    assert not error.value.values


def test_unknown_values_become_a_class_of_their_own(tmp_path: Path) -> None:
    """Counted by hand: pirates of one age are four or more, or they are suppressed like anybody else."""
    recipe, columns = simple_recipe(tmp_path), draw_rows(240, seed=2)
    for place in range(0, 240, 6):
        columns["job"][place] = f"pirate {place}"
    values = [recipe.attributes[name].hierarchy["values"] for name in ("age", "job")]  # type: ignore[index]
    shown = [
        tuple(value if value in known else "*" for value, known in zip(pair, values, strict=True))  # type: ignore[operator]
        for pair in zip(columns["age"], columns["job"], strict=True)
    ]
    sizes = Counter(shown)
    release = recipe.apply(pa.table(columns), unknown="generalize")
    expected = [(str(age), job) for age, job in shown if sizes[age, job] >= REQUIRED["k"]]
    assert [(str(row["age"]), row["job"]) for row in rows_of(release)] == expected
    assert any(job == "*" for _, job in expected)
    release.write(tmp_path / "out.csv")
    assert sf.verify(tmp_path / "out.csv", data=pa.table(columns))["holds"]


def test_the_budget_is_spent_on_unknown_rows_first(tmp_path: Path) -> None:
    """By class size: of 160 rows 16 may go, and what unknown rows leave is for the smallest classes."""
    recipe, columns = (
        simple_recipe(tmp_path, {"rule": "smallest", "limit": 0.1}, require={"k": 1}),
        draw_rows(),
    )
    for place in range(10, 15):
        columns["job"][place] = "pirate"
    known = [set(recipe.attributes[name].hierarchy["values"]) for name in ("age", "job")]  # type: ignore[index,arg-type]
    pairs = [*zip(columns["age"], columns["job"], strict=True)]
    stays = [age in known[0] and job in known[1] for age, job in pairs]
    left = 16 - stays.count(False)
    sizes = Counter(pair for pair, is_known in zip(pairs, stays, strict=True) if is_known)
    for size in sorted(set(sizes.values()))[:-1]:
        rows = sum(many for many in sizes.values() if many == size)
        if rows > left:
            break
        left -= rows
        sizes = Counter({pair: many for pair, many in sizes.items() if many > size})
    release = recipe.apply(pa.table(columns))
    assert release.rows["out"] == sum(sizes.values())
    assert release.measures["k"] == release.verify()["k"] == min(sizes.values())


def test_measures_count_unknown_rows_as_suppressed(tmp_path: Path) -> None:
    """dm is the sum of squared class sizes, and suppressed rows times all rows; t compares with all rows."""
    recipe, columns = simple_recipe(tmp_path, require={**REQUIRED, "t(ill)": 0.95}), draw_rows()
    for place in range(10, 20):
        columns["job"][place] = f"pirate {place}"
    release = recipe.apply(pa.table(columns))
    sizes = Counter((row["age"], row["job"]) for row in rows_of(release))
    suppressed = 160 - sum(sizes.values())
    assert release.measures["dm"] == sum(many * many for many in sizes.values()) + suppressed * 160
    overall, worst = Counter(columns["ill"]), 0.0
    for pair, many in sizes.items():
        own = Counter(row["ill"] for row in rows_of(release) if (row["age"], row["job"]) == pair)
        worst = max(worst, sum(abs(own[ill] / many - overall[ill] / 160) for ill in overall) / 2)
    assert release.measures["t(ill)"] == pytest.approx(worst)


def test_sensitive_numbers_need_not_be_known(tmp_path: Path) -> None:
    """A pay that only a suppressed row had is no reason to fail: numbers have their order by themselves."""
    recipe = simple_recipe(tmp_path, require={**REQUIRED, "t(pay, ordered)": 0.9})
    assert recipe.apply(tmp_path / "first.csv").rows["suppressed"] > 0
    columns = draw_rows()
    columns["pay"][20] = 44
    assert recipe.apply(pa.table(columns)).verify()["t(pay, ordered)"] <= 0.9


def test_a_sensitive_value_outside_its_tree_is_refused_in_any_case() -> None:
    attributes: dict[str, Any] = {
        "age": {"role": "quasi-identifier"},
        "ill": {"role": "sensitive", "hierarchy": {"tree": {"lung": ["flu", "cold"], "bone": ["gout"]}}},
    }
    spec = {"attributes": attributes, "require": {"t(ill, hierarchical)": 0.9}, "suppression": {"limit": 0.2}}
    columns = draw_rows()
    recipe = sf.anonymize(
        pa.table(columns), sf.Spec.from_dict(spec | {"objectives": {"minimize": ["loss"]}})
    ).recipe
    columns["ill"][7] = "scurvy"
    for unknown in ("suppress", "refuse", "generalize"):
        with pytest.raises(sf.HierarchyError, match="no place in the order or tree") as error:
            recipe.apply(pa.table(columns), unknown=unknown)
        assert "scurvy" not in error.value.text(show_values=True)


def test_old_words_are_taken_with_a_warning(tmp_path: Path) -> None:
    recipe = simple_recipe(tmp_path)
    data = pa.table({**draw_rows(), "job": ["pirate"] * 20 + ["typist"] * 140})
    with pytest.warns(DeprecationWarning, match="write unknown='generalize'"):
        old = recipe.apply(data, unknown="*")
    assert rows_of(old) == rows_of(recipe.apply(data, unknown="generalize"))
    with (
        pytest.warns(DeprecationWarning, match="write unknown='refuse'"),
        pytest.raises(sf.HierarchyError, match="does not know"),
    ):
        recipe.apply(data, unknown="error")
    with pytest.raises(
        sf.ParameterError, match="unknown must be 'suppress', 'refuse' or 'generalize'; got 'x'"
    ):
        recipe.apply(data, unknown="x")  # type: ignore[arg-type]


def test_nothing_left_is_infeasible(tmp_path: Path) -> None:
    recipe = simple_recipe(tmp_path, {"limit": 1.0})
    data = pa.table({**draw_rows(), "job": ["pirate"] * 160})
    with pytest.raises(sf.InfeasibleError, match="no row would be left"):
        recipe.apply(data)


def test_frames_of_any_kind_and_persons(tmp_path: Path) -> None:
    """Persons are counted over known rows alone, and the frame is of the kind that came in."""
    columns = {**draw_rows(), "who": [f"p{place // 2}" for place in range(160)]}
    spec = make_spec({"age": {"levels": [0, 0]}}, {"limit": 0.5}, data={"person": "who"})
    made = sf.anonymize(pandas.DataFrame(columns), spec)
    columns["age"][30:40] = range(60, 70)
    applied = made.recipe.apply(pandas.DataFrame(columns))
    assert isinstance(applied.frame, pandas.DataFrame)
    persons: dict[Any, set[str]] = {}
    for age, who in zip(columns["age"], columns["who"], strict=True):
        persons.setdefault(age, set()).add(who)
    shown = set(applied.frame["age"])
    assert shown <= set(draw_rows()["age"])
    assert min(len(persons[age]) for age in shown) == applied.measures["k"] == applied.verify()["k"] >= 4


def test_a_solution_that_was_picked_by_its_class_sizes(tmp_path: Path) -> None:
    """What the budget left was spent on the smallest classes, and the recipe does that again."""
    data = write_csv(tmp_path / "in.csv", draw_rows())
    about: dict[str, dict[str, Any]] = {"age": {"hierarchy": {"intervals": [5]}}, "sex": {}}
    wishes = {"maximize": ["k"], "minimize": ["loss"]}
    seen = set()
    for solution in sf.explore(data, make_spec(about, {"limit": 0.15}, objectives=wishes)):
        release = solution.release()
        release.write(tmp_path / "first.csv", force=True)
        applied = sf.Recipe.load(tmp_path / "first.csv.json").apply(data)
        applied.write(tmp_path / "again.csv", force=True)
        assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "first.csv").read_bytes()
        assert applied.measures["k"] == solution.measures["k"]
        seen.add((solution.measures["k"] > REQUIRED["k"], solution.suppressed > 0))
    assert (True, True) in seen
