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
    """Make the hierarchy 24126 → 2412* → … → *****.

    Parameters
    ----------
    attribute
        Its name.
    values
        The distinct values of the data, without missing; they are taken as texts.
    length
        Number of characters n. Level i shows the first n − i characters and i stars; so
        a longer value loses its end from level 1 on. The root is n stars.
    has_missing
        Whether missing occurs in the data.

    Returns
    -------
    Hierarchy
        The texts sorted by code point, so that equal beginnings stand together.

    Raises
    ------
    HierarchyError
        If a value is shorter than the mask, or the mask is not positive.
    """
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


__all__ = ["STAR", "build_mask"]
