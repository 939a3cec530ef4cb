"""What docs/schemes.md states is true: counts, labels, examples."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from sfumato.schemes import make_scheme, partition_labels
from sfumato.spec import AttributeSpec
from studies.optimal import census, paper
from tests.schemes.oracle import blocks_of
from tests.schemes.trees import NAMES, WORK_CLASS, partition_of, scheme_of

DOCS = Path(__file__).resolve().parents[2] / "docs"
WORK_CLASSES = (
    "State-gov",
    "Local-gov",
    "Federal-gov",
    "Private",
    "Self-emp-inc",
    "Self-emp-not-inc",
    "Without-pay",
    "Never-worked",
)
COLUMNS = ("levels", "cuts", "guided-ordered", "guided-sets", "ordered", "sets")


@pytest.fixture(scope="module")
def page() -> str:
    return (DOCS / "schemes.md").read_text(encoding="utf-8")


def written(count: int) -> str:
    """Write a count as the page does."""
    return f"{count:,}" if count < 10**14 else f"{count:.2e}".replace("e+", "e")


def rounded(count: int) -> str:
    return f"{count:,}" if count < 10**6 else f"{count:.2e}".replace("e+", "e")


def test_counts_of_the_census(page: str) -> None:
    """The table holds what the schemes count."""
    spaces, rows = [], {name: [f"{len(census.hierarchy(name))}"] for name in paper.ATTRIBUTES}
    for scheme in COLUMNS:
        case = census.make_case(paper.ATTRIBUTES, paper.Scheme(scheme, scheme, scheme), 5, "dm")
        spaces.append(rounded(case.problem.space))
        for name, count in zip(paper.ATTRIBUTES, case.prepared.counts, strict=True):
            rows[name].append(written(count))
    expected = [f"| {name} | {' | '.join(cells)} |" for name, cells in rows.items()]
    expected.append(f"| all together | | {' | '.join(spaces)} |")
    shown = page.split("<!-- counts -->\n")[1].split("<!-- /counts -->")[0].splitlines()
    assert shown[2:] == expected


@pytest.mark.parametrize("name", NAMES)
def test_the_diagram_counts_the_work_class(name: str) -> None:
    text = (DOCS / "images" / "schemes.svg").read_text(encoding="utf-8")
    boxes = {
        found[0]: found for found in (re.findall(r">([^<>\n]+)</text>", g) for g in text.split("<g>")[1:])
    }
    assert set(boxes) == set(NAMES)
    assert boxes[name][-1] == f"{scheme_of(name, WORK_CLASS).count():,}"


def test_numbers_in_the_text(page: str) -> None:
    cuts = scheme_of("cuts", WORK_CLASS)
    assert f"{cuts.count()} cuts and\n{len(list(cuts.partitions()))} groupings" in page
    assert f"70\n  ages has {rounded(make_scheme('ordered', size=70).count())} groupings" in page
    assert f"15 five-year steps {make_scheme('ordered', size=15).count():,}" in page


ALLOWED = {
    "levels": ("0,1,2|3|4,5|6,7", "0,1,2|3|4|5|6|7"),
    "cuts": ("0,1,2|3|4|5|6|7", "0,1,2,3|4|5|6|7"),
    "guided-ordered": ("0,1|2|3|4|5|6|7", "0|1|2,3|4|5|6|7"),
    "guided-sets": ("0,2|1|3|4|5|6|7", "0|1,3|2|4|5|6|7"),
    "ordered": ("0|1|2,3|4|5|6|7", "0,2|1|3|4|5|6|7"),
}
"""What the table says that a scheme allows, and that it does not."""


@pytest.mark.parametrize("name", ALLOWED)
def test_what_schemes_allow(name: str) -> None:
    scheme = scheme_of(name, WORK_CLASS)
    found = [
        scheme.is_valid(partition_of(blocks_of(*(map(int, part.split(",")) for part in text.split("|")))))
        for text in ALLOWED[name]
    ]
    assert found == [True, False]


def test_more_that_guided_schemes_allow() -> None:
    assert scheme_of("guided-ordered", WORK_CLASS).is_valid(
        partition_of(blocks_of([0, 1, 2, 3], [4], [5], [6], [7]))
    )
    assert scheme_of("guided-sets", WORK_CLASS).is_valid(
        partition_of(blocks_of([0, 1, 2, 6, 7], [3], [4], [5]))
    )


def test_the_example_is_a_specification(page: str) -> None:
    text = page.split("```toml\n")[1].split("```")[0]
    asked = AttributeSpec(**tomllib.loads(text)["attributes"]["workclass"])
    assert asked.scheme == "guided-sets"


@pytest.mark.parametrize(
    ("blocks", "label"),
    [
        (blocks_of([0, 1, 2], [3], [4], [5], [6], [7]), "Government"),
        (blocks_of([0, 3], [1], [2], [4], [5], [6], [7]), "{State-gov, Private}"),
        (blocks_of([0, 1, 2, 3, 4, 5], [6], [7]), "{State-gov, Local-gov, … (6)}"),
        (blocks_of(range(8)), "*"),
    ],
)
def test_labels(page: str, blocks: frozenset[frozenset[int]], label: str) -> None:
    found = partition_labels(
        partition_of(blocks), WORK_CLASSES, nodes={(0, 2): "Government"}, ordered=False, kind="category"
    )
    assert found[0] == label
    assert f"`{label}`" in page
