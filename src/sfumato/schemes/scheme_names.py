"""Schemes by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from sfumato.domains import Ladder, Partition, Tree
from sfumato.errors import ParameterError, nearest
from sfumato.schemes.admissible import Admissible, LevelScheme
from sfumato.schemes.ordered import Cuts, GuidedOrdered, Ordered
from sfumato.schemes.sets import GuidedSets, Sets

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    if name not in SCHEME_NAMES:
        raise ParameterError(f"there is no scheme {name!r}. {nearest(name, SCHEME_NAMES)}")
    given = _given(name, "a tree", tree)
    if name == "cuts":
        return Cuts(given)
    return (GuidedOrdered if name == "guided-ordered" else GuidedSets)(given, missing=missing)


def _given(name: str, what: str, thing: T | None) -> T:
    if thing is None:
        raise ParameterError(f"scheme {name!r} needs {what}.")
    return thing
