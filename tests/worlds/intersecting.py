"""An attack on successive releases by someone who knows who is in which, and everyone's class: nothing else.

Nothing of the package is used here. A release is what its file shows: for every published person, told by a
column that is published unchanged, the labels and the value of the one row. Whom the attacker looks for had
the same value all along.
"""

from __future__ import annotations

import csv
import itertools
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

FEW = 12  # people of whom all worlds can be gone through
Class = tuple[str, ...]
Shown = dict[str, tuple[Class, str]]


def read(path: Path, person: str, labels: list[str], secret: str) -> Shown:
    """Return person → class and value."""
    with path.open(encoding="utf-8", newline="") as file:
        return {
            row[person]: (tuple(row[name] for name in labels), row[secret]) for row in csv.DictReader(file)
        }


def members(release: Shown) -> dict[Class, set[str]]:
    """Return the people of each class, which the attacker knows."""
    found: dict[Class, set[str]] = defaultdict(set)
    for person, (own, _) in release.items():
        found[own].add(person)
    return found


def bags(release: Shown) -> dict[Class, Counter[str]]:
    """Return the values of each class, which everyone sees."""
    found: dict[Class, Counter[str]] = defaultdict(Counter)
    for own, value in release.values():
        found[own][value] += 1
    return found


def candidates(releases: list[Shown], person: str) -> set[str]:
    """Return everyone who was where a person was, and was nowhere else."""
    left = set().union(*releases)
    for release in releases:
        if person in release:
            left &= members(release)[release[person][0]]
        else:
            left -= set(release)
    return left


def common_values(releases: list[Shown], person: str) -> set[str]:
    """Return the values that all classes of a person have."""
    found = [set(bags(release)[release[person][0]]) for release in releases if person in release]
    return set.intersection(*found)


def differences(releases: list[Shown]) -> list[tuple[set[str], Counter[str]]]:
    """Subtract unions of up to two classes from others; return groups of people whose values it tells."""
    everyone = sorted(set().union(*releases))
    domain = sorted({value for release in releases for _, value in release.values()})
    bit = {person: 1 << place for place, person in enumerate(everyone)}
    # People as bits of a number, and how often each value occurs: most of the time goes here.
    sets = []
    for release in releases:
        who, what = members(release), bags(release)
        own = {
            name: (sum(bit[person] for person in who[name]), [what[name][v] for v in domain]) for name in who
        }
        sets += own.values()
        for (one, few), (two, more) in itertools.combinations(own.values(), 2):
            sets.append((one | two, [a + b for a, b in zip(few, more, strict=True)]))
    found = []
    for (people, values), (others, less) in itertools.permutations(sets, 2):
        alone = people & ~others
        if not alone:
            continue
        gained = [max(a - b, 0) for a, b in zip(values, less, strict=True)]
        # Nobody's value is cancelled: then what is left over is theirs.
        if sum(gained) == alone.bit_count():
            who_alone = {person for person in everyone if alone & bit[person]}
            found.append((who_alone, +Counter(dict(zip(domain, gained, strict=True)))))
    return found


def possible_values(releases: list[Shown], most: int = 200_000) -> dict[str, set[str]] | None:
    """Go through all worlds that agree with everything published; None if there are too many."""
    people = sorted(
        set().union(*releases), key=lambda person: [release.get(person, ((), ""))[0] for release in releases]
    )
    domain = sorted({value for release in releases for _, value in release.values()})
    left = [bags(release) for release in releases]
    found: dict[str, set[str]] = {person: set() for person in people}
    chosen: list[str] = []
    steps = 0

    def walk(place: int) -> bool:
        nonlocal steps
        steps += 1
        if steps > most:
            return False
        if place == len(people):
            for person, value in zip(people, chosen, strict=True):
                found[person].add(value)
            return True
        person = people[place]
        own = [
            (bag, release[person][0])
            for bag, release in zip(left, releases, strict=True)
            if person in release
        ]
        for value in domain:
            if any(bag[where][value] <= 0 for bag, where in own):
                continue
            for bag, where in own:
                bag[where][value] -= 1
            chosen.append(value)
            is_done = walk(place + 1)
            chosen.pop()
            for bag, where in own:
                bag[where][value] += 1
            if not is_done:
                return False
        return True

    return found if walk(0) else None


def attack(releases: list[Shown], k: int, least: int) -> list[str]:
    """Return what was found about people: fewer than k candidates, or fewer than so many values."""
    told = []
    for person in sorted(set().union(*releases)):
        many = len(candidates(releases, person))
        told += [f"{person}: {many} candidates"] if many < k else []
        values = len(common_values(releases, person))
        told += [f"{person}: {values} common values"] if values < least else []
    for people, values in differences(releases):
        if len(people) < k or len(values) < least:
            told.append(f"{len(people)} people differ: {len(values)} values")
    is_small = len(set().union(*releases)) <= FEW
    worlds = possible_values(releases) if is_small else None
    for person, values in (worlds or {}).items():
        told += [f"{person}: {len(values)} possible values"] if len(values) < least else []
    return told
