"""secure, exposed, sf and ql against their definitions, on every evaluator and under every rule."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.classes import Rule, Suppression
from sfumato.conformance import SENTENCES, SETTING, check_search
from sfumato.domains import Confidential, Cube, Ladder, Lattice
from sfumato.errors import ParameterError
from sfumato.measures import Setting, Union, make_measure, measure_names
from sfumato.measures.privacy import Exposed
from sfumato.schemes import make_scheme
from sfumato.search import METHODS, Problem, Requirement, Run, search_exhaustive, search_optimal
from sfumato.search.branch_and_bound import search_branch_and_bound
from tests.confidentiality.secret_tables import cube_of, secret_tables, setting_of
from tests.examples import examples
from tests.oracles import classes as oracle_classes
from tests.oracles import confidentiality as oracle
from tests.package import lattice_of

NAMES = ("secure", "exposed", "sf", "ql")
SUPPRESSIONS = st.one_of(
    st.just(Suppression(Rule.NONE, 0)),
    st.builds(Suppression, st.just(Rule.SMALLEST), st.integers(0, 20)),
    st.just(Suppression(Rule.BELOW_MEAN, 0)),
)


def _remaining(case, blocks_of, classes) -> list[list[int]]:
    """Return the rows of the classes that the package did not suppress."""
    kept = {
        tuple(block)
        for block, gone in zip(classes.blocks.tolist(), classes.suppressed, strict=True)
        if not gone
    }
    found: dict[tuple[int, ...], list[int]] = {}
    for u, codes in enumerate(case.codes.tolist()):
        key = tuple(int(blocks[code]) for blocks, code in zip(blocks_of, codes, strict=True))
        if key in kept:
            found.setdefault(key, []).append(u)
    return list(found.values())


@given(secret_tables(), SUPPRESSIONS, st.data())
@examples(80)
def test_against_the_definitions(secret, suppression: Suppression, data: st.DataObject) -> None:
    """Batches and single recodings, rows and persons, sentence by sentence."""
    case, cube = secret.case, cube_of(secret)
    setting = setting_of(secret, cube)
    each = tuple(Exposed(f"exposed {i}", cube.hidden, i) for i in range(len(secret.damage)))
    measures = (*(make_measure(name, setting) for name in NAMES), *each)
    problem = Problem(cube, lattice_of(case), measures, (), suppression)
    lattice = problem.lattice
    number = data.draw(st.integers(0, lattice.size - 1))
    node = lattice.nodes(number, number + 1)
    batch = problem.batch(threads=1)
    statistics = batch.evaluate(lattice.nodes(0, lattice.size))
    blocks = [ladder.levels[level] for ladder, level in zip(lattice.ladders, node[0], strict=True)]
    remaining = _remaining(case, blocks, batch.classes(node[0]))
    single = problem.recodings(threads=1).evaluate([block[None] for block in blocks])
    found = {item.name: float(item.value(statistics)[number]) for item in measures}
    for item in measures:
        again = float(item.value(single)[0])
        assert again == found[item.name] or (np.isnan(again) and np.isnan(found[item.name]))
    if not remaining:
        return
    recoding = oracle_classes.recoding_at(case.table.ladders, node[0].tolist())
    assert found["secure"] == oracle.secure(remaining, secret.truth, secret.kept)
    assert found["exposed"] == oracle.exposed(remaining, secret.truth, secret.kept, secret.persons)
    assert found["sf"] == pytest.approx(
        oracle.sf(remaining, secret.truth, secret.kept, secret.damage), abs=1e-9
    )
    assert found["ql"] == pytest.approx(oracle.ql(recoding, setting.weights.tolist()), abs=1e-12)
    for i in range(len(each)):
        alone = [own & {i} for own in secret.kept]
        assert found[f"exposed {i}"] == oracle.exposed(remaining, secret.truth, alone, secret.persons)


@given(secret_tables(), st.integers(0, 20))
@examples(60)
def test_failing_classes_are_those_that_disclose(secret, budget: int) -> None:
    """As a requirement it suppresses just these, within the budget; what remains is secure."""
    case, cube = secret.case, cube_of(secret)
    measure = make_measure("secure", setting_of(secret, cube))
    problem = Problem(
        cube, lattice_of(case), (), (Requirement(measure, 1.0),), Suppression(Rule.FAILING, budget)
    )
    nodes = problem.lattice.nodes(0, problem.lattice.size)
    statistics = problem.batch(threads=1).evaluate(nodes)
    for place, node in enumerate(nodes.tolist()):
        recoding = oracle_classes.recoding_at(case.table.ladders, node)
        groups = list(oracle_classes.group(case.table.rows, recoding).values())
        failing = [rows for rows in groups if not oracle.secure([rows], secret.truth, secret.kept)]
        gone = sum(map(len, failing))
        assert statistics.failing[place] == gone
        assert statistics.feasible[place] == (gone <= budget and gone < len(case.codes))


@given(secret_tables(), st.integers(0, 10), st.sampled_from([Rule.FAILING, Rule.NONE]))
@examples(60)
def test_the_pruned_search_finds_the_optimum(secret, budget: int, rule: Rule) -> None:
    """Whoever holds the sentences: what is declared about unions is what holds."""
    case, cube = secret.case, cube_of(secret)
    setting = setting_of(secret, cube)
    require = (Requirement(make_measure("secure", setting), 1.0),)
    objective = (make_measure("loss", setting),)
    suppression = Suppression(rule, budget if rule is Rule.FAILING else 0)
    problem = Problem(cube, lattice_of(case), objective, require, suppression)
    best = search_optimal(problem, Run(threads=1))
    expected = search_exhaustive(problem, Run(threads=1))
    assert best.nodes.tolist() == expected.nodes.tolist()


@given(secret_tables(everyone=True), st.integers(0, 6))
@examples(40)
def test_branch_and_bound_finds_the_optimum(secret, budget: int) -> None:
    """Over ordered partitions, where bits of falsified sentences bound it."""
    case, cube = secret.case, cube_of(secret)
    if max(case.sizes) > 4:
        return
    setting = setting_of(secret, cube)
    schemes = tuple(make_scheme("ordered", size=size) for size in case.sizes)
    problem = Problem(
        cube,
        lattice_of(case),
        (make_measure("loss", setting),),
        (Requirement(make_measure("secure", setting), 1.0),),
        Suppression(Rule.FAILING, budget),
        schemes=schemes,
    )
    found = search_branch_and_bound(problem, Run(threads=1))
    expected = search_exhaustive(problem, Run(threads=1))
    assert len(found.nodes) == len(expected.nodes)
    if len(found.nodes):
        value = [
            problem.objectives[0].value(problem.batch(1, result.lattice).evaluate(result.nodes[:1]))[0]
            for result in (found, expected)
        ]
        assert value[0] == pytest.approx(value[1], rel=1e-9)


def test_more_sentences_than_a_word_holds() -> None:
    """Forty sentences, each true for one row and kept by another."""
    count = 40
    truth, held = np.eye(count, dtype=bool), np.roll(np.eye(count, dtype=bool), 1, axis=1)
    cube = Cube.sorted(
        ("a",),
        (count,),
        np.arange(count, dtype=np.int32)[:, None],
        rows=np.ones(count, dtype=np.int64),
        sensitive=("",),
        sensitive_sizes=(count,),
        sensitive_codes=np.arange(count, dtype=np.int32)[:, None],
    )
    levels = np.stack([np.arange(count), np.zeros(count)]).astype(np.int32)
    for kept, expected in ((held, (1, 0)), (truth, (0, count))):
        own = replace(cube, confidential=Confidential(truth, kept, np.ones(count)))
        setting = Setting(("a",), (), np.ones(1), confidential=own.confidential)
        measures = tuple(make_measure(name, setting) for name in ("secure", "exposed"))
        problem = Problem(own, Lattice((Ladder.whole(levels),)), measures, (), Suppression(Rule.NONE, 0))
        statistics = problem.batch(1).evaluate(np.array([[0], [1]]))
        assert tuple(float(item.value(statistics)[0]) for item in measures) == expected
        assert tuple(float(item.value(statistics)[1]) for item in measures) == (1, 0)


def test_unions_are_declared_by_who_holds_the_sentences() -> None:
    """With any class only if everyone does: where nobody holds it, a class is secure until someone joins."""
    everyone = Confidential(SENTENCES.truth, np.ones_like(SENTENCES.held), SENTENCES.damage)
    assert make_measure("secure", replace(SETTING, confidential=everyone)).union is Union.ANY
    assert make_measure("secure", SETTING).union is Union.SATISFYING
    # A row for which it is true and a row that holds it too: apart one fails, together both do.
    cube, lattice = _two_rows()
    own = Confidential(np.array([[True], [True]]), np.array([[False], [True]]), np.ones(1))
    cube = replace(cube, confidential=own)
    setting = Setting(("a",), (), np.ones(1), confidential=own)
    require = (Requirement(make_measure("secure", setting), 1.0),)
    problem = Problem(cube, lattice, (make_measure("loss", setting),), require, Suppression(Rule.FAILING, 1))
    assert problem.batch(1).evaluate(lattice.nodes(0, 2)).failing.tolist() == [1, 2]
    assert not problem.prunes_down
    assert search_optimal(problem, Run(threads=1)).nodes.tolist() == [[0]]


def _two_rows() -> tuple[Cube, Lattice]:
    codes = np.arange(2, dtype=np.int32)[:, None]
    cube = Cube.sorted(
        ("a",),
        (2,),
        codes,
        rows=np.ones(2, dtype=np.int64),
        sensitive=("",),
        sensitive_sizes=(2,),
        sensitive_codes=codes,
    )
    return cube, Lattice((Ladder.whole(np.array([[0, 1], [0, 0]], dtype=np.int32)),))


@pytest.mark.parametrize(
    ("name", "objectives"),
    [
        ("exhaustive", ("sf", "ql")),
        ("exhaustive", ("secure", "exposed")),
        ("pbg-ea", ("sf", "exposed")),
        ("nsga2", ("secure", "ql")),
        ("optimal", ("exposed",)),
        ("optimal", ("sf",)),
    ],
)
def test_objectives_of_searches(name: str, objectives: tuple[str, ...]) -> None:
    """What is confidential may be sought like everything else."""
    check_search(METHODS[name], exact=name in ("exhaustive", "optimal"), objectives=objectives)


def test_there_must_be_sentences() -> None:
    """One line that says what to add."""
    setting = Setting(("a",), ("s",), np.ones(1))
    assert not {"secure", "exposed", "sf"} & set(measure_names(setting))
    with pytest.raises(ParameterError, match=r"Add \[\[confidential\]\]"):
        make_measure("secure", setting)
    with pytest.raises(ParameterError, match="takes no attribute"):
        make_measure("secure(s)", SETTING)
