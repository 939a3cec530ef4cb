"""Classes by block maps of all attributes at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.kernels._options import inner, kernel

if TYPE_CHECKING:
    from sfumato._typing import IntArray, KeyArray, LongArray

_HASH = np.uint64(0x9E3779B97F4A7C15)

KEY_BITS = 64


@kernel
def _shifts(counts: LongArray, skip: int, shift: LongArray) -> int:
    """Place one field for each attribute but ``skip`` into a key; return the bits of all."""
    used = 0
    for a in range(len(counts)):
        shift[a] = used
        if a == skip:
            continue
        width = 0
        while (1 << width) < counts[a]:
            width += 1
        used += width
    return used


@kernel
def _make_keys(
    codes: IntArray,
    amount: int,
    code_start: LongArray,
    block: IntArray,
    shift: LongArray,
    skip: int,
    keys: KeyArray,
) -> None:
    """Pack the blocks of each tuple; where they need more than 64 bits, mix them instead."""
    keys[:amount] = np.uint64(0)
    for a in range(codes.shape[0]):
        if a == skip:
            continue
        begin = code_start[a]
        if shift[a] < 0:
            for i in range(amount):
                mixed = keys[i] ^ (keys[i] >> np.uint64(29))
                keys[i] = mixed * _HASH + np.uint64(block[begin + codes[a, i]])
        else:
            place = np.uint64(shift[a])
            for i in range(amount):
                keys[i] |= np.uint64(block[begin + codes[a, i]]) << place


@kernel
def _is_same(
    codes: IntArray, one: int, other: int, code_start: LongArray, block: IntArray, skip: int
) -> bool:
    """Compare two tuples block by block."""
    for a in range(codes.shape[0]):
        begin = code_start[a]
        if a != skip and block[begin + codes[a, one]] != block[begin + codes[a, other]]:
            return False
    return True


@kernel
def _group_directly(
    keys: KeyArray, amount: int, room: int, slots: IntArray, first: IntArray, group: IntArray
) -> int:
    """Number the classes of keys that are smaller than ``room``, which is at most the number of slots."""
    slots[:room] = -1
    made = 0
    for i in range(amount):
        key = np.int64(keys[i])
        at = slots[key]
        if at < 0:
            at = made
            slots[key] = at
            first[at] = i
            made += 1
        group[i] = at
    return made


@kernel
def _is_direct(width: int, slots: IntArray) -> bool:
    """Tell whether keys of so many bits are slots themselves."""
    return width < 40 and (1 << width) <= len(slots)


@kernel
def _slot_bits(amount: int) -> int:
    """Return the bits of a slot where at most half of them are to be taken."""
    b = 4
    while (1 << b) < 2 * amount:
        b += 1
    return b


@inner
def hash_tuples(
    codes: IntArray,
    amount: int,
    code_start: LongArray,
    block: IntArray,
    counts: LongArray,
    shift: LongArray,
    keys: KeyArray,
    slots: IntArray,
) -> int:
    """Make tuples that differ under their block maps known to :func:`find_tuple`; return what it needs.

    That is the bits of a slot, 0 where keys are slots; −1 where they do not fit in a key.
    """
    width = _shifts(counts, -1, shift)
    if width > KEY_BITS:
        return -1
    _make_keys(codes, amount, code_start, block, shift, -1, keys)
    if _is_direct(width, slots):
        slots[: 1 << width] = -1
        for i in range(amount):
            slots[np.int64(keys[i])] = i
        return 0
    b = _slot_bits(amount)
    # Most of what is looked for is not there: the more empty slots, the sooner that is seen.
    while (1 << b) < 8 * amount and (2 << b) <= len(slots):
        b += 1
    slots[: 1 << b] = -1
    last = np.int64((1 << b) - 1)
    for i in range(amount):
        slot = np.int64((keys[i] * _HASH) >> np.uint64(64 - b))
        while slots[slot] >= 0:
            slot = (slot + 1) & last
        slots[slot] = i
    return b


@inner
def find_tuple(key: np.uint64, b: int, keys: KeyArray, slots: IntArray) -> int:
    """Return the tuple with this key, −1 if there is none."""
    if b == 0:
        return int(slots[np.int64(key)])
    last = np.int64((1 << b) - 1)
    slot = np.int64((key * _HASH) >> np.uint64(64 - b))
    while slots[slot] >= 0 and keys[slots[slot]] != key:
        slot = (slot + 1) & last
    return int(slots[slot])


@inner
def group_tuples(
    codes: IntArray,
    amount: int,
    code_start: LongArray,
    block: IntArray,
    counts: LongArray,
    skip: int,
    shift: LongArray,
    keys: KeyArray,
    slots: IntArray,
    first: IntArray,
    group: IntArray,
) -> int:
    """Number the classes of tuples under one block map for each attribute; return how many there are.

    Parameters are arrays: ``codes`` (q, tuples), ``block`` over all codes with those of
    attribute a from ``code_start[a]`` on, ``counts`` (q,) the blocks of each attribute;
    attribute ``skip`` is left out, −1 for none. ``shift``, ``keys`` and ``slots`` (a power
    of two, at least twice the tuples) are working memory. ``first`` receives the first
    tuple of each class and ``group`` the class of each tuple.
    """
    width = _shifts(counts, skip, shift)
    wide = width > KEY_BITS
    if wide:
        shift[:] = -1
    _make_keys(codes, amount, code_start, block, shift, skip, keys)
    if _is_direct(width, slots):
        return _group_directly(keys, amount, 1 << width, slots, first, group)
    b = _slot_bits(amount)
    slots[: 1 << b] = -1
    last = np.int64((1 << b) - 1)
    down = np.uint64(64 - b)
    made = 0
    for i in range(amount):
        key = keys[i]
        slot = np.int64((key * _HASH) >> down)
        at = slots[slot]
        while at >= 0 and (
            keys[first[at]] != key or (wide and not _is_same(codes, first[at], i, code_start, block, skip))
        ):
            slot = (slot + 1) & last
            at = slots[slot]
        if at < 0:
            at = made
            slots[slot] = at
            first[at] = i
            made += 1
        group[i] = at
    return made
