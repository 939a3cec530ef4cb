"""Every output is as it was."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.goldens.cases import CASES, run_case
from tests.goldens.comparing import EXPECTED, difference, is_exact, read_expected, write_expected
from tests.goldens.desk import Desk, call
from tests.goldens.masking import mask, round_numbers
from tests.goldens.pages import page_text
from tests.goldens.schemes import PLANS, lay_out

if TYPE_CHECKING:
    from pathlib import Path

LARGEST_FILE, LARGEST_FOLDER = 100_000, 1_500_000

compiled = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="whole runs take minutes without compiled kernels"
)


# One case of each kind; the schemes and commands that are left have tests of their own in a short run too.
SHORT = ("levels", "local", "mistakes", "infeasible", "init", "verify", "frames", "microaggregate", "recipes")


@compiled
@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=() if case in SHORT else pytest.mark.slow) for case in CASES]
)
def test_outputs_are_as_expected(case: str, tmp_path: Path) -> None:
    folder = tmp_path / case
    folder.mkdir()
    found = difference(read_expected(case), run_case(case, folder), exact=is_exact())
    assert not found, f"\n{found}\nIf this is meant: python -m tests.goldens.write {case}"


def test_no_golden_is_without_its_case() -> None:
    assert {folder.name for folder in EXPECTED.iterdir() if folder.is_dir()} == set(CASES)


def test_goldens_are_small() -> None:
    sizes = {file: file.stat().st_size for file in EXPECTED.rglob("*") if file.is_file()}
    assert [file.name for file, size in sizes.items() if size >= LARGEST_FILE] == []
    assert sum(sizes.values()) < LARGEST_FOLDER


def test_one_changed_number_is_found() -> None:
    for case in CASES:
        expected = read_expected(case)
        for name, text in expected.items():
            place = max(text.rfind(digit) for digit in "0123456789")
            if place >= 0:
                digit = str((int(text[place]) + 1) % 10)
                changed = {**expected, name: f"{text[:place]}{digit}{text[place + 1 :]}"}
                assert difference(expected, changed, exact=True).startswith(f"--- expected/{name}\n")


def test_a_difference_is_shown_line_by_line() -> None:
    expected = {"a.txt": "k 3\nloss 0.25\n", "b.txt": "same\n", "c.txt": "1\n"}
    assert difference(expected, dict(expected), exact=True) == ""
    shown = difference(expected, {**expected, "a.txt": "k 3\nloss 0.26\n", "c.txt": "2\n"}, exact=False)
    assert "-loss 0.25\n+loss 0.26" in shown
    assert shown.endswith("also different: c.txt")
    assert "missing" in difference(expected, {"a.txt": expected["a.txt"], "b.txt": "same\n"}, exact=True)
    assert "nobody expected" in difference(expected, {**expected, "0.txt": ""}, exact=True)
    assert "line end" in difference({"a": "1\n"}, {"a": "1"}, exact=True)


def test_digits_beyond_the_twelfth_count_only_in_the_same_surroundings() -> None:
    one, other = {"a": "loss 0.30000000000000004"}, {"a": "loss 0.3"}
    assert difference(one, other, exact=True)
    assert not difference(one, other, exact=False)
    assert round_numbers("1.2.3456789012345 x0.12345678901234") == "1.2.3456789012345 x0.12345678901234"
    assert difference({"a": "0.123456789012"}, {"a": "0.123456789013"}, exact=False)


def test_only_what_may_differ_is_masked() -> None:
    digest = "ab" * 32
    text = f'"seconds": 0.01, "rows": 60, "sha256": "{digest}", "seal": "{digest}", "versions": {{"a": "1"}}'
    masked = mask(text, {digest: ".parquet"})
    assert '"seconds": <seconds>, "rows": 60, "sha256": "<sha256 of a .parquet>"' in masked
    assert '"seal": "<seal>", "versions": {"a": "<version>"}' in masked
    assert mask(f'"sha256": "{digest}", 60 rows', {}) == f'"sha256": "{digest}", 60 rows'


def test_a_page_becomes_its_texts_and_numbers() -> None:
    html = (
        "<style>p { color: red }</style><p>k is <b>3</b> &amp; more</p>"
        "<table><tr><th>a</th><td>1</td></tr></table>"
        '<svg><circle class="mark" cx="4"/><line class="grid" x1="2"/></svg><script>var x = 5</script>'
        '<script type="application/json">{"data": [{"x": [1, 2], "color": "red"}]}</script>'
    )
    lines = ["p: k is 3 & more", "tr: | a | 1", "circle: [cx=4]", "drawing.data.0.x: [1, 2]"]
    assert page_text(html).splitlines() == lines


def test_written_goldens_are_read_again(tmp_path: Path) -> None:
    assert write_expected("case", {"a": "1\r\n", "b": "2"}, tmp_path) == ["a", "b"]
    assert write_expected("case", {"a": "1\r\n", "c": "ü"}, tmp_path) == ["b", "c"]
    assert read_expected("case", tmp_path) == {"a": "1\r\n", "c": "ü"}


@compiled
@pytest.mark.parametrize("spec", ["mixed"])
def test_threads_change_nothing(spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = []
    for threads in (1, 2):
        folder = tmp_path / str(threads)
        folder.mkdir()
        monkeypatch.chdir(folder)
        outputs.append(explore_and_anonymize(Desk(folder), spec, threads))
    assert not difference(outputs[0], outputs[1], exact=True)


def explore_and_anonymize(desk: Desk, spec: str, threads: int) -> dict[str, str]:
    """Run both searches with a number of threads; the commands themselves are not kept."""
    name = lay_out(desk, f"{spec}.toml", PLANS[spec])
    for command, target in (("explore", "front"), ("anonymize", "a.csv")):
        status, out, err = call([command, name, "--out", target, "--json", "--threads", str(threads)])
        assert status == 0, err
        desk.keep(f"{command}.txt", out)
    desk.keep_files("front/front.csv", "front/run.json", "a.csv", "a.csv.json")
    return desk.result()
