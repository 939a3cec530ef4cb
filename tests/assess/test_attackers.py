"""Attackers against real tables and real releases: found as often as it should be, and not more."""

from __future__ import annotations

import csv
import json
import random
from typing import TYPE_CHECKING, Literal

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato import risk
from sfumato.assess.analyses import utility
from sfumato.assess.pairing import open_release
from tests.oracles import risk as oracle

if TYPE_CHECKING:
    from pathlib import Path

QIS = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country", "salary-class"]


def _spec(*, limit: float = 0.01, k: int = 10, output: str = "drop") -> sf.Spec:
    spec = sf.Spec.load(sf.datasets.adult_spec_path())
    suppression = spec.suppression.model_copy(update={"limit": limit, "output": output})
    return spec.model_copy(update={"require": {"k": k}, "suppression": suppression})


@pytest.fixture(scope="module")
def adult() -> pa.Table:
    return sf.datasets.adult()


@pytest.fixture(scope="module")
def k10(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a written release of the census table with k = 10."""
    path = tmp_path_factory.mktemp("k10") / "k10.csv"
    sf.anonymize(sf.datasets.adult_path(), _spec()).write(path)
    return path


def test_the_original_gives_away_its_uniques_and_a_k10_release_at_most_one_in_ten(
    adult: pa.Table, k10: Path
) -> None:
    found = sf.risk(adult, QIS, ["occupation"], release=k10)
    rows = list(zip(*(adult.column(name).to_pylist() for name in QIS), strict=True))
    sizes = oracle.class_sizes(rows)
    before, after = found.linkage_before[0], found.linkage_after[0]
    assert found.before.uniques.sample == sum(size == 1 for size in sizes.values()) == 8841
    assert before.successes >= 8841
    assert before.expected == pytest.approx(len(sizes) / len(rows), rel=1e-12)
    assert before.low <= before.expected <= before.high
    assert after.rate <= after.high < 0.1
    assert found.after is not None
    assert found.after.prosecutor.highest <= 0.1
    assert found.after.uniques.sample == 0
    # Who is released and in which class, counted from the file itself.
    with k10.open(encoding="utf-8", newline="") as file:
        released = oracle.class_sizes([tuple(row[name] for name in QIS) for row in csv.DictReader(file)])
    assert after.absent == 30162 - sum(released.values())
    assert after.expected == pytest.approx(len(released) / 30162, rel=1e-12)
    assert found.after.sizes.classes == len(released)
    assert [item.known for item in found.linkage_after] == [8, 4, 3]
    assert found.linkage_after[-1].expected < after.expected < before.expected


def test_a_release_that_is_not_written_is_attacked_alike(adult: pa.Table, k10: Path) -> None:
    release = sf.anonymize(adult, _spec())
    one, other = (sf.risk(adult, QIS, ["occupation"], release=item) for item in (release, k10))
    assert one.to_dict() == other.to_dict()


def test_masked_rows_are_not_found(adult: pa.Table, tmp_path: Path) -> None:
    sf.anonymize(adult, _spec(output="mask")).write(tmp_path / "masked.csv")
    sf.anonymize(adult, _spec()).write(tmp_path / "dropped.parquet")
    masked, dropped = (
        sf.risk(adult, QIS, release=tmp_path / name) for name in ("masked.csv", "dropped.parquet")
    )
    assert masked.to_dict() == dropped.to_dict()
    assert masked.linkage_after[0].absent > 0


@pytest.mark.some(1)
@pytest.mark.parametrize("scheme", ["cuts", "ordered", "guided-sets"])
def test_blocks_of_other_schemes_are_recoded_too(scheme: str, tmp_path: Path) -> None:
    rows = _people(200)
    path = _write(tmp_path / "people.csv", rows)
    spec = sf.Spec.from_dict(
        {
            "data": {"path": str(path)},
            "attributes": {
                "age": {"role": "quasi-identifier", "scheme": "ordered"},
                "zip": {
                    "role": "quasi-identifier",
                    "kind": "category",
                    "scheme": scheme,
                    "hierarchy": {"tree": {"north": ["07", "08"], "south": ["1", "2", "?"]}},
                },
                "illness": {"role": "sensitive"},
            },
            "suppression": {"limit": 0.1},
            "require": {"k": 4},
            "objectives": {"minimize": ["loss"]},
            "search": {"time_limit": 5, "seed": 1},
        }
    )
    release = sf.anonymize(path, spec)
    release.write(tmp_path / "out.csv")
    found = risk(path, ["age", "zip"], ["illness"], release=tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        sizes = oracle.class_sizes([(row["age"], row["zip"]) for row in csv.DictReader(file)])
    assert found.linkage_after[0].expected == pytest.approx(len(sizes) / 200)
    assert found.linkage_after[0].absent == release.rows["suppressed"]
    assert found.after is not None
    assert found.after.prosecutor.highest == pytest.approx(1 / min(sizes.values()))


def test_a_release_of_other_data_is_refused(adult: pa.Table, k10: Path, tmp_path: Path) -> None:
    with pytest.raises(sf.DataError, match="the release was not made from these data"):
        sf.risk(adult.slice(0, 20_000), QIS, release=k10)
    with pytest.raises(sf.DataError, match="the release was not made from these data"):
        sf.risk(pa.concat_tables([adult, adult.slice(0, 50)]), QIS, release=k10)
    (tmp_path / "k10.csv").write_bytes(k10.read_bytes())
    with pytest.raises(sf.DataError, match=r"no k10\.csv\.json next to it"):
        sf.risk(adult, QIS, release=tmp_path / "k10.csv")


def test_a_column_that_leaves_unchanged_is_known_too(adult: pa.Table, k10: Path) -> None:
    """An attacker who also knows the occupation, which the release shows, finds more."""
    less, more = (sf.risk(adult, names, release=k10) for names in (QIS, [*QIS, "occupation"]))
    assert more.linkage_after[0].expected > less.linkage_after[0].expected
    assert any("occupation" in note for note in more.notes)
    nothing = sf.risk(adult, [*QIS, "fnlwgt"], release=k10)
    assert nothing.linkage_after[0].expected == pytest.approx(less.linkage_after[0].expected)
    assert any("fnlwgt" in note for note in nothing.notes)


def test_a_microaggregated_release_is_attacked_by_distance(adult: pa.Table, tmp_path: Path) -> None:
    columns = ["age", "fnlwgt", "education-num", "hours-per-week"]
    table = adult.slice(0, 3000)
    micro = sf.microaggregate(table, columns, k=10)
    micro.write(tmp_path / "micro.csv")
    found = sf.risk(table, columns, ["occupation"], release=tmp_path / "micro.csv")
    assert found.release_kind == "microaggregated"
    all_known = found.linkage_after[0]
    assert all_known.expected == pytest.approx(micro.measures["dld"] / 100, rel=1e-9)
    assert all_known.high < 0.1 < 0.9 < found.linkage_before[0].rate
    assert found.after is not None
    assert found.after.sizes.smallest >= 10
    assert sf.risk(table, columns, ["occupation"], release=micro).to_dict() == found.to_dict()
    with pytest.raises(sf.DataError, match="the release was not made from these data"):
        sf.risk(adult.slice(1, 3000), columns, release=micro)
    with pytest.raises(sf.DataError, match="the release was not made from these data"):
        sf.risk(adult.slice(0, 2999), columns, release=micro)


NOT_THESE = "the release was not made from these data, or the order of rows was changed"
MIXED = {
    "income": [10.0, 12.5, 11.0, 40.0, 41.0, 45.0, 90.0, 95.0, None, None, 33.0, 35.0],
    "grade": ["low", "low", "mid", "mid", "mid", "high", "high", "high", "low", "mid", "low", "mid"],
    "born": [f"19{50 + 3 * number}-01-0{1 + number % 9}" for number in range(12)],
    "town": ["a"] * 6 + ["b"] * 6,
    "ill": ["flu", "ulcer", "gout"] * 4,
}
ORDER = {"grade": ["low", "mid", "high"]}


def _mixed() -> pa.Table:
    return pa.table(MIXED)


# Every pair of a format with a way, and of two ways; a format does not know how its numbers were made.
@pytest.mark.some(4)
@pytest.mark.parametrize(
    ("suffix", "within", "centroid"),
    [
        *((suffix, None, "mean") for suffix in (".csv", ".parquet", ".arrow", ".jsonl", ".csv.gz")),
        *((suffix, "town", "median") for suffix in (".csv", ".parquet", ".arrow", ".jsonl", ".csv.gz")),
        (".csv", None, "median"),
        (".csv", "town", "mean"),
    ],
)
def test_centres_tie_a_microaggregated_release_to_its_rows(
    tmp_path: Path, suffix: str, within: str | None, centroid: Literal["mean", "median"]
) -> None:
    """Rows in another order have the same means: only their clusters tell."""
    table, columns = _mixed(), ["income", "grade", "born"]
    micro = sf.microaggregate(
        table,
        columns,
        2,
        groups=[["income", "grade"], ["born"]],
        within=within,
        centroid=centroid,
        orders=ORDER,
    )
    path = tmp_path / f"micro{suffix}"
    micro.write(path)
    found = sf.risk(table, columns, ["ill"], release=path)
    assert found.to_dict() == sf.risk(table, columns, ["ill"], release=micro).to_dict()
    assert utility(open_release(path), table) == utility(open_release(micro), made=micro)
    turned = table.take(list(range(11, -1, -1)))
    for attempt in (
        lambda: sf.risk(turned, columns, release=path),
        lambda: utility(open_release(path), turned),
    ):
        with pytest.raises(sf.DataError, match=NOT_THESE):
            attempt()
    swapped = table.take([0, 1, 2, 3, 6, 5, 4, *range(7, 12)])
    with pytest.raises(sf.DataError, match=NOT_THESE):
        sf.risk(swapped, ["income"], release=path)


@pytest.mark.parametrize("name", ["income", "grade", "born"])
def test_one_other_value_is_noticed(tmp_path: Path, name: str) -> None:
    columns = ["income", "grade", "born"]
    sf.microaggregate(_mixed(), columns, 3, orders=ORDER).write(tmp_path / "micro.csv")
    values = {**MIXED, name: [MIXED[name][5], *MIXED[name][1:]]}
    with pytest.raises(sf.DataError, match=NOT_THESE):
        sf.risk(pa.table(values), columns, release=tmp_path / "micro.csv")


@pytest.mark.parametrize("gap", [3, 8])
def test_missing_values_stay_missing(tmp_path: Path, gap: int) -> None:
    sf.microaggregate(_mixed(), ["income"], 2).write(tmp_path / "micro.csv")
    income = list(MIXED["income"])
    income[gap] = None if gap == 3 else 1.0
    with pytest.raises(sf.DataError, match=NOT_THESE):
        sf.risk(pa.table({**MIXED, "income": income}), ["income"], release=tmp_path / "micro.csv")


def test_a_blanked_group_belongs_to_its_rows(tmp_path: Path) -> None:
    """One row lacks a value: so few are blanked as a whole, and others join them."""
    table = pa.table({"x": [None, *map(float, range(1, 12))], "y": [float(row**2) for row in range(12)]})
    micro = sf.microaggregate(table, ["x", "y"], 3)
    assert micro.missing["blanked"] > 0
    micro.write(tmp_path / "micro.csv")
    assert sf.risk(table, ["x", "y"], release=tmp_path / "micro.csv").release_kind == "microaggregated"


def test_a_manifest_without_orders_needs_a_specification(tmp_path: Path) -> None:
    path = tmp_path / "micro.csv"
    sf.microaggregate(_mixed(), ["grade"], 3, orders=ORDER).write(path)
    stated = tmp_path / "micro.csv.json"
    content = json.loads(stated.read_text(encoding="utf-8"))
    assert content["recipe"].pop("orders") == ORDER
    del content["recipe"]["data"]
    stated.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(sf.DataError, match="Give their order"):
        sf.risk(_mixed(), ["grade"], release=path)
    grade = {"role": "quasi-identifier", "kind": "ordinal", "order": ORDER["grade"]}
    spec = sf.Spec.from_dict({"attributes": {"grade": grade}})
    assert sf.risk(_mixed(), release=path, spec=spec).linkage_after[0].known == 1


def test_texts_that_were_missing_are_missing_again(tmp_path: Path) -> None:
    data = tmp_path / "data.csv"
    data.write_text("x,y\n1,a\n2,b\nNA,c\n4,d\n5,e\nNA,f\n7,g\n", encoding="utf-8")
    spec = sf.Spec.from_dict({"data": {"missing": ["NA"]}, "attributes": {"x": {"role": "quasi-identifier"}}})
    sf.microaggregate(data, ["x"], 2, spec=spec).write(tmp_path / "micro.csv")
    assert sf.risk(data, release=tmp_path / "micro.csv").linkage_after[0].absent == 2
    assert utility(open_release(tmp_path / "micro.csv"), data).manner == "microaggregated"


def test_limits_of_the_attack_by_distance_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = 300
    table = pa.table({"x": np.random.default_rng(1).normal(size=rows), "who": np.arange(rows) // 2})
    micro = sf.microaggregate(table, ["x"], 5, method="univariate")
    whole = sf.risk(table, ["x"], release=micro, subsets=False).linkage_after[0]
    for room in ("assess.linkage", "assess.attackers"):
        monkeypatch.setattr(f"sfumato.{room}.MOST", 200)
    found = sf.risk(table, ["x"], release=micro, person="who", subsets=False)
    sample = found.linkage_after[0]
    assert (whole.attempts, sample.attempts) == (300, 200)
    assert any("200 of the 300 people" in note for note in found.notes)
    assert any("count rows" in note for note in found.notes)
    # The chances of a random sample are those of everyone, up to chance.
    assert sample.expected == pytest.approx(whole.expected, rel=0.1)


STOMACH = {"stomach": ["gastritis", "ulcer", "cancer"], "lung": ["flu", "bronchitis", "pneumonia"]}


def _diseases(path: Path) -> tuple[pa.Table, sf.Spec]:
    """Give the table of the t-closeness paper: all of its first class have a stomach disease."""
    table = pa.table(
        {
            "zip": ["476**"] * 3 + ["4790*"] * 3 + ["476++"] * 3,
            "salary": [3000, 4000, 5000, 6000, 11000, 8000, 7000, 9000, 10000],
            "disease": [
                *("ulcer", "gastritis", "cancer", "gastritis", "flu", "bronchitis"),
                *("bronchitis", "pneumonia", "cancer"),
            ],
        }
    )
    spec = sf.Spec.from_dict(
        {
            "data": {"path": str(path)},
            "attributes": {
                "zip": {"role": "quasi-identifier", "kind": "category"},
                "disease": {"role": "sensitive", "hierarchy": {"tree": STOMACH}},
                "salary": {"role": "sensitive"},
            },
        }
    )
    return table, spec


def test_diseases_of_one_branch_are_similar(tmp_path: Path) -> None:
    table, spec = _diseases(tmp_path / "none.csv")
    found = sf.risk(table, spec=spec)
    assert (found.quasi_identifiers, found.sensitive) == (("zip",), ("disease", "salary"))
    disease, salary = found.before.attributes
    assert (disease.homogeneous_rows, disease.similar_rows, disease.similarity) == (0, 3, "hierarchy")
    assert (salary.similar_rows, salary.similarity) == (0, "range")
    assert found.notes == ()
    bare = sf.risk(table, ["zip"], ["disease"]).before.attributes[0]
    assert (bare.similar_rows, bare.similarity) == (None, None)


def test_a_specification_gives_the_roles_the_path_and_the_reading(tmp_path: Path) -> None:
    path = tmp_path / "data.txt"
    table, spec = _diseases(path)
    rows = zip(*(table.column(name).to_pylist() for name in table.column_names), strict=True)
    lines = [";".join(map(str, row)) for row in [table.column_names, *rows]]
    path.write_text("\n".join(lines), encoding="utf-8")
    spec = spec.model_copy(update={"data": spec.data.model_copy(update={"separator": ";"})})
    assert sf.risk(None, spec=spec).to_dict() == sf.risk(table, spec=spec).to_dict()
    assert sf.risk(table, ["salary"], spec=spec).sensitive == ("disease",)


@pytest.mark.slow
def test_a_hierarchy_holds_in_the_release_too(adult: pa.Table, k10: Path) -> None:
    """Occupations have no order; by a tree of theirs some classes are of one branch."""
    kinds = sorted(set(adult.column("occupation").to_pylist()))
    tree = {"some": kinds[:-2], "others": kinds[-2:]}
    spec = _spec()
    secret = spec.attributes["occupation"].model_validate({"role": "sensitive", "hierarchy": {"tree": tree}})
    spec = spec.model_copy(update={"attributes": {**spec.attributes, "occupation": secret}})
    found = sf.risk(adult, release=k10, spec=spec, subsets=False)
    with k10.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    under: dict[object, object] = {name: branch for branch, names in tree.items() for name in names}
    expected = oracle.similar_by_branch(
        [tuple(row[name] for name in QIS) for row in rows], [row["occupation"] for row in rows], under
    )
    assert found.after is not None
    assert found.after.attributes[0].similar_rows == expected > 0


def _people(count: int) -> list[dict[str, object]]:
    generator = random.Random(3)
    return [
        {
            "age": generator.randint(20, 59),
            "zip": generator.choice(["07", "08", "1", "2", "?"]),
            "illness": generator.choice(["flu", "gout", "cold"]),
            "who": number // 2,
        }
        for number in range(count)
    ]


def _write(path: Path, rows: list[dict[str, object]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_a_population_is_matched_by_value_whatever_its_kind(tmp_path: Path) -> None:
    rows = _people(300)
    population = _write(tmp_path / "all.csv", rows)
    sample = pa.Table.from_pylist(rows[:60])
    found = risk(sample, ["age", "zip"], population=population)
    sizes, whole = (
        oracle.class_sizes([(row["age"], row["zip"]) for row in part]) for part in (rows[:60], rows)
    )
    highest, average, at_risk, share = oracle.journalist(sizes, whole, 0.2)
    assert found.before.journalist is not None
    assert found.before.journalist.highest == pytest.approx(float(highest))
    assert found.before.journalist.average == pytest.approx(float(average))
    assert found.before.journalist.records_at_risk == at_risk
    assert found.before.marketer == pytest.approx(float(share))
    assert found.notes == ()
    turned = risk(population, ["age", "zip"], population=sample)
    assert any("incomplete" in note for note in turned.notes)


def test_the_release_is_matched_with_a_generalized_population(adult: pa.Table, tmp_path: Path) -> None:
    sample = adult.take(np.random.default_rng(1).permutation(adult.num_rows)[:5000])
    release = sf.anonymize(sample, _spec(k=3))
    found = sf.risk(sample, QIS, release=release, population=adult)
    assert found.before.journalist is not None
    assert found.after is not None
    assert found.after.journalist is not None
    # Everyone of the sample is in the population, so that classes grow and chances fall.
    assert found.notes == ()
    for side in (found.before, found.after):
        assert side.journalist is not None
        assert side.journalist.average < side.prosecutor.average
    assert found.after.journalist.highest <= found.after.prosecutor.highest
    assert 0 < found.after.marketer < found.before.marketer
    everyone = sf.risk(sample, QIS, release=release, population=sample)
    assert everyone.after is not None
    assert everyone.after.journalist is not None
    assert everyone.after.journalist.average == pytest.approx(everyone.after.prosecutor.average)


def test_persons_are_counted_once_in_a_class(tmp_path: Path) -> None:
    rows = _people(100)
    found = risk(_write(tmp_path / "p.csv", rows), ["zip"], ["illness"], person="who")
    sizes = oracle.class_sizes([(row["zip"],) for row in rows], [row["who"] for row in rows])
    assert found.before.unit == "person"
    assert found.before.records == sum(sizes.values())
    assert found.before.prosecutor.highest == 1 / min(sizes.values())


def test_without_quasi_identifiers_all_columns_are_taken_and_it_is_said(adult: pa.Table) -> None:
    found = sf.risk(adult.slice(0, 500), sensitive=["occupation"])
    assert len(found.quasi_identifiers) == 14
    assert "all 14 columns are used" in found.notes[0]
    assert found.subsets is not None
    assert found.subsets.identifying == ("fnlwgt",)


def test_order_and_engine_of_the_rows_do_not_matter(adult: pa.Table, tmp_path: Path) -> None:
    import polars as pl

    part = adult.slice(0, 800)
    turned = part.take(np.random.default_rng(2).permutation(800))
    one = sf.risk(part, QIS, ["occupation", "hours-per-week"], fraction=0.05)
    assert one.to_dict() == sf.risk(turned, QIS, ["occupation", "hours-per-week"], fraction=0.05).to_dict()
    frame = pl.from_arrow(part)
    assert one.to_dict() == sf.risk(frame, QIS, ["occupation", "hours-per-week"], fraction=0.05).to_dict()
    path = tmp_path / "part.csv"
    frame.write_csv(path)  # type: ignore[union-attr]
    assert one.to_dict() == sf.risk(path, QIS, ["occupation", "hours-per-week"], fraction=0.05).to_dict()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"quasi_identifiers": []}, "at least one"),
        ({"sensitive": ["age"]}, "both"),
        ({"fraction": 0.0}, "above 0"),
        ({"fraction": 1.5}, "at most 1"),
        ({"threshold": 1.0}, "below 1"),
        ({"fraction": 0.5, "population": "x.csv"}, "not both"),
    ],
)
def test_wrong_parameters_are_named(adult: pa.Table, options: dict[str, object], message: str) -> None:
    given: dict[str, object] = {"quasi_identifiers": ["age"], **options}
    with pytest.raises(sf.ParameterError, match=message):
        sf.risk(adult, **given)  # type: ignore[arg-type]


def test_a_column_that_is_not_there_is_named(adult: pa.Table) -> None:
    with pytest.raises(sf.DataError, match="no column 'agee'"):
        sf.risk(adult, ["agee"])
