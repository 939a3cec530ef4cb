"""From sentences and columns to bits: one number for every combination of what is true and who holds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.confidentiality.errors import SentenceError
from sfumato.confidentiality.truth import evaluate
from sfumato.domains import Confidential

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato._typing import BoolArray, IntArray
    from sfumato.confidentiality.sentence import Sentence
    from sfumato.confidentiality.statements import Statement
    from sfumato.confidentiality.truth import Column


def compile_statements(
    statements: Sequence[Statement],
    sensitive: Mapping[str, Column],
    others: Mapping[str, Column],
    records: Mapping[int, BoolArray],
    persons: IntArray | None,
) -> tuple[IntArray, Confidential]:
    """Judge every tuple by every sentence, once."""
    truth = np.column_stack([_judge(item.sentence, sensitive, item.text, item.where) for item in statements])
    held = np.column_stack([_held(item, others, records, len(truth)) for item in statements])
    if persons is not None:
        held = _of_persons(held, persons)
    both = np.concatenate([truth, held], axis=1).astype(np.uint8)
    combinations, codes = np.unique(both, axis=0, return_inverse=True)
    count = len(statements)
    damage = np.array([item.damage for item in statements], dtype=np.float64)
    meaning = Confidential(combinations[:, :count] == 1, combinations[:, count:] == 1, damage)
    return codes.reshape(-1).astype(np.int32), meaning


def _judge(sentence: Sentence, columns: Mapping[str, Column], text: str, where: str) -> BoolArray:
    try:
        return evaluate(sentence, columns, text)
    except SentenceError as error:
        raise error.located(where) from None


def _held(
    statement: Statement, columns: Mapping[str, Column], records: Mapping[int, BoolArray], count: int
) -> BoolArray:
    if statement.record is not None:
        return records[statement.record]
    if statement.holders is None:
        return np.ones(count, dtype=bool)
    return _judge(statement.holders, columns, statement.holders_text, statement.holders_where)


def _of_persons(held: BoolArray, persons: IntArray) -> BoolArray:
    """Let who holds a sentence in one row hold it in all."""
    found = np.zeros((int(persons.max(initial=-1)) + 1, held.shape[1]), dtype=bool)
    np.logical_or.at(found, persons, held)
    return found[persons]
