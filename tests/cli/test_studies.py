"""``sfumato studies``: what there is, a quick run, and what is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from studies.registry import MODULES
from tests.cli.running import run

if TYPE_CHECKING:
    from pathlib import Path


def test_all_studies_are_listed() -> None:
    found = run("studies", "list", "--json")
    assert set(json.loads(found.out)["studies"]) == set(MODULES)


def test_data_that_are_missing_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SFUMATO_TEST_DATA", str(tmp_path / "none"))
    found = run("studies", "run", "gomm", "--out", tmp_path / "out")
    assert found.status == 2
    assert "water_treatment.csv" in found.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("run", "gom", "--out", "x"), "Did you mean 'gomm'?"),
        (("run", "gomm"), "--out DIR"),
        (("list", "gomm"), "takes nothing else"),
    ],
)
def test_wrong_use(words: tuple[str, ...], message: str) -> None:
    found = run("studies", *words)
    assert found.status == 2
    assert message in found.err


def test_nothing_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    found = run("studies", "run", "granulation", "--quick", "--out", tmp_path)
    assert found.status == 2
    assert "not empty" in found.err
