"""From the confidential sentences of a cube to the arrays that the kernels read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes.properties import Property, PropertyKind
from sfumato.errors import ParameterError
from sfumato.kernels import layout
from sfumato.kernels import truth_bits as kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import BoolArray, FloatArray, KeyArray, LongArray
    from sfumato.domains import Confidential, Cube

KINDS = {
    PropertyKind.SECURE: kernel.SECURE,
    PropertyKind.EXPOSED: kernel.EXPOSED,
    PropertyKind.RISK: kernel.RISK,
}
"""The kernels' numbers of properties about sentences."""

_MOST_BITS = 62


def risk_scale(rows: int) -> float:
    """Return the integer for a risk of 1 that the risks of all rows can be summed with."""
    return float(1 << (_MOST_BITS - max(rows, 1).bit_length()))


def make_sentences(cube: Cube, properties: Sequence[Property], first: int) -> layout.Sentences:
    """Put what properties about sentences need into arrays."""
    number = np.array([item.sentence for item in properties], dtype=np.int64)
    if not asks_for_sentences(properties):
        none = np.zeros((0, 0))
        return layout.Sentences(
            number, 0, 0, none.astype(np.uint64), none.astype(np.uint8), none, np.zeros(0), 1.0
        )
    own = _of(cube)
    held = own.held if cube.persons is None else _held_by_persons(cube, own)
    return layout.Sentences(
        number,
        first,
        _words(own.count),
        _pack(held),
        own.truth.astype(np.uint8),
        np.ascontiguousarray(own.shares),
        _log_prior(cube, own),
        risk_scale(cube.row_count),
    )


def asks_for_sentences(properties: Sequence[Property]) -> bool:
    """Tell whether a property is about sentences."""
    return any(item.kind in KINDS for item in properties)


def sentence_bits(cube: Cube, group: LongArray, groups: int) -> KeyArray:
    """Return for every group which sentences are falsified and held in it, shape (words, groups)."""
    own = _of(cube)
    each = _pack(~own.truth) | (_pack(own.held) << np.uint64(kernel.PER_WORD))
    bits = np.zeros((len(each), groups), dtype=np.uint64)
    for word, combinations in zip(bits, each, strict=True):
        np.bitwise_or.at(word, group, combinations[cube.sensitive_codes[:, cube.hidden]])
    return bits


def _of(cube: Cube) -> Confidential:
    if cube.confidential is None:
        raise ParameterError("the table has no confidential sentences; a property about them is asked for.")
    return cube.confidential


def _words(count: int) -> int:
    return -(-count // kernel.PER_WORD)


def _pack(flags: BoolArray) -> KeyArray:
    """Pack flags of shape (n, sentences) into the low halves of words, shape (words, n)."""
    packed = np.zeros((_words(flags.shape[1]), len(flags)), dtype=np.uint64)
    for s in range(flags.shape[1]):
        packed[s // kernel.PER_WORD] |= flags[:, s].astype(np.uint64) << np.uint64(s % kernel.PER_WORD)
    return packed


def _held_by_persons(cube: Cube, own: Confidential) -> BoolArray:
    """Return which sentences each person holds; all rows of a person hold the same."""
    assert cube.persons is not None
    held = np.zeros((int(cube.persons.max(initial=-1)) + 1, own.count), dtype=bool)
    held[cube.persons] = own.held[cube.sensitive_codes[:, cube.hidden]]
    return held


def _log_prior(cube: Cube, own: Confidential) -> FloatArray:
    """Return the log of the share of all rows for which each sentence is true; 0 where it says nothing."""
    true = (own.truth[cube.sensitive_codes[:, cube.hidden]] * cube.rows[:, None]).sum(axis=0)
    share = true / max(cube.row_count, 1)
    return np.asarray(np.log(np.where(share > 0, share, 1.0)))
