"""What an unedited first specification publishes of tables with traps: nothing that was planted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from benchmarks.roles import share_right
from tests.cli.running import run
from tests.traps.line_list import line_list
from tests.traps.tables import all_traps

if TYPE_CHECKING:
    from pathlib import Path

    from tests.traps.making import Trap

TRAPS = {trap.name: trap for trap in all_traps()}


def published(folder: Path, trap: Trap) -> str:
    """Run init and anonymize as they come, and return all that is published."""
    table = trap.write(folder / "table.csv")
    made = run("init", table, *trap.options, "--json")
    assert (made.status, made.err) == (0, "")
    released = run("anonymize", folder / "table.toml", "--out", folder / "shared.csv", "--json")
    assert released.status == 0, released.err
    files = (folder / "shared.csv", folder / "shared.csv.json")
    return "\n".join(file.read_text(trap.encoding if file == files[0] else "utf-8") for file in files)


def leaked(text: str, secrets: set[str]) -> list[str]:
    """Return the secrets that stand in a text as whole words."""
    return [secret for secret in secrets if re.search(rf"(?<![\w.]){re.escape(secret)}(?![\w.])", text)]


@pytest.mark.some(5)
@pytest.mark.parametrize("name", TRAPS)
def test_nothing_planted_is_published(tmp_path: Path, name: str) -> None:
    trap = TRAPS[name]
    assert leaked(published(tmp_path, trap), trap.secrets) == []


def test_a_secret_would_be_found() -> None:
    assert leaked("a,Meier\nb,Schulz", {"Meier", "Schul"}) == ["Meier"]
    assert leaked("52.51234", {"2.51234", "52.51234"}) == ["52.51234"]


def test_traps_have_secrets_and_differ() -> None:
    assert len(TRAPS) == len(all_traps()) >= 40
    assert sum(bool(trap.secrets) for trap in TRAPS.values()) >= 25
    assert all(60 <= len(column) <= 200 for trap in TRAPS.values() for column in trap.columns.values())


@pytest.mark.slow
def test_columns_get_a_right_role() -> None:
    share, wrong = share_right()
    assert share >= 95, wrong
    # Whatever else goes wrong, nothing is published unchanged.
    assert not [line for line in wrong if " is o," in line]


def test_a_list_of_cases_is_released_without_an_edit(tmp_path: Path) -> None:
    published(tmp_path, line_list())
    checked = run("check", tmp_path / "table.toml")
    assert (checked.status, checked.err) == (0, "")
    found = run("verify", tmp_path / "shared.csv", "--data", tmp_path / "table.csv", "--json")
    assert found.status == 0, found.err
    assert found.json["holds"] is True


def test_of_a_list_of_cases_places_and_dates_are_kept_apart(tmp_path: Path) -> None:
    trap = line_list()
    trap.write(tmp_path / "cases.csv")
    found = run("init", tmp_path / "cases.csv", "--json").json
    relations = {(item["column"], item["of"]): item["relation"] for item in found["dependences"]}
    assert relations["County_code", "County_living"] == "twin"
    assert relations["Date_Confirmation", "Date_Notification"] == "twin"
    assert "Town_living" in {of for column, of in relations if column == "County_living"}
    assert {"County_code", "Date_Confirmation", "County_living", "Remarks", "Source"} <= set(
        found["left_out"]
    )
