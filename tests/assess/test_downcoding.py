"""Downcoding: sure claims are true in all tables a release can come from, and the attack can succeed."""

from __future__ import annotations

import itertools
import math
import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.assess import downcoding
from sfumato.preparing import load, make_problem
from sfumato.release import read_recoding
from tests.oracles import downcoding as oracle

if TYPE_CHECKING:
    from sfumato.assess.risk_results import Downcoding, Narrowing

LADDERS: dict[str, list[dict[str, str]]] = {
    "a": [
        {"p": "p", "q": "q", "r": "r", "s": "s"},
        {"p": "pq", "q": "pq", "r": "rs", "s": "rs"},
        dict.fromkeys("pqrs", "*"),
    ],
    "b": [{"1": "1", "2": "2", "3": "3"}, dict.fromkeys("123", "any"), dict.fromkeys("123", "*")],
}
TREES: dict[str, Any] = {"a": {"pq": ["p", "q"], "rs": ["r", "s"]}, "b": {"any": ["1", "2", "3"]}}


def spec_of(
    k: int, limit: float = 0.0, *, scheme: str = "levels", trees: Any = None, **parts: Any
) -> sf.Spec:
    """Ask for k with the least loss."""
    attributes = {
        name: {
            "role": "quasi-identifier",
            "scheme": scheme,
            **(
                {"hierarchy": {"tree": tree}}
                if isinstance(tree, dict)
                else {"kind": "ordinal", "order": tree}
            ),
        }
        for name, tree in (TREES if trees is None else trees).items()
    }
    plain: dict[str, Any] = {
        "attributes": attributes,
        "require": {"k": k},
        "suppression": {"limit": limit},
        "objectives": {"minimize": ["loss"]},
    }
    return sf.Spec.from_dict({**plain, **parts})


def table_of(rows: list[oracle.Row], names: Any = "ab") -> pa.Table:
    return pa.table({name: [row[a] for row in rows] for a, name in enumerate(names)})


def attack(
    frame: pa.Table, spec: sf.Spec, recoding: dict[str, Any] | None = None, *, tolerance: float = 0.0
) -> Downcoding:
    """Publish a recoding, or the best release, and attack it."""
    recoding = sf.anonymize(frame, spec, threads=1).recoding if recoding is None else recoding
    prepared = load(frame, spec)
    problem = make_problem(prepared, (), spec.objectives.minimize[:1])
    lattice, node = read_recoding(prepared, recoding)
    partitions = [ladder.levels[level] for ladder, level in zip(lattice.ladders, node, strict=True)]
    priors = [
        np.bincount(prepared.cube.codes[:, a], weights=prepared.cube.rows, minlength=size)
        for a, size in enumerate(prepared.cube.sizes)
    ]
    return downcoding.downcode(problem, partitions, priors, tolerance=tolerance)


def of(found: Downcoding, attacker: str) -> Narrowing:
    return next(item for item in found.attackers if item.attacker == attacker)


def share_of(found: Downcoding, attacker: str) -> tuple[int, int]:
    """Return cells narrowed, and narrowed rightly."""
    item = of(found, attacker)
    return round(item.narrowed * found.cells), round(item.correct * found.cells)


@pytest.mark.parametrize("tries", [2, pytest.param(12, marks=pytest.mark.slow)])
def test_sure_claims_are_true_in_every_table_the_release_can_come_from(tries: int) -> None:
    """By brute force over all originals; beside it, how much of what could be known is found."""
    draw, found_in_all, possible = random.Random(5), 0, 0
    for case in range(14):
        rows = [(draw.choice("ppqrs"), draw.choice("1123")) for _ in range(draw.randint(3, 6))]
        budget = case % 3 // 2
        k, limit = draw.choice([2, 2, 3]), (budget + 0.5) / len(rows)
        asked = oracle.Asked(list(LADDERS.values()), k, budget, list(LADDERS))
        spec = spec_of(k, limit if budget else 0.0)
        best = oracle.feasible(rows, asked)[0]
        recoding = dict(zip(LADDERS, best.levels, strict=True))
        # The package publishes what the oracle does.
        assert sf.anonymize(table_of(rows), spec, threads=1).recoding == recoding
        tables = list(oracle.originals(best, asked))
        assert sorted(rows) in [sorted(table) for table in tables]
        sure = set()
        # The same tables are drawn, however many of their twins are tried.
        for table in draw.sample(tables, min(12, len(tables)))[:tries]:
            narrowed, right = share_of(attack(table_of(table), spec, recoding), "logic")
            assert narrowed == right
            sure.add(narrowed)
        # A claim depends on what is published alone.
        assert len(sure) == 1
        bound = oracle.most_narrowed(best, asked)
        assert max(sure) <= bound
        found_in_all, possible = found_in_all + max(sure), possible + bound
    assert found_in_all > 0
    assert found_in_all >= 0.9 * possible


def clusters(split: int = 8, whole: int = 4) -> tuple[pa.Table, dict[str, Any]]:
    """Give clusters of four rows: two and two under one node of the tree, or four of one kind.

    Only what is split is generalized, since k = 4; so minimality tells that it is split, which the
    distribution does not.
    """
    tree = {f"c{i}": [f"c{i}x", f"c{i}y"] for i in range(split + whole)}
    rows = [f"c{i}{'xxyy'[j]}" for i in range(split) for j in range(4)]
    rows += [f"c{split + i}x" for i in range(whole) for _ in range(4)]
    return pa.table({"a": rows}), {"a": tree}


def test_clustered_data_are_downcoded_where_the_base_rate_fails() -> None:
    frame, trees = clusters()
    spec = spec_of(4, scheme="cuts", trees=trees)
    found = attack(frame, spec)
    assert found.cells == 32
    assert found.refused == 8
    # At least one of each four is x and one is y: half of the cells, and all of it true.
    assert share_of(found, "logic") == (16, 16)
    assert share_of(found, "minimality") == (16, 16)
    assert share_of(found, "distribution") == share_of(found, "uniform") == (0, 0)
    # Knowing that the release may be 30 % worse than the best, nobody can tell.
    drawn = attack(frame, spec, tolerance=0.3)
    assert drawn.refused == 0
    assert share_of(drawn, "logic") == share_of(drawn, "minimality") == (0, 0)


def test_other_requirements_tell_less_and_stay_true() -> None:
    """A part of a class that fails to be diverse may have any size: more than k rows, here."""
    frame, trees = clusters(3, 0)
    frame = frame.append_column("s", pa.array(list("uvuuuvvvvuvv")))
    plain: dict[str, Any] = spec_of(2, scheme="cuts", trees=trees).to_dict()
    plain["attributes"]["s"] = {"role": "sensitive"}
    plain["require"]["distinct_l(s)"] = 2
    found = attack(frame, sf.Spec.from_dict(plain))
    narrowed, right = share_of(found, "logic")
    assert narrowed == right > 0


def test_chances_are_those_of_all_ways_to_fill_the_children() -> None:
    """By enumeration of every split of a class, without and with the knowledge that a child fails."""
    rows, k, shares = 7, 3, np.array([[1 / 3] * 3, [0.6, 0.3, 0.1]])
    model = downcoding._Multinomial(rows, shares, k)
    splits = [c for c in itertools.product(range(rows + 1), repeat=3) if sum(c) == rows]
    chance = {
        c: math.factorial(rows)
        * math.prod(p**n / math.factorial(n) for p, n in zip(shares[1], c, strict=True))
        for c in splits
    }
    fails = {c: any(0 < n < k for n in c) for c in splits}
    none = sum(chance[c] for c in splits if not fails[c])
    assert np.exp(model.log_none()) == pytest.approx(none)
    others = math.log(0.7)  # what another class adds
    known = sum(chance[c] * (1 if fails[c] else 0.3) for c in splits)
    _, plain, given = model.tails(model.log_none() + others)
    for v, t in itertools.product(range(3), range(1, rows + 1)):
        reach = [c for c in splits if c[v] >= t]
        assert plain[v, t - 1] == pytest.approx(sum(chance[c] for c in reach))
        expected = sum(chance[c] * (1 if fails[c] else 0.3) for c in reach) / known
        assert given[v, t - 1] == pytest.approx(expected)


def test_long_sums_by_fourier_transform_are_those_by_hand() -> None:
    draw = np.random.default_rng(3)
    one, other = draw.random(1500), draw.random(900)
    assert np.allclose(downcoding._convolve(one, other), np.convolve(one, other))


def test_a_front_or_a_promise_on_the_whole_table_is_not_attacked() -> None:
    frame, trees = clusters(2, 0)
    for parts, why in (
        ({"require": {}}, "rejected for a reason"),
        ({"require": {"k": 2, "loss": 0.9}}, "whole table"),
        ({"objectives": {"minimize": ["average_class"]}}, "need not be better"),
    ):
        spec = spec_of(2, trees=trees, **parts)
        problem = make_problem(load(frame, spec), (), spec.objectives.minimize[:1])
        assert why in (downcoding.is_attackable(problem) or "")
