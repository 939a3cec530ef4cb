"""Small functions of this room, each by an example."""

from __future__ import annotations

import datetime as dt

import numpy as np

from sfumato.domains import Partition
from sfumato.hierarchies.blocks import write_blocks
from sfumato.hierarchies.builders import level_by_labels, of_values, starts_of
from sfumato.hierarchies.column_roles import ColumnEvidence, RoleGuess, suggest_role
from sfumato.hierarchies.encode import encode, value_places
from sfumato.hierarchies.hierarchy_files import find_separator, parse_leaves, read_tree
from sfumato.hierarchies.intervals import common_scale, granule_starts
from sfumato.hierarchies.kinds import (
    as_time,
    find_format,
    infer_kind,
    kind_of,
    parse_values,
    sorted_numbers,
    text_of,
    typed_values,
    unify_dates,
)
from sfumato.hierarchies.role_words import hints_at, split_name
from sfumato.hierarchies.suggest import band_tree, code_lengths, suggest, usual_range


def test_write_blocks() -> None:
    block = Partition.of([0, 0, 1]).block
    assert (
        write_blocks([17, 18, 19], block, ranges=True),
        write_blocks(list("abc"), block, ranges=False),
    ) == ([[17, 18], [19, 19]], [["a", "b"], ["c"]])


def test_starts_of() -> None:
    assert starts_of(np.array([False, True])).tolist() == [0, 2]


def test_level_by_labels() -> None:
    level = level_by_labels(["a", "a", "b"])
    assert (level.starts.tolist(), level.labels) == ([0, 2], ["a", "b"])


def test_suggest_role() -> None:
    assert suggest_role(ColumnEvidence("age", "number", [9, 5, 8], 0, ["20", "30", "40"])) == RoleGuess(
        role="quasi-identifier", why="guessed by its name"
    )


def test_find_format() -> None:
    assert (find_format(["14.03.1987", "1.4.1990"]), find_format(["03/14/1987"]), find_format(["a"])) == (
        ("%d.%m.%Y", ""),
        ("%m/%d/%Y", ""),
        None,
    )


def test_encode() -> None:
    ages = of_values("age", [17, 39], "number", has_missing=False)
    assert (encode(ages, [39.0, 20]).tolist(), encode(ages, [39.0, 20], reach=True).tolist()) == (
        [1, -1],
        [1, 0],
    )


def test_value_places() -> None:
    assert value_places(of_values("age", [20, 21, 30], "number", has_missing=True)).tolist() == [0, 1, 10, -1]


def test_parse_leaves() -> None:
    assert list(parse_leaves("Male;*\nFemale;*\n", "sex", source="sex.csv").rows) == [
        ["Male", "*"],
        ["Female", "*"],
    ]


def test_find_separator() -> None:
    assert (find_separator("a,b;c"), find_separator("a,b"), find_separator("a")) == (";", ",", ";")


def test_common_scale() -> None:
    assert common_scale([5, 0.25]) == 100


def test_granule_starts() -> None:
    assert (granule_starts([171, 174.5, 175], 5), granule_starts([171, 175], 2.5)) == (
        [170, 170, 175],
        [170.0, 175.0],
    )


def test_infer_kind() -> None:
    assert (infer_kind(["17", "90"]), infer_kind(["007", "123"]), infer_kind(["1987-03-14"])) == (
        "number",
        "category",
        "date",
    )


def test_parse_values() -> None:
    assert (parse_values(["39", "17"], "number"), parse_values(["39", "17.5"], "number")) == (
        [39, 17],
        [39.0, 17.5],
    )


def test_typed_values() -> None:
    assert (typed_values(["1987-03-14"], "date"), typed_values([39.0], "category")) == (
        [dt.date(1987, 3, 14)],
        ["39"],
    )


def test_kind_of() -> None:
    assert (kind_of([39, 17.5]), kind_of(["39"]), kind_of([])) == ("number", "category", "category")


def test_text_of() -> None:
    assert (text_of(39.0), text_of("007"), text_of(-0.5)) == ("39", "007", "-0.5")


def test_unify_dates() -> None:
    assert unify_dates([dt.datetime(1987, 3, 14), dt.date(1990, 1, 1)]) == [
        dt.date(1987, 3, 14),
        dt.date(1990, 1, 1),
    ]


def test_sorted_numbers() -> None:
    assert (sorted_numbers([39.0, 17, 39]), sorted_numbers([39, 17.5])) == ([17, 39], [17.5, 39.0])


def test_as_time() -> None:
    assert as_time(dt.date(1987, 3, 14)) == dt.datetime(1987, 3, 14, 0, 0)


def test_split_name() -> None:
    assert (split_name("dateOfBirth"), split_name("PLZ_Straße2"), split_name("prénom")) == (
        ["date", "of", "birth"],
        ["plz", "strasse"],
        ["prenom"],
    )


def test_hints_at() -> None:
    assert (
        hints_at("age_at_entry", "quasi_identifier", "place", "time"),
        hints_at("package", "quasi_identifier", "place", "time"),
    ) == (True, False)


def test_suggest() -> None:
    assert suggest("age", list(range(17, 91)), "number") == {
        "intervals": [5, 10, 20, 40],
        "origin": 0,
        "bottom": 15,
        "top": 95,
    }
    assert suggest("zip", ["24126", "24127"], "category") == {"mask": 5}


def test_usual_range() -> None:
    assert usual_range([20, 30, 40, 35109], [5, 5, 5, 1], 0) == (20, 40)
    assert usual_range([20, 30, 40, 50], [5, 5, 3, 1], 4) == (20, 30)


def test_band_tree() -> None:
    assert band_tree(["0-4", "5-14", "15-24", "25 and over"]) == {
        "0-24": ["0-4", "5-14", "15-24"],
        "25 and over": ["25 and over"],
    }


def test_code_lengths() -> None:
    assert code_lengths(
        [f"{letter}{number}.{n}" for letter in "JK" for number in (44, 45) for n in range(4)]
    ) == [3, 1]


def test_read_tree() -> None:
    tree = {"Government": ["State", "Local"], "Private": ["Private"]}
    assert read_tree(tree, "workclass")[0].rows[-1] == ("Private", "Private", "*")
