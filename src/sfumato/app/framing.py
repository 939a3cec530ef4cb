"""What every page shares: its frame, its state, messages, and the report's pieces and colours."""

from __future__ import annotations

import asyncio
import inspect
import json
import tomllib
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from nicegui import ui

from sfumato.app.jobs import in_words
from sfumato.report import style
from sfumato.report.pieces import piece_html, read_resource
from sfumato.words import count_words, number_words, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sfumato.app.jobs import Job
    from sfumato.app.projects import Desk, Project, Visit
    from sfumato.report.pieces import Piece
    from sfumato.spec import Spec

HEIGHT = 500  # pixels of a figure: all of it fits on a small screen
CLICKED_S = 2.0  # seconds for which what a page no longer shows still hears clicks
REFRESH_S = 0.4  # seconds after which a page looks whether its state has changed
_NIGHT = {
    style.INK: style.DARK["ink"],
    style.FAINT: style.DARK["quiet"],
    style.GRID: style.DARK["grid"],
    style.KNEE: style.DARK["before"],
    style.BESIDE: style.DARK["before"],
    style.PICKED: "#fffffe",
    "#ffffff": style.DARK["ground"],
    "#007a5a": "#5fd0ae",
    "#a0447a": "#e593c3",
    "#5b5bb0": "#a9a9f0",
}
"""The colours of figures by day, and what takes their place by night."""


def _read(name: str) -> str:
    return files("sfumato.app").joinpath(name).read_text(encoding="utf-8")


CHOICES: dict[str, dict[str, Any]] = tomllib.loads(_read("choices.toml"))


def explained(table: str, keys: Iterable[str]) -> dict[str, str]:
    """Return choices with what they mean."""
    return {key: f"{key}: {CHOICES[table][key]}" for key in keys}


@dataclass(frozen=True)
class Page:
    """One page of the app."""

    path: str
    title: str
    lead: str  # one sentence on what is done here
    show: Callable[[Here], None]
    needs: str = "nothing"  # `nothing`, `data` or `front`
    is_step: bool = True  # whether it is a step of the way, or a tool beside it


@dataclass(eq=False)
class Here:
    """A page in one tab: its session, and what it remembers until it is loaded again."""

    visit: Visit
    desk: Desk
    memory: dict[str, Any] = field(default_factory=dict)
    message: tuple[str, str] | None = None  # how it looks, and the words
    version: int = 0

    @property
    def project(self) -> Project:
        """The project; only pages that need one ask for it."""
        assert self.visit.project is not None
        return self.visit.project

    @property
    def spec(self) -> Spec:
        """The specification; only pages that need data ask for it."""
        assert self.project.spec is not None
        return self.project.spec

    def say(self, words: str, look: str = "note") -> None:
        """Show a message at the top of the page."""
        self.message = (look, words)
        self.version += 1

    def kept(self, key: str, default: Any) -> Any:
        """Return what a field of this page held last."""
        return self.memory.setdefault(key, default)

    def keep(self, key: str) -> Callable[[Any], None]:
        """Return a handler that remembers what a field holds, over everything that is shown anew."""
        return lambda event: self.memory.update({key: event.value})

    def field(self, key: str, label: str) -> ui.input:
        """Show a field for text that keeps what is typed over everything that is shown anew."""
        return ui.input(label, value=self.kept(key, ""), on_change=self.keep(key))

    def on_commit(self, element: Any, action: Callable[[Any], object]) -> None:
        """Do something with the value of a field when it was changed and is left, or Enter is pressed."""
        on_commit(element, self.tried(action))

    def select(self, label: str, options: dict[str, str], value: str, action: Callable[..., object]) -> None:
        """Show a list of choices, and do something with the chosen one."""
        native_select(label, options, value, self.tried(action))

    def set(self, **values: Any) -> None:
        """Remember something, and show this page anew."""
        self.memory.update(values)
        self.refresh()

    def refresh(self) -> None:
        """Show this page anew."""
        self.version += 1

    def tried(self, action: Callable[..., object]) -> Callable[..., None]:
        """Return a handler that says in words what went wrong; it takes what the action takes."""

        def attempt(*given: object) -> None:
            self.message = None
            try:
                action(*given)
            except Exception as error:
                self.say(in_words(error), "bad")

        # NiceGUI hands an event only to who has a parameter for it.
        parameters = inspect.signature(action).parameters.values()
        takes_event = any(item.default is item.empty for item in parameters)
        return (lambda given: attempt(given)) if takes_event else (lambda: attempt())


def register(page: Page, pages: list[Page], desk: Desk) -> None:
    """Serve a page."""

    @ui.page(page.path, title=f"{page.title} · Sfumato")
    def build() -> None:
        here = Here(desk.visit(ui.context.client.request.state.visitor), desk)
        ui.colors(primary=style.LIGHT["after"], negative=style.LIGHT["bad"], positive=style.LIGHT["good"])
        dark = ui.dark_mode(here.visit.dark)
        with ui.element("div").classes("shell"):
            _navigation(page, pages, here)
            with ui.element("main").classes("content") as main:
                top = _Top(here, dark)
                ui.html(f"{printable(page.title)}", sanitize=False, tag="h1")
                ui.label(page.lead).classes("lead")
                status = _Bulletin(here)
                boxes = [_show(page, here)]
        ui.skip_link("Skip to the content", target=main)
        own = ui.context.client
        seen, client = [_state(here)], own.id
        in_text = "(e) => sfumatoIfText(e, emit)"
        main.on("focusin", lambda: _typing.add(client), js_handler=in_text)
        main.on("focusout", lambda: _typing.discard(client), js_handler=in_text)
        own.on_disconnect(lambda: _typing.discard(client))

        def tick() -> None:
            top.update()
            status.update()
            now = _state(here)
            if now != seen[0] and client not in _typing:
                seen[0] = now
                with main:
                    old, boxes[0] = boxes[0], _show(page, here)
                main.default_slot.children.remove(old)
                main.update()
                # A click that is on its way still finds what it was meant for.
                asyncio.get_running_loop().call_later(
                    CLICKED_S, lambda: own.remove_elements(old.descendants(include_self=True))
                )

        ui.timer(REFRESH_S, tick)
        if here.visit.dark is None:
            ui.timer(0.05, lambda: _follow_system(here, dark), once=True)


async def _follow_system(here: Here, dark: ui.dark_mode) -> None:
    """Ask the browser once whether it is night, since figures have to know."""
    found = await ui.run_javascript("matchMedia('(prefers-color-scheme: dark)').matches", timeout=20)
    if here.visit.dark is None:
        dark.value = here.visit.dark = bool(found)
        if found:
            here.refresh()


def _show(page: Page, here: Here) -> ui.element:
    """Show what a page holds, or what is missing for it."""
    project = here.visit.project
    has_data = project is not None and project.spec is not None
    has_front = project is not None and project.front is not None and len(project.front) > 0
    with ui.element("div").classes("page") as box:
        if page.needs != "nothing" and not has_data:
            with empty("Nothing is open yet", "Open a file, or try the census table, and come back."):
                way_to("Go to Start", "/")
        elif page.needs == "front" and not has_front:
            with empty("There is no solution to release yet", "Search for the trade-off first, then choose."):
                way_to("Go to Trade-offs", "/tradeoffs")
        else:
            try:
                page.show(here)
            except Exception as error:
                notice(in_words(error), "bad").props('role="alert"')
    return box


def _state(here: Here) -> tuple[object, ...]:
    visit = here.visit
    # With what went wrong: a file may be refused so fast that nothing else looks different.
    return here.version, id(visit.bench), visit.bench.version, visit.trouble


def _navigation(page: Page, pages: list[Page], here: Here) -> None:
    with ui.element("nav").classes("rail").props('aria-label="Pages"'):
        ui.html("Sfumato", sanitize=False, tag="span").classes("brand")
        for is_step, heading in ((True, "The way to a release"), (False, "Tools for any table")):
            ui.label(heading).classes("rail-heading")
            with ui.element("ol" if is_step else "ul"):
                for item in (item for item in pages if item.is_step == is_step):
                    with ui.element("li"):
                        link = ui.link(item.title, item.path)
                        if item is page:
                            link.classes("here").props('aria-current="page"')


class _Top:
    """Which project is open, and what can be done on every page; another tab may open another project."""

    def __init__(self, here: Here, dark: ui.dark_mode) -> None:
        self._here, self._dark = here, dark
        with ui.element("div").classes("top"):
            self._name = ui.label().classes("project")
            self._undo = button("Undo", here.tried(self._take_back), "flat", "dense", icon="undo")
            button("Light or dark", self._turn, "flat", "dense", icon="contrast")
        self.update()

    def update(self) -> None:
        """Show how things are now."""
        project = self._here.visit.project
        self._name.text = "no project" if project is None else printable(project.name)
        self._undo.set_visibility(project is not None and bool(project.past))

    def _turn(self) -> None:
        self._here.visit.dark = not self._here.visit.dark
        self._dark.value = self._here.visit.dark
        self._here.refresh()

    def _take_back(self) -> None:
        words = self._here.project.undo()
        self._here.say(f"Taken back: {words}." if words else "There is nothing to take back.")


class _Bulletin:
    """What is being done, how far, and what was said last; its elements stay, so that clicks hit them."""

    def __init__(self, here: Here) -> None:
        self._here = here
        with ui.element("div").classes("status").props('aria-live="polite"'):
            with ui.element("div").classes("progress") as self._panel:
                self._words = ui.label()
                self._bar = ui.linear_progress(0, show_value=False).props('aria-label="Progress"')
                words, more = "Stop, keep what was found", "dense padding='xs md'"
                self._stop = button(words, here.tried(self._end), "outline", more, icon="stop")
            self._error, self._message = notice("", "bad"), notice("", "note")
        for element in (self._error, self._message):
            element.props('role="alert"')
        self.update()

    def _end(self) -> None:
        job = self._here.visit.bench.job
        if job is not None:
            job.stop()
            self.update()

    def update(self) -> None:
        """Show how things are now."""
        job, said = self._here.visit.bench.job, self._here.message
        is_running = job is not None and not job.done
        self._panel.set_visibility(is_running)
        if job is not None and is_running:
            words = _progress_words(job)
            self._words.text = f"Stopping; what was found is kept ({words})" if job.stopping else words
            self._bar.value = 0 if job.progress is None else round(job.progress.fraction, 3)
            self._bar.props(add="indeterminate" if job.progress is None else "")
            self._bar.props(remove="" if job.progress is None else "indeterminate")
            self._stop.set_visibility(job.doing == "Searching" and not job.stopping)
        self._error.text = job.error if job is not None and job.done and job.error else ""
        self._error.set_visibility(bool(self._error.text))
        self._message.text = "" if said is None else said[1]
        self._message.set_visibility(said is not None)
        if said is not None:
            self._message.classes(replace=f"notice {said[0]}")


def _progress_words(job: Job) -> str:
    if job.progress is None:
        return f"{job.doing} …"
    found = 0 if job.progress.costs is None else len(job.progress.costs)
    return (
        f"{job.doing}: {number_words(job.progress.evaluated)} evaluated in {job.seconds:.0f} s, "
        f"{count_words(found, 'solution')} so far"
    )


def empty(title: str, words: str) -> ui.element:
    """Return a place where nothing is yet, with words on what to do."""
    box = ui.element("div").classes("empty")
    with box:
        ui.html(printable(title), sanitize=False, tag="h2")
        ui.label(words)
    return box


def button(
    words: str,
    action: Callable[..., object],
    look: str = "unelevated",
    more: str = "",
    *,
    icon: str | None = None,
) -> ui.button:
    """Show a button; how it looks and more about it are in Quasar's words."""
    return ui.button(words, icon=icon, on_click=action).props(f"{look} no-caps {more}")


def way_to(words: str, path: str, look: str = "unelevated", more: str = "") -> None:
    """Show a button that leads to a page."""
    button(words, lambda: ui.navigate.to(path), look, more)


def show_grid(
    columns: list[dict[str, Any]], rows: list[dict[str, Any]], height: str, **more: object
) -> ui.aggrid:
    """Show rows in a grid that scrolls; keys of columns have no dots, which it would take for paths."""
    asked = {"columnDefs": columns, "rowData": rows, **more}
    return ui.aggrid(asked, auto_size_columns=False).classes("grid").style(f"height: {height}")


def notice(words: str, look: str) -> ui.label:
    """Show a sentence on a coloured ground."""
    return ui.label(words).classes(f"notice {look}")


def heading(words: str) -> None:
    """Show the heading of a part of a page."""
    ui.label(words).classes("part").props('role="heading" aria-level="2"')


def card(title: str = "", look: str = "") -> ui.element:
    """Return a panel, with its heading."""
    box = ui.element("section").classes(f"panel {look}")
    if title:
        with box:
            heading(title)
    return box


def show_pieces(*pieces: Piece | None) -> ui.html:
    """Show what the report is made of; its renderer escapes every text."""
    html = "\n".join(filter(None, map(piece_html, pieces)))
    return ui.html(f'<div class="sfumato">{html}</div>', sanitize=False)


def show_figure(figure: Any, words: str, *, is_dark: bool) -> ui.plotly:
    """Show a figure in the colours of day or night, with words for those who do not see it."""
    text = figure if isinstance(figure, str) else figure.to_json()
    if is_dark:
        for day, night in _NIGHT.items():
            text = text.replace(f'"{day}"', f'"{night}"').replace(f": {day}", f": {night}")
        # Only as a colour of its own: scales of colours have it too.
        text = text.replace(f'"color":"{style.POINT}"', f'"color":"{style.DARK["after"]}"')
    drawn = {**json.loads(text), "config": {"displaylogo": False}}
    drawn["layout"]["height"] = HEIGHT
    plot = ui.plotly(drawn).classes("figure").props(f'role="figure" aria-label="{_quoted(words)}"')
    return plot.props(':options="sfumatoFitted(props.options)"')


def _quoted(words: str) -> str:
    return printable(words).replace('"', "'")


_typing: set[str] = set()
"""Pages on which somebody is in the midst of a field: nothing is taken from under their hands."""


def on_commit(element: Any, action: Callable[[Any], object]) -> None:
    """Call an action with the value of a field when it is left or Enter is pressed, if it was changed."""
    last, page = [element.value], element.client.id

    def commit() -> None:
        _typing.discard(page)
        if element.value != last[0]:
            last[0] = element.value
            action(element.value)

    element.on("blur", commit)
    element.on("keydown.enter", commit)


def native_select(
    label: str, options: dict[str, str], value: str, action: Callable[[str], object]
) -> ui.element:
    """Show the browser's own list of choices: light, and known to every screen reader."""
    keys = list(options)
    box = ui.html(_options_html(options, value), tag="select", sanitize=False)
    box.props(f'aria-label="{_quoted(label)}"').classes("choice")
    box.on("change", lambda event: action(keys[int(event.args)]), js_handler="(e) => emit(e.target.value)")
    return box


def labelled_select(label: str, options: dict[str, str], value: str, action: Callable[[str], object]) -> None:
    """Show such a list below its label, for places where what it is about is not said otherwise."""
    with ui.element("div").classes("labelled"):
        ui.label(label).classes("quiet small")
        native_select(label, options, value, action)


def select_html(label: str, options: dict[str, str], value: str, name: str) -> str:
    """Return such a list as part of a larger piece, whose changes tell its name and the chosen place."""
    start = f'<select class="choice" name="{escape(name)}" aria-label="{escape(_quoted(label))}">'
    return f"{start}{_options_html(options, value)}</select>"


def _options_html(options: dict[str, str], value: str) -> str:
    # Choices are numbered, since names of columns and measures may hold anything.
    return "".join(
        f'<option value="{place}"{" selected" if key == value else ""}>{escape(printable(words))}</option>'
        for place, (key, words) in enumerate(options.items())
    )


def uploader(here: Here, label: str, action: Callable[[Any], object], accept: str = "") -> None:
    """Show the browser's field for a file, which is streamed to a private folder before the action."""
    page = ui.context.client.id
    field_ = ui.element("input").classes("drop")
    field_.props(f'type="file" accept="{accept}" aria-label="{_quoted(label)}"')

    def take(event: Any) -> None:
        if event.args in CHOICES["not_taken"]:
            here.say(CHOICES["not_taken"][event.args], "bad")
        else:
            path = here.visit.uploads.pop(page, None)
            if path is not None:
                action(path)

    field_.on("change", here.tried(take), js_handler=f"(e) => sfumatoSend(e, emit, '{page}')")


def add_styles() -> None:
    """Put the app's and the report's styles into every page."""
    day, night = style.variables(style.LIGHT), style.variables(style.DARK)
    own, script = (_read(name) for name in ("app.css", "app.js"))
    report = f".sfumato {{ {read_resource('report.css')} }}"
    colours = f":root {{ {day} }} body.body--dark {{ {night} }}"
    ui.add_head_html(f"<style>{colours}\n{own}\n{report}</style><script>{script}</script>", shared=True)
