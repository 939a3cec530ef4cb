"""What the tests of hierarchies share: specifications, and looking at what was made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.hierarchies import build
from sfumato.spec.attribute import AttributeSpec
from tests.hierarchies.oracle import ladder_mistakes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.hierarchies import Hierarchy, Value


def attribute(hierarchy: dict[str, object] | None = None, **keys: object) -> AttributeSpec:
    """Make the specification of a quasi-identifier."""
    return AttributeSpec.model_validate({"role": "quasi-identifier", "hierarchy": hierarchy, **keys})


def make(
    values: Sequence[Value],
    hierarchy: dict[str, object] | None = None,
    *,
    has_missing: bool = False,
    **keys: object,
) -> Hierarchy:
    """Build the hierarchy of an attribute ``a`` and check that it is one."""
    spec = attribute(hierarchy, **keys)
    made = build("a", spec, values, has_missing=has_missing, kind=None, resolve=Path)
    check(made)
    return made


def check(hierarchy: Hierarchy) -> None:
    """Assert that a hierarchy is a ladder in pre-order, and that its parts fit each other."""
    assert ladder_mistakes(hierarchy.levels.tolist(), hierarchy.labels, hierarchy.has_missing) == []
    assert hierarchy.levels.shape == (hierarchy.height + 1, hierarchy.size)
    assert hierarchy.levels.dtype == "int32"
    assert hierarchy.size == len(hierarchy.values)
    assert None not in hierarchy.values[:-1]


def shown(hierarchy: Hierarchy, level: int) -> list[str | None]:
    """The label of each value at a level."""
    return [hierarchy.labels[level][block] for block in hierarchy.levels[level].tolist()]
