"""Downcoding: sure claims are true in all tables a release can come from, and the attack can succeed."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

import sfumato as sf
from sfumato.preparing import load, make_problem
from sfumato.release import read_recoding
from sfumato.risks import downcoding
from tests.oracles import downcoding as oracle

if TYPE_CHECKING:
    from sfumato.risks import Downcoding, Narrowing

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


def test_sure_claims_are_true_in_every_table_the_release_can_come_from() -> None:
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
        for table in draw.sample(tables, min(12, len(tables))):
            narrowed, right = share_of(attack(table_of(table), spec, recoding), "logic")
            assert narrowed == right
            sure.add(narrowed)
        # A claim depends on what is published alone.
        assert len(sure) == 1
        bound = oracle.most_narrowed(best, asked)
        assert max(sure) <= bound
        found_in_all, possible = found_in_all + max(sure), possible + bound
    print(found_in_all, possible)
    assert found_in_all > 0
    assert found_in_all >= 0.5 * possible
