"""What docs/confidential.md shows runs as it stands, and does what it says."""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import sfumato as sf
from sfumato.confidentiality import parse_sentence
from tests.cli.running import run

if TYPE_CHECKING:
    import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "confidential.md").read_text(encoding="utf-8")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_clinic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Table, specification, commands and Python of the page, one after the other."""
    monkeypatch.chdir(tmp_path)
    make, use = (compile(block, "docs/confidential.md", "exec") for block in _blocks("python"))
    exec(make, {})
    (toml,) = _blocks("toml")
    Path("clinic.toml").write_text(toml, encoding="utf-8")
    (commands,) = _blocks("sh")
    for line in commands.splitlines():
        ended = run(*line.split()[1:])
        assert ended.status == 0, (line, ended.err)
    assert sf.verify("shared.csv")["measures"]["k"] >= 3
    groups = defaultdict(list)
    with Path("shared.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            groups[row["age"], row["zip"], row["sex"], row["ward"]].append(row["hiv"])
    assert all("negative" in results for results in groups.values())
    exec(use, {})
    shown = capsys.readouterr().out.splitlines()
    assert shown[-1].startswith("1.0 0.0 ")
    assert "'people': 600" in shown[-2]


def test_sentences_of_the_page_can_be_read() -> None:
    """Whatever stands in the table of what to write."""
    rows = [line for line in PAGE.splitlines() if line.startswith("| `") and "…" not in line]
    texts = [text for line in rows for text in re.findall(r"`([^`]*)`", line.split("|")[1])]
    sentences = [text for text in texts if " " in text]
    assert len(sentences) >= 7
    for text in sentences:
        parse_sentence(text)
