"""The search finds what brute force finds, and nothing that is not there."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from sfumato.classes import Property, PropertyKind, Threshold
from sfumato.classes.properties import Levels
from sfumato.domains import Confidential, Cube
from sfumato.errors import InfeasibleError, ParameterError
from sfumato.local import (
    LabelKind,
    LabelSpace,
    LocalProblem,
    bound_cost,
    class_search,
    lower_bound,
    search_classes,
)
from sfumato.monitor import Monitor
from sfumato.preparing import LOCAL_COSTS
from tests.local.small_tables import KINDS, SIZE, WIDTHS, SmallTable, make_table
from tests.oracles import local_recoding as oracle
from tests.oracles.adult import QUASI_IDENTIFIERS, read_adult

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sfumato.local import LocalSolution

PROPOSALS = 10_000
TREES = ("tree", "bounded", "suppress", "keep")


def recount(table: SmallTable, solution: LocalSolution) -> Fraction:
    """Return what a solution costs, from its classes alone; every label must cover its cells."""
    total = Fraction(0)
    for c in sorted(set(solution.classes.tolist()) - {-1}):
        members = [i for i, owner in enumerate(solution.classes) if owner == c]
        cost = oracle.class_cost(table.plain, table.weights, [table.tuples[i] for i in members])
        assert cost is not None, "a label that may not be"
        total += cost * sum(table.rows[i] for i in members)
        for a, (space, label) in enumerate(zip(table.spaces, solution.labels, strict=True)):
            codes = {table.tuples[i][a] for i in members}
            assert codes <= covered(space, label[c], bool(solution.stars[c, a]))
    hidden = [i for i, owner in enumerate(solution.classes) if owner < 0]
    return (total + sum(table.rows[i] for i in hidden)) / sum(table.rows)


def covered(space: LabelSpace, label: Any, star: bool) -> set[int]:
    """Return the codes under a label."""
    if star:
        return set(range(space.size))
    if space.kind is LabelKind.TREE:
        level = space.levels[label[0] - space.lowest]
        return {code for code in range(space.size) if level[code] == label[1]}
    if space.kind is LabelKind.RANGE:
        return set(range(label[0], label[1] + 1))
    return {code for code in range(space.size) if int(label[code // 64]) >> (code % 64) & 1}


def judge(table: SmallTable, name: str, limit: float) -> Callable[[list[int]], bool]:
    """Return the oracle's verdict on a class under one requirement."""
    overall = [v for values in table.values for v in values]

    def meets(part: list[int]) -> bool:
        values = [v for i in part for v in table.values[i]]
        if name == "k":
            return len(values) >= limit
        if name in ("equal", "ordered"):
            return oracle.closeness(values, overall, 1 + max(overall))[name] <= limit + 1e-12
        return oracle.diversity(values)[name] >= limit - 1e-12

    return meets


REQUIRED = {
    "distinct": (Property(PropertyKind.DISTINCT, 0), 2),
    "entropy": (Property(PropertyKind.ENTROPY, 0), 1.8),
    "share": (Property(PropertyKind.SHARE, 0), 2),
    "recursive": (Property(PropertyKind.RECURSIVE, 0, Fraction(3)), 2),
    "equal": (Property(PropertyKind.T_EQUAL, 0), 0.25),
    "ordered": (Property(PropertyKind.T_ORDERED, 0), 0.25),
}


def compare(table: SmallTable, name: str, limit: float, budget: int = 0) -> bool | None:
    """Search, recount, bound; return whether the optimum was found, None where there is none."""
    best = oracle.least_cost(
        table.plain, table.weights, table.tuples, table.rows, judge(table, name, limit), budget
    )
    threshold = Threshold(SIZE if name == "k" else REQUIRED[name][0], limit)
    problem = table.problem([threshold], budget=budget)
    if best is None:
        with pytest.raises(InfeasibleError, match="no local recoding"):
            search_classes(problem, proposals=PROPOSALS, threads=1)
        return None
    found = search_classes(problem, proposals=PROPOSALS, threads=1)
    assert recount(table, found) == pytest.approx(found.cost, abs=1e-12)
    assert found.cost >= float(best) - 1e-12
    meets = judge(table, name, limit)
    for c in set(found.classes.tolist()) - {-1}:
        assert meets([i for i, owner in enumerate(found.classes) if owner == c])
    assert sum(table.rows[i] for i in np.flatnonzero(found.classes < 0)) <= budget
    bound = bound_cost(problem, found, rounds=3, threads=1).bound
    assert bound is not None
    assert bound <= float(best) + 1e-12
    return found.cost <= float(best) + 1e-12


@pytest.mark.parametrize("budget", [0, 2])
def test_search_equals_brute_force_over_all_partitions(budget: int) -> None:
    verdicts = [compare(make_table(seed), "k", 2 + seed % 4, budget) for seed in range(40)]
    decided = [verdict for verdict in verdicts if verdict is not None]
    assert len(decided) >= 20
    assert sum(decided) >= 0.98 * len(decided)


@pytest.mark.parametrize("name", REQUIRED)
def test_every_requirement_is_met_at_the_least_cost(name: str) -> None:
    kinds = ("tree", "range", "set", "suppress")
    verdicts = [compare(make_table(seed, kinds), name, REQUIRED[name][1], seed % 3) for seed in range(15)]
    decided = [verdict for verdict in verdicts if verdict is not None]
    assert len(decided) >= 5
    assert sum(decided) >= 0.95 * len(decided)


@pytest.mark.slow
def test_two_thousand_tables_of_up_to_twelve_tuples() -> None:
    limits = {name: limit for name, (_, limit) in REQUIRED.items()}
    verdicts = []
    for seed in range(2000):
        name = ("k", *REQUIRED)[seed % 7]
        table = make_table(10_000 + seed, most=12)
        verdicts.append(compare(table, name, limits.get(name, 2 + seed % 4), seed % 3))
    decided = [verdict for verdict in verdicts if verdict is not None]
    assert len(decided) >= 1000
    assert sum(decided) >= 0.99 * len(decided)


def compare_measure(table: SmallTable, measure: str, name: str, limit: float, share: float) -> bool | None:
    """Search for the least of a measure; return whether it was found, None where there is none."""
    total = sum(table.rows)
    budget, meets = int(share * total), judge(table, name, limit)
    given = table.plain, table.weights, table.tuples, table.rows
    named = "glm" if measure in ("loss", "ncp") else measure
    best = oracle.least_measure(named, *given, meets, budget)
    prices = {**LOCAL_COSTS[measure], **({"suppressed_cost": float(total)} if measure == "dm" else {})}
    threshold = Threshold(SIZE if name == "k" else REQUIRED[name][0], limit)
    problem = table.problem([threshold], budget=budget, **prices)
    if best is None:
        with pytest.raises(InfeasibleError, match="no local recoding"):
            search_classes(problem, proposals=PROPOSALS, threads=1)
        return None
    found = search_classes(problem, proposals=PROPOSALS, threads=1)
    parts = [np.flatnonzero(found.classes == c).tolist() for c in range(int(found.classes.max()) + 1)]
    assert sum(table.rows[i] for i in np.flatnonzero(found.classes < 0)) <= budget
    assert all(map(meets, parts))
    reached = oracle.measure_classes(named, *given, parts)
    assert reached >= best
    if named in ("gl", "glm"):
        assert found.cost * total == pytest.approx(float(reached), abs=1e-9)
        bound = bound_cost(problem, found, rounds=2, threads=1).bound
        assert bound is not None
        assert bound * total <= float(best) + 1e-9
    return reached == best


def share_found(measure: str, share: float, seeds: range) -> tuple[int, int]:
    """Return in how many small tables the least of a measure was found, and in how many there is any."""
    verdicts = []
    for seed in seeds:
        name = ("k", "k", "k", *REQUIRED)[seed % 9]
        limit = 2 + seed % 4 if name == "k" else REQUIRED[name][1]
        table = make_table(seed, WIDTHS if measure == "ncp" else KINDS, most=6)
        verdicts.append(compare_measure(table, measure, name, limit, share))
    decided = [verdict for verdict in verdicts if verdict is not None]
    return sum(decided), len(decided)


@pytest.mark.parametrize("share", [0.0, 0.2, 1.0])
@pytest.mark.parametrize("measure", [name for name in LOCAL_COSTS if name != "loss"])
def test_every_measure_is_the_least_there_is_with_and_without_suppression(measure: str, share: float) -> None:
    found, decided = share_found(measure, share, range(12))
    assert decided >= 4
    assert found == decided


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.0, 0.2, 1.0])
@pytest.mark.parametrize("measure", [name for name in LOCAL_COSTS if name != "loss"])
def test_every_measure_over_more_tables(measure: str, share: float) -> None:
    found, decided = share_found(measure, share, range(20_000, 20_080))
    assert decided >= 20
    # Classes that show the same are one: that is seen only where a round ends.
    assert found >= (0.9 if measure in ("dm", "average_class") else 0.97) * decided


def test_tuples_without_neighbours_are_suppressed_and_shown() -> None:
    """Two attributes that may not change: no tuple shares a class with another, and the best one is left."""
    table = SmallTable(
        (LabelSpace.tree(np.array([[0, 1, 2], [0, 0, 0]], np.int32), 1), LabelSpace.keep(6)),
        ({"kind": "tree", "levels": [[0, 0, 0]]}, {"kind": "tree", "levels": [list(range(6))]}),
        [(i // 2, i) for i in range(6)],
        [3, 2, 4, 3, 2, 5],
        [[0]] * 6,
        [1, 1],
    )
    table = replace(table, values=[[0] * rows for rows in table.rows])
    assert compare_measure(table, "gl", "k", 2, 1.0)
    assert compare_measure(table, "gl", "k", 2, 0.6)


def flat_cube(rng: np.random.Generator, n: int, **more: Any) -> tuple[Cube, list[LabelSpace]]:
    """Return n random rows of three attributes with labels of three kinds, one with two words of bits."""
    codes = np.stack([rng.integers(0, 2, n), rng.integers(0, 200, n), rng.binomial(90, 0.3, n)], axis=1)
    cube = Cube.sorted(
        ("a", "b", "c"), (2, 200, 91), codes.astype(np.int32), rows=np.ones(n, np.int64), **more
    )
    return cube, [LabelSpace.suppress(2), LabelSpace.range(200, missing=199), LabelSpace.set(91)]


def test_result_is_the_same_on_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_search, "REGION", 150)
    cube, spaces = flat_cube(np.random.default_rng(5), 1500)
    problem = LocalProblem.of_cube(cube, spaces, [Threshold(SIZE, 4)], budget=20)
    one, three = (search_classes(problem, proposals=60_000, threads=threads) for threads in (1, 3))
    assert one.classes.tolist() == three.classes.tolist()
    other = search_classes(problem, proposals=60_000, seed=2, threads=2)
    assert one.classes.tolist() != other.classes.tolist()
    bounds = [bound_cost(problem, one, rounds=2, threads=threads).bound for threads in (1, 3)]
    assert bounds[0] == bounds[1]
    assert 0 < (bounds[0] or 0) <= one.cost


def test_search_goes_on_where_it_was_stopped() -> None:
    cube, spaces = flat_cube(np.random.default_rng(6), 400)
    problem = LocalProblem.of_cube(cube, spaces, [Threshold(SIZE, 3)])
    states: list[class_search.AnnealingState] = []
    whole = search_classes(problem, proposals=20_000, save=states.append, threads=2)
    rest = search_classes(problem, proposals=20_000, state=states[len(states) // 2], threads=2)
    assert whole.classes.tolist() == rest.classes.tolist()
    assert states[-1].cost < states[0].cost
    seen: list[float] = []
    watch = Monitor(None, lambda progress: seen.append(progress.fraction) or len(seen) > 1)
    search_classes(problem, seconds=600.0, monitor=watch, threads=2)
    assert watch.stopped


def test_a_first_round_that_takes_all_the_time_is_not_lost() -> None:
    """Classes of thousands of tuples: the time is up before each tuple had its two moves."""
    cube, spaces = flat_cube(np.random.default_rng(6), 4000)
    problem = LocalProblem.of_cube(cube, spaces, [Threshold(SIZE, 1500)])
    states: list[class_search.AnnealingState] = []
    seen: list[float] = []
    watch = Monitor(None, lambda progress: seen.append(progress.fraction) or len(seen) > 2)
    found = search_classes(problem, seconds=600.0, monitor=watch, threads=1, save=states.append)
    assert watch.stopped
    assert found.cost * problem.total < states[0].cost


def test_either_time_or_proposals_are_needed() -> None:
    problem = make_table(1).problem([Threshold(SIZE, 2)])
    with pytest.raises(ParameterError, match="either"):
        search_classes(problem)


def test_time_ends_the_search_and_the_bound() -> None:
    cube, spaces = flat_cube(np.random.default_rng(7), 600)
    problem = LocalProblem.of_cube(cube, spaces, [Threshold(SIZE, 5)])
    found = search_classes(problem, seconds=0.5)
    late = bound_cost(problem, found, seconds=0.0)
    assert late.bound == 0.0
    assert late.gap is None
    assert (bound_cost(problem, found, rounds=1).bound or 0) > 0.0


def test_persons_count_once_in_a_class() -> None:
    rng = np.random.default_rng(8)
    persons = rng.integers(0, 60, 200).astype(np.int32)
    cube, spaces = flat_cube(rng, 200, persons=persons)
    problem = LocalProblem.of_cube(cube, spaces, [Threshold(SIZE, 5)])
    found = search_classes(problem, proposals=40_000)
    assert cube.persons is not None
    for c in range(int(found.classes.max()) + 1):
        cells = np.flatnonzero(found.classes[problem.tuple_of_cell] == c)
        assert len(set(cube.persons[cells].tolist())) >= 5
    bound = bound_cost(problem, found, rounds=2).bound
    assert bound is not None
    assert 0 < bound <= found.cost


def test_confidential_sentences_stay_unknown_and_requirements_hold_together() -> None:
    rng = np.random.default_rng(9)
    truth = np.array([[True, False], [True, True], [False, True], [False, False]])
    combination = rng.choice(4, 300, p=[0.4, 0.2, 0.3, 0.1])
    disease = rng.integers(0, 4, 300)
    cube, spaces = flat_cube(
        rng,
        300,
        sensitive=("disease", "sentences"),
        sensitive_sizes=(4, 4),
        sensitive_codes=np.stack([disease, combination], axis=1).astype(np.int32),
    )
    cube = Cube(
        **{
            **vars(cube),
            "confidential": Confidential(truth, np.ones_like(truth), np.ones(2)),
        }
    )
    levels = Levels(np.array([[0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 0]], np.int32))
    required = [
        Threshold(SIZE, 3),
        Threshold(Property(PropertyKind.SECURE, 1), 1),
        Threshold(Property(PropertyKind.T_HIERARCHICAL, 0, levels=levels), 0.45),
        Threshold(Property(PropertyKind.DISTINCT, 0), 2),
    ]
    problem = LocalProblem.of_cube(cube, spaces, required, budget=5)
    found = search_classes(problem, proposals=60_000)
    assert found.classes.max() > 5
    owner = found.classes[problem.tuple_of_cell]
    assert cube.rows[owner < 0].sum() <= 5
    shares = np.bincount(cube.sensitive_codes[:, 0], cube.rows, 4) / 300
    for c in range(int(found.classes.max()) + 1):
        rows = cube.rows[owner == c]
        ours = truth[cube.sensitive_codes[owner == c, 1]]
        assert rows.sum() >= 3
        assert not ours.all(axis=0).any(), "a sentence is true for everyone in a class"
        counts = np.bincount(cube.sensitive_codes[owner == c, 0], rows, 4) / rows.sum()
        gap = counts - shares
        distance = (abs(gap).sum() / 2 + (abs(gap[:2].sum()) + abs(gap[2:].sum())) / 2) / 2
        assert distance <= 0.45 + 1e-9
        assert (counts > 0).sum() >= 2


@pytest.mark.parametrize("budget", [0, 3])
def test_rows_with_weights_are_recoded_at_the_least_cost(budget: int) -> None:
    """Cost and bound weighted by rows, while requirements and the budget count rows alike."""
    decided = []
    for seed in range(24):
        table, limit = make_table(seed), 2 + seed % 3
        rng = np.random.default_rng([seed, 1])
        each = [[int(w) for w in rng.integers(1, 30, rows)] for rows in table.rows]
        sums = [sum(own) for own in each]
        best = oracle.least_cost(
            table.plain, table.weights, table.tuples, table.rows, judge(table, "k", limit), budget, sums
        )
        if best is None:
            continue
        plain = table.problem([Threshold(SIZE, limit)], budget=budget)
        # Weights of cells in the order of the cube; those of one tuple are summed again.
        order = dict(zip(table.tuples, sums, strict=True))
        share = [order[tuple(codes)] for codes in plain.cube.codes.tolist()]
        cells = np.bincount(plain.tuple_of_cell)[plain.tuple_of_cell]
        problem = table.problem([Threshold(SIZE, limit)], budget=budget, row_weights=np.array(share) / cells)
        assert problem.weights.tolist() == pytest.approx([order[tuple(c)] for c in problem.codes.tolist()])
        found = search_classes(problem, proposals=PROPOSALS, threads=1)
        bound = bound_cost(problem, found, rounds=3, threads=1).bound
        assert bound is not None
        assert bound <= float(best) + 1e-12 <= found.cost + 2e-12
        assert sum(table.rows[i] for i in np.flatnonzero(found.classes < 0)) <= budget
        decided.append(found.cost <= float(best) + 1e-12)
    assert len(decided) >= 12
    assert sum(decided) >= 0.98 * len(decided)


def test_weights_of_rows_and_prices_of_classes() -> None:
    rng = np.random.default_rng(10)
    cube, spaces = flat_cube(rng, 300)
    weights = rng.random(len(cube.rows)) * cube.rows
    weighted = LocalProblem.of_cube(cube, spaces, [Threshold(SIZE, 3)], row_weights=weights)
    found = search_classes(weighted, proposals=30_000)
    assert (bound_cost(weighted, found, rounds=2).bound or 0) <= found.cost
    # Many small classes: each has fewer than 2k rows, or one tuple.
    for price in ({"cell": 0.0, "square": 1.0}, {"cell": 0.0, "each": -1.0}):
        problem = LocalProblem.of_cube(cube, spaces, [Threshold(SIZE, 3)], **price)
        found = search_classes(problem, proposals=60_000)
        count = np.bincount(found.classes, cube.rows)
        expected = (count**2).sum() if "square" in price else -len(count)
        assert found.cost == pytest.approx(expected / 300)
        bound = bound_cost(problem, found, rounds=0).bound
        assert bound is not None
        assert found.cost >= bound >= found.cost - abs(found.cost) * 0.35


def test_adult_is_recoded_as_well_as_the_prototype_did(data_folder: Path) -> None:
    table = read_adult(data_folder)
    places = [{value: i for i, value in enumerate(ladder.values)} for ladder in table.ladders]
    codes = [[place[row[a]] for row in table.rows] for a, place in enumerate(places)]
    levels = [
        [[list(level.values()).index(label) for label in level.values()] for level in ladder.levels]
        for ladder in table.ladders
    ]
    cube = Cube.sorted(
        QUASI_IDENTIFIERS,
        tuple(map(len, places)),
        np.array(codes, np.int32).T,
        rows=np.ones(len(table.rows), np.int64),
    )
    spaces = [LabelSpace.tree(np.array(level, np.int32)) for level in levels]
    problem = LocalProblem.of_cube(cube, spaces, [Threshold(SIZE, 5)])
    found = search_classes(problem, proposals=20 * len(problem.codes))
    assert found.cost < 0.0540
    classes = found.classes[problem.tuple_of_cell]
    assert np.bincount(classes, cube.rows).min() >= 5
    lost = 0.0
    for c in range(int(classes.max()) + 1):
        members = cube.codes[classes == c]
        for a, level in enumerate(levels):
            step = next(step for step in level if len({step[code] for code in members[:, a]}) == 1)
            covers = sum(block == step[members[0, a]] for block in step)
            lost += (covers - 1) / (len(step) - 1) * cube.rows[classes == c].sum()
    assert found.cost == pytest.approx(lost / 9 / 30162)


@pytest.mark.parametrize(
    ("walk", "kinds", "looked_at", "expected"),
    [("_Lift", KINDS, 0, 10), ("_TreeLift", TREES, 10**6, 10), ("_TreeLift", TREES, 3, 1)],
)
def test_certified_numbers_are_paid_for_by_every_class_there_could_be(
    walk: str, kinds: tuple[str, ...], looked_at: int, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over all sets of tuples with k rows: what the bound asks of them is no more than their label costs."""
    monkeypatch.setattr(lower_bound, "LOOKED_AT", looked_at)
    tight = 0
    for seed in range(40):
        table, k = make_table(seed, kinds), 2 + seed % 3
        problem = table.problem([Threshold(SIZE, k)])
        lift = getattr(lower_bound, walk)(problem, 1, None, None)
        lift.separate(np.random.default_rng(seed).random(len(table.tuples)))
        level = lift.lower()
        for chosen in range(1, 1 << len(table.tuples)):
            part = [i for i in range(len(table.tuples)) if chosen >> i & 1]
            rows = sum(table.rows[i] for i in part)
            cost = oracle.class_cost(table.plain, table.weights, [table.tuples[i] for i in part])
            if rows >= k and cost is not None:
                asked = sum(table.rows[i] * level[i] for i in part)
                assert asked <= rows * float(cost) + 1e-9
                tight += asked > 0 and asked >= rows * float(cost) - 1e-9
    assert tight >= expected, "the numbers are so low that the test could not fail"


SECRET = Confidential(np.array([[True], [False], [True]]), np.array([[True], [True], [False]]), np.ones(1))
"""One sentence that the second sensitive value falsifies; who has the third one does not mind."""
HIERARCHICAL = Levels(np.array([[0, 1, 2], [0, 0, 1], [0, 0, 0]], np.int32))
DEMANDED: dict[str, tuple[Property, float]] = {
    **REQUIRED,
    "hierarchical": (Property(PropertyKind.T_HIERARCHICAL, 0, levels=HIERARCHICAL), 0.25),
    "secure": (Property(PropertyKind.SECURE, 0), 1.0),
}


def judge_demand(table: SmallTable, name: str, limit: float) -> Callable[[list[int]], bool]:
    """Return the oracle's verdict, on trees of values and on sentences too."""
    if name == "secure":
        return lambda part: {v for i in part for v in table.values[i]} not in ({0}, {0, 2})
    if name != "hierarchical":
        return judge(table, name, limit)
    overall = [v for values in table.values for v in values]

    def meets(part: list[int]) -> bool:
        values = [v for i in part for v in table.values[i]]
        leaves = oracle.closeness(values, overall, 3)["equal"]
        nodes = oracle.closeness([v // 2 for v in values], [v // 2 for v in overall], 2)["equal"]
        return (leaves + nodes) / 2 <= limit + 1e-12

    return meets


def pays_for_too_much(table: SmallTable, problem: LocalProblem, level: np.ndarray, meets: Any) -> int:
    """Check what certified numbers ask of all classes there could be; return how many pay just that."""
    place = {tuple(codes): t for t, codes in enumerate(problem.codes.tolist())}
    tight = 0
    for chosen in range(1, 1 << len(table.tuples)):
        part = [i for i in range(len(table.tuples)) if chosen >> i & 1]
        rows = sum(table.rows[i] for i in part)
        cost = oracle.class_cost(table.plain, table.weights, [table.tuples[i] for i in part])
        if cost is not None and meets(part):
            asked = sum(table.rows[i] * level[place[table.tuples[i]]] for i in part)
            assert asked <= rows * float(cost) + 1e-9
            tight += asked > 0 and asked >= rows * float(cost) - 1e-9
    return tight


@pytest.mark.parametrize("name", DEMANDED)
def test_what_requirements_demand_is_no_more_than_they_are(name: str) -> None:
    """Any guess, certified: every class that meets a requirement pays for what is asked of its tuples."""
    tight = 0
    for seed in range(50):
        for walk, kinds in ((lower_bound._Lift, KINDS), (lower_bound._TreeLift, TREES)):
            table, rng = make_table(seed, kinds, most=6), np.random.default_rng(seed)
            kind, limit = DEMANDED[name]
            limit += 0.0 if name == "secure" else float(rng.choice([0.0, 0.2, 0.5]))
            secret = SECRET if name == "secure" else None
            size = 3 if name in ("secure", "hierarchical") else 0
            required = [Threshold(kind, limit), Threshold(SIZE, 1 + seed % 3)]
            problem = table.problem(required, size=size, confidential=secret)
            lift, meets = walk(problem, 1, None, None), judge_demand(table, name, limit)

            def both(
                part: list[int], rows: Any = table.rows, k: int = 1 + seed % 3, own: Any = meets
            ) -> bool:
                return sum(rows[i] for i in part) >= k and own(part)

            lift.separate(rng.random(len(table.tuples)))
            tight += pays_for_too_much(table, problem, lift.lower(), both)
            lift.share(np.ones(len(table.tuples)))
            pays_for_too_much(table, problem, lift.least, both)
    assert tight >= 10, "the numbers are so low that the test could not fail"


def test_numbers_that_were_lowered_hide_no_label_from_later_tuples() -> None:
    """A label was left to the first tuple over it, even where that one had become too cheap to walk there."""
    for seed in (71, 160, 227, 257, 575):
        table, limit = make_table(seed, KINDS, most=6), 2 + seed % 3
        problem = table.problem([Threshold(SIZE, limit)])
        lift = lower_bound._Lift(problem, 1, None, None)
        lift.separate(np.random.default_rng(seed).random(len(table.tuples)))
        pays_for_too_much(table, problem, lift.lower(), judge(table, "k", limit))
