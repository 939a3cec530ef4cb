from __future__ import annotations

import datetime as dt
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import HierarchyError
from sfumato.hierarchies import Hierarchy, Value, encode, rebuild
from tests.hierarchies.shapes import check, make, shown

TREE: dict[str, object] = {"G": {"g": ["b", "a"]}, "H": ["c"]}
DAYS = [dt.date(1987, 3, 14), dt.date(1999, 12, 31)]
TIMES = [dt.datetime(1987, 3, 14, 8, 30), dt.datetime(1999, 12, 31, 0, 0, 0, 5)]


def again(
    hierarchy: Hierarchy, values: list[Value], *, has_missing: bool = False, unknown: str = "error"
) -> Hierarchy:
    """Rebuild from a definition that went through JSON, as in a recipe."""
    definition = json.loads(json.dumps(dict(hierarchy.definition)))
    return rebuild(
        "a",
        definition,
        hierarchy.kind,
        values,
        has_missing=has_missing,
        unknown=unknown,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("values", "hierarchy", "keys"),
    [
        ([17, 90], {"intervals": [5, 10], "origin": 2, "bottom": 15, "top": 80}, {}),
        ([17.5, 90.0], {"intervals": [0.5, 10], "bottom": 15.5}, {}),
        ([17, 90], {"intervals": [10]}, {"granularity": 5}),
        ([17.5, 90.0], None, {"granularity": 2.5}),
        (["24126", "24130"], {"mask": 5}, {}),
        (DAYS, {"dates": ["month", "decade"]}, {}),
        (["a"], {"tree": TREE}, {}),
        (["a"], {"tree": TREE}, {"kind": "ordinal", "order": ["c", "a", "b"]}),
        (["low", "high"], None, {"kind": "ordinal", "order": ["low", "mid", "high"]}),
        (["x", "y"], None, {}),
        ([3, 1.5], None, {}),
        (DAYS, None, {}),
        (TIMES, None, {}),
    ],
)
@pytest.mark.parametrize("has_missing", [False, True])
def test_the_same_values_give_the_same_hierarchy(
    values: list[Value], hierarchy: dict[str, object] | None, keys: dict[str, object], has_missing: bool
) -> None:
    made = make(values, hierarchy, has_missing=has_missing, **keys)
    copy = again(made, values, has_missing=has_missing)
    check(copy)
    assert (copy.kind, copy.values, copy.labels) == (made.kind, made.values, made.labels)
    assert copy.definition == made.definition
    assert copy.levels.tolist() == made.levels.tolist()
    assert copy.tree(collapse=False) == made.tree(collapse=False)


def test_rules_take_any_value() -> None:
    ages = again(make([17, 90], {"intervals": [5], "bottom": 15, "top": 90}), [2, 39, 120])
    assert (ages.values[0], ages.values[-1], ages.size) == (2, 120, 77)
    assert ages.labels[1][:2] == ("<15", "15-19")
    born = again(make(DAYS, {"dates": ["year"]}), [dt.date(2024, 2, 29)])
    assert born.labels[1] == ("2024",)
    assert again(make(["123"], {"mask": 3}), ["999"]).labels[1] == ("99*",)


def test_labels_stay_those_of_the_first_data() -> None:
    ages = again(make([17, 90], {"intervals": [5]}), [36.5, 39.0])
    assert ages.values == (36.5, 39.0)
    assert shown(ages, 1) == ["35-39", "35-39"]
    sizes = again(make([17.5, 90], {"intervals": [5]}), [36, 39])
    assert sizes.labels[1] == ("[35.0, 40.0)",)


def test_too_long_a_range_is_no_error_on_new_data() -> None:
    ages = again(make([17, 90], {"intervals": [5]}), [17, 10**9])
    assert ages.values == (17, 10**9)
    assert ages.labels[1] == ("15-19", "1000000000-1000000004")


def test_leaves_and_values_keep_their_domain() -> None:
    assert again(make([], {"tree": TREE}), ["c"]).values == ("b", "a", "c")
    assert again(make(["x", "y"]), ["y"], has_missing=True).values == ("x", "y", None)


@pytest.mark.parametrize(
    ("hierarchy", "new"),
    [
        (make(["x", "y"]), ["x", "q", "r"]),
        (make([], {"tree": TREE}), ["a", "q", "r"]),
        (make([1, 5]), [1, 3, 7]),
        (make(DAYS), [DAYS[0], dt.date(1990, 1, 1), dt.date(2030, 1, 1)]),
        (make(["123", "124"], {"mask": 3}), ["999", "1", "2"]),
    ],
)
def test_unknown_values_are_an_error_or_one_star(hierarchy: Hierarchy, new: list[Value]) -> None:
    with pytest.raises(HierarchyError) as caught:
        again(hierarchy, new)
    assert str(caught.value) == (
        "a: 2 of 3 distinct values have no place in the order or tree that the recipe has for this sensitive "
        "column. Correct these rows, or make a new release."
    )
    assert caught.value.values == ()
    for has_missing in (False, True):
        made = again(hierarchy, new, has_missing=has_missing, unknown="*")
        check(made)
        star = made.size - 1 - has_missing
        assert made.values[star] == "*"
        assert encode(made, new).tolist()[1:] == [star, star]
        assert encode(made, new).tolist()[0] < star
        for level in range(made.height):
            assert shown(made, level)[star] == "*"
            assert made.levels[level].tolist().count(made.levels[level, star]) == 1
        assert made.has_missing is has_missing
        assert made.tree(collapse=False).depths[star] == 1


def test_known_values_bring_no_star() -> None:
    assert again(make(["x", "y"]), ["x"], unknown="*").values == ("x", "y")


def test_nothing_but_unknown_values() -> None:
    made = again(make(["123"], {"mask": 3}), ["1"], unknown="*")
    check(made)
    assert made.labels == (("*",), ("*",), ("*",), ("***",))


@given(st.lists(st.text("ab", max_size=2), min_size=1), st.lists(st.text("abc", max_size=2), min_size=1))
def test_unknown_is_what_was_not_there(old: list[str], new: list[str]) -> None:
    made = again(make(list(old)), list(set(new)), unknown="*")
    check(made)
    assert (made.size > len(set(old))) is bool(set(new) - set(old))


@pytest.mark.parametrize(
    "definition",
    [
        {},
        {"mask": "5"},
        {"leaves": ["a"]},
        {"leaves": {"a": ["*"], "b": ["x", "*"]}},
        {"values": "ab"},
        {"intervals": ["5"], "integer": True},
        {"intervals": [5]},
        {"granularity": None, "integer": "yes"},
    ],
)
def test_what_is_no_definition_is_refused(definition: dict[str, object]) -> None:
    with pytest.raises(HierarchyError) as caught:
        rebuild("a", definition, "category", ["a"], has_missing=False)
    assert str(caught.value) == "a: the recipe does not define a hierarchy: it is damaged."
