"""Dates in any format and times of any zone, from a table to a verified release."""

from __future__ import annotations

import datetime as dt
import json
from itertools import cycle
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import sfumato as sf

if TYPE_CHECKING:
    from pathlib import Path

FORMATS = [
    "%d.%m.%Y", "%d.%m.%y", "%m/%d/%Y", "%d/%m/%Y", "%Y/%m/%d", "%Y%m%d", "%d %b %Y", "%B %d, %Y", "%d-%b-%Y",
    "%d.%m.%Y %H:%M:%S", "%m/%d/%Y %I:%M %p",
]  # fmt: skip
TIMES = [dt.datetime(2019 + day % 4, 1 + day % 12, 1 + day % 28, day % 24, 30) for day in range(60)]
GOAL = {"require": {"k": 1}, "objectives": {"minimize": ["loss"]}}
ZONES = ("Europe/Berlin", "America/Los_Angeles")


def specification(levels: tuple[int, int] | None, written: str | None = None) -> sf.Spec:
    """Return what keeps a column of dates between two levels."""
    attribute = {"role": "quasi-identifier", "kind": "date", "hierarchy": {"dates": ["month", "year"]}}
    attribute |= {} if levels is None else {"levels": list(levels)}
    attribute |= {} if written is None else {"format": written}
    return sf.Spec.from_dict({"attributes": {"at": attribute}, **GOAL})


def published(path: Path) -> list[str]:
    return sorted(path.read_text().splitlines()[1:])


@pytest.mark.some(1)
@pytest.mark.parametrize(("written", "suffix"), [*zip(FORMATS, cycle(["csv", "parquet", "frame"]))])
def test_every_format_is_released_by_month_and_verified_with_the_data(written, suffix, tmp_path):
    texts = [time.strftime(written) for time in TIMES]
    data = pd.DataFrame({"at": texts})
    if suffix != "frame":
        path = tmp_path / f"data.{suffix}"
        data.to_csv(path, index=False) if suffix == "csv" else data.to_parquet(path)
        data = path
    spec = specification((1, 1), written)
    release = sf.anonymize(data, spec)
    release.write(tmp_path / "out.csv")
    assert published(tmp_path / "out.csv") == sorted(time.strftime("%Y-%m") for time in TIMES)
    assert sf.verify(tmp_path / "out.csv", data=data)["holds"]
    kept = sf.anonymize(data, specification((0, 0), written))
    kept.write(tmp_path / "kept.csv")
    assert sorted(pd.read_csv(tmp_path / "kept.csv", dtype=str)["at"]) == sorted(texts)
    assert sf.verify(tmp_path / "kept.csv", data=data)["holds"]
    again = release.recipe.apply(pd.DataFrame({"at": texts[:20]}))
    assert sorted(again.frame["at"]) == sorted(time.strftime("%Y-%m") for time in TIMES[:20])


def test_the_verifier_reads_kept_dates_by_the_format_of_the_recipe(tmp_path):
    """Without a hierarchy the recipe lists the values in ISO form, and the file has them in another one."""
    data = pd.DataFrame({"at": ["14.03.1987", "01.04.1990"] * 5})
    spec = {"attributes": {"at": {"role": "quasi-identifier", "format": "%d.%m.%Y", "levels": [0, 0]}}}
    sf.anonymize(data, sf.Spec.from_dict({**spec, **GOAL})).write(tmp_path / "out.csv")
    recipe = json.loads((tmp_path / "out.csv.json").read_text())["recipe"]["attributes"]["at"]
    assert recipe["format"] == "%d.%m.%Y"
    assert recipe["hierarchy"]["values"] == ["1987-03-14", "1990-04-01"]
    assert set(published(tmp_path / "out.csv")) == {"14.03.1987", "01.04.1990"}
    assert sf.verify(tmp_path / "out.csv")["holds"]
    text = (tmp_path / "out.csv").read_text()
    (tmp_path / "out.csv").write_text(text.replace("01.04.1990", "04.01.1990"))
    assert not sf.verify(tmp_path / "out.csv")["holds"]


def test_sentences_about_dates_are_recounted_by_their_format(tmp_path):
    """The verifier reads sensitive dates by itself: one class holds none that is not before 1990."""
    table = "place,born\na,31.12.1989\na,14.03.1987\nb,31.12.1989\nb,01.01.1990\n"
    (tmp_path / "t.csv").write_text(table)
    born = {"role": "sensitive", "kind": "date", "format": "%d.%m.%Y"}
    place = {"role": "quasi-identifier"}
    asked = {"attributes": {"place": place, "born": born}, "objectives": {"minimize": ["loss"]}}
    secret = {"confidential": [{"sentence": "born < 1990-01-01"}]}
    found = sf.verify(tmp_path / "t.csv", sf.Spec.from_dict({**asked, **secret, "require": {"secure": 1}}))
    assert not found["holds"]
    release = sf.anonymize(
        tmp_path / "t.csv", sf.Spec.from_dict({**asked, **secret, "require": {"secure": 1}})
    )
    release.write(tmp_path / "out.csv")
    assert release.recoding == {"place": 1}
    assert published(tmp_path / "out.csv") == sorted(f"*,{line[2:]}" for line in table.splitlines()[1:])
    assert sf.verify(tmp_path / "out.csv", data=tmp_path / "t.csv")["holds"]


def test_dates_in_a_format_have_an_order_for_t(tmp_path):
    texts = ["01.02.1990", "02.01.1991", "03.01.1980", "28.12.1985"] * 5
    data = pd.DataFrame({"place": list("abcd") * 5, "born": texts})
    born = {"role": "sensitive", "kind": "date", "format": "%d.%m.%Y"}
    asked = {"attributes": {"place": {"role": "quasi-identifier"}, "born": born}, **GOAL}
    release = sf.anonymize(data, sf.Spec.from_dict({**asked, "require": {"t(born, ordered)": 0.5}}))
    release.write(tmp_path / "out.csv")
    assert sf.verify(tmp_path / "out.csv", data=data)["holds"]


def test_two_spellings_of_a_day_are_published_as_one():
    data = pd.DataFrame({"at": ["1.3.2024", "01.03.2024"]})
    spec = {"attributes": {"at": {"role": "quasi-identifier", "format": "%d.%m.%Y"}}, **GOAL}
    assert sf.anonymize(data, sf.Spec.from_dict(spec)).frame["at"].tolist() == ["01.03.2024"] * 2


def test_a_text_that_does_not_fit_is_named_by_its_place_alone(tmp_path):
    texts = ["14.03.1987", "", "secret", "01.04.1990", "secret", "hidden"]
    pd.DataFrame({"at": texts}).to_csv(tmp_path / "data.csv", index=False)
    for data in (tmp_path / "data.csv", pd.DataFrame({"at": texts}), pl.DataFrame({"at": texts})):
        with pytest.raises(sf.DataError) as caught:
            sf.anonymize(data, specification(None, "%d.%m.%Y"))
        message = str(caught.value)
        assert "at: 2 of 4 distinct values do not fit format = '%d.%m.%Y'" in message
        assert "They are in 3 rows; the first is row 3, the header not counted." in message
        assert "secret" not in message
        assert "hidden" not in message


def zoned(zone: str, kind: str, folder: Path) -> object:
    """Return the same instants as a column of some library or file."""
    instants = [time.replace(tzinfo=dt.UTC) for time in TIMES]
    table = pa.table({"at": pa.array(instants, pa.timestamp("us", zone))})
    if kind == "parquet":
        pyarrow.parquet.write_table(table, folder / "data.parquet")
    if kind == "feather":
        pyarrow.feather.write_feather(table, folder / "data.feather")
    made = {"pandas": table.to_pandas, "polars": lambda: pl.from_arrow(table), "pyarrow": lambda: table}
    lazy = {"lazy": lambda: pl.from_arrow(table).lazy()}
    return {**made, **lazy}.get(kind, lambda: folder / f"data.{kind}")()


@pytest.mark.some(2)
@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("kind", ["pandas", "polars", "lazy", "pyarrow", "parquet", "feather"])
def test_months_are_those_of_the_clock_of_the_zone(zone, kind, tmp_path):
    data = zoned(zone, kind, tmp_path)
    local = [time.replace(tzinfo=dt.UTC).astimezone(ZoneInfo(zone)) for time in TIMES]
    sf.anonymize(data, specification((1, 1))).write(tmp_path / "out.csv")
    assert published(tmp_path / "out.csv") == sorted(time.strftime("%Y-%m") for time in local)
    assert sf.verify(tmp_path / "out.csv", data=data)["holds"]


def test_new_year_in_berlin_is_in_january():
    night = pd.Series([dt.datetime(2024, 1, 1, 0, 30)]).dt.tz_localize("Europe/Berlin")
    release = sf.anonymize(pd.DataFrame({"at": night}), specification((1, 1)))
    assert release.frame["at"].tolist() == ["2024-01"]


@pytest.mark.some(1)
@pytest.mark.parametrize("zone", [*ZONES, "+05:30"])
def test_kept_instants_of_a_zone_are_those_of_the_recipe(zone, tmp_path):
    data = zoned(zone, "pandas", tmp_path)
    spec = {"attributes": {"at": {"role": "quasi-identifier", "levels": [0, 0]}}, **GOAL}
    sf.anonymize(data, sf.Spec.from_dict(spec)).write(tmp_path / "out.csv")
    assert sf.verify(tmp_path / "out.csv", data=data)["holds"]
    assert sf.verify(tmp_path / "out.csv")["holds"]


@pytest.mark.parametrize(
    "text", ["%d.%m", "%H:%M", "dd.mm.yyyy", "%Q%Y", "", "%d.%m.%Y %", 5],
)  # fmt: skip
def test_formats_that_read_no_year_are_refused(text):
    with pytest.raises(sf.SpecError, match="format"):
        specification(None, text)


def test_a_format_needs_dates():
    with pytest.raises(sf.SpecError, match="needs dates"):
        sf.Spec.from_dict({"attributes": {"a": {"role": "sensitive", "kind": "number", "format": "%Y"}}})


@pytest.mark.some(3)
@pytest.mark.parametrize("days", [[19_723, 3_672_151], [19_723, -800_000], [19_723, 19_724]])
@pytest.mark.parametrize("type_", [pa.date32(), pa.timestamp("us"), pa.timestamp("ms", "Europe/Berlin")])
@pytest.mark.parametrize("role", ["quasi-identifier", "sensitive", "other"])
def test_dates_that_python_has_none_of_are_texts(days, type_, role, tmp_path):
    """Of the year 12024, or before the year 1: told apart, released and recounted as any other value."""
    column = pa.array(days * 10, pa.int32()).cast(pa.date32()).cast(pa.timestamp("us")).cast(type_)
    attribute = {"role": role} | ({} if role == "other" else {"kind": "category"})
    attributes = {"at": attribute, "age": {"role": "quasi-identifier"}}
    spec = sf.Spec.from_dict({"attributes": attributes, **GOAL})
    release = sf.anonymize(pa.table({"at": column, "age": [1, 2] * 10}), spec)
    for suffix in ("csv", "parquet"):
        release.write(tmp_path / f"r.{suffix}")
        assert sf.verify(tmp_path / f"r.{suffix}")["holds"]
    assert len({line.split(",")[0] for line in (tmp_path / "r.csv").read_text().splitlines()[1:]}) == 2
