"""Tables with planted traps that ``listed.txt`` describes, one column to a line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from tests.traps.making import Maker, make_trap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.traps.making import Trap

LISTED = Path(__file__).with_name("listed.txt")


def listed_traps() -> Iterator[Trap]:
    """Make the tables of the list."""
    text = re.sub(r"(?m)^#.*\n", "", LISTED.read_text(encoding="utf-8"))
    for seed, part in enumerate(re.split(r"\n{2,}", text.strip()), start=1000):
        name, *lines = part.splitlines()
        maker, columns, secrets = Maker(seed), {}, []
        for line in lines:
            head, roles, cells = line.split(" ~ ")
            columns[head] = (_cells(maker, cells), roles)
            secrets += re.findall(r"\{(.*?)\}", cells)
        yield make_trap(name, columns, *secrets)


def _cells(maker: Maker, recipe: str) -> list[str]:
    """Draw cells: ages, dates of a format, or one of several texts in which # is a digit and & a letter."""
    word, _, rest = recipe.partition(" ")
    if word == "age":
        return maker.age()
    if word == "date":
        return maker.dates(rest)
    found = maker.choice(*re.sub(r"\{.*?\} \| ", "", recipe).split(" | "))
    found = [re.sub("[#&]", lambda sign: _drawn(maker, sign[0]), cell) for cell in found]
    # A text in braces is a secret, which a single row has.
    return [*found[:-1], hidden[1]] if (hidden := re.match(r"\{(.*?)\}", recipe)) else found


def _drawn(maker: Maker, sign: str) -> str:
    return maker.random.choice("123456789" if sign == "#" else "ABCDEFGHKLM")
