from __future__ import annotations

import re

import pytest

from sfumato.errors import DataError
from sfumato.front import ClassSizes
from sfumato.report.comparison import Comparison, comparison_text, make_comparison, size_ranges
from tests.report.fronts import HOSTILE, THREE, make_front
from tests.report.test_page import Page

SIZES = (
    ClassSizes((6, 30, 500), (2, 3, 1), (12, 90, 500), 4),
    ClassSizes((60, 542), (1, 1), (60, 542), 4),
)


def pair(attribute: str = "zip", *, sizes: bool = True) -> Comparison:  # type: ignore[type-arg]
    front = make_front(THREE, attribute=attribute)
    labels = {2: {attribute: HOSTILE}}
    return make_comparison(front, front[3], front[1], labels=labels, sizes=SIZES if sizes else None)


def test_sentence_says_who_is_better_in_what() -> None:
    assert pair().sentence == (
        "Solution 4 is better in loss (0.2 instead of 0.4); solution 2 is better in k (60 instead of 6) "
        "and distinct_l(illness) (4 instead of 2)."
    )
    front = make_front(THREE)
    assert make_comparison(front, front[0], front[0]).sentence == "Both are equal in every objective."


def test_text_holds_measures_attributes_and_sizes() -> None:
    text = str(pair())
    assert re.search(r"k +6 +60 +solution 2\n", text)
    assert re.search(r"suppressed +8 +4\n", text)
    assert re.search(r"age +level 1 +level 3\n", text)
    assert re.search(r"5 to 9 +2\.0 % █ +0\.0 %\n", text)
    assert re.search(r"500 to 999 +83\.1 % █+ +90\.0 % █+\n", text)
    assert "rows in classes of" not in str(pair(sizes=False))


@pytest.mark.parametrize("width", [50, 80, 120])
def test_text_keeps_its_width(width: int) -> None:
    text = comparison_text(pair("a quite long name of an attribute, longer than most"), width, unicode=False)
    assert max(map(len, text.splitlines())) <= width
    assert text.isascii()


def test_equal_partitions_are_the_same() -> None:
    front = make_front(THREE)
    found = make_comparison(front, front[0], front[0])
    assert all(item.same for item in found.attributes)
    assert re.search(r"age +level 4 +the same\n", str(found))


def test_ranges_hold_every_size() -> None:
    ranges = size_ranges(SIZES)
    assert [words for _, _, words in ranges] == [
        *("5 to 9", "10 to 19", "20 to 49", "50 to 99", "100 to 199", "200 to 499", "500 to 999")
    ]
    assert sum(SIZES[0].rows_between(low, high) for low, high, _ in ranges) == SIZES[0].total
    assert size_ranges([ClassSizes((), (), ())]) == []
    assert [words for _, _, words in size_ranges([ClassSizes((1,), (1,), (1,))])] == ["1"]


def test_figure_is_the_cumulative_distribution() -> None:
    first, second = pair().plot().data
    assert list(first.x) == [6, 6, 30, 500, 542]
    assert list(first.y) == pytest.approx([0, 100 * 12 / 602, 100 * 102 / 602, 100, 100])
    assert first.line.shape == "hv"
    assert second.name == "solution 2"
    with pytest.raises(DataError, match=r"front\.attach"):
        pair(sizes=False).plot()


@pytest.mark.parametrize("sizes", [True, False])
def test_page_is_whole_and_escaped(sizes: bool) -> None:
    text = pair(HOSTILE, sizes=sizes).html()
    page = Page(text)
    assert page.open == []
    assert "<script>alert" not in text
    assert len(page.all("script")) == (3 if sizes else 0)
    assert HOSTILE in [content for _, content in page.all("th")]
    assert f"level 2: {HOSTILE}" in [content for _, content in page.all("td")]
    assert "http" not in str(page.all("meta")[1][0]["content"])


def test_everything_goes_into_json() -> None:
    found = pair().to_dict()
    assert found["solutions"] == [4, 2]
    assert found["measures"]["k"] == [6.0, 60.0]  # type: ignore[index]
    assert found["better"] == {"k": 2, "distinct_l(illness)": 2, "loss": 4}
    assert found["class_sizes"][1]["rows"] == [60, 542]  # type: ignore[index]
    assert pair(sizes=False).to_dict()["class_sizes"] is None
