"""``--memory``: what the engines may hold, in a process of its own since all of it shares the limit."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from sfumato.table.engine import connect
from sfumato.verifier.bags import open_engine

if TYPE_CHECKING:
    from pathlib import Path


def limits() -> tuple[str, str]:
    query = "SELECT current_setting('memory_limit')"
    with open_engine() as connection:
        return connect().sql(query).fetchall()[0][0], connection.execute(query).fetchall()[0][0]


def test_both_engines_keep_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SFUMATO_MEMORY", "256MiB")
    assert limits() == ("256.0 MiB", "256.0 MiB")
    monkeypatch.delenv("SFUMATO_MEMORY")
    assert limits() == ("1.3 GiB", "1.3 GiB")


@pytest.mark.some(2)
@pytest.mark.parametrize("amount", ["64MB", "lots", "-1GB"])
def test_the_option_sets_it_or_is_refused(amount: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("age,zip\n" + "1,2\n" * 5)
    words = ["measure", "a.csv", "--qi", "age,zip", "--memory", amount]
    environment = {name: value for name, value in os.environ.items() if name != "SFUMATO_MEMORY"}
    found = subprocess.run(
        [sys.executable, "-m", "sfumato", *words],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == (0 if amount == "64MB" else 2)
    assert amount == "64MB" or "4GB" in found.stderr
