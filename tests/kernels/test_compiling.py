"""What is compiled, and how often: the first minute of a user."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numba
import numpy as np
import pytest

from sfumato.kernels._group_types import Group
from sfumato.kernels._groups import by_address
from sfumato.kernels._options import inner, kernel

if TYPE_CHECKING:
    from sfumato._typing import LongArray

SOURCE = Path(__file__).resolve().parents[2] / "src"
# The compiler names each function that it compiles; what is loaded from the cache is not named.
RECORD = """
import atexit, json, sys
from numba.core import event

compiled = []

class Listener(event.Listener):
    def on_start(self, found):
        function = found.data["dispatcher"].py_func
        compiled.append(f"{function.__module__}.{function.__qualname__}")

    def on_end(self, found):
        pass

event.register("numba:compile", Listener())
target = sys.argv[1]
atexit.register(lambda: open(target, "w").write(json.dumps(compiled)))
"""
DEMO = """
from sfumato.cli.main import main

sys.argv = ["sfumato", "demo", "--quiet", "--threads", "1", "--out", sys.argv[1] + ".demo"]
main()
"""
# Kernels that Python calls are named, with how many forms of arguments they have been called.
CALLED = """
import atexit, json, sys
from sfumato.kernels._options import _known

def tell():
    names = []
    for kernel in _known:
        if kernel.from_python and "ready" in vars(kernel):
            names += [f"{kernel.__module__}.{kernel.__name__}"] * len(kernel.signatures)
    open(target, "w").write(json.dumps(names))

target = sys.argv[1]
atexit.register(tell)
"""
OTHERS = "import sfumato\nsfumato.warm_up()\n"
KERNELS_OF_THE_DEMO = {
    "class_moves": "_anneal _any_of _best_class _best_cut _can_spare _dissolve _exchanged _found _is_cut_so "
    "_list_class _merge_failing _more_units _move _neighbour _order_members _partner _place _refill _scatter "
    "_set_up _shed _show _split _without regroup sort_by",
    "closed_labels": "_check _collect_near _descend _enter _fill _gain _held_gain _is_owed _leave_out "
    "_meets_all _most _walk_labels certify excess_of lower make_boxes note",
    "diversity": "fill_diversity summed_inverse",
    "dominance": "keep_non_dominated",
    "frequencies": "_count_lost frequency_penalties total_penalty",
    "histograms": "_add_level _bound_equal _bound_mixed _count_keys _fill_entropy _fill_hierarchical "
    "_fill_ordered _fill_ordered_apart _fill_recursive _gap _rest _settle _sort count_doomed "
    "measure_histograms sort_pairs",
    "label_costs": "_has _set_price _span_price add_pair_prices add_prices begin_label copy_label "
    "label_price nearest_price pair_price unite_labels widen_label widened_price",
    "lattice_classes": "_advance _cell_sums _class_sizes _collect _count_failing _fewest_bits "
    "_fill_properties _lead _measure_pairs _suppress _suppress_below_mean "
    "_suppress_failing _suppress_smallest _worst_value evaluate_nodes meets_requirements reduce_classes",
    "recoded_classes": "_block_costs _block_extents _block_heights price_blocks",
    "regrouping": "_has_enough _keep_free _take_back _touch draw finish is_met label_class link price_class "
    "priced rise shift union_rise",
    "rolling": "_follow _recode _roll_up_pairs begin_near group_anew is_pass_less remember roll_up "
    "roll_up_pairs shared_levels",
    "rounding": "round_off",
    "truth_bits": "_count_exposed _judge _sum_risks _told least_security measure_sentences",
    "tuple_neighbours": "_consider find_neighbours insert_neighbour refine_neighbours",
    "uniting": "_add_bits _first_bits _is_same _lowest _sort_classes _unite_narrow _unite_next _unite_runs "
    "_unite_wide add_up popcount table_bits unite_hashed unite_ordered",
}


def _counted(script: str, folder: Path, **more: str) -> Counter[str]:
    """Run a script in a process of its own; return the names that it tells at its end."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), **more}
    target = folder / "told.json"
    arguments = [sys.executable, "-c", script, str(target)]
    subprocess.run(arguments, env=environment, check=True, capture_output=True, timeout=600)
    return Counter(json.loads(target.read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def cold(tmp_path_factory: pytest.TempPathFactory) -> tuple[Counter[str], Counter[str]]:
    """What a first demonstration compiles, and then what all other kernels do."""
    cache = {"NUMBA_CACHE_DIR": str(tmp_path_factory.mktemp("cache"))}
    demo = _counted(RECORD + DEMO, tmp_path_factory.mktemp("demo"), **cache)
    return demo, _counted(RECORD + OTHERS, tmp_path_factory.mktemp("others"), **cache)


@pytest.mark.slow
def test_a_demonstration_calls_no_other_kernel_and_each_in_one_form(tmp_path: Path) -> None:
    """Without compiling what is compiled already; parts of kernels are seen where all is compiled anew."""
    called = _counted(CALLED + DEMO, tmp_path)
    assert {name: forms for name, forms in called.items() if forms > 1} == {}
    listed = {
        f"sfumato.kernels.{module}.{name}"
        for module, names in KERNELS_OF_THE_DEMO.items()
        for name in names.split()
    }
    assert called.keys() <= listed
    assert len(called) >= 5


@pytest.mark.slow
def test_a_demonstration_compiles_each_kernel_once(cold: tuple[Counter[str], Counter[str]]) -> None:
    """One more, or one more signature of one of them, is time of everybody's first minute."""
    expected = Counter(
        f"sfumato.kernels.{module}.{name}"
        for module, names in KERNELS_OF_THE_DEMO.items()
        for name in names.split()
    )
    assert Counter({name: n for name, n in cold[0].items() if name.startswith("sfumato.")}) == expected


@pytest.mark.slow
def test_no_kernel_makes_text(cold: tuple[Counter[str], Counter[str]]) -> None:
    """Assigning row to row brings in the text of an error message: two seconds."""
    assert not [name for found in cold for name in found if ".unicode." in name]


@pytest.mark.slow
def test_what_kernels_share_is_compiled_once(cold: tuple[Counter[str], Counter[str]]) -> None:
    """Parts are kept by themselves: another kernel with the same parts, and another process, use them."""
    demo, others = cold
    assert "sfumato.kernels.recoded_classes.evaluate_recodings" in others
    assert "sfumato.kernels.lattice_classes.reduce_classes" in demo
    assert not demo.keys() & {name for name in others if name.startswith("sfumato.")}


@by_address
class Inside(NamedTuple):
    """A group within a group."""

    amounts: LongArray
    factor: int


@by_address
class Outside(NamedTuple):
    """A group that holds another one."""

    totals: LongArray
    inside: Inside


@inner
def _add(group: Outside, i: int) -> None:
    group.totals[i] += group.inside.amounts[i] * group.inside.factor


@inner
def _add_inside(inside: Inside, totals: LongArray) -> None:
    for i in range(len(totals)):
        totals[i] += inside.amounts[i]


@kernel
def add_all(group: Outside, pair: tuple[Inside, int]) -> LongArray:
    """Hand groups on in every way: whole, in part, in a tuple; return a view of one of its arrays."""
    for i in range(len(group.totals)):
        _add(group, i)
    _add_inside(group.inside, group.totals)
    for _ in range(pair[1]):
        _add_inside(pair[0], group.totals)
    return group.totals[1:]


def _groups() -> tuple[Outside, tuple[Inside, int]]:
    amounts = np.arange(5, dtype=np.int64)
    return Outside(np.ones(5, dtype=np.int64), Inside(amounts, 10)), (Inside(amounts + 100, 0), 2)


def test_groups_are_handed_on_by_address() -> None:
    """With the same result, and without a reference more or less to the arrays."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        pytest.skip("nothing is compiled")
    group, pair = _groups()
    add_all(group, pair)
    group, pair = _groups()
    gc.collect()
    arrays = [group.totals, group.inside.amounts, pair[0].amounts]
    before = [sys.getrefcount(array) for array in arrays]
    found = add_all(group, pair)
    assert found.tolist() == (1 + np.arange(5) * 11 + 2 * (np.arange(5) + 100))[1:].tolist()
    after = [sys.getrefcount(array) for array in arrays]
    assert after == [before[0] + 1, *before[1:]], "a group gives back what it holds; the view holds its array"
    signature = add_all.signatures[0]  # type: ignore[attr-defined]
    assert isinstance(signature[0], Group)
    del group, pair, arrays
    assert found.sum() == (1 + np.arange(5) * 11 + 2 * (np.arange(5) + 100))[1:].sum(), "it holds its data"


def test_groups_of_other_arrays_have_other_names() -> None:
    """Names of types become names of functions: two of the same name would be one function."""
    one = numba.typeof(Inside(np.zeros(1, dtype=np.int64), 1))
    read_only = np.zeros(1, dtype=np.int64)
    read_only.flags.writeable = False
    others = [
        numba.typeof(Inside(np.zeros(1, dtype=np.int32), 1)),  # type: ignore[arg-type]
        numba.typeof(Inside(np.zeros((1, 1), dtype=np.int64), 1)),
        numba.typeof(Inside(np.zeros(4, dtype=np.int64)[::2], 1)),
        numba.typeof(Inside(read_only, 1)),
        numba.typeof(Inside(np.zeros(1, dtype=np.int64), 1.0)),  # type: ignore[arg-type]
    ]
    assert len({str(one), *map(str, others)}) == 1 + len(others)
    assert str(numba.typeof(Inside(np.ones(7, dtype=np.int64), 3))) == str(one)
