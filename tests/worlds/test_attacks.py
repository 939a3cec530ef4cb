"""Attacks of an outsider who has FILE and FILE.json alone; none may find what is hidden."""

from __future__ import annotations

import datetime as dt
import itertools
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest

import sfumato as sf
from tests.test_repository import offences
from tests.worlds import attacks
from tests.worlds.releasing import Recoding, open_front, release_with

if TYPE_CHECKING:
    from sfumato.releases import Release

AGES = [21 + number % 38 for number in range(199)]
ILLNESSES = ["flu", "cold", "burn"]


def test_attackers_use_nothing_of_the_package() -> None:
    source = Path(attacks.__file__).read_text(encoding="utf-8")
    assert not offences(source, {"sfumato", "tests"})


def specification(quasi_identifiers: dict[str, object], **parts: object) -> sf.Spec:
    attributes = {name: {"role": "quasi-identifier", **entry} for name, entry in quasi_identifiers.items()}  # type: ignore[dict-item]
    attributes["ill"] = {"role": "sensitive"}
    return sf.Spec.from_dict(
        {
            "attributes": attributes,
            "suppression": {"limit": 0.2},
            "require": {"k": 2},
            "objectives": {"minimize": ["loss"]},
            **parts,
        }
    )


def released(frame: pd.DataFrame, spec: sf.Spec, **recoding: object) -> Release:
    """Release a frame with a level, or with blocks, for each quasi-identifier."""
    made = Recoding()
    for name, entry in recoding.items():
        if isinstance(entry, int):
            made.levels[name] = entry
        else:
            assert isinstance(entry, list)
            made.blocks[name] = {value: place for place, block in enumerate(entry) for value in block}
    return release_with(open_front(frame, spec), made, np.random.default_rng(1))


def share(release: Release, tmp_path: Path) -> tuple[list[dict[str, str]], dict]:
    """Write a release that hides somebody, and return what an outsider reads."""
    assert release.rows["suppressed"] > 0
    release.write(tmp_path / "shared.csv")
    return attacks.read(tmp_path / "shared.csv")


def people(ages: list[int], **columns: list[object]) -> pd.DataFrame:
    ill = [ILLNESSES[place % 3] for place in range(len(ages))]
    return pd.DataFrame({"age": ages, "ill": ill, **columns})


def test_intervals_tell_neither_smallest_nor_largest(tmp_path: Path) -> None:
    """199 people aged 21 to 58 and one of 97, who is suppressed."""
    spec = specification({"age": {"hierarchy": {"intervals": [10, 20]}}})
    rows, manifest = share(released(people([*AGES, 97]), spec, age=1), tmp_path)
    assert {row["age"] for row in rows} == {"20-29", "30-39", "40-49", "50-59"}
    assert attacks.extremes(manifest, "age", 10) != (21, 97)
    assert attacks.span(manifest, "age") != 76


def test_a_column_of_stars_tells_no_span(tmp_path: Path) -> None:
    frame = people([*AGES, 97], job=["a", "b"] * 99 + ["a", "rare"])
    spec = specification({"age": {"hierarchy": {"intervals": [10, 20]}}, "job": {}})
    rows, manifest = share(released(frame, spec, age=3, job=0), tmp_path)
    assert {row["age"] for row in rows} == {"*"}
    assert attacks.span(manifest, "age") != 76


@pytest.mark.parametrize("hidden", [97, 80])
def test_dates_tell_no_span_in_days(tmp_path: Path, hidden: int) -> None:
    born = [dt.datetime(2000, 1, 1) + dt.timedelta(days=30 * (place % 20)) for place in range(100)]
    last = dt.datetime(2000 + hidden, 3, 4)
    frame = people(AGES[:101], born=[*born, last]).drop(columns="age")
    spec = specification({"born": {"hierarchy": {"dates": ["year"]}}})
    _, manifest = share(released(frame, spec, born=1), tmp_path)
    assert attacks.span(manifest, "born") != (last - dt.datetime(2000, 1, 1)).days


def test_an_exact_loss_is_not_solved_for_the_span(tmp_path: Path) -> None:
    """Everybody published lies in whole intervals; the two at the ends are hidden."""
    spec = specification({"age": {"hierarchy": {"intervals": [10, 20]}}})
    frame = people([*(30 + place % 20 for place in range(60)), 7, 97])
    rows, manifest = share(released(frame, spec, age=1), tmp_path)
    found = attacks.span_from_loss(rows, manifest, "age")
    assert found is None or abs(found - 90) > 1e-6


def test_declared_ends_may_be_used(tmp_path: Path) -> None:
    """Where bottom and top are declared the loss may be stated: it tells what the specification says."""
    declared = {"hierarchy": {"intervals": [10, 20], "bottom": 20, "top": 60}}
    found = []
    for hidden in (97, 61, 88):
        spec = specification({"age": declared})
        folder = tmp_path / str(hidden)
        folder.mkdir()
        found.append(share(released(people([*AGES, hidden]), spec, age=1), folder)[1])
    assert all(manifest["measures"] == found[0]["measures"] for manifest in found)
    assert all(manifest["reference"] == found[0]["reference"] for manifest in found)


@pytest.mark.parametrize("hidden", [("plague", "plague"), ("plague", "flu"), ("flu", "cold")])
def test_a_distribution_less_the_file_leaves_nobody(tmp_path: Path, hidden: tuple[str, str]) -> None:
    frame = pd.DataFrame({"job": ["a", "b"] * 20 + ["x", "y"], "ill": [*ILLNESSES * 13, "flu", *hidden]})
    spec = specification({"job": {}}, require={"k": 2, "t(ill)": 0.9})
    rows, manifest = share(released(frame, spec, job=0), tmp_path)
    secret = dict(Counter(hidden))
    assert attacks.hidden_values(rows, manifest, "ill") != secret
    assert {k: v for k, v in attacks.shares_that_pin_rows(rows, manifest, "ill").items() if v} != secret
    assert "plague" not in str(manifest)


@pytest.mark.parametrize("output", ["mode", "median"])
def test_statistics_are_those_of_published_rows(tmp_path: Path, output: str) -> None:
    """People with a rare job are suppressed: no published row may show it in place of its own."""
    jobs = [*["baker"] * 2, *["cook"] * 2, *["abbot"] * 5]
    frame = pd.DataFrame(
        {"job": jobs * 2, "town": ["n"] * 4 + list("pqrst") + ["n"] * 4 + list("uvwxy"), "ill": ["flu"] * 18}
    )
    entry = {"scheme": "sets", "output": output}
    spec = specification({"job": entry, "town": {}}, suppression={"limit": 0.9})
    rows, manifest = share(released(frame, spec, job=[["abbot", "baker", "cook"]], town=0), tmp_path)
    assert len(rows) == 8
    assert "abbot" not in {row["job"] for row in rows}
    assert "abbot" not in str(manifest)


def test_a_mean_is_that_of_published_rows(tmp_path: Path) -> None:
    frame = people([30, 30, 40, 40, 99], town=["n", "n", "n", "n", "p"])
    entry = {"hierarchy": {"intervals": [100]}, "output": "mean"}
    spec = specification({"age": entry, "town": {}}, suppression={"limit": 0.5})
    rows, _ = share(released(frame, spec, age=1, town=0), tmp_path)
    assert {float(row["age"]) for row in rows} == {35.0}


@pytest.mark.parametrize("scheme", ["sets", "ordered"])
def test_blocks_and_labels_name_published_values_only(tmp_path: Path, scheme: str) -> None:
    frame = pd.DataFrame(
        {
            "job": ["baker", "cook", "dean", "elder"] * 5 + ["chef"],
            "town": ["n"] * 20 + ["p"],
            "ill": ["flu"] * 21,
        }
    )
    spec = specification({"job": {"scheme": scheme}, "town": {}})
    blocks = [["baker", "chef", "cook"], ["dean", "elder"]]
    rows, manifest = share(released(frame, spec, job=blocks, town=0), tmp_path)
    assert "chef" not in attacks.listed_members(manifest, "job")
    assert not any("chef" in row["job"] for row in rows)


def test_an_ordered_block_of_numbers_ends_at_a_published_value(tmp_path: Path) -> None:
    frame = people([30, 31, 40, 41] * 5 + [97], town=["n"] * 20 + ["p"])
    spec = specification({"age": {"scheme": "ordered"}, "town": {}})
    rows, manifest = share(released(frame, spec, age=[[30, 31], [40, 41, 97]], town=0), tmp_path)
    assert not any("97" in row["age"] for row in rows)
    assert not any("97" in word for word in attacks.listed_members(manifest, "age"))


@pytest.mark.parametrize("level", [0, 1])
def test_a_file_from_a_frame_is_sorted_as_its_manifest_says(tmp_path: Path, level: int) -> None:
    frame = people([35, 25, 35, 25, 22, 22, 97], job=list("bababab"))
    frame = frame[["job", "age", "ill"]]
    spec = specification({"job": {}, "age": {"hierarchy": {"intervals": [10]}}}, suppression={"limit": 0.9})
    rows, manifest = share(released(frame, spec, job=1, age=level), tmp_path)
    assert manifest["recipe"]["release"]["order"] == "sorted"
    assert not attacks.is_in_input_order(rows)


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_no_number_of_a_manifest_depends_on_who_is_hidden(step: int, tmp_path: Path) -> None:
    """Every stated number, wherever it stands, is the same for every hidden age, illness and job."""
    found = []
    hidden = [*itertools.product((97, 61, 3), ("flu", "plague"), ("rare", "odd"))]
    for place, (age, ill, job) in enumerate(hidden[::step]):
        frame = people([*AGES[:60], age], job=["a", "b"] * 30 + [job])
        frame.loc[60, "ill"] = ill
        spec = specification({"age": {"hierarchy": {"intervals": [10, 20]}}, "job": {"scheme": "sets"}})
        folder = tmp_path / str(place)
        folder.mkdir()
        release = released(frame, spec, age=1, job=[["a", "b"], [job]])
        found.append(dict(attacks.numbers_in(share(release, folder)[1])))
    changing = {
        path for numbers in found for path in {*numbers, *found[0]} if numbers.get(path) != found[0].get(path)
    }
    assert changing == set()
