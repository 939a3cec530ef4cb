"""GOMM: what it measures, what it keeps, what it says."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import ParameterError
from sfumato.front import find_knee, hypervolume, scaled_fronts
from sfumato.microaggregation import mdav
from sfumato.microaggregation.column_groups import evaluation as evaluation_module
from sfumato.microaggregation.column_groups.chromosome import (
    attributes_of,
    canonical,
    is_valid,
    make_grouping,
    object_part,
)
from sfumato.microaggregation.column_groups.columns import GroupingSettings, analyse_operators, group_columns
from sfumato.microaggregation.column_groups.evaluation import (
    Evaluator,
    count_groupings,
    crowding,
    keep_best,
    keep_front,
)
from sfumato.microaggregation.column_groups.gomm import (
    CHUNK,
    FIRST,
    OPERATORS,
    GommParameters,
    neighbours,
    search_groupings,
)
from sfumato.microaggregation.protection import Scores, link_records, measure_protection, standard_scores
from sfumato.monitor import Monitor
from tests.examples import examples
from tests.microaggregation import plain_grouping as plain

SMALL = GommParameters(population=20, generations=12, crossovers=3, mutations=2, polish=0)
interpreted = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="whole runs take minutes without compiled kernels"
)


def made_up(rows=60, columns=6, seed=0):
    """Make a table whose columns go together by threes."""
    random = np.random.default_rng(seed)
    hidden = random.normal(size=(rows, 2))
    return standard_scores(hidden[:, np.arange(columns) % 2] + 0.4 * random.normal(size=(rows, columns)))


@st.composite
def cases(draw):
    """Draw a small table of whole numbers, a k and a grouping."""
    rows, columns = draw(st.integers(3, 30)), draw(st.integers(1, 4))
    numbers = st.integers(-3, draw(st.sampled_from([3, 50])))
    cells = draw(
        st.lists(st.lists(numbers, min_size=columns, max_size=columns), min_size=rows, max_size=rows)
    )
    objects = draw(st.lists(st.integers(0, columns), min_size=columns, max_size=columns))
    groups = [
        [place for place, name in enumerate(objects) if name == group] for group in sorted(set(objects))
    ]
    return np.array(cells, dtype=float), draw(st.integers(1, max(1, rows // 2))), groups


@given(cases())
def test_scores_are_what_their_definitions_say(case) -> None:
    """Sums over groups give what the whole protected table gives, in exact fractions."""
    values, k, groups = case
    scores = Evaluator(values, k, threads=1).evaluate([make_grouping(groups)])[0]
    original = plain.exact(values)
    labels = [mdav(values[:, group], k).tolist() for group in groups]
    protected = plain.protect(original, groups, labels)
    assert scores.il == pytest.approx(float(plain.il(original, protected)), abs=1e-9)
    assert scores.id == pytest.approx(float(plain.interval(original, protected)), abs=1e-9)
    assert scores.dld == pytest.approx(float(plain.dld(original, protected)), abs=1e-9)


@given(cases(), st.sampled_from([1.0, 0.1, 1e-7]))
def test_distances_added_over_groups_are_distances(case, scale) -> None:
    """The kernel of groups and the tree agree, with and without rounding."""
    values, k, groups = case
    evaluator = Evaluator(values * scale, k, threads=1)
    grouping = canonical(make_grouping(groups))
    scores = evaluator.evaluate([grouping])[0]
    protected = evaluator.protect(grouping)
    direct = measure_protection(values * scale, protected)
    assert scores.dld == pytest.approx(direct.dld)
    assert scores.id == pytest.approx(direct.id)
    assert scores.il == pytest.approx(direct.il, abs=1e-9)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluation_module, "MANY_PAIRS", 0)
        assert evaluator.measure(grouping).dld == pytest.approx(scores.dld)


@given(st.lists(st.integers(0, 2**32 - 1), min_size=2, max_size=5), st.integers(0, 60_000))
@examples(20)
def test_memory_gives_the_same_as_from_scratch(seeds, memory) -> None:
    """However much is remembered, in whatever order groupings come."""
    values = made_up()
    random = np.random.default_rng(seeds)
    groupings = [make_grouping(_random_groups(6, random)) for _ in range(8)]
    remembering = Evaluator(values, 4, memory=memory)
    for grouping in groupings:
        remembering.evaluate([grouping])
    together = remembering.evaluate(groupings)
    assert together == [Evaluator(values, 4, threads=1).evaluate([grouping])[0] for grouping in groupings]
    assert remembering.evaluated == len({canonical(grouping) for grouping in groupings})


def _random_groups(columns, random):
    objects = random.integers(0, 3, columns)
    return [np.flatnonzero(objects == name).tolist() for name in np.unique(objects)]


def test_a_group_is_microaggregated_once() -> None:
    evaluator = Evaluator(made_up(), 5)
    evaluator.evaluate([(0b000111, 0b111000), (0b111000, 0b000111), (0b000111, 0b011000, 0b100000)])
    assert evaluator.microaggregated == 4
    assert evaluator.evaluated == 2
    assert set(evaluator.scores) == {(0b000111, 0b111000), (0b000111, 0b011000, 0b100000)}


@interpreted
def test_the_same_seed_gives_the_same_run() -> None:
    """For any number of threads."""
    runs = [
        group_columns(made_up(), "abcdef", 5, 3, settings=GroupingSettings(SMALL, threads=threads))
        for threads in (1, 3)
    ]
    assert runs[0].groups == runs[1].groups
    assert runs[0].history == runs[1].history
    assert runs[0].operators == runs[1].operators
    assert runs[0].front.equals(runs[1].front)
    other = group_columns(made_up(), "abcdef", 5, 4, settings=GroupingSettings(SMALL))
    assert other.history != runs[0].history


@interpreted
def test_the_best_is_the_best_of_everything_measured() -> None:
    """And of all groupings there are, where these are few: 203 for six attributes."""
    values = made_up()
    evaluator = Evaluator(values, 5)
    found = search_groupings(evaluator, seed=1, parameters=GommParameters(polish=0))
    assert found.scores.score == min(scores.score for scores in evaluator.scores.values())
    assert count_groupings(6) == 203
    everything = Evaluator(values, 5)
    everything.evaluate(list(_all_groupings(6)))
    assert everything.evaluated == 203
    assert found.scores.score == min(scores.score for scores in everything.scores.values())
    best = [record.best for record in found.generations]
    assert best == sorted(best, reverse=True)
    assert len(best) == 101
    assert found.generations[-1].made == 200 + 100 * 100


def _all_groupings(attributes):
    if attributes == 0:
        yield ()
        return
    bit = 1 << (attributes - 1)
    for smaller in _all_groupings(attributes - 1):
        yield (*smaller, bit)
        for place, group in enumerate(smaller):
            yield (*smaller[:place], group | bit, *smaller[place + 1 :])


@interpreted
def test_a_descent_ends_where_no_neighbour_is_better() -> None:
    """It never makes a run worse, and keeps to its limit."""
    values = made_up(60, 9, seed=5)
    for most in (30, 5000):
        parts = [replace(SMALL, generations=3, polish=polish) for polish in (0, most)]
        evaluators = [Evaluator(values, 6) for _ in parts]
        before, after = (
            search_groupings(evaluator, seed=1, parameters=part)
            for evaluator, part in zip(evaluators, parts, strict=True)
        )
        assert after.scores.score <= before.scores.score
        assert after.genetic == evaluators[0].evaluated
        assert evaluators[1].evaluated < after.genetic + most + CHUNK
        assert after.members[-1].grouping == before.members[-1].grouping
    around = Evaluator(values, 6).evaluate(list(neighbours(after.best)))
    assert after.scores.score < before.scores.score
    assert after.scores.score <= min(scores.score for scores in around)


@interpreted
def test_chromosomes_of_a_run() -> None:
    """All valid; the first population without the group of everything; the numbers of each operator."""
    found = search_groupings(Evaluator(made_up(), 5), seed=2, parameters=SMALL)
    assert all(is_valid(member.grouping, 6) for member in found.members)
    first = [member for member in found.members if member.operator == FIRST]
    assert len(first) == 20
    assert all(len(member.grouping) > 1 for member in first)
    records = analyse_operators(found)
    assert [record.operator for record in records[:6]] == list(OPERATORS)
    assert {record.made for record in records if record.operator == "crossover"} == {6}
    assert {record.made for record in records if record.operator != "crossover"} == {2}
    assert len(records) == 12 * 6


@interpreted
def test_operator_records_by_recounting() -> None:
    """Utilization, life time, efficacy and efficiency from the members' lives."""
    found = search_groupings(Evaluator(made_up(), 5), seed=7, parameters=SMALL)
    for record in analyse_operators(found):
        children = [m for m in found.members if (m.born, m.operator) == (record.generation, record.operator)]
        ratios = [m.scores.score / m.expected for m in children]
        assert record.improved == sum(ratio < 1 - 1e-12 for ratio in ratios)
        assert record.worsened == sum(ratio > 1 + 1e-12 for ratio in ratios)
        assert record.improved + record.worsened <= record.made
        assert record.best >= record.improvement >= 0 >= record.worsening >= record.worst - 1e-12 or (
            record.best < 0 or record.worst > 0
        )
        unused = [m for m in children if m.gone is not None and not m.used]
        assert record.discarded == pytest.approx(100 * len(unused) / len(children))
        if all(m.gone == m.born for m in children):
            assert record.life_time == 0
    assert all(m.gone is None or m.gone >= max(1, m.born) for m in found.members)
    assert sum(m.gone is None for m in found.members) == 20


@interpreted
def test_dynamic_switches_off_what_brings_nothing() -> None:
    """A table of two columns has nothing to find, so that group mutations go as soon as they may."""
    parameters = GommParameters(10, 40, 2, 2, dynamic=True, patience=10, settling=20)
    found = search_groupings(Evaluator(made_up(columns=2), 5), seed=1, parameters=parameters)
    assert found.switched_off == {"create": 29, "eliminate": 29, "split": 29}
    late = {member.operator for member in found.members if member.born > 29}
    assert late == {"crossover", "swap", "move"}
    assert {member.operator for member in found.members if member.born == 29} == set(OPERATORS)
    plain_run = search_groupings(
        Evaluator(made_up(columns=2), 5), seed=1, parameters=GommParameters(10, 40, 2, 2)
    )
    assert plain_run.switched_off == {}
    assert len(found.members) < len(plain_run.members)


def test_progress_and_stopping() -> None:
    """Fractions rise to 1; whoever says stop gets the best so far."""
    seen = []
    tiny = GommParameters(4, 3, 1, 1)

    def keep(progress) -> None:
        seen.append(progress.fraction)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Monitor, "seconds", property(lambda self: 10.0 + len(seen)))
        done = group_columns(made_up(), "abcdef", 5, settings=GroupingSettings(tiny, callback=keep))
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    assert 0 < seen[0] < 1
    assert done.stopped is None
    stopped = group_columns(
        made_up(),
        "abcdef",
        5,
        settings=GroupingSettings(tiny, callback=lambda progress: True, time_limit_s=0),
    )
    assert stopped.stopped in ("stopped", "time limit")
    assert len(stopped.history) == 1
    assert sorted(name for group in stopped.groups for name in group) == list("abcdef")


@interpreted
def test_result_names_what_it_found() -> None:
    values = made_up()
    found = group_columns(values * 5 + 2, "abcdef", 5, settings=GroupingSettings(SMALL))
    grouping = make_grouping([["abcdef".index(name) for name in group] for group in found.groups])
    protected = Evaluator(values, 5).protect(grouping)
    scores = measure_protection(values, protected)
    assert (found.il, found.id, found.dld) == pytest.approx((scores.il, scores.id, scores.dld))
    assert found.dr == pytest.approx(scores.dr)
    assert found.score == pytest.approx(scores.score) == found.history[-1].best
    assert found.evaluations == found.history[-1].evaluated
    assert found.made == 20 + 12 * (6 + 10)
    assert found.microaggregations >= len(found.groups)


@interpreted
def test_front_holds_what_nothing_dominates() -> None:
    """Measured again they are the same; the front can be picked from."""
    values = made_up(80, 8, seed=3)
    names = "abcdefgh"
    score, wide = (
        group_columns(values, names, 8, settings=GroupingSettings(SMALL, objectives=objectives)).front
        for objectives in (False, True)
    )
    costs = wide.costs
    for row in costs:
        assert not ((costs <= row).all(axis=1) & (costs < row).any(axis=1)).any()
    volumes = [hypervolume(front) for front in scaled_fronts([score.costs, wide.costs])]
    assert volumes[1] >= 0.9 * volumes[0] > 0
    assert set(wide[0].recoding) == set(names)
    assert 0 <= find_knee(wide) < len(wide)
    assert not wide.complete
    best = min(wide, key=lambda solution: solution.value("score"))
    evaluator = Evaluator(standard_scores(values), 8)
    places = np.array([best.recoding[name] for name in names])
    grouping = make_grouping([np.flatnonzero(places == place).tolist() for place in np.unique(places)])
    assert evaluator.evaluate([grouping])[0].score == pytest.approx(best.value("score"))


def test_a_small_front_is_complete() -> None:
    found = group_columns(made_up(columns=2), "ab", 5, settings=GroupingSettings(GommParameters(4, 10, 2, 2)))
    assert found.evaluations == 2
    assert found.front.complete


def test_selection() -> None:
    """The earlier of equal scores stays; layers of dominance, then those with most room."""
    scores = [
        Scores(il, risk, risk) for il, risk in ((1.0, 9.0), (5.0, 5.0), (9.0, 1.0), (5.0, 6.0), (5.0, 5.0))
    ]
    assert keep_best(scores, 3) == [0, 1, 2]
    assert keep_front(scores, 3) == [0, 1, 2]
    assert keep_front(scores, 4) == [0, 1, 2, 4]
    assert keep_front(scores, 2) == [0, 2]
    assert keep_front(scores, 9) == [0, 1, 2, 4, 3]
    assert crowding(np.array([[0.0, 3.0], [1.0, 1.0], [3.0, 0.0]])).tolist() == [np.inf, 2.0, np.inf]


def test_without_clones_members_differ() -> None:
    parameters = GommParameters(15, 6, 3, 2, clones=False)
    found = search_groupings(Evaluator(made_up(), 5), seed=1, parameters=parameters)
    living = [canonical(member.grouping) for member in found.members if member.gone is None]
    assert len(living) == len(set(living))


def test_constant_columns_lose_nothing() -> None:
    values = np.column_stack([made_up(40, 3), np.full(40, 0.1)])
    assert (standard_scores(values)[:, 3] == 0).all()
    found = group_columns(values, "abcd", 5, settings=GroupingSettings(GommParameters(4, 2, 1, 1)))
    assert np.isfinite(found.score)


def test_tied_records_share_their_links() -> None:
    """In one group of k records each, everybody is one of at least k."""
    evaluator = Evaluator(made_up(), 10)
    dld = evaluator.evaluate([(0b111111,)])[0].dld
    assert dld <= 10.0
    protected = evaluator.protect((0b111111,))
    assert link_records(evaluator.values, protected).dld == pytest.approx(dld)


@pytest.mark.parametrize("bad", [{"population": 1}, {"generations": -1}, {"mutations": -1}, {"patience": 0}])
def test_parameters_out_of_range(bad) -> None:
    with pytest.raises(ParameterError, match=next(iter(bad))):
        GommParameters(**bad)


def test_values_out_of_range() -> None:
    with pytest.raises(ParameterError, match="k must be"):
        Evaluator(made_up(), 61)
    with pytest.raises(ParameterError, match="finite"):
        Evaluator(np.array([[np.nan]]), 1)
    with pytest.raises(ParameterError, match="names"):
        group_columns(made_up(), "abc")
    with pytest.raises(ParameterError, match="names"):
        group_columns(made_up(), "aabcde")


def test_object_part_names_the_groups() -> None:
    assert object_part(make_grouping([[1], [0, 2]])) == [1, 0, 1]
    assert attributes_of(0) == []


@pytest.mark.data
@interpreted
def test_scores_of_the_census_as_measured_before(data_folder) -> None:
    """CASC Census, a1 to a12 without INTVAL, k = 5: one group, groups of four and three, univariate."""
    import csv

    with (data_folder / "casc_census.csv").open(encoding="utf-8") as file:
        rows = list(csv.reader(file))
    keep = [place for place, name in enumerate(rows[0]) if name != "INTVAL"]
    values = standard_scores(np.array([[row[place] for place in keep] for row in rows[1:]], dtype=float))
    texts = ["1 2 3 4 5 6 7 8 9 10 11 12", "2 4 6 7,5 10 11 12,1 3 8 9", "1 2 4 5,3 6 10 11,7 8 9 12"]
    texts += ["2 4 7,3 11 12,5 6 10,1 8 9", "2 3 5,8 10 11,7 9 12,1 4 6", "1,2,3,4,5,6,7,8,9,10,11,12"]
    groupings = [
        make_grouping([[int(number) - 1 for number in group.split()] for group in text.split(",")])
        for text in texts
    ]
    found = [scores.score for scores in Evaluator(values, 5).evaluate(groupings)]
    assert found == pytest.approx([15.3, 39.4, 36.0, 40.8, 39.7, 49.4], abs=0.05)
