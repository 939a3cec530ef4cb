"""Goals: what must hold, what is traded off, who is protected, and what the search will prove."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from sfumato.app.framing import Here, Page, card, labelled_select, native_select, notice, on_commit
from sfumato.app.projects import COUNTING
from sfumato.errors import ParameterError
from sfumato.report.phrases import measure_words
from sfumato.spec import parse_measure_name
from sfumato.spec.choices import METHODS, SUPPRESSION_RULES
from sfumato.words import count_words, huge_words, percent_words, printable

PROTECTS = {
    "k": (
        "being found: nobody can be narrowed down to fewer people",
        "learning a value that all of them share",
    ),
    "distinct_l": (
        "learning a value: every class has several",
        "guessing, where one of them is far more common",
    ),
    "entropy_l": ("guessing a value: all are about equally common", "learning that a value is in a range"),
    "recursive_l": ("guessing the commonest value of a class", "learning that a value is rare"),
    "t": ("learning more from a class than from the whole table", "being found"),
    "secure": ("disclosure of your confidential sentences", "everything that they do not say"),
    "loss": ("losing too much detail", "attackers"),
}
RULES = {
    "auto": "what the goals need",
    "none": "no row",
    "failing": "rows of classes that miss a requirement",
    "smallest": "rows of the smallest classes",
    "below-mean": "rows of classes below the mean size",
}


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


def _set(here: Here, words: str, section: str, **keys: Any) -> None:
    def edit(tables: dict[str, Any]) -> None:
        part = tables.setdefault(section, {})
        for key, value in keys.items():
            part.pop(key, None)
            if value is not None:
                part[key] = value

    here.project.change(words, edit)


def _requirements(here: Here) -> None:
    spec = here.project.spec
    assert spec is not None
    with card("Must hold in every release"):
        if not spec.require:
            ui.label("Nothing is required yet: the trade-off then shows everything that can be had.")
        for name, limit in spec.require.items():
            _requirement(here, name, limit)
        left = {name: words for name, words in _measures(here).items() if name not in spec.require}
        options = {"": "Add a requirement …", **left}
        native_select("Add a requirement", options, "", here.tried(lambda name: _require(here, name)))


def _requirement(here: Here, name: str, limit: float) -> None:
    is_larger = here.project.measures.get(name, True)
    bare = parse_measure_name(name)[0]
    with ui.element("div").classes("line"):
        ui.label(f"{measure_words(name)}: {'at least' if is_larger else 'at most'}")
        number = (
            ui.number(value=limit)
            .props(f'dense aria-label="Limit of {printable(name)}"')
            .style("width: 7rem")
        )
        on_commit(
            number,
            here.tried(
                lambda value: _set(here, f"{name} = {value}", "require", **{name: _limit(value, name)})
            ),
        )
        ui.button(
            icon="close",
            on_click=here.tried(lambda: _set(here, f"{name} not required", "require", **{name: None})),
        ).props(f'flat dense round aria-label="Remove {printable(name)}"')
    if bare in PROTECTS:
        against, not_against = PROTECTS[bare]
        ui.label(f"Protects against {against}; not against {not_against}.").classes("quiet")


def _limit(value: object, name: str) -> float:
    if not isinstance(value, int | float):
        raise ParameterError("write a number.", where=name)
    return value


def _require(here: Here, name: str) -> None:
    if name:
        first = {"k": 5, "loss": 0.5, "suppressed": 0}.get(name, 2 if here.project.measures[name] else 0.5)
        _set(here, f"{name} required", "require", **{name: first})


def _objectives(here: Here) -> None:
    spec = here.project.spec
    assert spec is not None
    with card("Traded off against each other"):
        for key, larger in (("maximize", True), ("minimize", False)):
            options = _measures(here, larger=larger)
            chosen = list(getattr(spec.objectives, key))
            options |= {name: measure_words(name) for name in chosen if name not in options}
            ui.select(
                options,
                multiple=True,
                value=chosen,
                label="Better when larger" if larger else "Better when smaller",
                on_change=here.tried(
                    lambda event, key=key: _set(
                        here, f"objectives to {key}", "objectives", **{key: event.value}
                    )
                ),
            ).props("use-chips").classes("grid")
        ui.label("Two give a curve; three or more also give parallel coordinates.").classes("quiet")


def _suppression(here: Here) -> None:
    spec = here.project.spec
    assert spec is not None
    # Local recoding leaves rows out where that costs least, whatever their class.
    wrong = ("smallest", "below-mean") if spec.is_local else ()
    with card("Rows that may be left out"), ui.element("div").classes("line"):
        share = ui.number("At most, in percent", value=round(100 * spec.suppression.limit, 6), min=0, max=100)
        on_commit(
            share,
            here.tried(
                lambda value: _set(here, f"{value} % suppressed", "suppression", limit=(value or 0) / 100)
            ),
        )
        labelled_select(
            "Which rows are left out",
            {key: f"{key}: {RULES[key]}" for key in SUPPRESSION_RULES if key not in wrong},
            spec.suppression.rule,
            here.tried(lambda rule: _set(here, f"rule {rule}", "suppression", rule=rule)),
        )


def _sentences(here: Here) -> None:
    spec = here.project.spec
    assert spec is not None
    with card("Confidential sentences"):
        ui.label("What must stay unknown about a person, such as: occupation == Sales").classes("quiet")
        counted = (here.project.checked or {}).get("confidential", [])
        for place, item in enumerate(spec.confidential):
            with ui.element("div").classes("line"):
                people = (
                    f", {count_words(counted[place]['people'], 'person')}" if place < len(counted) else ""
                )
                ui.label(f"{printable(item.sentence)} (for {printable(item.holders or 'everyone')}{people})")
                ui.button(
                    icon="close", on_click=here.tried(lambda place=place: _remove_sentence(here, place))
                ).props('flat dense round aria-label="Remove this sentence"')
        with ui.element("div").classes("line"):
            for key, words in (("sentence", "Sentence"), ("for", "For whom (blank: everyone)")):
                here.field(key, words).props("dense").style("flex: 1 1 14rem")
            ui.button("Add", on_click=here.tried(lambda: _add_sentence(here))).props("outline no-caps")


def _add_sentence(here: Here) -> None:
    new = {key: here.memory[key] for key in ("sentence", "for") if key == "sentence" or here.memory[key]}
    here.project.change("a sentence added", lambda tables: tables.setdefault("confidential", []).append(new))
    here.memory.update({"sentence": "", "for": ""})


def _remove_sentence(here: Here, place: int) -> None:
    here.project.change("a sentence removed", lambda tables: tables["confidential"].pop(place))


def _search(here: Here) -> None:
    spec = here.project.spec
    assert spec is not None
    with card("The search"), ui.element("div").classes("line"):
        if spec.is_local:
            ladder = ", ".join(f"{step:g}" for step in spec.recoding.ladder)
            steps = ui.input("Steps to try, such as 5, 10, 20", value=ladder).style("min-width: 16rem")
            on_commit(steps, here.tried(lambda text: _set_ladder(here, text)))
        else:
            labelled_select(
                "Method of the search",
                {name: name for name in METHODS},
                spec.search.method,
                here.tried(lambda method: _set(here, f"method {method}", "search", method=method)),
            )
        seconds = ui.number("At most, in seconds", value=spec.search.time_limit, min=1)
        on_commit(
            seconds,
            here.tried(lambda value: _set(here, f"{value} seconds", "search", time_limit=float(value or 60))),
        )
        seed = ui.number("Seed", value=spec.search.seed, min=0, precision=0)
        on_commit(seed, here.tried(lambda value: _set(here, f"seed {value}", "search", seed=int(value or 0))))


def _set_ladder(here: Here, text: str) -> None:
    """Take the requirements that a local front has a solution for; blank for the usual ones."""
    try:
        steps = [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise ParameterError("write numbers with commas between them.", where="Steps to try") from None
    _set(here, f"steps {text}", "recoding", ladder=steps or None)


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
            ui.label(space if is_local else f"{space} possible releases").style(
                "font-size: 1.4rem; font-weight: 600"
            )
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
                f"{percent_words(project.spec.suppression.limit if project.spec else 0)} may be left out."
            ).classes("quiet")
            for words in found["warnings"]:
                notice(words, "note")
        ui.button("Next: Trade-offs", on_click=lambda: ui.navigate.to("/tradeoffs")).props(
            "unelevated no-caps icon-right=arrow_forward"
        )


PAGE = Page("/goals", "Goals", "Say what must hold, and what is to be traded off.", show, "data")
