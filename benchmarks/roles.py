"""How many columns of tables with traps get a right role: ``python -m benchmarks.roles``."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.spec import DataSpec
from sfumato.suggesting import suggest_specification
from tests.traps.tables import all_traps

if TYPE_CHECKING:
    from tests.traps.making import Trap

LETTERS = {"identifier": "i", "quasi-identifier": "q", "sensitive": "s", "other": "o"}


def guessed_roles(trap: Trap) -> dict[str, str]:
    """Return the letter of the role that each column of a table is given; ``-`` if it is left out."""
    with tempfile.TemporaryDirectory() as folder:
        path = trap.write(Path(folder) / "table.csv")
        encoding = trap.encoding if trap.options else "utf-8"
        found = suggest_specification(path, DataSpec(encoding=encoding))
    roles = {guess.name: LETTERS[guess.role] for guess in found.guesses}
    return roles | dict.fromkeys(found.left_out, "-")


def wrong_roles(trap: Trap) -> list[str]:
    """Say which columns of a table get a role that is not right."""
    roles = guessed_roles(trap)
    return [
        f"{trap.name}: {name!r} is {roles[name]}, expected one of {letters}"
        for name, letters in trap.roles.items()
        if roles[name] not in letters
    ]


class Roles:
    """The share of right roles."""

    unit = "%"

    def track_right_roles(self) -> float:
        return share_right()[0]


def share_right() -> tuple[float, list[str]]:
    """Return the percentage of right roles, and the wrong ones."""
    traps = all_traps()
    wrong = [line for trap in traps for line in wrong_roles(trap)]
    columns = sum(len(trap.roles) for trap in traps)
    return 100 * (1 - len(wrong) / columns), wrong


def main() -> None:
    """Print the share, and each column that went wrong."""
    share, wrong = share_right()
    print(*wrong, sep="\n")
    print(f"{share:.1f} % of the columns of {len(all_traps())} tables have a right role")


if __name__ == "__main__":
    main()
