"""What studies share: texts that are the same on every machine."""

from __future__ import annotations

import json

import numpy as np
import pytest

from studies.common.figures import new_figure, save_figure
from studies.common.markdown import count, mean_variance, ratio, seconds, small, table, wrap
from studies.common.results import read_results, results_text, write_results
from studies.common.summaries import summarize, summarize_each
from studies.common.verdicts import Look, Verdict, glance, span
from studies.registry import MODULES, load_study


def test_results_come_back_sorted_and_plain(tmp_path) -> None:
    """Arrays become lists, keys are sorted, and a list of numbers stands on one line."""
    results = {"b": np.array([[1.5, 2.0], [3.0, 4.25]]), "a": {"z": np.int64(3), "y": (1, 2)}, "empty": {}}
    write_results(results, tmp_path)
    assert read_results(tmp_path) == {"a": {"y": [1, 2], "z": 3}, "b": [[1.5, 2], [3, 4.25]], "empty": {}}
    text = results_text(results)
    assert text.index('"a"') < text.index('"b"')
    assert "  [1.5, 2],\n" in text
    assert json.loads(text) == read_results(tmp_path)


def test_results_have_no_nan() -> None:
    """JSON has none, and a study that finds one is wrong."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        results_text({"a": float("nan")})


def test_numbers_in_words() -> None:
    """Two digits for small numbers; a share below one is never printed as one."""
    assert (small(3.66e-4), small(0), small(12.0)) == ("3.7e-4", "0", "1.2e1")
    assert (ratio(0.99999), ratio(1.0), ratio(0.5)) == ("0.999", "1", "0.500")
    assert (count(1234567.4), seconds(0.256), seconds(2.55), seconds(61.2)) == (
        "1,234,567",
        "0.26 s",
        "2.5 s",
        "61 s",
    )
    assert mean_variance({"mean": 0.94, "variance": 8e-4}, ratio) == "0.940 (8.0e-4)"


def test_tables_and_paragraphs() -> None:
    """Tables stay as they are; paragraphs and items are wrapped."""
    made = table(["what", "n"], [["rows", "3"]])
    assert made.splitlines() == ["| what | n |", "|---|--:|", "| rows | 3 |"]
    assert wrap(f"one\ntwo\n\n{made}\n\n- a\n  b\n- c") == f"one two\n\n{made}\n\n- a b\n- c"
    assert max(len(line) for line in wrap("word " * 100).splitlines()) <= 110


def test_summaries() -> None:
    """Sample variance, and the values in their order."""
    found = summarize_each([{"x": 1.0}, {"x": 3.0}])
    assert found == {"x": {"mean": 2.0, "median": 2.0, "variance": 2.0, "values": [1.0, 3.0]}}
    assert summarize([4.0])["variance"] == 0


def test_one_line_for_each_table_says_how_much_holds() -> None:
    """Only statements of the paper about that table count."""
    looks = [Look(place, "1 to 2", span([3.0, 1.0], count)) for place in ("A", "B", "C", "D", "E")]
    verdicts = [
        Verdict("a", "1", "1", holds=True, place="A"),
        Verdict("b", "1", "2", holds=False, place="B"),
        Verdict("b again", "2", "2", holds=True, place="B"),
        Verdict("c", "3 of 4", "all", holds=False, place="C"),
        Verdict("d", "1", "1", holds=True, source="ours", place="D"),
        *(Verdict("e", "1", "2", holds=False, place="E") for _ in range(2)),
    ]
    lines = glance(looks, verdicts).splitlines()
    assert lines[2] == "| A | 1 to 2 | 1 to 3 | yes |"
    held = [line.split(" | ")[-1].removesuffix(" |") for line in lines[2:]]
    assert held == ["yes", "1 of 2", "**no**: 3 of 4", "nothing to compare", "**no**"]


def test_a_figure_that_is_too_large_is_refused(tmp_path) -> None:
    """Repositories keep every version of it."""
    figure, (axis,) = new_figure(1)
    axis.imshow(np.random.default_rng(0).random((600, 600)), interpolation="nearest")
    with pytest.raises(ValueError, match="bytes; at most"):
        save_figure(figure, tmp_path / "noise.png")


@pytest.mark.parametrize("name", sorted(MODULES))
def test_studies_by_name(name) -> None:
    """Each is found under the name it has."""
    assert load_study(name).name == name
