"""Hierarchies of codes: one star more at every level, from the right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.errors import HierarchyError
from sfumato.hierarchies.assemble import assemble, level_by_labels
from sfumato.hierarchies.kinds import texts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.hierarchies.hierarchy import Hierarchy, Value

STAR = "*"


def build_mask(attribute: str, values: Sequence[Value], length: int, *, has_missing: bool) -> Hierarchy:
    """Make the hierarchy 24126 → 2412* → … → *****."""
    if length < 1:
        raise HierarchyError(f"mask must be a positive number of characters; got {length}.", where=attribute)
    texts = sorted(texts_of(values))
    short = [text for text in texts if len(text) < length]
    if short:
        raise HierarchyError(
            f"{len(short)} of {len(texts)} distinct values have fewer than {length} characters. "
            "Use a shorter mask, or a file or tree.",
            where=attribute,
            values=short,
        )
    between = [
        level_by_labels([text[: length - stars] + STAR * stars for text in texts])
        for stars in range(1, length)
    ]
    definition = {"mask": length}
    return assemble(
        attribute,
        "category",
        texts,
        between,
        has_missing=has_missing,
        definition=definition,
        root=STAR * length,
    )
