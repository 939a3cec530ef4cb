"""Confidential sentences as a release carries them: what must stay unknown, never for whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.confidentiality import Column, Membership, plain_form, read_statements
from sfumato.confidentiality.sentence import atoms_of
from sfumato.release.reference import stated_sentence
from sfumato.release.verify import Secret
from sfumato.table.secrets import PER_COLUMN

if TYPE_CHECKING:
    from sfumato.confidentiality import Sentence
    from sfumato.spec import Spec
    from sfumato.table import Table


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
    return [
        stated_sentence(item.formatted, tree, everyone=item.is_for_everyone)
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
    """Return the sentences of a specification alone, to hold a file against them.

    Who holds one is then known only if everyone does. Kinds are what the specification says, else what the
    constants are.
    """
    return tuple(
        Secret(plain_form(item.sentence, _columns(item.sentence, spec)), item.is_for_everyone)
        for item in read_statements(spec)
    )


def _columns(sentence: Sentence, spec: Spec) -> dict[str, Column]:
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
        found[name] = Column(str(kind), order, np.zeros(0, dtype=np.int32))
    return found
