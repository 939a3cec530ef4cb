"""The census table as the paper uses it: ages in fifteen intervals, any scheme for every attribute."""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import sfumato as sf
from sfumato.preparing import load, make_problem
from studies.optimal import paper

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.preparing import Prepared
    from sfumato.search import Problem

WIDTHS = (1, 2, 4, 8)
"""How many of the finest intervals those of each level hold; above them is everything."""


@dataclass(frozen=True, eq=False)
class Case:
    """One question: which of these recodings costs least?"""

    prepared: Prepared
    problem: Problem


@cache
def table() -> pa.Table:
    """Return the embedded table with the interval of every age in place of the age."""
    import pyarrow as pa

    whole = sf.datasets.adult()
    labels = [_interval((age - paper.FIRST_AGE) // paper.AGE_WIDTH, 1) for age in whole["age"].to_pylist()]
    return whole.set_column(whole.column_names.index("age"), "age", pa.array(labels))


def _interval(number: int, width: int) -> str:
    """Name the interval that holds one of the finest ones, at a level with wider ones."""
    first = number // width * width
    last = min(first + width, paper.AGE_INTERVALS)
    begin, end = (paper.FIRST_AGE + paper.AGE_WIDTH * place for place in (first, last))
    return f"{begin}-{end - 1}"


@cache
def hierarchy(attribute: str) -> tuple[tuple[str, ...], ...]:
    """Return the hierarchy of an attribute: for each value its name at every level, in the tree's order."""
    if attribute == "age":
        numbers = range(paper.AGE_INTERVALS)
        return tuple((*(_interval(number, width) for width in WIDTHS), "*") for number in numbers)
    with sf.datasets.hierarchies("schemes")[attribute].open(encoding="utf-8", newline="") as file:
        return tuple(tuple(row) for row in csv.reader(file, delimiter=";"))


def _age_tree() -> dict[str, object]:
    """Return the hierarchy of the age as a specification has it."""
    tree: dict[str, dict[str, dict[str, list[str]]]] = {}
    for leaf, ten, twenty, forty, _ in hierarchy("age"):
        tree.setdefault(forty, {}).setdefault(twenty, {}).setdefault(ten, []).append(leaf)
    return dict(tree)


def make_spec(
    attributes: tuple[str, ...], scheme: paper.Scheme, k: int, cost: str, *, limit: float = 1.0
) -> sf.Spec:
    """Return the specification of a case; what fails is suppressed, up to a share of the rows."""
    base = sf.Spec.load(sf.datasets.adult_spec_path("schemes"))
    tables = base.to_dict()
    written = cast("dict[str, dict[str, Any]]", tables["attributes"])
    written["age"] = {"role": "quasi-identifier", "kind": "category", "hierarchy": {"tree": _age_tree()}}
    tables["attributes"] = {
        name: {**written[name], "scheme": scheme.age if name == "age" else scheme.category}
        for name in attributes
    }
    tables["suppression"] = {"limit": limit, "rule": "failing"}
    tables["require"] = {"k": k}
    tables["objectives"] = {"minimize": [cost]}
    return sf.Spec.from_dict(tables, folder=base.folder)


def make_case(
    attributes: tuple[str, ...], scheme: paper.Scheme, k: int, cost: str, *, limit: float = 1.0
) -> Case:
    """Code the table and pose the question; levels are searched like every other scheme."""
    prepared = load(table(), make_spec(attributes, scheme, k, cost, limit=limit))
    return Case(prepared, replace(make_problem(prepared, (), (cost,)), schemes=prepared.schemes))


__all__ = ["Case", "hierarchy", "make_case", "make_spec", "table"]
