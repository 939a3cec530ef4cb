"""Trees of recodings: every combination once."""

from __future__ import annotations

from collections import deque
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.schemes import Ordered, Sets
from sfumato.schemes.scheme_names import Node, children, root, space, walk
from tests.schemes.trees import NAMES, nested_trees, scheme_of

if TYPE_CHECKING:
    from sfumato.schemes import Scheme

mixes = st.lists(
    st.builds(scheme_of, st.sampled_from(NAMES), nested_trees(4)),
    min_size=0,
    max_size=3,
)


@settings(max_examples=50)
@given(mixes)
def test_every_combination_comes_once(schemes: list[Scheme]) -> None:
    found = [node.partitions for node in walk(schemes)]
    assert len(set(found)) == len(found)
    assert set(found) == set(product(*(scheme.partitions() for scheme in schemes)))
    assert space(schemes) >= len(found)


@settings(max_examples=25)
@given(mixes, st.integers(0, 2**32))
def test_applicators_may_be_rearranged_in_any_node(schemes: list[Scheme], seed: int) -> None:
    rng = np.random.default_rng(seed)
    queue, found = deque([root(schemes)]), []
    while queue:
        node = queue.popleft()
        found.append(node.partitions)
        order = tuple(node.applicators[place] for place in rng.permutation(len(node.applicators)))
        queue.extend(children(Node(node.partitions, order), schemes))
    assert sorted(map(repr, found)) == sorted(map(repr, product(*(s.partitions() for s in schemes))))


@settings(max_examples=20)
@given(mixes)
def test_children_are_coarser_in_one_attribute(schemes: list[Scheme]) -> None:
    for node in walk(schemes):
        for child in children(node, schemes):
            pairs = list(zip(node.partitions, child.partitions, strict=True))
            assert sum(before != after for before, after in pairs) == 1
            assert all(before.refines(after) for before, after in pairs)


def test_attributes_of_one_value_are_no_applicators() -> None:
    schemes = (Sets(1), Ordered(2))
    assert root(schemes).applicators == (1,)
    assert len(list(walk(schemes))) == space(schemes) == 2


def test_no_attribute_has_one_recoding() -> None:
    assert list(walk(())) == [Node((), ())]
    assert space(()) == 1
