"""All recodings of several attributes, one scheme for each: a tree of nodes.

A node has one partition for each attribute and a list of applicators, the attributes
that its descendants may still change. Each applicator in turn makes children: one for
each child of its attribute's partition. Such a child loses all applicators before that
one, since changes to their attributes are made first, on other branches; it also loses
that one, once its partition has no children. So every recoding comes exactly once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sfumato.domains import Partition
    from sfumato.schemes.base import Scheme


@dataclass(frozen=True, slots=True)
class Node:
    """One recoding, and where its descendants may differ from it."""

    partitions: tuple[Partition, ...]  # the partition of each attribute
    # numbers of the attributes that descendants may change. In any node their order may be changed before its
    # children are made: all descendants are then still found, each once.
    applicators: tuple[int, ...]


def root(schemes: Sequence[Scheme]) -> Node:
    """Return the node of the finest recoding, with each attribute that can be changed as applicator."""
    finest = tuple(scheme.finest for scheme in schemes)
    open_ones = (a for a, scheme in enumerate(schemes) if _has_children(scheme, finest[a]))
    return Node(finest, tuple(open_ones))


def children(node: Node, schemes: Sequence[Scheme]) -> Iterator[Node]:
    """Yield the children of a node, applicator after applicator.

    T. Li, N. Li: Towards optimal k-anonymization, section 3.2 and figure 8,
    doi:10.1016/j.datak.2007.06.015. The procedure printed there keeps the applicators
    before the applied one, and so makes recodings several times; the figure does not.
    """
    for place, applicator in enumerate(node.applicators):
        scheme, later = schemes[applicator], node.applicators[place + 1 :]
        for partition in scheme.children(node.partitions[applicator]):
            partitions = (
                *node.partitions[:applicator],
                partition,
                *node.partitions[applicator + 1 :],
            )
            again = (applicator,) if _has_children(scheme, partition) else ()
            yield Node(partitions, again + later)


def walk(schemes: Sequence[Scheme]) -> Iterator[Node]:
    """Yield the node of every recoding, branch after branch; only the way to the present one is kept."""
    branches: list[Iterator[Node]] = [iter((root(schemes),))]
    while branches:
        node = next(branches[-1], None)
        if node is None:
            branches.pop()
        else:
            yield node
            branches.append(children(node, schemes))


def space(schemes: Sequence[Scheme]) -> int:
    """Return the product of the schemes' counts; 1 where there is no scheme.

    Where ``levels`` or ``cuts`` make equal partitions this is more than :func:`walk` yields.
    """
    return math.prod(scheme.count() for scheme in schemes)


def _has_children(scheme: Scheme, partition: Partition) -> bool:
    return next(scheme.children(partition), None) is not None
