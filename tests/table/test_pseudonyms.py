"""Keyed pseudonyms: the same for one value wherever it is, and nothing without the key."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import TYPE_CHECKING

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import DataError, InfeasibleError, SpecError, VerificationError

if TYPE_CHECKING:
    from pathlib import Path

KEY = bytes(range(32))
# Three people have two rows each, in one class or in two.
PEOPLE = pd.DataFrame(
    {
        "pid": [f"p{number // 2}" for number in range(24)],
        "age": [20 + 10 * (number // 2 % 3) for number in range(24)],
        "ill": [["flu", "cold", "burn"][number % 3] for number in range(24)],
    }
)


def specification(folder: Path, *, limit: float = 0.0, output: str = "drop", **data: object) -> sf.Spec:
    (folder / "people.key").write_bytes(KEY)
    return sf.Spec.from_dict(
        {
            "data": {"person": "pid", "key": str(folder / "people.key"), **data},
            "attributes": {
                "pid": {"role": "pseudonym"},
                "age": {"role": "quasi-identifier"},
                "ill": {"role": "sensitive"},
            },
            "require": {"k": 2},
            "suppression": {"limit": limit, "output": output},
            "objectives": {"minimize": ["loss"]},
        }
    )


def expected(text: str) -> str:
    digest = hmac.new(KEY, b"sfumato pseudonym\0" + text.encode(), hashlib.sha256).digest()
    return base64.b32encode(digest).decode().lower()[:26]


def test_every_frame_and_file_gives_the_same_pseudonyms(tmp_path: Path) -> None:
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    PEOPLE.to_parquet(tmp_path / "people.parquet")
    sources = {
        "pandas": PEOPLE,
        "polars": pl.from_pandas(PEOPLE),
        "lazy": pl.from_pandas(PEOPLE).lazy(),
        "arrow": pa.Table.from_pandas(PEOPLE, preserve_index=False),
        "duckdb": duckdb.from_df(PEOPLE),
        "csv": tmp_path / "people.csv",
        "parquet": tmp_path / "people.parquet",
    }
    texts = set()
    for name, data in sources.items():
        sf.anonymize(data, specification(tmp_path)).in_series().write(tmp_path / f"{name}-out.csv")
        texts.add((tmp_path / f"{name}-out.csv").read_text())
    assert len(texts) == 1
    shown = {line.split(",")[0] for line in texts.pop().splitlines()[1:]}
    assert shown == {expected(f"p{number}") for number in range(12)}


def test_the_risk_is_said_where_people_decide(tmp_path: Path) -> None:
    spec = specification(tmp_path)
    warnings = sf.check(PEOPLE, spec)["warnings"]
    assert any("'pid' links the rows of a person" in text for text in warnings)  # type: ignore[attr-defined]
    release = sf.anonymize(PEOPLE, spec).in_series()
    manifest = release.write(tmp_path / "out.csv")
    assert manifest.linking["pseudonyms"] == ["pid"]
    assert manifest.recipe["attributes"]["pid"]["role"] == "pseudonym"  # type: ignore[index]
    assert release.unchanged == ("age", "ill")
    release.report(tmp_path / "report.html")
    assert "Pseudonyms link all rows of a person" in (tmp_path / "report.html").read_text()
    assert sf.verify(tmp_path / "out.csv")["holds"]
    assert sf.verify(tmp_path / "out.csv", data=PEOPLE)["violations"] == []


@pytest.mark.parametrize("output", ["drop", "mask"])
def test_suppressed_rows_show_no_pseudonym(tmp_path: Path, output: str) -> None:
    data = pd.concat([PEOPLE, pd.DataFrame({"pid": ["q0"], "age": [90], "ill": ["flu"]})])
    spec = specification(tmp_path, limit=0.05, output=output)
    sf.anonymize(data, spec).in_series().write(tmp_path / "out.csv")
    text = (tmp_path / "out.csv").read_text()
    assert expected("p0") in text
    assert expected("q0") not in text
    assert text.count("\n") == (26 if output == "mask" else 25)


def test_all_rows_of_a_person_are_one_unit(tmp_path: Path) -> None:
    # In each class there are several people, but only one has rows in these two.
    data = PEOPLE.copy()
    data.loc[0, "age"] = 30
    spec = specification(tmp_path)
    spec = spec.model_copy(
        update={
            "attributes": {
                **spec.attributes,
                "age": spec.attributes["age"].model_copy(update={"levels": (0, 0)}),
            }
        }
    )
    made = sf.anonymize(data, spec)
    with pytest.raises(VerificationError, match="1 persons have fewer than 2 candidates"):
        made.write(tmp_path / "out.csv")
    with pytest.raises(InfeasibleError, match=r"1 person has fewer than 2 candidates .* in this release"):
        made.in_series()
    assert not (tmp_path / "out.csv").exists()


def test_a_repeated_pseudonym_has_to_be_the_person(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="12 values of the pseudonym 'pid' occur in several rows"):
        sf.anonymize(PEOPLE, specification(tmp_path, person=None))
    once = PEOPLE.drop_duplicates("pid")
    sf.anonymize(once, specification(tmp_path, person=None)).write(tmp_path / "out.csv")
    assert expected("p3") in (tmp_path / "out.csv").read_text()


def test_a_recipe_gives_new_rows_the_same_pseudonyms(tmp_path: Path) -> None:
    sf.anonymize(PEOPLE, specification(tmp_path)).in_series().write(tmp_path / "out.csv")
    recipe = sf.Recipe.load(tmp_path / "out.csv.json")
    again = recipe.apply(PEOPLE, key=tmp_path / "people.key").in_series()
    again.write(tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()
    with pytest.raises(SpecError, match="need a key file"):
        recipe.apply(PEOPLE)
    assert "people.key" not in json.dumps(again.recipe.to_dict())


def test_a_key_is_made_once_and_stays(tmp_path: Path) -> None:
    spec = specification(tmp_path)
    (tmp_path / "people.key").unlink()
    for name in ("a.csv", "b.csv"):
        sf.anonymize(PEOPLE, spec).in_series().write(tmp_path / name)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert expected("p0") not in (tmp_path / "a.csv").read_text()
