"""Shapes of texts: bands and codes against what they were made from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.hierarchies import suggest
from sfumato.hierarchies.suggest import band_tree, code_lengths, look_at
from tests.hierarchies.shapes import check, make, shown

BANDS = {
    "20-24": (20, 24), "25 to 29": (25, 29), "[20,25)": (20, 24), "(20,25]": (21, 25), "20–24": (20, 24),
    "20 - 24 years": (20, 24), "under 18": (0, 17), "<1": (0, 0), "<= 17": (0, 17), "bis 17": (0, 17),
    "65+": (65, 999), ">89": (90, 999), "≥ 90": (90, 999), "100 and over": (100, 999),
    "85 years and over": (85, 999), "65 und älter": (65, 999), "007": (7, 7),
}  # fmt: skip


@pytest.mark.parametrize(("text", "ends"), BANDS.items())
def test_a_band_is_joined_with_those_it_lies_between(text: str, ends: tuple[int, int]) -> None:
    """Single years on both sides of a band fit, and one that lies in it does not."""
    low, high = ends
    years = sorted({low - 2, low - 1, high + 1, high + 2, 50 if low > 50 else 500})
    around = [str(year) for year in years if 0 <= year < 999]
    assert leaves(band_tree([*around, text, "x"])) == []
    listed = leaves(band_tree([*around, text]))
    place = sum(int(year) < low for year in around)
    if text != "007":  # years alone are numbers
        assert listed == [*around[:place], text, *around[place:]]
    assert band_tree([*around, text, str(low)]) == {}


def leaves(tree: object) -> list[str]:
    """List the leaves of a tree in their order."""
    if isinstance(tree, dict):
        return [leaf for child in tree.values() for leaf in leaves(child)]
    assert isinstance(tree, list)
    return tree


@given(st.integers(2, 20), st.integers(0, 10), st.integers(4, 30), st.booleans())
def test_bands_of_one_width_join_into_bands_of_several(width: int, first: int, count: int, top: bool) -> None:
    starts = [width * (first + number) for number in range(count)]
    texts = [f"{start} to {start + width - 1}" for start in starts]
    if top:
        texts[-1] = f"{starts[-1]}+"
    made = make(list(texts), suggest("x", texts, "ordinal"), kind="ordinal")
    check(made)
    assert list(made.values) == texts
    for level in range(1, made.height):
        joined: dict[str, list[int]] = {}
        for start, label in zip(starts, shown(made, level), strict=True):
            joined.setdefault(str(label), []).append(start)
        for label, members in joined.items():
            last = members[-1] == starts[-1] and top
            if len(members) > 1:
                assert label == (f"{members[0]}+" if last else f"{members[0]}-{members[-1] + width - 1}")
        assert len(joined) < count


def test_ages_with_a_top_code_are_in_order() -> None:
    ages = [*map(str, range(90)), "90+"]
    assert look_at("x", ages[::-1]).kind == "ordinal"
    made = make(list(ages[::-1]), suggest("age", ages[::-1], "ordinal"), kind="ordinal")
    assert list(made.values) == ages
    assert [labels[0] for labels in made.labels] == ["0", "0-4", "0-9", "0-19", "0-39", "*"]
    assert made.labels[1][-2:] == ("85-89", "90+")


@pytest.mark.parametrize(
    "texts",
    [
        ["1", "2", "3"], ["20-24", "22-29", "30+"], ["20-24", "25-29", "old"], ["20-24", "30+"],
        ["10-11-12", "20-24", "25-29"], ["a-b", "c", "d"],
    ],
)  # fmt: skip
def test_other_texts_are_no_bands(texts: list[str]) -> None:
    assert band_tree(texts) == {}


CODES = {  # the lengths that people use, and codes of that shape
    "ICD-10": ([3, 1], [f"{a}{n}.{m}" for a in "IJK" for n in (10, 11, 45) for m in range(3)]),
    "ICD-10 without a point": ([3, 1], [f"{a}{n}{m}" for a in "IJK" for n in (10, 11, 45) for m in range(3)]),
    "ATC": (
        [5, 4, 3, 1],
        [f"{a}0{n}{b}{c}0{m}" for a in "AN" for n in (1, 2) for b in "AB" for c in "CD" for m in (1, 2)],
    ),
    "NUTS": ([4, 3, 2], [f"{c}{n}{m}{k}" for c in ("DE", "FR") for n in "12" for m in "12" for k in "12"]),
    "FIPS": ([4, 2, 1], [f"{s:02d}{c:03d}" for s in (11, 12, 35) for c in (1, 3, 11, 13)]),
    "NACE": ([4, 2], [f"{d}.{g}{c}" for d in ("01", "10", "20") for g in (1, 2) for c in (1, 2, 3)]),
    "NACE with its section": (
        [5, 3, 1],
        [f"{s}{d}.{g}{c}" for s in "AC" for d in (10, 20) for g in "12" for c in "123"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CODES)
def test_codes_are_cut_where_people_cut_them(name: str) -> None:
    lengths, texts = CODES[name]
    assert code_lengths(texts) == lengths
    assert suggest("x", texts, "category") == {"prefix": lengths}
    assert suggest("zip", texts, "category") == ({"mask": len(texts[0])} if len(texts[0]) <= 10 else {})
    short = sorted({text[: lengths[0]].rstrip(".") for text in texts})[:1]
    if name in ("ICD-10", "ATC", "NUTS"):  # a few codes are shorter
        assert code_lengths([*texts, *short]) == lengths


@given(
    st.lists(st.text("AB01.", min_size=1, max_size=6), unique=True, min_size=1),
    st.lists(st.integers(1, 6), unique=True, min_size=1).map(lambda found: sorted(found, reverse=True)),
    st.booleans(),
)
def test_prefixes_agree_with_plain_slices(texts: list[str], lengths: list[int], has_missing: bool) -> None:
    made = make(list(texts), {"prefix": lengths}, has_missing=has_missing)
    check(made)
    assert list(made.values)[: len(texts)] == sorted(texts)
    for level, length in enumerate(lengths, start=1):
        assert shown(made, level)[: len(texts)] == [text[:length] for text in sorted(texts)]
    assert made.labels[-1] == ("*",)


@pytest.mark.parametrize(
    "texts",
    [
        [f"v {n}" for n in range(100)], [*"abcdefghijklmnop"], [f"A{n}" for n in range(5)],
        [f"{letter}1" for letter in "abcdefghijklmnop"], [f"{n}" for n in range(300)],
    ],
)  # fmt: skip
def test_other_texts_are_no_codes(texts: list[str]) -> None:
    assert code_lengths(texts) == []


NACE = [f"{d}.{g}{c}" for d in (10, 20) for g in (1, 2) for c in range(4)]


@pytest.mark.parametrize(
    ("name", "texts", "kind"),
    [
        ("age", [f"{n:02d}" for n in range(100)], "number"),
        ("state", [f"{n:02d}" for n in range(100)], "category"),
        ("nace", NACE, "category"),
        ("price", NACE, "number"),
        ("born", ["14.03.1987", "1.4.1990"], "date"),
        ("day", ["20240101", "20240131"], "date"),
        ("plz", ["20240101", "20240131"], "number"),
        ("x", [], "category"),
    ],
)
def test_kinds_by_name_and_shape(name: str, texts: list[str], kind: str) -> None:
    assert look_at(name, texts).kind == kind


def test_nearly_all_numbers_get_a_hint_that_shows_no_value() -> None:
    found = look_at("n", [*map(str, range(98)), "Total"])
    assert found.kind == "category"
    assert found.hint == (
        '98 of 99 values are numbers. If they measure something, set kind = "number" and list the rest under '
        "missing"
    )
    assert found.odd == ("Total",)
    assert look_at("n", [*map(str, range(8)), "Total"]).hint == ""
