"""Goals: what must hold, what is traded off, who is protected, and what the search will prove."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from sfumato.app.framing import CHOICES, Here, button, card, explained, labelled_select, notice, way_to
from sfumato.app.projects import COUNTING
from sfumato.errors import ParameterError
from sfumato.report.phrases import measure_words
from sfumato.spec import parse_measure_name
from sfumato.spec.choices import METHODS, SUPPRESSION_RULES
from sfumato.words import count_words, huge_words, percent_words, printable


def show(here: Here) -> None:
    """Show requirements, objectives, suppression, sentences and search, with what they lead to."""
    project = here.project
    if project.checked is None and project.trouble is None and not project.is_busy:
        project.begin(COUNTING, project.check, is_quiet=True)
    with ui.element("div").classes("two"):
        with ui.element("div"):
            _requirements(here)
            _objectives(here)
            _suppression(here)
            _sentences(here)
            _search(here)
        with ui.element("div").classes("aside"):
            _outlook(here)


def _measures(here: Here, *, larger: bool | None = None) -> dict[str, str]:
    """Return the measures of the table in words."""
    return {
        name: measure_words(name)
        for name, is_larger in here.project.measures.items()
        if larger is None or is_larger == larger
    }


def _requirements(here: Here) -> None:
    require = here.spec.require
    with card("Must hold in every release"):
        if not require:
            ui.label("Nothing is required yet: the trade-off then shows everything that can be had.")
        for name, limit in require.items():
            _requirement(here, name, limit)
        left = {name: words for name, words in _measures(here).items() if name not in require}
        options = {"": "Add a requirement …", **left}
        here.select("Add a requirement", options, "", lambda name: _require(here, name))


def _requirement(here: Here, name: str, limit: float) -> None:
    project, bare = here.project, parse_measure_name(name)[0]

    def change(value: object) -> None:
        if not isinstance(value, int | float):
            raise ParameterError("write a number.", where=name)
        project.set_keys(f"{name} = {value}", "require", **{name: value})

    def remove() -> None:
        project.set_keys(f"{name} not required", "require", **{name: None})

    with ui.element("div").classes("line"):
        ui.label(f"{measure_words(name)}: {'at least' if project.measures.get(name, True) else 'at most'}")
        number = ui.number(value=limit).props(f'dense aria-label="Limit of {printable(name)}"')
        here.on_commit(number.style("width: 7rem"), change)
        look = f'flat dense round aria-label="Remove {printable(name)}"'
        ui.button(icon="close", on_click=here.tried(remove)).props(look)
    if bare in CHOICES["protects"]:
        against, not_against = CHOICES["protects"][bare]
        ui.label(f"Protects against {against}; not against {not_against}.").classes("quiet")


def _require(here: Here, name: str) -> None:
    if name:
        first = {"k": 5, "loss": 0.5, "suppressed": 0}.get(name, 2 if here.project.measures[name] else 0.5)
        here.project.set_keys(f"{name} required", "require", **{name: first})


def _objectives(here: Here) -> None:
    def change(event: Any, key: str) -> None:
        here.project.set_keys(f"objectives to {key}", "objectives", **{key: event.value})

    with card("Traded off against each other"):
        for key, larger in (("maximize", True), ("minimize", False)):
            options = _measures(here, larger=larger)
            chosen = list(getattr(here.spec.objectives, key))
            options |= {name: measure_words(name) for name in chosen if name not in options}
            label = "Better when larger" if larger else "Better when smaller"
            act = here.tried(lambda event, key=key: change(event, key))
            field = ui.select(options, multiple=True, value=chosen, label=label, on_change=act)
            field.props("use-chips").classes("grid")
        ui.label("Two give a curve; three or more also give parallel coordinates.").classes("quiet")


def _suppression(here: Here) -> None:
    change, asked = here.project.set_keys, here.spec.suppression
    # Local recoding leaves rows out where that costs least, whatever their class.
    wrong = ("smallest", "below-mean") if here.spec.is_local else ()
    rules = explained("rules", [key for key in SUPPRESSION_RULES if key not in wrong])
    with card("Rows that may be left out"), ui.element("div").classes("line"):
        share = ui.number("At most, in percent", value=round(100 * asked.limit, 6), min=0, max=100)
        here.on_commit(
            share, lambda value: change(f"{value} % suppressed", "suppression", limit=(value or 0) / 100)
        )
        act = here.tried(lambda rule: change(f"rule {rule}", "suppression", rule=rule))
        labelled_select("Which rows are left out", rules, asked.rule, act)


def _sentences(here: Here) -> None:
    def add() -> None:
        new = {key: here.memory[key] for key in ("sentence", "for") if key == "sentence" or here.memory[key]}
        here.project.change(
            "a sentence added", lambda tables: tables.setdefault("confidential", []).append(new)
        )
        here.memory.update({"sentence": "", "for": ""})

    def remove(place: int) -> None:
        here.project.change("a sentence removed", lambda tables: tables["confidential"].pop(place))

    with card("Confidential sentences"):
        ui.label("What must stay unknown about a person, such as: occupation == Sales").classes("quiet")
        counted = (here.project.checked or {}).get("confidential", [])
        for place, item in enumerate(here.spec.confidential):
            with ui.element("div").classes("line"):
                people = (
                    f", {count_words(counted[place]['people'], 'person')}" if place < len(counted) else ""
                )
                ui.label(f"{printable(item.sentence)} (for {printable(item.holders or 'everyone')}{people})")
                closing = ui.button(icon="close", on_click=here.tried(lambda place=place: remove(place)))
                closing.props('flat dense round aria-label="Remove this sentence"')
        with ui.element("div").classes("line"):
            for key, words in (("sentence", "Sentence"), ("for", "For whom (blank: everyone)")):
                here.field(key, words).props("dense").style("flex: 1 1 14rem")
            button("Add", here.tried(add), "outline")


def _search(here: Here) -> None:
    change, asked = here.project.set_keys, here.spec.search
    with card("The search"), ui.element("div").classes("line"):
        if here.spec.is_local:
            ladder = ", ".join(f"{step:g}" for step in here.spec.recoding.ladder)
            steps = ui.input("Steps to try, such as 5, 10, 20", value=ladder).style("min-width: 16rem")
            here.on_commit(steps, lambda text: _set_ladder(here, text))
        else:
            act = here.tried(lambda method: change(f"method {method}", "search", method=method))
            labelled_select("Method of the search", {name: name for name in METHODS}, asked.method, act)
        seconds = ui.number("At most, in seconds", value=asked.time_limit, min=1)
        here.on_commit(
            seconds, lambda value: change(f"{value} seconds", "search", time_limit=float(value or 60))
        )
        seed = ui.number("Seed", value=asked.seed, min=0, precision=0)
        here.on_commit(seed, lambda value: change(f"seed {value}", "search", seed=int(value or 0)))


def _set_ladder(here: Here, text: str) -> None:
    """Take the requirements that a local front has a solution for; blank for the usual ones."""
    try:
        steps = [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise ParameterError("write numbers with commas between them.", where="Steps to try") from None
    here.project.set_keys(f"steps {text}", "recoding", ladder=steps or None)


def _outlook(here: Here) -> None:
    """Say how large the space is, what will be proven, and what to be careful about."""
    project = here.project
    with card("What this leads to"):
        if project.trouble is not None:
            notice(project.trouble, "bad").props('role="alert"')
        elif project.checked is None:
            ui.label("Counting …").classes("quiet")
        else:
            found = project.checked
            is_local = found["space"] is None
            space = "Local recoding" if is_local else huge_words(str(found["space"]), times=True)
            size = ui.label(space if is_local else f"{space} possible releases")
            size.style("font-size: 1.4rem; font-weight: 600")
            proven = (
                "One solution for each of several requirements, each with a proven bound on how far from the "
                "best it can be, beside the exact trade-off of global recodings where that is quickly found."
                if is_local
                else "All are evaluated or provably worse: the trade-off will be complete."
                if found["exact"]
                else "Too many to try them all: the search looks for good ones, and says how complete it is."
            )
            ui.label(proven if is_local else f"{proven} Method: {found['method']}.")
            ui.label(
                f"{count_words(found['rows'], 'row')}; at most "
                f"{percent_words(here.spec.suppression.limit)} may be left out."
            ).classes("quiet")
            for words in found["warnings"]:
                notice(words, "note")
        way_to("Next: Trade-offs", "/tradeoffs", more="icon-right=arrow_forward")
