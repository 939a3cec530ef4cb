"""The whole way in a browser: on the embedded data, on an upload, with mistakes, stops and crashes."""

from __future__ import annotations

import itertools
import os
import re
import runpy
import shutil
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from sfumato import Spec, datasets
from sfumato.report import style
from tests.app.conftest import serving
from tests.app.tabs import Tab
from tests.cli.running import run

if TYPE_CHECKING:
    from tests.app.conftest import Server

STEPS = ("/", "/data", "/hierarchies", "/goals", "/tradeoffs", "/release")
TOOLS = ("/measure", "/risk", "/verify", "/apply", "/microaggregate")
PICTURES = os.environ.get("SFUMATO_SCREENSHOTS")  # a folder to put the pictures of docs/app.md into


def picture(tab: Tab, name: str) -> None:
    """Keep a small picture of what is seen, if somebody asked for it."""
    if PICTURES:
        from PIL import Image

        tab.page.locator(".progress").wait_for(state="hidden")
        tab.page.wait_for_timeout(600)
        file = Path(PICTURES) / f"app-{name}.png"
        tab.page.screenshot(path=str(file))
        Image.open(file).convert("RGB").quantize(96, dither=Image.Dither.NONE).save(file, optimize=True)


def brush(tab: Tab, first: tuple[float, float], last: tuple[float, float]) -> None:
    """Drag a box over the front, from one place to another, as shares of its width and height."""
    box = tab.page.locator(".js-plotly-plot .nsewdrag").first.bounding_box()
    places = [(box["x"] + box["width"] * x, box["y"] + box["height"] * y) for x, y in (first, last)]
    tab.page.mouse.move(places[0][0] + 1, places[0][1] + 1)
    tab.page.mouse.down()
    tab.page.mouse.move(*places[1], steps=4)
    tab.page.mouse.up()


def run_again(folder: Path, *command: str) -> None:
    """Run a script, or a command of ours, as in a process whose folder this is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        if command[0].endswith(".py"):
            patch.setattr(sys, "argv", list(command))
            runpy.run_path(command[0], run_name="__main__")
        else:
            done = run(*command)
            assert done.status == 0, done.err


def drag_there_and_back(tab: Tab) -> None:
    """Move a value into another group by mouse, then by keyboard, and take it back."""
    private = tab.page.locator("[data-value]", has_text="Private")
    private.drag_to(tab.page.locator(".group", has_text="Self-employed"))
    tab.see("level 1: 4 groups")
    tab.page.locator(".group", has_text="Self-employed").get_by_text("Private").wait_for()
    tab.press("Undo")
    tab.see("level 1: 5 groups")
    private.focus()  # the same by keyboard
    tab.page.keyboard.press("Enter")
    tab.page.get_by_role("button", name="Put into Self-employed").press("Enter")
    tab.see("level 1: 4 groups")
    tab.press("Undo")
    tab.see("level 1: 5 groups")


def brush_and_show_all(tab: Tab) -> None:
    """Only solutions in the box are listed."""
    brush(tab, (0.0, 0.0), (0.45, 1.0))
    count = tab.page.get_by_text(re.compile(r"^\d+ of \d+ solutions$"))
    count.wait_for()
    ends = tab.read("document.querySelector('.js-plotly-plot').layout.xaxis.range")
    limit = 10 ** (ends[0] + 0.45 * (ends[1] - ends[0]))
    listed = tab.page.locator(".ag-center-cols-container [col-id=m0]").all_inner_texts()
    assert listed
    assert all(float(cell.replace(",", "")) <= limit for cell in listed)
    tab.press("Show all solutions")
    count.wait_for(state="detached")


def make_again(tab: Tab, tmp_path: Path) -> None:
    """What was downloaded makes the same file."""
    # Another test of this server may have a project of this name already.
    words = tab.page.get_by_role("link", name=re.compile("^Data: census")).inner_text()
    data = tab.download(words, tmp_path)
    for words in ("Manifest", "Report", "Internal report", "Python script", "Specification"):
        tab.download(words, tmp_path)
    with zipfile.ZipFile(tab.download("Chosen solution", tmp_path)) as packed:
        packed.extractall(tmp_path)
    shutil.copytree(datasets.adult_path().parent, tmp_path, dirs_exist_ok=True)
    run_again(tmp_path, "reproduce.py", "by-script.csv")
    command = ("release", "reproduce.toml", "--front", "chosen", "--pick", "1", "--out", "by-command.csv")
    run_again(tmp_path, *command)
    assert data.read_bytes() == (tmp_path / "by-script.csv").read_bytes()
    assert data.read_bytes() == (tmp_path / "by-command.csv").read_bytes()


def test_whole_way_and_what_reproduces_it(browser: Any, served: Server, tmp_path: Path) -> None:
    tab = Tab.open(browser, served)
    picture(tab, "start")
    tab.census()
    tab.see("These three columns single out")
    tab.see("occupation (sensitive)")
    picture(tab, "data")
    tab.go("/hierarchies")
    tab.see("level 3: 7 groups")
    tab.press("workclass")
    tab.see("level 1: 5 groups")
    picture(tab, "hierarchies")
    drag_there_and_back(tab)
    tab.go("/goals")
    tab.see("17,920 possible releases")
    tab.choose("Add a requirement", "smallest class (k)")
    tab.see("Protects against being found")
    tab.see("possible releases")
    tab.write("Limit of k", "3")
    tab.kept("k = 3")
    tab.see("possible releases")
    picture(tab, "goals")
    tab.search()
    tab.see("Complete: all 17,920 recodings were evaluated")
    tab.see("The first rows in solution")
    picture(tab, "tradeoffs")
    tab.has(".ag-cell", re.compile("^30,162$"))
    brush_and_show_all(tab)
    tab.page.get_by_role("button", name="least loss").click()
    beside = tab.page.get_by_role("heading", name="Side by side", exact=True)
    beside.wait_for()
    tab.see("The first rows in solution 50")
    tab.see("Who is left out more than others")
    beside.evaluate("item => item.scrollIntoView()")
    picture(tab, "side-by-side")
    tab.go("/release")
    tab.see("Python")
    tab.press("Verify and write")
    tab.see("Verified:")
    tab.see("changed lines")
    tab.has("del", "sf.explore")
    tab.has("ins", "release_solution")
    tab.has("ins", "k = 3")
    picture(tab, "release")
    make_again(tab, tmp_path)
    elsewhere = {urlsplit(url).netloc for url in tab.asked if urlsplit(url).scheme not in ("data", "blob")}
    assert elsewhere == {urlsplit(served.home).netloc}


def test_upload_and_a_requirement_that_cannot_be_met(browser: Any, served: Server, tmp_path: Path) -> None:
    """Where the system is dark, so that the figure of the front is to be dark too."""
    rows = [f"{20 + n % 40},{10000 + n % 7},{'pos' if n % 3 else 'neg'},{n % 2}" for n in range(300)]
    file = tmp_path / "patients.csv"
    hostile = """<img src=x onerror="document.title='taken'">"""
    quoted = hostile.replace('"', '""')
    file.write_text("\n".join([f'age,zip,hiv,"{quoted}"', *rows]) + "\n")
    tab = Tab.open(browser, served, color_scheme="dark")
    tab.upload(file)
    tab.page.wait_for_url("**/data")
    tab.ready()
    tab.see("300 rows, 4 columns")
    tab.choose("Role of hiv", "sensitive")
    tab.choose(f"Role of {hostile}".replace('"', "'"), "left out")
    tab.see("Published unchanged")
    assert tab.page.title() == "Data · Sfumato"
    tab.go("/goals")
    tab.see("possible releases")  # counted, so that nothing is shown anew while it is chosen
    tab.choose("Add a requirement", "fewest different values of hiv in a class (distinct_l)")
    tab.see("fewest different values of hiv in a class (distinct_l): at least")
    tab.see("possible releases")  # counted, so that nothing is shown anew while the number is typed
    tab.write("Limit of distinct_l(hiv)", "3")
    tab.kept('"distinct_l(hiv)" = 3')
    tab.go("/tradeoffs")
    tab.press("Search")
    tab.see("Nothing meets the requirements")
    tab.press("Undo")
    tab.see("Taken back: distinct_l(hiv) = 3")
    tab.press("Search again")
    tab.see("Worth a look")
    ground = tab.read("document.querySelector('.js-plotly-plot').layout.paper_bgcolor")
    assert ground == style.DARK["ground"]


@pytest.mark.slow
def test_local_recoding_beside_global_and_what_reproduces_it(
    browser: Any, served: Server, tmp_path: Path
) -> None:
    file = tmp_path / "visits.csv"
    rows = [f"{20 + n * n % 61},{'abcdef'[n % 6]},{'pos' if n % 3 else 'neg'}" for n in range(400)]
    file.write_text("\n".join(["age,ward,hiv", *rows]) + "\n")
    tab = Tab.open(browser, served)
    tab.upload(file)
    tab.page.wait_for_url("**/data")
    tab.ready()
    tab.see("400 rows, 3 columns")
    tab.go("/hierarchies")
    tab.see("levels, from as it is to everything alike")
    tab.choose("Scope of the recoding", "local: each group of similar rows gets its own labels")
    tab.see("Ranges begin and end at multiples of")
    tab.choose("Labels of age", "range: from one value to another, such as 30-44")
    tab.kept('labels = "range"')
    tab.write("Ranges begin and end at multiples of", "5")
    tab.kept("snap = 5")
    tab.press("ward")
    tab.choose("Labels of ward", "suppress: the value itself, or *")
    tab.kept('labels = "suppress"')
    picture(tab, "local-labels")
    tab.go("/goals")
    tab.see("each with a proven bound")
    tab.write("Steps to try, such as 5, 10, 20", "5, 10, 20, 40")
    tab.kept("ladder")
    tab.search()
    tab.see("4 solutions")
    curves = "document.querySelector('.js-plotly-plot').data"
    tab.read(f"{curves}.some(trace => trace.name.includes('best global recoding'))")
    tab.see("The first rows in solution")
    picture(tab, "local-tradeoffs")
    tab.go("/release")
    tab.choose("Format", "CSV (.csv)")
    tab.press("Verify and write")
    tab.see("Verified:")
    data = tab.download("Data: visits-shared.csv", tmp_path)
    for words in ("Manifest", "Python script", "Specification", "Assignment"):
        tab.download(words, tmp_path)
    with zipfile.ZipFile(tab.download("Chosen solution", tmp_path)) as packed:
        packed.extractall(tmp_path)
    run_again(tmp_path, "reproduce.py", "by-script.csv")
    command = ("release", "reproduce.toml", "--front", "chosen", "--pick", "1", "--out", "by-command.csv")
    run_again(tmp_path, *command)
    secret = ("--assignment", "assignment.json", "--out", "by-assignment.csv")
    run_again(tmp_path, "apply", f"{data.name}.json", file.name, *secret)
    for name in ("script", "command", "assignment"):
        assert (tmp_path / f"by-{name}.csv").read_bytes() == data.read_bytes()
    ends = {end for line in data.read_text().splitlines()[1:] for end in line.split(",")[0].split("-")[:1]}
    assert all(end == "*" or int(end) % 5 == 0 for end in ends)  # snapped, as was asked for


def test_wrong_file_is_told_in_words_and_leaves_nothing(browser: Any, served: Server, tmp_path: Path) -> None:
    file = tmp_path / "photo.csv"
    file.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    tab = Tab.open(browser, served)
    tab.upload(file)
    message = tab.page.get_by_role("alert")
    message.wait_for()
    assert "photo.csv" in message.inner_text()
    assert "bug" not in message.inner_text()
    tab.go("/data")
    tab.see("Nothing is open yet")


@pytest.mark.slow
def test_wrong_file_leaves_what_is_open_and_tabs_show_the_same_project(
    browser: Any, served: Server, tmp_path: Path
) -> None:
    """The file is written as office programs do it: not in UTF-8, with semicolons and decimal commas."""
    file, wrong = tmp_path / "größen.csv", tmp_path / "wrong.csv"
    rows = [f"{150 + n % 40},5;{'Köln' if n % 2 else 'Bonn'};{n % 3}" for n in range(300)]
    file.write_text("\n".join(["size;town;ill", *rows]) + "\n", encoding="latin-1")
    wrong.write_bytes(b"%PDF-1.4\n" + bytes(range(256)))
    tab = Tab.open(browser, served)
    other = tab.second()
    tab.upload(file)
    tab.page.wait_for_url("**/data")
    tab.ready()
    tab.see("300 rows, 3 columns")
    tab.see("numbers")
    tab.page.locator(".progress").wait_for(state="hidden")
    other.page.locator(".project", has_text="größen").wait_for()
    tab.go("/")
    tab.upload(wrong)
    tab.see("wrong.csv: the file holds NUL bytes")
    assert str(tmp_path) not in tab.page.locator(".content").inner_text()
    assert tab.page.locator(".project").inner_text() == "größen"
    tab.go("/measure")
    tab.press("Measure")
    tab.see("Is this table anonymous?")
    tab.go("/risk")
    tab.press("Attack it")
    tab.see("What attackers achieve")


@pytest.mark.slow
def test_what_a_stop_kept_survives_reloads_tabs_and_a_crash(browser: Any, tmp_path: Path) -> None:
    """The search would go on for minutes and does not run out of recodings, so only the button can end it."""
    home, temporary = tmp_path / "projects", tmp_path / "temporary"
    temporary.mkdir()
    asked = {"method": "nsga2", "iterations": 1_000_000, "time_limit": 900}
    with serving(str(home), temporary=temporary) as first:
        tab = Tab.open(browser, first)
        tab.census()
        tab.see("These three columns single out")
        tab.page.locator(".progress").wait_for(state="hidden")
        file = home / "census" / "specification.toml"
        tables = {**Spec.load(file).to_dict(), "search": asked}
        tables["attributes"]["age"]["scheme"] = "ordered"
        Spec.from_dict(tables, file.parent).save(file)
        tab.go("/")
        tab.press("Open census")
        tab.page.wait_for_url("**/data")
        other = tab.second()
        other.go("/tradeoffs")
        tab.go("/tradeoffs")
        tab.press("Search")
        tab.see("solutions so far")
        other.see("solutions so far")
        tab.page.reload()
        tab.ready()
        tab.see("solutions so far")
        # Without waiting for two still frames, which a browser without a screen draws late on a busy machine.
        tab.page.get_by_role("button", name="Stop, keep what was found").first.dispatch_event("click")
        tab.see("Worth a look")
        other.see("Worth a look")
        tab.see("Not complete")
        first.process.kill()
        first.process.wait()
    left = {item.name for item in temporary.iterdir()}
    assert left
    with serving(str(home), temporary=temporary) as second:
        tab = Tab.open(browser, second)
        assert not left & {item.name for item in temporary.iterdir()}
        tab.press("Open census")
        tab.page.wait_for_url("**/data")
        tab.go("/tradeoffs")
        tab.press("Earlier runs")
        tab.page.get_by_text("Run 1").click()
        tab.see("Worth a look")
        second.end()
    assert list(temporary.iterdir()) == []


@pytest.fixture(scope="module")
def searched(browser: Any, served: Server) -> Tab:
    """A session in which the census example was searched, for tests that only look."""
    tab = Tab.open(browser, served, reduced_motion="reduce")
    tab.census()
    tab.search()
    return tab


def test_sessions_do_not_see_each_other(browser: Any, served: Server, searched: Tab) -> None:
    mine, other = searched, Tab.open(browser, served)
    other.go("/data")
    other.see("Nothing is open yet")
    name = mine.page.locator(".project").inner_text()
    other.go("/")
    other.see("Try it on a census table")
    assert other.page.get_by_role("button", name=f"Open {name}", exact=True).count() == 0
    assert mine.page.request.get(f"{mine.home}/files/specification.toml").status == 200
    assert other.page.request.get(f"{mine.home}/files/specification.toml").status == 404


def turn(tab: Tab, to: str) -> None:
    """Turn the page light or dark and wait to see it: going on at once may lose the click."""
    tab.press("Light or dark")
    tab.page.locator(f"body.body--{to}").wait_for(state="attached")


@pytest.mark.parametrize("look", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_pages_are_accessible(searched: Tab, look: str) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-core is not installed"
    ).Axe()
    tab, found = searched, {}
    if look == "dark":
        turn(tab, to="dark")
    for path in (*STEPS, *TOOLS):
        tab.go(path)
        tab.page.locator(f"body.body--{look}").wait_for(state="attached")
        if path in TOOLS and look == "light":
            picture(tab, path[1:])
        violations = axe.run(tab.page).response["violations"]
        serious = [item for item in violations if item["impact"] in ("serious", "critical")]
        if serious:
            found[path] = [
                (item["id"], [node["html"][:150] for node in item["nodes"][:3]]) for item in serious
            ]
    if look == "dark":
        turn(tab, to="light")
    assert found == {}


def test_pages_fit_a_narrow_screen(searched: Tab) -> None:
    tab = searched.second()
    tab.page.set_viewport_size({"width": 400, "height": 800})
    for path in (*STEPS, *TOOLS):
        tab.go(path)
        tab.page.locator("h1").wait_for()
        assert tab.read("document.documentElement.scrollWidth") <= 400, path
        here = tab.page.locator(".rail a.here").bounding_box()
        assert here["x"] >= 0, path
        assert here["x"] + here["width"] <= 400, path
    tab.go("/tradeoffs")
    tab.page.locator(".js-plotly-plot .xtick text").first.wait_for(state="attached")
    ticks = "[...document.querySelectorAll('.js-plotly-plot .xtick text')]"
    labels = set(tab.read(f"{ticks}.map(item => item.innerHTML)"))
    assert {"1", "10", "100"} <= labels
    assert not {"2", "20", "200"} & labels
    boxes = tab.read(f"{ticks}.map(item => item.getBoundingClientRect().toJSON())")
    ends = [(box["left"], box["right"]) for box in boxes if box["width"]]
    assert all(left[1] <= right[0] for left, right in itertools.pairwise(sorted(ends)))
