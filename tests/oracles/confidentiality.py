"""Confidential sentences and their measures by definition.

A sentence is a tuple: ``("and", …)``, ``("or", …)``, ``("not", part)``, ``("in", name, values)`` or
``(operator, name, value)``; missing is ``None``. ``confidential[u]`` are the numbers of the sentences that
row u's person keeps secret. A class is a list of row numbers; ``classes`` are those that remain.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .classes import Members, Value

Sentence: TypeAlias = "tuple[object, ...]"


def holds(sentence: Sentence, row: Mapping[str, object]) -> bool:
    """Tell whether a sentence is true for a row; a comparison with a missing cell is false."""
    word = sentence[0]
    if word == "and":
        return all(holds(part, row) for part in sentence[1:])
    if word == "or":
        return any(holds(part, row) for part in sentence[1:])
    if word == "not":
        return not holds(sentence[1], row)
    return _compare(word, row[sentence[1]], sentence[2])


def _compare(word: object, cell: object, value: object) -> bool:
    if word == "in":
        return cell in value
    if value is None:
        return (cell is None) == (word == "==")
    if cell is None:
        return False
    if word in ("==", "!="):
        return (cell == value) == (word == "==")
    less, same = cell < value, cell == value
    return {"<": less, "<=": less or same, ">": not less and not same, ">=": not less}[word]


def write(sentence: Sentence) -> str:
    """Write a sentence with a bracket around everything, texts in quotes."""
    word = sentence[0]
    if word in ("and", "or"):
        return "(" + f" {word} ".join(write(part) for part in sentence[1:]) + ")"
    if word == "not":
        return f"(not {write(sentence[1])})"
    if word == "in":
        return f"'{sentence[1]}' in {{{', '.join(map(_constant, sentence[2]))}}}"
    return f"'{sentence[1]}' {word} {_constant(sentence[2])}"


def _constant(value: object) -> str:
    if value is None:
        return "missing"
    return f"'{value}'" if isinstance(value, str) else str(value)


def keep_of_persons(kept: Sequence[set[int]], persons: Sequence[str] | None) -> list[set[int]]:
    """Return what each row's person keeps secret in any of their rows."""
    if persons is None:
        return [set(own) for own in kept]
    return [
        set().union(*(kept[v] for v, other in enumerate(persons) if other == person)) for person in persons
    ]


def disclosed(members: Members, truth: Sequence[set[int]]) -> set[int]:
    """Return the sentences that are true for everyone in a class."""
    return set.intersection(*(truth[u] for u in members))


def secure(classes: Sequence[Members], truth: Sequence[set[int]], kept: Sequence[set[int]]) -> int:
    """Return 1 if nobody's class discloses what they keep secret, else 0."""
    return int(not any(kept[u] & disclosed(members, truth) for members in classes for u in members))


def exposed(
    classes: Sequence[Members],
    truth: Sequence[set[int]],
    kept: Sequence[set[int]],
    persons: Sequence[str] | None = None,
) -> int:
    """Count the people, class by class, whose class discloses something that they keep secret."""
    total = 0
    for members in classes:
        told = disclosed(members, truth)
        hit = [u for u in members if kept[u] & told]
        total += len(hit) if persons is None else len({persons[u] for u in hit})
    return total


def sf(
    classes: Sequence[Members],
    truth: Sequence[set[int]],
    kept: Sequence[set[int]],
    damage: Sequence[float],
) -> float:
    """Return 1 − the mean over the remaining rows of what is learnt about their persons."""
    prior = Counter(number for own in truth for number in own)
    risk = 0.0
    rows = 0
    for members in classes:
        for u in members:
            rows += 1
            whole = sum(damage[number] for number in kept[u])
            for number in kept[u]:
                before = prior[number] / len(truth)
                after = sum(number in truth[v] for v in members) / len(members)
                if 0 < before < 1 and after > 0:
                    gain = (math.log(before) - math.log(after)) / math.log(before)
                    risk += damage[number] / whole * max(gain, 0)
    return 1 - risk / rows


def ql(recoding: Sequence[Mapping[Value, Value]], weights: Sequence[float] | None = None) -> float:
    """Return the weighted mean of the entropies of the partitions over the logs of the domains' sizes."""
    weights = [1.0] * len(recoding) if weights is None else weights
    total = 0.0
    for blocks, weight in zip(recoding, weights, strict=True):
        size = len(blocks)
        shares = [count / size for count in Counter(blocks.values()).values()]
        entropy = -sum(share * math.log(share) for share in shares)
        total += weight * (entropy / math.log(size) if size > 1 else 1.0)
    return total / sum(weights)
