"""Tables, numbers and fronts on a terminal."""

from __future__ import annotations

import pytest

from sfumato.cli.explore import print_solutions, spread, suggest_pick
from sfumato.cli.options import Options
from sfumato.cli.output import Output, TableColumn, number, percent, plain, printable, shell_word
from sfumato.cli.release import asked
from sfumato.front import Objective, PlainFront, PlainSolution


def make_front(size: int, objectives: tuple[str, ...] = ("k", "loss")) -> PlainFront:
    solutions = tuple(
        PlainSolution(place + 1, dict.fromkeys(objectives, float(size - place)), place, {"age": place})
        for place in range(size)
    )
    return PlainFront(
        solutions, tuple(Objective(name, name == "k") for name in objectives), {"complete": True}
    )


@pytest.mark.parametrize("size", [1, 2, 14, 15, 16, 17, 60, 1000])
def test_spread_holds_ends_and_wishes(size: int) -> None:
    for wanted in ([], [size // 2], [size // 2, size // 3], [0, size - 1]):
        found = spread(size, wanted)
        assert len(found) <= 15
        assert found == sorted(set(found))
        assert {0, size - 1, *wanted} <= set(found)
        assert len(found) >= min(size, 12)


def test_columns_that_do_not_fit_are_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    names = ("k", "loss", *(f"distinct_l(attribute {number})" for number in range(6)))
    print_solutions(make_front(20, names), Output(Options()), {3: "knee"})
    out = capsys.readouterr().out
    assert all(len(line) <= 80 for line in out.splitlines())
    assert "more measures in front.csv" in out
    assert "15 of 20 solutions" in out
    assert "knee" in out


def test_long_names_are_folded_not_lost(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    Output(Options()).table([TableColumn("name"), TableColumn("number", "right")], [["x" * 60, "12,345"]])
    out = capsys.readouterr().out
    assert out.count("x") == 60
    assert "12,345" in out


@pytest.mark.parametrize("columns", [20, 40, 60])
def test_a_table_without_room_keeps_every_name_and_number(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    heads = [TableColumn("attribute"), TableColumn("role", fixed=True), TableColumn("kind", fixed=True)]
    heads += [TableColumn(word, "right") for word in ("values", "levels", "partitions")]
    rows = [
        ["marital-status", "quasi-identifier", "category", "7", "", "12"],
        ["id", "identifier", "", "", "", ""],
    ]
    Output(Options()).table(heads, rows)
    shown = capsys.readouterr().out.split()
    for word in ("marital-status", "quasi-identifier,", "category,", "7,", "12", "id", "identifier"):
        assert word in shown


def test_markup_in_names_is_text(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output(Options())
    output.line("[bold]a[/bold] :smile:")
    output.table([TableColumn("[red]b")], [["[link]c"]])
    out = capsys.readouterr().out
    assert "[bold]a[/bold] :smile:" in out
    assert "[red]b" in out
    assert "[link]c" in out


def test_nothing_is_printed_where_json_is(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output(Options(json=True))
    output.line("no")
    output.facts([("no", "no")])
    output.notes("no", ["no"])
    output.paragraph("no")
    output.table([TableColumn("no")], [["no"]])
    assert capsys.readouterr().out == ""


def test_numbers_of_json_are_finite() -> None:
    assert plain({"a": [float("inf"), 1.5, 2.0, None, True]}) == {"a": [None, 1.5, 2, None, True]}
    assert (number(float("nan")), number(1e20)) == ("nan", "1e+20")


def test_pick_that_is_suggested_fits() -> None:
    assert suggest_pick(make_front(12)) == "k >= 10"
    assert suggest_pick(make_front(4)) == "knee"
    assert suggest_pick(make_front(40, ("loss",))) == "knee"


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ([number(value) for value in (30162.0, 0.40200137, 1234.5, None)], "30,162|0.402|1,234.5|"),
        ([percent(share) for share in (0.41283, 1.0, 0.00012)], "41.3 %|100 %|0.02 %"),
        ([asked("k", 5.0), asked("t(occupation)", 0.3)], ">= 5|<= 0.3"),
        ([shell_word("k >= 10"), shell_word("adult.toml")], '"k >= 10"|adult.toml'),
        ([printable("a\x1b[1m b")], "a\N{REPLACEMENT CHARACTER}[1m b"),
    ],
)
def test_numbers_and_names_as_people_read_them(found: list[str], expected: str) -> None:
    assert found == expected.split("|")
