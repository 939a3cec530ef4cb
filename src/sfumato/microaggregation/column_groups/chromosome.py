"""Attribute groupings as chromosomes, with the crossover and the five mutations of GOMM.

A chromosome is the group part of the grouping genetic algorithm: its groups in order, each a set of
attributes as the bits of an integer. The object part, the group of each attribute, follows from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np

Grouping: TypeAlias = tuple[int, ...]
"""Disjoint groups that together hold every attribute; attribute a is bit a."""
Site: TypeAlias = tuple[int, int]
"""Where a section of the group part begins and ends."""
Mutation: TypeAlias = Callable[[Grouping, "np.random.Generator"], Grouping]


def make_grouping(groups: Sequence[Sequence[int]]) -> Grouping:
    """Return the chromosome of lists of attribute numbers.

    Examples
    --------
    >>> make_grouping([[0, 3], [1, 4], [2]])
    (9, 18, 4)
    """
    return tuple(sum(1 << attribute for attribute in group) for group in groups)


def attributes_of(group: int) -> list[int]:
    """Return the attribute numbers of a group, ascending.

    Examples
    --------
    >>> attributes_of(9)
    [0, 3]
    """
    return [attribute for attribute in range(group.bit_length()) if group >> attribute & 1]


def object_part(grouping: Grouping) -> list[int]:
    """Return for each attribute the place of its group in the group part.

    Examples
    --------
    >>> object_part((9, 18, 4))
    [0, 1, 2, 0, 1]
    """
    places = [0] * sum(grouping).bit_length()
    for place, group in enumerate(grouping):
        for attribute in attributes_of(group):
            places[attribute] = place
    return places


def canonical(grouping: Grouping) -> Grouping:
    """Return the same for all clones: the groups sorted by their lowest attribute."""
    return tuple(sorted(grouping, key=lambda group: group & -group))


def is_valid(grouping: Grouping, attributes: int) -> bool:
    """Tell whether the groups are disjoint, not empty, and hold every attribute."""
    union = 0
    for group in grouping:
        if group <= 0 or group & union:
            return False
        union |= group
    return union == (1 << attributes) - 1


def draw_grouping(attributes: int, random: np.random.Generator) -> Grouping:
    """Put each attribute into one of as many groups as there are attributes, by chance.

    The group of all attributes is drawn again, unless there is but one attribute.
    """
    while True:
        drawn: dict[int, int] = {}
        for attribute, label in enumerate(random.integers(0, attributes, attributes).tolist()):
            drawn[label] = drawn.get(label, 0) | 1 << attribute
        if len(drawn) > 1 or attributes == 1:
            return tuple(drawn.values())


def draw_site(grouping: Grouping, random: np.random.Generator) -> Site:
    """Choose a section of the group part that holds at least one group."""
    one, other = random.choice(len(grouping) + 1, 2, replace=False).tolist()
    return min(one, other), max(one, other)


def inject(groups: Sequence[int], grouping: Grouping) -> Grouping:
    """Put groups before those of a chromosome, which lose the attributes they share; empty ones vanish."""
    taken = 0
    for group in groups:
        taken |= group
    return (*groups, *(group & ~taken for group in grouping if group & ~taken))


def cross(first: Grouping, second: Grouping, sites: tuple[Site, Site]) -> tuple[Grouping, Grouping]:
    """Inject a section of each parent's group part into the other.

    Examples
    --------
    >>> cross((9, 18, 4), (7, 24), ((1, 3), (0, 1)))
    ((18, 4, 1, 8), (7, 8, 16))
    """
    (begin, end), (start, stop) = sites
    return inject(first[begin:end], second), inject(second[start:stop], first)


def create_group(parent: Grouping, random: np.random.Generator) -> Grouping:
    """Inject a new group of random size and random attributes."""
    attributes = sum(parent).bit_length()
    size = int(random.integers(1, attributes + 1))
    chosen = random.choice(attributes, size, replace=False).tolist()
    return inject([sum(1 << attribute for attribute in chosen)], parent)


def eliminate_group(parent: Grouping, random: np.random.Generator) -> Grouping:
    """Distribute the attributes of a random group over the others; a single group stays."""
    if len(parent) == 1:
        return parent
    groups = list(parent)
    gone = attributes_of(groups.pop(int(random.integers(len(groups)))))
    for attribute, place in zip(gone, random.integers(0, len(groups), len(gone)).tolist(), strict=True):
        groups[place] |= 1 << attribute
    return tuple(groups)


def split_group(parent: Grouping, random: np.random.Generator) -> Grouping:
    """Split a random group into two halves, by chance; a single attribute stays."""
    place = int(random.integers(len(parent)))
    members = attributes_of(parent[place])
    if len(members) == 1:
        return parent
    half = random.choice(members, len(members) // 2, replace=False).tolist()
    moved = sum(1 << attribute for attribute in half)
    return (*parent[:place], parent[place] & ~moved, moved, *parent[place + 1 :])


def swap_elements(parent: Grouping, random: np.random.Generator) -> Grouping:
    """Exchange the groups of two random attributes; within one group nothing changes."""
    places = object_part(parent)
    if len(places) == 1:
        return parent
    one, other = random.choice(len(places), 2, replace=False).tolist()
    groups = list(parent)
    if places[one] != places[other]:
        both = 1 << one | 1 << other
        groups[places[one]] ^= both
        groups[places[other]] ^= both
    return tuple(groups)


def move_element(parent: Grouping, random: np.random.Generator) -> Grouping:
    """Move a random attribute into another group; a group left empty vanishes, a single group stays."""
    if len(parent) == 1:
        return parent
    places = object_part(parent)
    attribute = int(random.integers(len(places)))
    target = int(random.integers(len(parent) - 1))
    target += target >= places[attribute]
    groups = list(parent)
    groups[places[attribute]] ^= 1 << attribute
    groups[target] |= 1 << attribute
    return tuple(group for group in groups if group)


GROUP_MUTATIONS: dict[str, Mutation] = {
    "create": create_group,
    "eliminate": eliminate_group,
    "split": split_group,
}
ELEMENT_MUTATIONS: dict[str, Mutation] = {"swap": swap_elements, "move": move_element}
MUTATIONS: dict[str, Mutation] = GROUP_MUTATIONS | ELEMENT_MUTATIONS
