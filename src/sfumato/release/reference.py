"""Make the ``reference`` of a manifest: what a recount needs and the file does not show.

``attributes`` states, for every quasi-identifier, what a cell costs by its label;
``distributions`` states, for every sensitive attribute that t judges, its values and their shares.
A label or value is text, a number, true, false, or None for missing. Text is
compared as text, numbers as numbers whatever their spelling in the file.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sfumato.confidentiality import Membership, Sentence, SentenceColumn, plain_form, read_statements
from sfumato.confidentiality.grammar import atoms_of
from sfumato.errors import ParameterError
from sfumato.hierarchies import Hierarchy, text_of
from sfumato.table.marking import PER_COLUMN
from sfumato.verifier import Secret

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato.spec import Spec
    from sfumato.table import Table

Scalar: TypeAlias = str | int | float | None


def kept_attribute(*, height: int, weight: float = 1.0) -> dict[str, object]:
    """State the costs of a column that is published as it came: nothing, whatever its values."""
    return {
        "weight": weight,
        "loss": {"default": [0, 1], "cells": []},
        "height": {"default": [0, max(height, 1)], "cells": []},
    }


def recoded_attribute(
    labels: Sequence[Scalar],
    sizes: Sequence[int],
    *,
    level: int = 0,
    height: int,
    weight: float = 1.0,
    domain: int | None = None,
    heights: Sequence[int] | None = None,
    extents: tuple[Sequence[int], int] | None = None,
) -> dict[str, object]:
    """State the costs of a column that is published as labels of blocks."""
    # A cell costs (values in its block − 1) / (values in the domain − 1), and its height is the level of its
    # block over the height of the hierarchy. In a domain of one value every cell costs 0.
    if len(labels) != len(sizes) or len(set(labels)) != len(labels):
        raise ParameterError(
            f"every block has a label of its own; got {len(sizes)} blocks and {len(set(labels))} labels."
        )
    domain = sum(sizes) if domain is None else domain
    cells = [[label, size - 1, max(domain - 1, 1)] for label, size in zip(labels, sizes, strict=True)]
    found = set(heights or [level])
    if domain < 2:
        tall: dict[str, object] = {"default": [0, 1], "cells": []}
    elif heights is None or len(found) == 1:
        tall = {"default": [found.pop(), max(height, 1)], "cells": []}
    else:
        tall = {"cells": [[label, tier, max(height, 1)] for label, tier in zip(labels, heights, strict=True)]}
    stated: dict[str, object] = {"weight": weight, "loss": {"cells": cells}, "height": tall}
    if extents is not None:
        reached = zip(labels, extents[0], strict=True)
        stated["extent"] = {"cells": [[label, extent, max(extents[1], 1)] for label, extent in reached]}
    return stated


def distribution(
    values: Sequence[Scalar],
    counts: Sequence[int],
    levels: Sequence[Sequence[int]] = (),
    *,
    step: float | None = None,
) -> dict[str, object]:
    """State the overall distribution of a sensitive attribute."""
    if len(values) != len(counts) or any(len(level) != len(values) for level in levels):
        raise ParameterError(
            f"every value has a count and a block; got {len(values)} values, {len(counts)} counts."
        )
    stated: dict[str, object] = {"values": list(values)}
    if step is None:
        stated["counts"] = [int(count) for count in counts]
    else:
        total = max(sum(counts), 1)
        shares = [count / total for count in counts]
        stated["shares"] = [round(round(share / step) * step, 12) for share in shares] if step else shares
        stated["step"] = step
    if levels:
        stated["levels"] = [[int(block) for block in level] for level in levels]
    return stated


def shown_values(domain: Hierarchy) -> list[Scalar]:
    """Return the values of a domain as JSON holds them; dates not published in ISO form as their texts."""
    return [
        (label if label != text_of(value) else str(value)) if isinstance(value, dt.date) else value
        for value, label in zip(domain.values, domain.labels[0], strict=True)
    ]


def make_reference(
    attributes: Mapping[str, Mapping[str, object]],
    distributions: Mapping[str, Mapping[str, object]],
    sentences: Sequence[Mapping[str, object]] = (),
) -> dict[str, object]:
    """Put the statements about all attributes and sentences together."""
    stated: dict[str, object] = {
        "attributes": {name: dict(stated) for name, stated in attributes.items()},
        "distributions": {name: dict(stated) for name, stated in distributions.items()},
    }
    if sentences:
        stated["sentences"] = [dict(item) for item in sentences]
    return stated


def recipe_sentences(table: Table) -> tuple[tuple[str, float], ...]:
    """Return the sentences of a table with their damages, for its recipe."""
    if table.secrets is None:
        return ()
    damages = (item.damage for item in table.secrets.statements)
    return tuple(zip(table.secrets.plain, damages, strict=True))


def stated_sentences(table: Table) -> list[dict[str, object]]:
    """Return what a manifest states of the sentences of a table."""
    secrets = table.secrets
    if secrets is None:
        return []
    # As people read it, as it is recounted, and whether everyone holds it; for whom otherwise is not stated.
    return [
        {"sentence": item.formatted, "tree": list(tree), "everyone": item.is_for_everyone}
        for item, tree in zip(secrets.statements, secrets.trees, strict=True)
    ]


def recounted_sentences(table: Table) -> tuple[Secret, ...]:
    """Return the sentences of a table with how a recount of the full rows learns who holds them."""
    secrets = table.secrets
    if secrets is None:
        return ()
    found = []
    for number, (item, tree) in enumerate(zip(secrets.statements, secrets.trees, strict=True)):
        row = None if item.record is None or secrets.bits else (secrets.row, item.record)
        bit = (secrets.bits[number // PER_COLUMN], number % PER_COLUMN) if secrets.bits else None
        found.append(Secret(tree, item.is_for_everyone, secrets.holders[number], row, bit))
    return tuple(found)


def specified_sentences(spec: Spec) -> tuple[Secret, ...]:
    """Return the sentences of a specification alone, to check a file against them."""
    # Who holds one is then known only if everyone does. Kinds are what the specification says, else what the
    # constants are.
    return tuple(
        Secret(plain_form(item.sentence, _columns(item.sentence, spec)), item.is_for_everyone)
        for item in read_statements(spec)
    )


def _columns(sentence: Sentence, spec: Spec) -> dict[str, SentenceColumn]:
    """Return columns without rows whose kinds are told by the specification or by constants."""
    constants: dict[str, list[object]] = {}
    for atom in atoms_of(sentence):
        values = atom.values if isinstance(atom, Membership) else (atom.value,)
        constants.setdefault(atom.name, []).extend(value for value in values if value is not None)
    found = {}
    for name, listed in constants.items():
        asked = spec.attributes[name]
        is_numeric = bool(listed) and all(isinstance(value, int | float) for value in listed)
        kind = asked.kind if asked.kind not in (None, "category") else "number" if is_numeric else "category"
        order = tuple(str(value) for value in asked.order or ())
        found[name] = SentenceColumn(str(kind), order, np.zeros(0, dtype=np.int32))
    return found
