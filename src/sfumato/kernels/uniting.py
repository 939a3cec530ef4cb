"""Uniting classes: which classes of a node become one at a node above it, and what they are together.

Classes whose key is one word may stand in the order of their keys. Then those that differ in the last
attribute alone are next to each other, and those that differ in one of the last few within a short run, so
that uniting them takes no table, and leaves them in order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.kernels._options import inner, kernel

if TYPE_CHECKING:
    from sfumato._typing import IntArray, KeyArray
    from sfumato.kernels.layout import Field, Scratch, Tables

HASH = np.uint64(0x9E3779B97F4A7C15)
_ZERO, _ONE = np.uint64(0), np.uint64(1)
NEAR_BITS = 12
"""Classes of equal higher bits are put at places numbered by so many low bits, 64 to the power of two."""
DIGIT_BITS = 11
_WORD, _IN_WORD = np.uint64(6), np.uint64(63)
_M1 = np.uint64(0x5555555555555555)
_M2 = np.uint64(0x3333333333333333)
_M4 = np.uint64(0x0F0F0F0F0F0F0F0F)
_H01 = np.uint64(0x0101010101010101)


@inner
def popcount(bits: np.uint64) -> int:
    """Count the ones of a 64-bit word."""
    bits = bits - ((bits >> _ONE) & _M1)
    bits = (bits & _M2) + ((bits >> np.uint64(2)) & _M2)
    bits = (bits + (bits >> np.uint64(4))) & _M4
    return int((bits * _H01) >> np.uint64(56))


@inner
def _lowest(bits: np.uint64) -> np.uint64:
    """Return the number of the lowest one of a word that has one."""
    return np.uint64(popcount((bits & (~bits + _ONE)) - _ONE))


@inner
def _first_bits(tables: Tables, depth: int) -> KeyArray:
    """Return the first word of bits of all classes; anything if there is none."""
    found: KeyArray = tables.bits[depth, 0] if tables.bits.shape[1] else tables.keys[depth, 0]
    return found


@inner
def table_bits(groups: int) -> int:
    """Return b such that 2**b slots are at most half full."""
    b = 4
    while (1 << b) < 2 * groups:
        b += 1
    return b


@kernel
def _unite_narrow(
    tables: Tables,
    keys: KeyArray,
    low: int,
    high: int,
    field: Field,
    block: IntArray,
    slots: IntArray,
    down: np.uint64,
    united: IntArray,
) -> int:
    """Number the classes after one block map, where a key is one word, and add up what they hold."""
    _, shift, mask = field
    rows, out_rows, out_keys = tables.rows[low], tables.rows[high], tables.keys[high, 0]
    words = tables.bits.shape[1]
    bits, out_bits = _first_bits(tables, low), _first_bits(tables, high)
    last = np.uint64(len(slots) - 1)
    made = 0
    # Indices without a sign spare the compiler a comparison each.
    for i in range(tables.counts[low, 0]):
        key = keys[i]
        code = (key >> shift) & mask
        key += (np.uint64(block[code]) - code) << shift
        slot = (key * HASH) >> down
        at = slots[slot]
        while at >= 0 and out_keys[np.uint32(at)] != key:
            slot = (slot + _ONE) & last
            at = slots[slot]
        amount = rows[i]
        if at < 0:
            at = made
            made += 1
            slots[slot] = at
            out_keys[np.uint32(at)] = key
            out_rows[np.uint32(at)] = amount
            if words:
                out_bits[np.uint32(at)] = bits[i]
        else:
            out_rows[np.uint32(at)] += amount
            if words:
                out_bits[np.uint32(at)] |= bits[i]
        united[i] = at
    _add_bits(tables, low, high, 1, tables.counts[low, 0], united)
    return made


@kernel
def _is_same(out_keys: KeyArray, at: int, keys: KeyArray, i: int, word: int, key: np.uint64) -> bool:
    """Compare class ``at`` of ``out_keys`` with class ``i`` of ``keys`` whose ``word`` became ``key``."""
    if out_keys[word, at] != key:
        return False
    for w in range(keys.shape[0]):
        if w != word and out_keys[w, at] != keys[w, i]:
            return False
    return True


@kernel
def _unite_wide(
    keys: KeyArray,
    out_keys: KeyArray,
    groups: int,
    field: Field,
    block: IntArray,
    slots: IntArray,
    down: np.uint64,
    united: IntArray,
) -> int:
    """Do what :func:`_unite_narrow` does where a key is several words."""
    word, shift, mask = field
    last = np.uint64(len(slots) - 1)
    words = keys.shape[0]
    made = 0
    for i in range(groups):
        key = keys[word, i]
        code = (key >> shift) & mask
        key += (np.uint64(block[code]) - code) << shift
        mixed = key
        for w in range(words):
            if w != word:
                mixed = (mixed ^ (mixed >> np.uint64(29))) * HASH + keys[w, i]
        slot = (mixed * HASH) >> down
        at = slots[slot]
        while at >= 0 and not _is_same(out_keys, at, keys, i, word, key):
            slot = (slot + _ONE) & last
            at = slots[slot]
        if at < 0:
            at = made
            slots[slot] = at
            for w in range(words):
                out_keys[w, at] = keys[w, i]
            out_keys[word, at] = key
            made += 1
        united[i] = at
    return made


@inner
def add_up(tables: Tables, low: int, high: int, groups: int, united: IntArray) -> None:
    """Add the rows and unite the bits of the classes at depth ``low`` that became one at depth ``high``."""
    # Whether a class is new follows no pattern, so what is there is masked out rather than branched around.
    rows, out_rows = tables.rows[low], tables.rows[high]
    seen = 0
    for i in range(groups):
        at, amount = united[i], rows[i]
        out_rows[np.uint32(at)] = amount + (out_rows[np.uint32(at)] if at < seen else 0)
        seen = max(seen, at + 1)
    _add_bits(tables, low, high, 0, groups, united)


@inner
def _add_bits(tables: Tables, low: int, high: int, first: int, groups: int, united: IntArray) -> None:
    """Unite the bits of the classes at depth ``low``, from a ``first`` word on."""
    for w in range(first, tables.bits.shape[1]):
        bits, out_bits = tables.bits[low, w], tables.bits[high, w]
        seen = 0
        for i in range(groups):
            at, held = united[i], bits[i]
            out_bits[np.uint32(at)] = held | (out_bits[np.uint32(at)] if at < seen else _ZERO)
            seen = max(seen, at + 1)


@inner
def unite_hashed(
    tables: Tables, keys: KeyArray, low: int, high: int, field: Field, block: IntArray, scratch: Scratch
) -> None:
    """Unite the classes at depth ``low``, which have these keys, in depth ``high`` by one block map.

    ``low == high`` is allowed: a class is read before its place is written,
    because its number in the result is never larger than in the source.
    O(groups); ``scratch.united`` receives class → united class.
    """
    groups = tables.counts[low, 0]
    b = table_bits(groups)
    slots = scratch.slots[: 1 << b]
    slots[:] = -1
    down = np.uint64(64 - b)
    united = scratch.united
    if len(keys) == 1:
        made = _unite_narrow(tables, keys[0], low, high, field, block, slots, down, united)
    else:
        made = _unite_wide(keys, tables.keys[high], groups, field, block, slots, down, united)
        add_up(tables, low, high, groups, united)
    tables.counts[high, 0] = made


@kernel
def _unite_next(tables: Tables, low: int, high: int, field: Field, block: IntArray, united: IntArray) -> int:
    """Unite classes in order by a block map that keeps the order of their keys; return how many there are."""
    _, shift, mask = field
    keys, out_keys, groups = tables.keys[low, 0], tables.keys[high, 0], tables.counts[low, 0]
    rows, out_rows, words = tables.rows[low], tables.rows[high], tables.bits.shape[1]
    bits, out_bits = _first_bits(tables, low), _first_bits(tables, high)
    made, total, held = _ZERO, 0, _ZERO
    code = (keys[0] >> shift) & mask
    before = keys[0] + ((np.uint64(block[code]) - code) << shift)
    for i in range(groups):
        key = keys[i]
        code = (key >> shift) & mask
        key += (np.uint64(block[code]) - code) << shift
        # Whether a class is new follows no pattern, so nothing is branched around.
        is_same = key == before
        before = key
        made += np.uint64(not is_same)
        total = rows[i] + (total if is_same else 0)
        held = bits[i] | (held if is_same else _ZERO)
        out_keys[made], out_rows[made] = key, total
        if words:
            out_bits[made] = held
        united[i] = made
    _add_bits(tables, low, high, 1, groups, united)
    return int(made) + 1


@kernel
def _unite_runs(
    tables: Tables, low: int, high: int, field: Field, above: np.uint64, block: IntArray, scratch: Scratch
) -> int:
    """Unite classes in order by a block map of a field below the bits ``above``; return how many there are.

    Those with equal bits above are added up at places numbered by the bits below, and leave these in order.
    """
    _, shift, mask = field
    keys, out_keys = tables.keys[low, 0], tables.keys[high, 0]
    rows, out_rows, words = tables.rows[low], tables.rows[high], tables.bits.shape[1]
    bits, out_bits = _first_bits(tables, low), _first_bits(tables, high)
    held, held_bits, taken = scratch.ordering.rows, scratch.ordering.bits, scratch.ordering.taken
    united, number = scratch.united, scratch.ordering.number
    below = (_ONE << above) - _ONE
    groups, made, i = np.uint64(tables.counts[low, 0]), _ZERO, _ZERO
    while i < groups:
        begin, top, summary = i, keys[i] & ~below, _ZERO
        while i < groups and keys[i] & ~below == top:
            code = (keys[i] >> shift) & mask
            place = (keys[i] + ((np.uint64(block[code]) - code) << shift)) & below
            word = place >> _WORD
            taken[word] |= _ONE << (place & _IN_WORD)
            summary |= _ONE << word
            held[place] += rows[i]
            if words:
                held_bits[place] |= bits[i]
            united[i] = place
            i += _ONE
        while summary:
            word = _lowest(summary)
            summary &= summary - _ONE
            left, taken[word] = taken[word], _ZERO
            while left:
                place = (word << _WORD) + _lowest(left)
                left &= left - _ONE
                out_keys[made] = top | place
                out_rows[made], held[place] = held[place], 0
                if words:
                    out_bits[made], held_bits[place] = held_bits[place], _ZERO
                number[place] = made
                made += _ONE
        while begin < i:
            united[begin] = number[np.uint32(united[begin])]
            begin += _ONE
    return int(made)


@kernel
def _sort_classes(tables: Tables, depth: int, groups: int, bits: int, scratch: Scratch) -> None:
    """Bring classes that were made of ``groups`` others into the order of their keys of so many bits."""
    count, keys, begins = tables.counts[depth, 0], tables.keys[depth, 0], scratch.ordering.begins
    order, other = scratch.ordering.order[0], scratch.ordering.order[1]
    for i in range(count):
        order[i] = i
    digit = np.uint64(len(begins) - 1)
    for done in range(0, bits, DIGIT_BITS):
        shift = np.uint64(done)
        begins[:] = 0
        for i in range(count):
            begins[(keys[i] >> shift) & digit] += 1
        begin = 0
        for d in range(len(begins)):
            begin, begins[d] = begin + begins[d], begin
        for i in range(count):
            at = np.uint32(order[i])
            d = (keys[at] >> shift) & digit
            other[np.uint64(begins[d])] = at
            begins[d] += 1
        order, other = other, order
    # What is rolled up in order is near no node, so these keys are in no use.
    copy, rows, sizes = scratch.near_keys[0], tables.rows[depth], scratch.sizes
    for i in range(count):
        copy[i], sizes[i] = keys[i], rows[i]
        other[np.uint32(order[i])] = i
    for i in range(count):
        at = np.uint32(order[i])
        keys[i], rows[i] = copy[at], sizes[at]
    for w in range(tables.bits.shape[1]):
        held = tables.bits[depth, w]
        for i in range(count):
            copy[i] = held[i]
        for i in range(count):
            held[i] = copy[np.uint32(order[i])]
    for i in range(groups):
        scratch.united[i] = other[np.uint32(scratch.united[i])]


@inner
def unite_ordered(
    tables: Tables, low: int, high: int, field: Field, block: IntArray, rises: int, scratch: Scratch
) -> None:
    """Do what :func:`unite_hashed` does where classes stand in the order of their keys, and keep it.

    A block map that ``rises`` never leads a larger code to a smaller one.
    """
    _, shift, mask = field
    groups, above = tables.counts[low, 0], shift + np.uint64(popcount(mask))
    if rises and shift == _ZERO and groups:
        tables.counts[high, 0] = _unite_next(tables, low, high, field, block, scratch.united)
    elif above <= np.uint64(NEAR_BITS) and tables.bits.shape[1] < 2:
        tables.counts[high, 0] = _unite_runs(tables, low, high, field, above, block, scratch)
    else:
        unite_hashed(tables, tables.keys[low], low, high, field, block, scratch)
        _sort_classes(tables, high, groups, scratch.ordering.bits_used, scratch)
