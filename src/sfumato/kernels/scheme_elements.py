"""Decisions about the elements of schemes: what follows from them, and the partitions they leave open.

An element is joined, apart or open. All partitions that agree with the decisions
lie between two: the fine end, made by the joined elements alone, and the coarse end, made
by all that are not apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sfumato.kernels._groups import by_address
from sfumato.kernels._options import inner, kernel

if TYPE_CHECKING:
    from sfumato._typing import IntArray, LongArray

OPEN, JOINED, APART = range(3)


@by_address
class Decisions(NamedTuple):
    """The elements of all attributes, one attribute after another.

    Codes are numbered through all attributes: those of attribute a are
    ``code_start[a]`` to ``code_start[a + 1]``.
    """

    code_start: LongArray  # (q + 1,)
    element_start: LongArray  # (q + 1,): elements of each attribute
    edge_start: LongArray  # (elements + 1,)
    edges: IntArray  # (edges, 2): codes that an element connects
    implied_start: LongArray  # (elements + 1,)
    implied: IntArray  # what is joined with an element
    implying_start: LongArray  # (elements + 1,)
    implying: IntArray  # what is apart with an element
    group: IntArray  # (elements,): group of transitive pairs, −1 for none
    is_plain: IntArray  # (q,): 1 where element i of an attribute joins its codes i and i + 1 and nothing else
    stamp_start: LongArray  # (q,): where the pairs of an attribute's codes begin in a stamp array


@by_address
class Ends(NamedTuple):
    """Working memory for one set of decisions."""

    fine: IntArray  # (codes,): block of each code at the fine end, numbered within its attribute
    coarse: IntArray  # (codes,)
    fine_count: LongArray  # (q,)
    coarse_count: LongArray  # (q,)
    lead: IntArray  # (codes,): scratch of the union
    stamp: LongArray  # (pairs of codes of transitive attributes,): round in which a pair was marked
    clock: LongArray  # (1,): the round


@kernel
def _find(lead: IntArray, code: int) -> int:
    """Return the smallest code of a code's block, shortening the way to it."""
    while lead[code] != code:
        lead[code] = lead[lead[code]]
        code = lead[code]
    return code


@kernel
def _unite(lead: IntArray, one: int, other: int) -> None:
    """Put two blocks together under the smaller of their smallest codes."""
    one, other = _find(lead, one), _find(lead, other)
    if one < other:
        lead[other] = one
    else:
        lead[one] = other


@inner
def connect(
    decisions: Decisions, attribute: int, states: IntArray, wanted_open: bool, lead: IntArray, block: IntArray
) -> int:
    """Number the blocks of one attribute's end; return how many there are.

    Connects by joined elements, and by open ones too if ``wanted_open``. Blocks are numbered by
    their smallest codes.
    """
    begin, end = decisions.code_start[attribute], decisions.code_start[attribute + 1]
    for code in range(begin, end):
        lead[code] = code
    for e in range(decisions.element_start[attribute], decisions.element_start[attribute + 1]):
        if states[e] == JOINED or (wanted_open and states[e] == OPEN):
            for i in range(decisions.edge_start[e], decisions.edge_start[e + 1]):
                _unite(lead, decisions.edges[i, 0], decisions.edges[i, 1])
    made = 0
    for code in range(begin, end):
        if lead[code] == code:
            block[code] = made
            made += 1
        else:
            block[code] = block[_find(lead, code)]
    return made


@kernel
def _spread(decisions: Decisions, attribute: int, states: IntArray) -> int:
    """Decide what single decisions imply; return −1 if they contradict each other, else how many are new."""
    new = 0
    for e in range(decisions.element_start[attribute], decisions.element_start[attribute + 1]):
        if states[e] == JOINED:
            for i in range(decisions.implied_start[e], decisions.implied_start[e + 1]):
                other = decisions.implied[i]
                if states[other] == APART:
                    return -1
                if states[other] == OPEN:
                    states[other] = JOINED
                    new += 1
        elif states[e] == APART:
            for i in range(decisions.implying_start[e], decisions.implying_start[e + 1]):
                other = decisions.implying[i]
                if states[other] == JOINED:
                    return -1
                if states[other] == OPEN:
                    states[other] = APART
                    new += 1
    return new


@kernel
def _spread_pairs(decisions: Decisions, attribute: int, states: IntArray, ends: Ends) -> int:
    """Decide what follows for pairs from the blocks at the fine end; return as :func:`_spread` does.

    A pair within a block is joined. If one pair between two blocks is apart, all are.
    """
    first, last = decisions.element_start[attribute], decisions.element_start[attribute + 1]
    begin = decisions.code_start[attribute]
    size = decisions.code_start[attribute + 1] - begin
    ends.clock[0] += 1
    now = ends.clock[0]
    base = decisions.stamp_start[attribute]
    new = 0
    for e in range(first, last):
        if decisions.group[e] < 0:
            continue
        i = decisions.edge_start[e]
        one, other = ends.fine[decisions.edges[i, 0]], ends.fine[decisions.edges[i, 1]]
        if one == other:
            if states[e] == APART:
                return -1
            if states[e] == OPEN:
                states[e] = JOINED
                new += 1
        elif states[e] == APART:
            ends.stamp[base + one * size + other] = now
            ends.stamp[base + other * size + one] = now
    for e in range(first, last):
        if decisions.group[e] >= 0 and states[e] == OPEN:
            i = decisions.edge_start[e]
            one, other = ends.fine[decisions.edges[i, 0]], ends.fine[decisions.edges[i, 1]]
            if ends.stamp[base + one * size + other] == now:
                states[e] = APART
                new += 1
    return new


@kernel
def settle(decisions: Decisions, attribute: int, states: IntArray, ends: Ends) -> bool:
    """Decide all that follows for one attribute, and find its ends; False on a contradiction."""
    has_pairs = decisions.stamp_start[attribute] >= 0
    while True:
        new = _spread(decisions, attribute, states)
        if new < 0:
            return False
        if new == 0:
            ends.fine_count[attribute] = connect(decisions, attribute, states, False, ends.lead, ends.fine)
            if has_pairs:
                new = _spread_pairs(decisions, attribute, states, ends)
                if new < 0:
                    return False
            if new == 0:
                break
    ends.coarse_count[attribute] = connect(decisions, attribute, states, True, ends.lead, ends.coarse)
    return True
