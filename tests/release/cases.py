"""Random tables, recoded and partly suppressed, and the promises that belong to them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from sfumato.release.reference import distribution, kept_attribute, make_reference, recoded_attribute
from sfumato.verifier import Promise
from tests.release.oracle_release import Case, Column

if TYPE_CHECKING:
    from collections.abc import Iterable

SECRETS: list[str | None] = ["flu", "gout", "none, yet", None]
TREE = [[0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 0, 0]]


@st.composite
def columns(draw: st.DrawFn, name: str) -> Column:
    values: list[str | None] = [f"v{i}" for i in range(draw(st.integers(1, 4)))]
    if draw(st.booleans()):
        values.append(None)
    height = draw(st.integers(1, 4))
    weight = draw(st.sampled_from([1.0, 2.0, 0.5, 0.1]))
    kind = draw(st.sampled_from(["kept", "general", "blocks"]))
    blocks = dict.fromkeys(values, 0)
    if kind != "general":
        blocks = {value: draw(st.integers(0, 2)) if kind == "blocks" else i for i, value in enumerate(values)}
    numbers = {old: new for new, old in enumerate(sorted(set(blocks.values())))}
    block = {value: numbers[old] for value, old in blocks.items()}
    members = {b: [value for value in values if block[value] == b] for b in numbers.values()}
    label: dict[int, str | None] = {
        b: None if found == [None] else f"{name} {b}" for b, found in members.items()
    }
    if len(members) == 1:
        label = {0: "*"}
    level = 0 if kind == "kept" else draw(st.integers(1, height))
    places = {value: 3 * i * i for i, value in enumerate(values) if value} if draw(st.booleans()) else None
    return Column(name, values, block, label, kind == "kept", level, height, weight, places)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    made = [draw(columns(f"q{i}")) for i in range(draw(st.integers(1, 3)))]
    n = draw(st.integers(1, 14))
    rows = [[draw(st.sampled_from(column.values)) for column in made] for _ in range(n)]
    sensitive = [f"s{i}" for i in range(draw(st.integers(0, 2)))]
    secret = [[draw(st.sampled_from(SECRETS)) for _ in sensitive] for _ in range(n)]
    persons = [draw(st.sampled_from(["a", "b", "c", None])) for _ in range(n)]
    suppressed = [draw(st.integers(0, 3)) == 0 for _ in range(n)]
    suppressed[draw(st.integers(0, n - 1))] = False
    case = Case(made, rows, sensitive, secret, persons, suppressed, draw(st.booleans()))
    case.order = dict.fromkeys(sensitive, SECRETS)
    case.levels = dict.fromkeys(sensitive, TREE)
    return case


def reference_of(case: Case) -> dict[str, object]:
    attributes = {}
    for column in case.columns:
        if column.kept:
            attributes[column.name] = kept_attribute(height=column.height, weight=column.weight)
            continue
        blocks = sorted(column.label)
        attributes[column.name] = recoded_attribute(
            [column.label[block] for block in blocks],
            [column.size(block) for block in blocks],
            level=column.level,
            height=column.height,
            weight=column.weight,
            extents=None if column.places is None else _extents(column, blocks),
        )
    distributions = {}
    for number, name in enumerate(case.sensitive):
        counts = Counter(secret[number] for secret in case.secret)
        distributions[name] = distribution(SECRETS, [counts[value] for value in SECRETS], TREE)
    return make_reference(attributes, distributions)


def _extents(column: Column, blocks: list[int]) -> tuple[list[int], int]:
    assert column.places is not None
    whole = max(max(column.places.values()), 1)
    return [int(column.extent(block) * whole) for block in blocks], whole


def promise_of(case: Case, names: Iterable[str], **others: object) -> Promise:
    return Promise(
        tuple(column.name for column in case.columns),
        tuple(case.sensitive),
        measures=dict.fromkeys(names),
        rows=case.rows_stated(),
        reference=reference_of(case),
        output="mask" if case.mask else "drop",
        **others,  # type: ignore[arg-type]
    )
