"""The columns people really have: from ``init`` to a verified release, with typing errors too."""

from __future__ import annotations

import csv
import random
import tomllib
from typing import TYPE_CHECKING

import pandas as pd
import pytest

import sfumato as sf
from sfumato.verifier.labels import UnreadableError, accepted_labels
from tests.cli.running import run

if TYPE_CHECKING:
    from pathlib import Path

ROWS = 400
DRAWN = random.Random(7)
AGES = [DRAWN.randrange(100) for _ in range(ROWS)]
COLUMNS = {
    "birth": [f"{DRAWN.randrange(1, 29)}.{DRAWN.randrange(1, 13)}.{1930 + age % 80}" for age in AGES],
    "admitted": [f"{1 + age % 12:02d}/{1 + age % 28:02d}/2021 {1 + age % 12}:05 PM" for age in AGES],
    "age": [f"{age:02d}" for age in AGES],
    "age_top": [str(age) if age < 90 else "90+" for age in AGES],
    "age_band": [f"{age // 5 * 5}-{age // 5 * 5 + 4}" if age < 85 else "85 and over" for age in AGES],
    "code": [f"{'AN'[age % 2]}0{age % 3}{DRAWN.choice('AB')}{DRAWN.choice('CD')}0{age % 4}" for age in AGES],
    "nuts": [f"{DRAWN.choice(['DE', 'FR'])}{age % 3}{age % 5}{DRAWN.randrange(3)}" for age in AGES],
    "count": [str(age) if row else "Total" for row, age in enumerate(AGES)],
}  # fmt: skip


def write(path: Path, columns: dict[str, list[str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([[*columns], *zip(*columns.values(), strict=True)])
    return path


@pytest.mark.some(1)
@pytest.mark.parametrize("name", COLUMNS)
def test_every_column_goes_from_init_to_a_verified_release(name: str, tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", {name: COLUMNS[name], "sex": ["f", "m"] * (ROWS // 2)})
    spec, out = tmp_path / "t.toml", tmp_path / "out.csv"
    assert run("init", table).status == 0
    assert run("check", spec).status == 0
    assert run("anonymize", spec, "--out", out, "--quiet").status == 0
    assert run("verify", out, "--data", table).status == 0
    again = tmp_path / "again.csv"
    assert run("apply", tmp_path / "out.csv.json", table, "--out", again).status == 0
    assert run("init", table, "--force", "--no-values").status == 0
    assert run("check", spec).status == 0
    if name in ("age_top", "age_band", "count"):
        assert not any(text in spec.read_text() for text in ('"90+"', "85 and over", "Total"))


def test_init_writes_what_the_columns_are(tmp_path: Path) -> None:
    # Each in an order of its own, or those that follow from others would be left out.
    shuffled = {
        name: random.Random(place).sample(cells, ROWS) for place, (name, cells) in enumerate(COLUMNS.items())
    }
    table = write(tmp_path / "t.csv", shuffled)
    run("init", table)
    text = (tmp_path / "t.toml").read_text()
    found = tomllib.loads(text)["attributes"]
    assert {name: item["kind"] for name, item in found.items()} == {
        "birth": "date", "admitted": "date", "age": "number", "age_top": "ordinal", "age_band": "ordinal",
        "code": "category", "nuts": "category", "count": "category",
    }  # fmt: skip
    assert found["birth"]["format"] == "%d.%m.%Y"
    assert found["admitted"] == {
        "role": "quasi-identifier",
        "kind": "date",
        "weight": 2,
        "format": "%m/%d/%Y %I:%M %p",
        "levels": [1, 5],
        "hierarchy": {"dates": ["day", "month", "quarter", "year"]},
    }
    assert found["age"]["hierarchy"] == {"intervals": [5, 10, 20, 40], "origin": 0, "bottom": 0, "top": 100}
    assert found["code"]["hierarchy"] == {"prefix": [5, 4, 3, 1]}
    assert found["nuts"]["hierarchy"] == {"prefix": [4, 3, 2]}
    assert '; the rest: ["Total"].' in text


def ages_with(typing_errors: list[int], rows: int = 2_000) -> pd.DataFrame:
    """Return ages, dense below 90 and few above, with a place; and what was mistyped."""
    drawn = random.Random(3)
    ages = [min(int(drawn.gauss(45, 22)) % 97, 96) for _ in range(rows)]
    return pd.DataFrame(
        {
            "age": [*ages, *typing_errors],
            "place": [drawn.choice("abcde") for _ in range(rows + len(typing_errors))],
        }
    )


@pytest.mark.some(1)
@pytest.mark.parametrize("k", [2, 5, 20])
@pytest.mark.parametrize("loss", ["loss", "hdm"])
@pytest.mark.parametrize("age", [35_109, -9_999])
def test_one_typing_error_does_not_change_the_optimum(k: int, loss: str, age: int, tmp_path: Path) -> None:
    """Of the specification that init writes, though it sees the error; the error itself is clamped."""
    ages_with([age]).to_csv(tmp_path / "t.csv", index=False)
    run("init", tmp_path / "t.csv")
    asked = sf.Spec.load(tmp_path / "t.toml").to_dict()
    spec = sf.Spec.from_dict({**asked, "require": {"k": k}, "objectives": {"minimize": [loss]}})
    assert spec.attributes["age"].hierarchy.model_dump(exclude_none=True) == {
        "intervals": (5, 10, 20, 40), "origin": 0, "bottom": 0, "top": 100,
    }  # fmt: skip
    plain, typo = (sf.anonymize(data, spec) for data in (ages_with([]), ages_with([age])))
    assert plain.recoding == typo.recoding
    typo.write(tmp_path / "out.csv")
    assert sf.verify(tmp_path / "out.csv", spec, tmp_path / "t.csv")["holds"]
    assert plain.measures[loss] == pytest.approx(typo.measures[loss], rel=0.02)


def test_numbers_beyond_the_top_are_one_end_of_the_scale() -> None:
    from sfumato.hierarchies import value_places
    from tests.hierarchies.shapes import make

    rule = {"intervals": [5, 10], "bottom": 10, "top": 30}
    ages = make([2, 5, 12, 35_109], rule)
    assert ages.values == (2, 5, *range(10, 30), 35_109)
    assert value_places(ages).tolist() == [0, 0, *range(1, 22)]
    sizes = make([2.5, 12.25, 35_109.0], rule)
    assert value_places(sizes).tolist() == [0, 225, 2_000]


def test_check_tells_of_numbers_that_dwarf_the_others(tmp_path: Path) -> None:
    ages_with([35_109]).to_csv(tmp_path / "t.csv", index=False)
    text = """
        data.path = "t.csv"
        objectives.minimize = ["loss"]
        [attributes.age]
        role = "quasi-identifier"
        hierarchy = {{ intervals = [5, 10, 20, 40]{} }}
    """
    for end, many in (("", 1), (", bottom = 0", 1), (", top = 100", 0)):
        (tmp_path / "t.toml").write_text(text.format(end))
        warnings = [
            text for text in run("check", tmp_path / "t.toml", "--json").json["warnings"] if "age" in text
        ]
        assert len(warnings) == many
        assert not any("35" in warning or "set top" not in warning for warning in warnings)


@pytest.mark.parametrize(
    ("definition", "kind", "level", "right", "wrong"),
    [
        ({"prefix": [3, 1]}, "category", 0, ["J45.0", "J"], []),
        ({"prefix": [3, 1]}, "category", 1, ["J45", "J4", "J"], ["J45.0", ""]),
        ({"prefix": [3, 1]}, "category", 2, ["J"], ["J4", "J45"]),
        ({"prefix": [3, 1]}, "category", 3, ["*"], ["J"]),
        (
            {"dates": ["week", "year"]},
            "date",
            1,
            ["2024-W01", "2020-W53"],
            ["2024-W00", "2024-W54", "2024-01"],
        ),
        ({"dates": ["month"]}, "date", 0, ["14.03.1987", "1987-03-14"], ["03/14/1987", "31.02.1987", "x"]),
        ({"values": ["1987-03-14"]}, "date", 0, ["14.03.1987", "14.3.1987"], ["03.04.1987", "15.03.1987"]),
    ],
)
def test_the_verifier_knows_the_labels_by_itself(
    definition: dict[str, object], kind: str, level: int, right: list[str], wrong: list[str]
) -> None:
    done = {"kind": kind, "hierarchy": definition, "partition": {"level": level}}
    accepts = accepted_labels({**done, "format": "%d.%m.%Y"} if kind == "date" else done)
    assert [text for text in [*right, *wrong] if accepts(text)] == right


@pytest.mark.parametrize("lengths", [5, ["3"], [0], [3.0], [True]])
def test_what_is_no_rule_of_prefixes_is_refused(lengths: object) -> None:
    with pytest.raises(UnreadableError):
        accepted_labels({"hierarchy": {"prefix": lengths}, "partition": {"level": 1}})
