"""Releases after earlier ones: what is granted, what is refused, and what the ledger keeps to itself."""

from __future__ import annotations

import base64
import json
import os
import re
import stat
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import DataError, InfeasibleError, OutputError, SfumatoError, VerificationError
from sfumato.release import open_series
from tests.test_repository import offences
from tests.worlds import intersecting, series


def specification(folder: Path, limit: float = 0.0, **require: float) -> sf.Spec:
    return sf.Spec.from_dict(
        {
            "data": {"person": "pid", "key": str(folder / "people.key")},
            "attributes": {
                "age": {
                    "role": "quasi-identifier",
                    "hierarchy": {"intervals": [10, 20], "bottom": 20, "top": 60},
                },
                "ill": {"role": "sensitive"},
            },
            "require": {"k": 2, **require},
            "suppression": {"limit": limit},
            "objectives": {"minimize": ["loss"]},
        }
    )


def table(people: str, ages: dict[str, int] | None = None) -> pd.DataFrame:
    """Return a table of people named by letters; two of each decade, one with flu."""
    place = {name: number for number, name in enumerate("ABCDEFGHIJKLMNOP")}
    return pd.DataFrame(
        {
            "pid": [f"person-{name}" for name in people],
            "age": [(ages or {}).get(name, 20 + 5 * (place[name] // 2 * 2 % 8)) for name in people],
            "ill": [["flu", "cold"][place[name] % 2] for name in people],
        }
    )


def publish(
    folder: Path, number: int, data: pd.DataFrame, spec: sf.Spec, *, after: Path | None = None
) -> tuple[sf.Release, Path]:
    file = folder / f"year{number}.csv"
    release = sf.anonymize(data, spec).in_series(after=after, ledger=folder / "ledger.json")
    release.write(file)
    return release, file


def test_the_attack_uses_nothing_of_the_package() -> None:
    assert not offences(Path(intersecting.__file__).read_text(encoding="utf-8"), {"sfumato", "tests"})


@pytest.mark.parametrize("many", [12, pytest.param(24, marks=pytest.mark.slow)])
def test_an_attack_finds_nothing_in_what_was_granted(many: int) -> None:
    counts, found = series.run(range(many))
    assert found == []
    # The attack would find something if nothing were checked; some are refused, some need people withheld.
    assert counts["needed"] >= many // 3
    assert counts["refused"] >= many // 8
    assert counts["withheld"] >= many // 8
    assert counts["granted"] >= many // 3


def test_the_same_people_again_are_granted_without_loss(tmp_path: Path) -> None:
    spec = specification(tmp_path)
    first, file = publish(tmp_path, 1, table("ABCDEFGH"), spec)
    again, _ = publish(tmp_path, 2, table("HGFEDCBA"), spec, after=file)
    assert first.rows == again.rows == {"in": 8, "out": 8, "suppressed": 0}


def test_one_who_leaves_alone_is_refused_with_numbers(tmp_path: Path) -> None:
    # A and B are a class of the first release; B of the second would be alone with the difference.
    spec = specification(tmp_path)
    _, file = publish(tmp_path, 1, table("ABCDEFGHIJ"), spec)
    with pytest.raises(InfeasibleError) as refused:
        publish(tmp_path, 2, table("BCDEFGHIJ"), spec, after=file)
    assert refused.value.message.startswith("1 person has fewer than 2 candidates (the smallest number is 1)")
    assert "over this release and 1 earlier one" in refused.value.message
    assert "none may be" in refused.value.message
    assert not (tmp_path / "year2.csv").exists()


def test_who_left_alone_is_joined_by_others_within_the_limit(tmp_path: Path) -> None:
    spec = specification(tmp_path, limit=0.4)
    _, file = publish(tmp_path, 1, table("ABCDEFGHIJ"), spec)
    second, _ = publish(tmp_path, 2, table("BCDEFGHIJ"), spec, after=file)
    # Of the class of A, who left, one more leaves; the three of that decade were A, B, I and J.
    assert second.rows == {"in": 9, "out": 8, "suppressed": 1}


def test_newcomers_are_withheld_until_there_are_enough(tmp_path: Path) -> None:
    spec = specification(tmp_path, limit=0.3)
    _, file = publish(tmp_path, 1, table("ABCDEFGH"), spec)
    second, file = publish(tmp_path, 2, table("ABCDEFGHI"), spec, after=file)
    assert second.rows["suppressed"] == 1
    third, _ = publish(tmp_path, 3, table("ABCDEFGHIJ"), spec, after=file)
    assert third.rows["suppressed"] == 0


def test_moving_between_classes_leaves_too_few_candidates(tmp_path: Path) -> None:
    spec = specification(tmp_path)
    _, file = publish(tmp_path, 1, table("ABCDEFGH"), spec)
    moved = table("ABCDEFGH", {"A": 30, "C": 20})
    with pytest.raises(InfeasibleError, match=r"4 persons have fewer than 2 candidates"):
        publish(tmp_path, 2, moved, spec, after=file)


@pytest.mark.slow
def test_the_example_of_the_docs(tmp_path: Path) -> None:
    spec = specification(tmp_path, limit=0.25)
    first = table("ABCDEFGH", {**dict.fromkeys("ABCD", 20), **dict.fromkeys("EFGH", 30)})
    _, file = publish(tmp_path, 1, first, spec)
    second = table("ABCEFGHI", {**dict.fromkeys("ABEF", 20), **dict.fromkeys("CGHI", 30)})
    release, _ = publish(tmp_path, 2, second, spec, after=file)
    assert release.rows == {"in": 8, "out": 6, "suppressed": 2}
    strict = specification(tmp_path, limit=0.2)
    with pytest.raises(InfeasibleError, match=r"3 persons have fewer than 2 candidates .* 2 rows would"):
        sf.anonymize(second, strict).in_series(after=file, after_data=first)


def test_values_have_to_be_different_too(tmp_path: Path) -> None:
    spec = specification(tmp_path, **{"distinct_l(ill)": 2})
    _, file = publish(tmp_path, 1, table("ABCDIJKL"), spec)
    # A and I, both with flu, change places with C and K: everyone has two candidates, but with one value.
    moved = table("ABCDIJKL", {"A": 30, "I": 30, "C": 20, "K": 20})
    with pytest.raises(InfeasibleError, match=r"fewer than 2 values of 'ill' \(the smallest number is 1\)"):
        publish(tmp_path, 2, moved, spec, after=file)


def test_all_earlier_releases_count_together(tmp_path: Path) -> None:
    # Each pair of years leaves two candidates for everyone, all three leave one.
    spec = specification(tmp_path)
    decades = [{"A": 20, "B": 20, "C": 20, "D": 20, "E": 30, "F": 30, "G": 30, "H": 30}]
    decades.append({"A": 20, "B": 20, "E": 20, "F": 20, "C": 30, "D": 30, "G": 30, "H": 30})
    decades.append({"A": 20, "C": 20, "E": 20, "G": 20, "B": 30, "D": 30, "F": 30, "H": 30})
    _, file = publish(tmp_path, 1, table("ABCDEFGH", decades[0]), spec)
    _, second = publish(tmp_path, 2, table("ABCDEFGH", decades[1]), spec, after=file)
    with pytest.raises(InfeasibleError, match=r"8 persons have .* over this release and 2 earlier ones"):
        publish(tmp_path, 3, table("ABCDEFGH", decades[2]), spec, after=second)
    alone = sf.anonymize(table("ABCDEFGH", decades[2]), spec)
    assert alone.in_series(after=file, after_data=table("ABCDEFGH", decades[0])).rows["suppressed"] == 0


def test_what_was_decided_is_recounted_by_independent_code(tmp_path: Path) -> None:
    spec = specification(tmp_path)
    _, file = publish(tmp_path, 1, table("ABCDEFGHIJ"), spec)
    careless = sf.anonymize(table("BCDEFGHIJ"), spec)
    draft = careless._draft
    earlier = open_series(draft.prepared, draft.promise, after=file, ledger=tmp_path / "ledger.json")
    before = (tmp_path / "ledger.json").read_bytes()
    with pytest.raises(VerificationError, match="1 persons have fewer than 2 candidates"):
        replace(draft, series=earlier).write(tmp_path / "year2.csv")
    assert (tmp_path / "ledger.json").read_bytes() == before
    assert sorted(item.name for item in tmp_path.iterdir()) == [
        *("ledger.json", "people.key", "year1.csv", "year1.csv.json"),
    ]


@pytest.mark.some(1)
@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl", "xlsx"])
def test_the_earlier_data_say_the_same_as_a_ledger(tmp_path: Path, suffix: str) -> None:
    spec = specification(tmp_path, limit=0.4, **{"distinct_l(ill)": 2})
    first, second = table("ABCDEFGHIJKLMN"), table("CDEFGHIJKLMNOP")
    release = sf.anonymize(first, spec).in_series(ledger=tmp_path / "ledger.json")
    release.write(file := tmp_path / f"year1.{suffix}")
    made = sf.anonymize(second, spec)
    by_ledger = made.in_series(after=file, ledger=tmp_path / "ledger.json")
    by_data = made.in_series(after=file, after_data=first)
    assert by_ledger.rows == by_data.rows
    assert by_ledger.write(tmp_path / "a.csv").rows == by_data.write(tmp_path / "b.csv").rows
    with pytest.raises(DataError, match="the earlier data do not give the rows of this release"):
        made.in_series(after=file, after_data=second)


def test_ledger_and_key_are_for_their_owner_alone(tmp_path: Path) -> None:
    publish(tmp_path, 1, table("ABCDEFGH"), specification(tmp_path))
    assert len((tmp_path / "people.key").read_bytes()) == 32
    if os.name != "nt":
        for name in ("ledger.json", "people.key"):
            assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    assert "person-A" not in (tmp_path / "ledger.json").read_text()


def test_nothing_of_ledger_or_key_is_published(tmp_path: Path) -> None:
    spec = specification(tmp_path, limit=0.4)
    _, file = publish(tmp_path, 1, table("ABCDEFGHIJ"), spec)
    second, other = publish(tmp_path, 2, table("BCDEFGHIJ"), spec, after=file)
    second.report(tmp_path / "report.html")
    key = (tmp_path / "people.key").read_bytes()
    ledger = json.loads((tmp_path / "ledger.json").read_text())
    secrets = [*ledger["persons"], ledger["key"], ledger["seal"], key.hex(), base64.b64encode(key).decode()]
    secrets += ["person-", "people.key", "ledger.json", base64.b32encode(key).decode().lower().strip("=")]
    published = [file, other, *(Path(f"{item}.json") for item in (file, other)), tmp_path / "report.html"]
    for item in published:
        text = item.read_text(encoding="utf-8")
        assert [secret for secret in secrets if secret in text] == []
        assert key not in item.read_bytes()
    assert json.loads(Path(f"{other}.json").read_text())["linking"]["earlier_releases"] == 1
    assert "linking" not in json.loads(Path(f"{file}.json").read_text())


def test_a_damaged_ledger_and_another_key_are_noticed(tmp_path: Path) -> None:
    spec = specification(tmp_path)
    _, file = publish(tmp_path, 1, table("ABCDEFGH"), spec)
    ledger, made = tmp_path / "ledger.json", sf.anonymize(table("ABCDEFGH"), spec)
    whole = ledger.read_bytes()

    def message(**more: Any) -> str:
        with pytest.raises(SfumatoError) as error:
            made.in_series(**{"after": file, "ledger": ledger, **more})
        return error.value.message

    for damaged in (whole[: len(whole) // 2], whole[:-1].replace(b'"cold": 1', b'"cold": 2'), b""):
        ledger.write_bytes(damaged)
        assert message() == "the ledger is damaged or was changed. Restore a copy of it."
    ledger.write_bytes(whole)
    (tmp_path / "other.key").write_bytes(bytes(range(32)))
    assert message(key=tmp_path / "other.key").startswith("the ledger was written with another key.")
    assert message(key=tmp_path / "absent.key") == "there is no such key file."
    (tmp_path / "short.key").write_bytes(b"short")
    assert message(key=tmp_path / "short.key").startswith("a key file has at least 32 random bytes")
    file.write_bytes(file.read_bytes() + b"20-29,flu\n")
    assert message() == "this is not the last release that the ledger knows."
    assert message(ledger=tmp_path / "none.json").startswith("say who was in the earlier release")


def test_release_and_ledger_change_together_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = specification(tmp_path)
    _, file = publish(tmp_path, 1, table("ABCDEFGH"), spec)
    before = (tmp_path / "ledger.json").read_bytes()
    with pytest.raises(OutputError, match="exists already"):
        publish(tmp_path, 1, table("ABCDEFGH"), spec, after=file)
    assert (tmp_path / "ledger.json").read_bytes() == before
    replaced, calls = os.replace, Counter[str]()

    def failing(source: Path, target: Path) -> None:
        calls["replace"] += 1
        if str(target).endswith("year2.csv"):
            raise OSError(28, "No space left on device")
        replaced(source, target)

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(OutputError, match="No space left"):
        publish(tmp_path, 2, table("ABCDEFGH"), spec, after=file)
    assert calls["replace"] >= 3
    assert (tmp_path / "ledger.json").read_bytes() == before
    assert not (tmp_path / "year2.csv.json").exists()


def test_two_runs_at_once_do_not_lose_an_entry(tmp_path: Path) -> None:
    spec = specification(tmp_path)
    _, file = publish(tmp_path, 1, table("ABCDEFGH"), spec)
    slow = sf.anonymize(table("ABCDEFGH"), spec).in_series(after=file, ledger=tmp_path / "ledger.json")
    publish(tmp_path, 2, table("ABCDEFGH"), spec, after=file)
    with pytest.raises(OutputError, match="changed by another run"):
        slow.write(tmp_path / "year3.csv")
    assert not (tmp_path / "year3.csv").exists()


def test_spelling_of_persons_does_not_matter_but_strangers_do(tmp_path: Path) -> None:
    spec = specification(tmp_path)
    numbers = table("ABCDEFGH").assign(pid=range(8))
    _, file = publish(tmp_path, 1, numbers.astype({"pid": float}), spec)
    made = sf.anonymize(numbers.astype({"pid": str}), spec)
    assert made.in_series(after=file, ledger=tmp_path / "ledger.json")._draft.series.known == 8  # type: ignore[union-attr]
    with pytest.raises(InfeasibleError, match="no person of earlier releases is in these data"):
        publish(tmp_path, 2, table("ABCDEFGH"), spec, after=file)
    nameless = table("ABCDEFGH").assign(pid=[None, *range(7)])
    with pytest.raises(DataError, match="every row needs one"):
        publish(tmp_path, 2, nameless, spec, after=file)


def test_what_withheld_people_have_changes_no_byte(tmp_path: Path) -> None:
    spec = specification(tmp_path, limit=0.3)
    _, file = publish(tmp_path, 1, table("ABCDEFGH"), spec)
    worlds = []
    for number, (age, ill) in enumerate([(20, "flu"), (29, "a rare one")]):
        second = table("ABCDEFGHI")
        second.loc[second.pid == "person-I", ["age", "ill"]] = [age, ill]
        release = sf.anonymize(second, spec).in_series(after=file, ledger=tmp_path / "ledger.json")
        assert release.rows["suppressed"] == 1
        folder = tmp_path / str(number)
        folder.mkdir()
        moved = replace(release._draft, series=replace(release._draft.series, ledger=None))  # type: ignore[type-var]
        moved.write(folder / "year2.csv")
        worlds.append([(folder / name).read_bytes() for name in ("year2.csv", "year2.csv.json")])
    assert worlds[0] == worlds[1]
    told = sf.verify(tmp_path / "1" / "year2.csv", data=second)
    assert told["violations"] == []


def test_households_are_the_units_where_they_are_named(tmp_path: Path) -> None:
    spec = specification(tmp_path)
    spec = spec.model_copy(update={"data": spec.data.model_copy(update={"household": "pid", "person": None})})
    _, file = publish(tmp_path, 1, table("ABCDEFGHIJ"), spec)
    with pytest.raises(InfeasibleError, match="1 household has fewer than 2 candidates"):
        publish(tmp_path, 2, table("BCDEFGHIJ"), spec, after=file)


def test_a_series_needs_persons_and_k(tmp_path: Path) -> None:
    spec = specification(tmp_path)
    unnamed = spec.model_copy(update={"data": spec.data.model_copy(update={"person": None})})
    with pytest.raises(SfumatoError, match="releases are compared person by person"):
        publish(tmp_path, 1, table("ABCDEFGH"), unnamed)
    loose = spec.model_copy(update={"require": {"distinct_l(ill)": 2.0}})
    with pytest.raises(SfumatoError, match="needs k"):
        publish(tmp_path, 1, table("ABCDEFGH"), loose)


@pytest.mark.some(1)
@pytest.mark.parametrize("labels", ["range", "set", "tree"])
def test_local_labels_tell_nothing_of_who_is_withheld(tmp_path: Path, labels: str) -> None:
    age: dict[str, object] = {"role": "quasi-identifier", "labels": labels}
    if labels == "tree":
        age["hierarchy"] = {"intervals": [10, 20]}
    spec = sf.Spec.from_dict(
        {
            "data": {"person": "pid"},
            "attributes": {"age": age},
            "recoding": {"scope": "local"},
            "require": {"k": 3},
            "suppression": {"limit": 0.9},
            "objectives": {"minimize": ["loss"]},
            "search": {"iterations": 500},
        }
    )
    data = pd.DataFrame({"pid": list("ABCDEFG"), "age": [20, 21, 22, 23, 80, 81, 82]})
    first = sf.anonymize(data, spec)
    whole: Any = first.frame
    of_four = data.groupby(whole["age"])["age"].transform("size") == 4
    assert of_four.sum() == 4
    # The oldest of one class, and everyone of the other.
    gone = set(data["age"][~of_four]) | {data["age"][of_four].max()}
    assert first._draft.remake is not None
    made = sf.Release(first._draft.remake(withheld=np.array([*data["age"].isin(gone), False])))
    made.verify()
    made.write(tmp_path / "r.csv")
    assert made.rows == {"in": 7, "out": 3, "suppressed": 4}
    recipe = made.recipe.to_dict()
    published = (tmp_path / "r.csv").read_text() + json.dumps([recipe["attributes"], recipe["classes"]])
    assert [old for old in gone if re.search(rf"\b{old}\b", published)] == []
    shown = set(pd.read_csv(tmp_path / "r.csv")["age"].astype(str))
    assert set(made.recipe.attributes["age"].labels or ()) == shown
