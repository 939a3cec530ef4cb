"""The example notebook runs, and objects show themselves in it without fetching anything."""

from __future__ import annotations

import json
import re
import shutil
import sys
import types
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import pandas as pd
import pytest

import sfumato as sf
from sfumato.monitor import Progress
from sfumato.notebooks import notebook_callback

EXAMPLES = Path(__file__).parents[2] / "examples"
FETCHES = re.compile(r"https?://(?!www\.w3\.org/2000/svg)|<script|<link|@import|url\(|src=", re.IGNORECASE)


@pytest.mark.slow
def test_the_example_runs_and_shows_tables_and_figures(tmp_path: Path) -> None:
    for name in ("patients.csv", "patients.toml", "whole_way.ipynb"):
        shutil.copy(EXAMPLES / name, tmp_path / name)
    stored = (tmp_path / "whole_way.ipynb").read_text(encoding="utf-8")
    assert all(not cell.get("outputs") for cell in json.loads(stored)["cells"])  # no output is committed
    notebook = nbformat.reads(stored, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    pages = [
        output["data"]["text/html"]
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if "text/html" in output.get("data", {})
    ]
    assert len(pages) == 5  # specification, risk, front, release, measures
    assert sum("<svg" in page for page in pages) >= 2
    assert all("<table" in page for page in pages)
    for page in pages:
        assert not FETCHES.search(page)
        assert page.startswith('<div class="sfumato"><style>')
    printed = "".join(
        output["text"] for cell in notebook.cells for output in cell.get("outputs", ()) if "text" in output
    )
    assert printed.startswith("True")


def test_values_are_escaped() -> None:
    frame = pd.DataFrame({"<b>age": [1, 2] * 5, "ill": ["<script>x</script>", "cold"] * 5})
    spec = sf.Spec.from_dict(
        {
            "attributes": {"<b>age": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}},
            "require": {"k": 2},
            "objectives": {"minimize": ["loss"]},
        }
    )
    for item in (spec, sf.anonymize(frame, spec), sf.measure(frame, ["<b>age"], ["ill"])):
        page = item._repr_html_()
        assert "<b>" not in page
        assert "<script" not in page


def test_progress_is_shown_in_a_notebook_and_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    assert notebook_callback() is None

    class ZMQInteractiveShell:
        """Stands for a notebook."""

    shown: list[Any] = []
    handle = types.SimpleNamespace(update=lambda words, **_: shown.append(words))

    def display(words: object, **_: object) -> object:
        shown.append(words)
        return handle

    fake = types.ModuleType("IPython")
    fake.get_ipython = ZMQInteractiveShell  # type: ignore[attr-defined]
    part = types.ModuleType("IPython.display")
    part.display = display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", fake)
    monkeypatch.setitem(sys.modules, "IPython.display", part)
    show = notebook_callback()
    assert show is not None
    show(Progress(0.1, 10, 0.2))
    assert shown == []  # what is quick needs none
    show(Progress(0.5, 5000, 1.5))
    show(Progress(1.0, 10000, 3.0))
    assert [item["text/plain"] for item in shown] == [
        "50 %, 5,000 evaluated, 2 s",
        "100 %, 10,000 evaluated, 3 s",
    ]
