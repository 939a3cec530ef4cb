"""Schemes by name, and all recodings of several attributes, one scheme for each: a tree of nodes.

A node has one partition for each attribute and a list of applicators, the attributes that its descendants may
still change. Each applicator in turn makes children: one for each child of its attribute's partition. Such a
child loses all applicators before that one, since changes to their attributes are made first, on other
branches; it also loses that one, once its partition has no children. So every recoding comes exactly once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from sfumato.domains import Ladder, Partition, Tree
from sfumato.errors import ParameterError, nearest
from sfumato.schemes.admissible import Admissible
from sfumato.schemes.levels import Cuts, LevelScheme
from sfumato.schemes.ordered import GuidedOrdered, Ordered
from sfumato.schemes.sets import GuidedSets, Sets

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sfumato.schemes.base import Scheme

T = TypeVar("T")

SCHEME_NAMES: tuple[str, ...] = tuple(
    scheme.name for scheme in (LevelScheme, Cuts, Ordered, GuidedOrdered, Sets, GuidedSets, Admissible)
)


def make_scheme(
    name: str,
    *,
    size: int | None = None,
    tree: Tree | None = None,
    ladder: Ladder | None = None,
    partitions: Sequence[Partition] | None = None,
    missing: bool = False,
) -> Scheme:
    """Return the scheme of a name over one domain."""
    if name in ("ordered", "sets"):
        sizes = (size, None if tree is None else tree.size, None if ladder is None else ladder.size)
        known = next((number for number in sizes if number is not None), None)
        known = _given(name, "a size, a tree or a ladder", known)
        return (Ordered if name == "ordered" else Sets)(known, missing=missing)
    if name == "levels":
        whole = Ladder.whole(_given(name, "a ladder or a tree", tree).levels()) if ladder is None else ladder
        return LevelScheme(whole)
    if name == "admissible":
        return Admissible(_given(name, "partitions", partitions))
    if name in SCHEME_NAMES:
        return _over_tree(name, _given(name, "a tree", tree), missing)
    raise ParameterError(f"there is no scheme {name!r}. {nearest(name, SCHEME_NAMES)}")


def _over_tree(name: str, tree: Tree, missing: bool) -> Scheme:
    if name == "cuts":
        return Cuts(tree)
    return (GuidedOrdered if name == "guided-ordered" else GuidedSets)(tree, missing=missing)


def _given(name: str, what: str, thing: T | None) -> T:
    if thing is None:
        raise ParameterError(f"scheme {name!r} needs {what}.")
    return thing


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
    """Yield the children of a node, applicator after applicator."""
    # T. Li, N. Li: Towards optimal k-anonymization, section 3.2 and figure 8,
    # doi:10.1016/j.datak.2007.06.015. The procedure printed there keeps the applicators before the applied
    # one, and so makes recodings several times; the figure does not.
    for place, applicator in enumerate(node.applicators):
        scheme, later = schemes[applicator], node.applicators[place + 1 :]
        for partition in scheme.children(node.partitions[applicator]):
            partitions = (*node.partitions[:applicator], partition, *node.partitions[applicator + 1 :])
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
    """Return the product of the schemes' counts; 1 where there is no scheme."""
    # Where `levels` or `cuts` make equal partitions this is more than `walk` yields.
    return math.prod(scheme.count() for scheme in schemes)


def _has_children(scheme: Scheme, partition: Partition) -> bool:
    return next(scheme.children(partition), None) is not None
