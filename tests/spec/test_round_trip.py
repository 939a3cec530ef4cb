"""Whatever specification can be written reads back equal."""

from __future__ import annotations

import json
from math import prod
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from sfumato.spec import Spec
from tests.examples import examples

if TYPE_CHECKING:
    import pytest

NAMES = st.text(st.sampled_from('ab-_. "#=[](),\\\n\té') | st.characters(codec="utf-8"), max_size=6)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
POSITIVE = st.floats(min_value=1e-6, max_value=1e6) | st.integers(1, 10**6)
WIDTHS = st.builds(
    lambda first, factors: [first * prod(factors[:stop]) for stop in range(len(factors) + 1)],
    st.integers(1, 100),
    st.lists(st.integers(2, 9), max_size=5),
)
UNITS = ["day", "month", "quarter", "year", "decade", "century"]


@st.composite
def trees(draw: st.DrawFn) -> object:
    """Draw nested tables and lists without a leaf twice."""
    leaves = iter(draw(st.lists(NAMES, min_size=30, max_size=30, unique=True)))

    def node(depth: int) -> object:
        if depth and draw(st.booleans()):
            return {
                name: node(depth - 1) for name in draw(st.lists(NAMES, min_size=1, max_size=2, unique=True))
            }
        return [next(leaves) for _ in range(draw(st.integers(1, 3)))]

    return node(3)


HIERARCHIES = st.one_of(
    st.fixed_dictionaries({"intervals": WIDTHS}, optional={"origin": FINITE, "bottom": FINITE}),
    st.fixed_dictionaries({"mask": st.integers(1, 99)}),
    st.fixed_dictionaries({"file": NAMES.filter(bool)}),
    st.fixed_dictionaries({"tree": trees()}),
    st.fixed_dictionaries(
        {
            "dates": st.sets(st.sampled_from(UNITS), min_size=1).map(
                lambda units: sorted(units, key=UNITS.index)
            )
        }
    ),
)
QUASI_IDENTIFIERS = st.fixed_dictionaries(
    {"role": st.just("quasi-identifier")},
    optional={
        "hierarchy": HIERARCHIES,
        "levels": st.tuples(st.integers(0, 9), st.integers(0, 9)).map(sorted),
        "scheme": st.sampled_from(["levels", "BHS"]),
        "weight": POSITIVE,
    },
)
OTHERS = st.fixed_dictionaries({"role": st.sampled_from(["identifier", "sensitive", "other"])})
ORDERED = NAMES | st.integers() | FINITE


def as_text(value: str | int | float) -> str:
    """Write a value as data are matched: 39.0 as 39."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


ORDINALS = st.fixed_dictionaries(
    {
        "role": st.just("sensitive"),
        "kind": st.just("ordinal"),
        "order": st.lists(ORDERED, min_size=1, max_size=4, unique_by=as_text),
    }
)


@st.composite
def tables(draw: st.DrawFn) -> dict[str, object]:
    """Draw the tables of a valid specification."""
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    attributes = {name: draw(QUASI_IDENTIFIERS | OTHERS | ORDINALS) for name in names}
    attributes[names[0]] = draw(QUASI_IDENTIFIERS)
    quoted = names[-1].replace('"', '""')
    require = draw(
        st.dictionaries(st.sampled_from(["k", f't("{quoted}")', f't("{quoted}",ordered)']), FINITE)
    )
    optional = {
        "data": st.fixed_dictionaries({}, optional={"path": NAMES.filter(bool), "missing": st.lists(NAMES)}),
        "suppression": st.fixed_dictionaries({"limit": st.floats(0, 1)}),
        "objectives": st.just({"maximize": ["k"], "minimize": ["loss", f'cm("{quoted}")']}),
        "search": st.fixed_dictionaries({"seed": st.integers(0), "time_limit": POSITIVE}),
        "release": st.just({"order": "input"}),
    }
    return {"attributes": attributes, "require": require} | draw(st.fixed_dictionaries({}, optional=optional))


@examples(150)
@given(tables())
def test_every_specification_reads_back(
    tmp_path_factory: pytest.TempPathFactory, fields: dict[str, object]
) -> None:
    spec = Spec.from_dict(fields)
    path = tmp_path_factory.getbasetemp() / "drawn.toml"
    spec.save(path)
    loaded = Spec.load(path)
    assert loaded == spec
    assert list(loaded.attributes) == list(spec.attributes)
    assert Spec.from_dict(json.loads(json.dumps(spec.to_dict()))) == spec
    assert loaded.to_dict() == spec.to_dict()
