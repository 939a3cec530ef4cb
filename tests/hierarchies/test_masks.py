from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import HierarchyError
from sfumato.hierarchies.builders import Definition, build_mask
from tests.hierarchies.oracle import masked
from tests.hierarchies.shapes import check, make, shown


def test_stars_come_from_the_right() -> None:
    zips = make(["24126"], {"mask": 5}, has_missing=True)
    assert [labels[0] for labels in zips.labels] == ["24126", "2412*", "241**", "24***", "2****", "*****"]
    assert zips.labels[4] == ("2****", None)
    assert zips.labels[5] == ("*****",)
    assert (zips.kind, zips.definition) == ("category", {"mask": 5})


def test_numbers_are_taken_as_texts() -> None:
    assert make([24126, 24127.0], {"mask": 5}).values == ("24126", "24127")


def test_a_longer_value_loses_its_end_from_level_1_on() -> None:
    zips = make(["24126-7", "24126"], {"mask": 5})
    assert zips.labels[:2] == (("24126", "24126-7"), ("2412*",))


def test_a_mask_of_one_character() -> None:
    assert make(["a", "b"], {"mask": 1}).labels == (("a", "b"), ("*",))


@given(
    st.integers(1, 4).flatmap(
        lambda n: st.tuples(st.just(n), st.lists(st.text("01ü*\0", min_size=n, max_size=n + 1), min_size=1))
    ),
    st.booleans(),
)
def test_masks_agree_with_the_oracle(case: tuple[int, list[str]], has_missing: bool) -> None:
    length, values = case
    made = build_mask("zip", values, Definition(mask=length), has_missing=has_missing)
    check(made)
    domain = sorted(set(values))
    assert list(made.values) == [*domain, None][: len(domain) + has_missing]
    for level in range(length + 1):
        assert shown(made, level)[: len(domain)] == [masked(text, length, level) for text in domain]


def test_shorter_values_are_counted_and_up_to_five_named() -> None:
    values = ["24126", *(str(number) for number in range(6))]
    with pytest.raises(HierarchyError) as caught:
        make(values, {"mask": 5})
    assert str(caught.value) == (
        "a: 6 of 7 distinct values have fewer than 5 characters. Use a shorter mask, or a file or tree."
    )
    assert caught.value.values == ("0", "1", "2", "3", "4")
