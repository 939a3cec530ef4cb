"""Hierarchies: how each quasi-identifier may be made coarser, seen with live counts and edited."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from nicegui import ui

from sfumato.app.framing import Here, Page, card, native_select, notice, on_commit, uploader
from sfumato.app.projects import COUNTING, clean_name
from sfumato.errors import ParameterError
from sfumato.previewing import hierarchy_csv
from sfumato.private import write_whole
from sfumato.spec.choices import DATE_UNITS, SCHEMES
from sfumato.words import count_words, number_words, printable

if TYPE_CHECKING:
    from pathlib import Path

    from sfumato.previewing import HierarchyLook
    from sfumato.spec.attribute import AttributeSpec

MOST_DRAGGED = 200  # values that are shown for dragging
SHOWN = 14  # groups of a level that are shown
SCHEME_WORDS = {
    "levels": "all values at the same level of the ladder",
    "cuts": "different nodes of the tree side by side",
    "ordered": "any ranges of neighbouring values",
    "guided-ordered": "neighbours that share a parent in the tree",
    "sets": "any groups of values",
    "guided-sets": "any children of one node of the tree",
    "admissible": "groupings from your own list in the specification",
}
SCOPE_WORDS = {
    "global": "every occurrence of a value gets the same label",
    "local": "each group of similar rows gets its own labels",
}
SCOPE_MEANS = {
    "global": "Easy to analyse, and the best one can often be proven.",
    "local": "The same guarantee with far more detail left, but labels overlap: 30-44 beside 40-51.",
}
LABEL_WORDS = {
    "range": "from one value to another, such as 30-44",
    "tree": "the name of a group of the levels above",
    "set": "any values side by side, such as {nurse, teacher}",
    "suppress": "the value itself, or *",
    "keep": "always the value itself: only rows that share it can be in one group",
}
KINDS = {
    "intervals": "intervals of numbers",
    "mask": "codes, masked from the right",
    "prefix": "codes, cut to prefixes",
    "dates": "units of time",
    "file": "groups of values, level by level",
    "none": "values are kept or become *",
}


def show(here: Here) -> None:
    """Show one quasi-identifier at a time: its ladder, and the editor that fits."""
    project = here.project
    spec = project.spec
    assert spec is not None
    if project.checked is None and project.trouble is None and not project.is_busy:
        project.begin(COUNTING, project.check, is_quiet=True)
    if project.trouble is not None:
        notice(project.trouble, "bad")
    with card("Which rows share a label"):
        scope = spec.recoding.scope
        options = {key: f"{key}: {words}" for key, words in SCOPE_WORDS.items()}
        native_select("Scope of the recoding", options, scope, here.tried(project.set_scope))
        ui.label(SCOPE_MEANS[scope]).classes("quiet")
    names = spec.quasi_identifiers
    chosen = here.memory.setdefault("attribute", names[0])
    if chosen not in names:
        chosen = here.memory["attribute"] = names[0]
    with ui.element("div").classes("line").props('role="group" aria-label="Quasi-identifiers"'):
        for name in names:
            look = "unelevated" if name == chosen else "outline"
            ui.button(printable(name), on_click=lambda name=name: here.set(attribute=name)).props(
                f'{look} no-caps dense padding="xs md" aria-pressed="{str(name == chosen).lower()}"'
            )
    attribute, found = spec.attributes[chosen], project.levels.get(chosen)
    with ui.element("div").style("margin-top: 1rem"):
        if found is not None:
            _ladder(chosen, found)
        else:
            ui.label("The groups are counted once the hierarchy is right.").classes("quiet")
        with ui.element("div").classes("cards"):
            _source(here, chosen, attribute, found)
            (_labels if spec.is_local else _scheme)(here, chosen, attribute, found)
        if found is not None and found.kind in ("category", "ordinal"):
            _groups(here, chosen, found)
    ui.button("Next: Goals", on_click=lambda: ui.navigate.to("/goals")).props(
        "unelevated no-caps icon-right=arrow_forward"
    )


def _ladder(name: str, found: HierarchyLook) -> None:
    with card(
        f"{printable(name)}: {count_words(len(found.levels), 'level')}, from as it is to everything alike"
    ):
        rungs = []
        for number, level in enumerate(found.levels):
            most = max((rows for _, rows in level.groups), default=1) or 1
            lines = "".join(
                f'<li><i style="width: {100 * rows / most:.0f}%"></i><span>{escape(printable(label))}</span>'
                f"<span>{rows:,}</span></li>"
                for label, rows in level.groups[:SHOWN]
            )
            if len(level.groups) > SHOWN:
                lines += f"<li><span>and {len(level.groups) - SHOWN:,} more</span></li>"
            words = "as it is" if number == 0 else count_words(len(level.groups), "group")
            rungs.append(f'<div class="rung"><b>level {number}: {words}</b><ul>{lines}</ul></div>')
        ui.html(
            f'<div class="ladder" role="region" tabindex="0" aria-label="Levels with the rows in each group">'
            f"{''.join(rungs)}</div>",
            sanitize=False,
        )


def _edit(here: Here, name: str, words: str, **keys: Any) -> None:
    """Change keys of an attribute; None removes one."""

    def edit(tables: dict[str, Any]) -> None:
        attribute = tables["attributes"][name]
        for key, value in keys.items():
            attribute.pop(key, None)
            if value is not None:
                attribute[key] = value

    here.project.change(f"{name}: {words}", edit)


def _source(here: Here, name: str, attribute: AttributeSpec, found: HierarchyLook | None) -> None:
    given: dict[str, Any] = {} if attribute.hierarchy is None else dict(attribute.hierarchy.to_dict())
    source = "none" if attribute.hierarchy is None else attribute.hierarchy.source
    with card("Where its levels come from"):
        options = {**KINDS, **({} if source in KINDS else {source: f"{source}, from the specification"})}
        native_select(
            f"Hierarchy of {name}",
            options,
            source,
            here.tried(lambda chosen: _change_source(here, name, chosen, found)),
        )
        if source == "intervals":
            _numbers(here, name, given, "intervals", "Widths, each a multiple of the one before")
            for key, words in (("origin", "Starts at"), ("bottom", "All below"), ("top", "This and above")):
                field = ui.input(words, value="" if given.get(key) is None else str(given[key])).props(
                    "dense"
                )
                on_commit(field, here.tried(lambda text, key=key: _set_end(here, name, given, key, text)))
        elif source == "mask":
            length = ui.number("Length of the codes", value=given["mask"], min=1, precision=0).props("dense")
            on_commit(
                length,
                here.tried(lambda value: _edit(here, name, "mask", hierarchy={"mask": int(value or 1)})),
            )
        elif source == "prefix":
            _numbers(here, name, given, "prefix", "Characters kept, level by level")
        elif source == "dates":
            ui.select(
                list(DATE_UNITS),
                multiple=True,
                value=list(given["dates"]),
                label="Units from fine to coarse",
                on_change=here.tried(lambda event: _set_dates(here, name, event.value)),
            ).props("use-chips dense").classes("grid")
        elif source == "none":
            ui.label("Group its values below to get levels in between.").classes("quiet")


def _numbers(here: Here, name: str, given: dict[str, Any], key: str, words: str) -> None:
    field = ui.input(words, value=", ".join(map(str, given[key]))).props("dense").classes("grid")

    def take(text: str) -> None:
        _edit(here, name, key, hierarchy={**given, key: [_number(part, words) for part in text.split(",")]})

    on_commit(field, here.tried(take))


def _number(text: str, where: str) -> int | float:
    try:
        found = float(text.strip())
    except ValueError:
        raise ParameterError(
            "this is not a number. Write numbers with commas between them.", where=where
        ) from None
    return int(found) if found.is_integer() else found


def _set_end(here: Here, name: str, given: dict[str, Any], key: str, text: str) -> None:
    rest = {other: value for other, value in given.items() if other != key}
    _edit(here, name, key, hierarchy={**rest, **({key: _number(text, key)} if text.strip() else {})})


def _set_dates(here: Here, name: str, units: list[str]) -> None:
    if units:
        ordered = [unit for unit in DATE_UNITS if unit in units]
        _edit(here, name, "units", hierarchy={"dates": ordered})


def _change_source(here: Here, name: str, source: str, found: HierarchyLook | None) -> None:
    """Begin another kind of hierarchy with something that works."""
    if source == "file":
        assert found is not None
        _write_groups(here, name, [list(leaf) for leaf in found.leaves])
        return
    longest = max((len(leaf[0]) for leaf in found.leaves), default=5) if found is not None else 5
    first: dict[str, Any] = {
        "intervals": {"intervals": [5, 10, 20, 40], "origin": 0},
        "mask": {"mask": longest},
        "prefix": {"prefix": [3, 1]},
        "dates": {"dates": ["month", "year", "decade"]},
    }
    kind = {"intervals": "number", "dates": "date", "none": None}.get(source, "category")
    more = {} if kind is None else {"kind": kind}
    _edit(here, name, KINDS[source], hierarchy=first.get(source), levels=None, **more)


def _scheme(here: Here, name: str, attribute: AttributeSpec, found: HierarchyLook | None) -> None:
    with card("What the search may do with it"):
        native_select(
            f"Scheme of {name}",
            {
                key: f"{key}: {SCHEME_WORDS[key]}"
                for key in SCHEMES
                if key != "admissible" or attribute.partitions
            },
            attribute.scheme,
            here.tried(lambda chosen: _edit(here, name, chosen, scheme=chosen, levels=None)),
        )
        if attribute.scheme == "levels":
            _bounds(here, name, attribute, found)
        _weight(here, name, attribute)


def _labels(here: Here, name: str, attribute: AttributeSpec, found: HierarchyLook | None) -> None:
    """Say what a label of a local recoding may be; only what its values allow is offered."""
    counted = {item["name"]: item["scheme"] for item in (here.project.checked or {}).get("attributes", ())}
    kind = "keep" if attribute.keep else attribute.labels or counted.get(name) or ""
    wrong = {"range"} if found is not None and found.kind == "category" else set()
    wrong |= {"tree"} if attribute.hierarchy is None else set()

    def choose(chosen: str) -> None:
        labels, keep = (None, True) if chosen == "keep" else (chosen or None, None)
        _edit(here, name, f"labels {chosen}", labels=labels, keep=keep, snap=None, levels=None)

    with card("What a label of it may be"):
        options = {key: f"{key}: {words}" for key, words in LABEL_WORDS.items() if key not in wrong}
        native_select(
            f"Labels of {name}",
            options if kind in options else {"": "what fits its values", **options},
            kind if kind in options else "",
            here.tried(choose),
        )
        if kind == "tree":
            _bounds(here, name, attribute, found)
        if kind == "range" and found is not None and found.kind == "number":
            snap = ui.input("Ranges begin and end at multiples of", value=str(attribute.snap or ""))
            on_commit(
                snap.props("dense").classes("grid"), here.tried(lambda text: _set_snap(here, name, text))
            )
            ui.label(
                "Blank: at values that someone in the group has, which tells that they occur. The word "
                "hierarchy: where its narrowest intervals do."
            ).classes("quiet small")
        _weight(here, name, attribute)


def _set_snap(here: Here, name: str, text: str) -> None:
    step = text.strip()
    snap = step if step in ("", "hierarchy") else _number(step, "snap")
    _edit(here, name, f"ranges at multiples of {step or 'nothing'}", snap=snap or None)


def _bounds(here: Here, name: str, attribute: AttributeSpec, found: HierarchyLook | None) -> None:
    """Let the levels that may be used be narrowed."""
    height = 0 if found is None else len(found.levels) - 1
    low, high = attribute.levels or (0, height)
    ends = [low, min(high, height)]
    with ui.element("div").classes("line"):
        ui.label("Levels from")
        for end, words in enumerate(("Lowest level", "Highest level")):
            native_select(
                f"{words} of {name}",
                {str(level): str(level) for level in range(height + 1)},
                str(ends[end]),
                here.tried(lambda text, end=end: _set_level(here, name, ends, end, int(text))),
            )
            ui.label("to" if end == 0 else "may be used in a release")


def _weight(here: Here, name: str, attribute: AttributeSpec) -> None:
    weight = ui.number("Weight of its detail", value=attribute.weight, min=0).props("dense")
    on_commit(weight, here.tried(lambda value: _edit(here, name, "weight", weight=float(value or 0))))


def _set_level(here: Here, name: str, ends: list[int], end: int, level: int) -> None:
    ends[end] = level
    _edit(here, name, "levels", levels=sorted(ends))


def _groups(here: Here, name: str, found: HierarchyLook) -> None:
    """Show values and groups in a grid that can be edited: the form of the reference tool's files."""
    leaves = [list(leaf) for leaf in found.leaves]
    with card("Its groups, one line per value", "plain"):
        ui.label(
            "Tick values and put them into a group, or edit a label. The last level is everything alike."
        ).classes("quiet")
        if leaves and len(leaves[0]) > 2 and len(leaves) <= MOST_DRAGGED:
            _drag(here, name, leaves)
        grid = _grid_of_groups(here, name, leaves)
        with ui.element("div").classes("line"):
            label = here.field("group", "Name of the group").props("dense")

            async def join() -> None:
                rows = await grid.get_selected_rows()
                here.tried(
                    lambda: _join(here, name, leaves, {row["c0"] for row in rows}, label.value or "")
                )()

            ui.button("Put ticked values into it", on_click=join).props("outline no-caps")
            ui.button("Add a level above", on_click=here.tried(lambda: _add_level(here, name, leaves))).props(
                "flat no-caps"
            )
        with ui.expansion("Load or save a file of this form").classes("grid"):
            ui.label("One line per value; column i is level i. Files of ARX work as they are.")
            uploader(here, "Load a hierarchy file", lambda path: _load(here, name, path), ".csv,.txt")
            ui.button(
                "Save as a file",
                on_click=lambda: ui.download.content(hierarchy_csv(leaves), f"{clean_name(name)}.csv"),
            ).props("outline no-caps")


_DRAGGED = {
    "dragstart": "(e) => e.dataTransfer.setData('text/plain', e.target.dataset.value)",
    "dragover": "(e) => { if (e.target.closest('.group')) e.preventDefault(); }",
    "drop": """(e) => {
      e.preventDefault();
      const group = e.target.closest(".group");
      if (group) emit([[e.dataTransfer.getData("text/plain")], group.dataset.group]);
    }""",
    "click": """(e) => {
      const value = e.target.closest("[data-value]"), group = e.target.closest(".group > button");
      if (value) value.ariaPressed = value.ariaPressed !== "true";
      const pressed = e.target.closest(".groups").querySelectorAll("[aria-pressed=true]");
      const held = [...pressed].map((item) => item.dataset.value);
      if (group && held.length) emit([held, group.parentElement.dataset.group]);
    }""",
}
"""What a browser does with values and groups; the server hears of values that move."""


def _drag(here: Here, name: str, leaves: list[list[str]]) -> None:
    """Show the groups of level 1 with their values, which are dragged or picked and put elsewhere."""
    groups: dict[str, list[int]] = {}
    for place, leaf in enumerate(leaves):
        groups.setdefault(leaf[1], []).append(place)
    ui.label(
        "Drag a value into another group. By keyboard or touch: press values, then the name of the group."
    ).classes("quiet")
    boxes = []
    for label, places in groups.items():
        values = "".join(
            f'<button class="tag" draggable="true" aria-pressed="false" data-value="{place}">'
            f"{escape(printable(leaves[place][0]))}</button>"
            for place in places
        )
        head = f'<button aria-label="Put into {escape(printable(label))}">{escape(printable(label))}</button>'
        boxes.append(f'<div class="group" data-group="{places[0]}">{head}<div>{values}</div></div>')
    box = ui.html("".join(boxes), sanitize=False).classes("groups")

    def move(event: Any) -> None:
        values, group = event.args
        for place in map(int, values):
            leaves[place][1:] = leaves[int(group)][1:]
        _write_groups(here, name, leaves)

    for kind, script in _DRAGGED.items():
        box.on(kind, here.tried(move) if "emit" in script else None, js_handler=script)


def _grid_of_groups(here: Here, name: str, leaves: list[list[str]]) -> ui.aggrid:
    """Show one line per value, whose labels can be edited."""
    inner = range(1, len(leaves[0]) - 1) if leaves else range(0)
    names = ["value", *(f"level {number}" for number in inner)]
    grid = ui.aggrid(
        {
            "columnDefs": [
                {
                    "headerName": words,
                    "field": f"c{place}",
                    "editable": place > 0,
                    "minWidth": 120,
                    "flex": 1,
                }
                for place, words in enumerate(names)
            ],
            "rowData": [{f"c{place}": leaf[place] for place in range(len(names))} for leaf in leaves],
            "rowSelection": {"mode": "multiRow"},
            "stopEditingWhenCellsLoseFocus": True,
        },
        auto_size_columns=False,
    ).classes("grid")
    grid.style(f"height: {min(26, 4.5 + 2.7 * len(leaves)):.1f}rem")

    def edited(event: Any) -> None:
        row, place = int(event.args["rowIndex"]), int(str(event.args["colId"])[1:])
        leaves[row][place] = str(event.args["newValue"] or "").strip() or leaves[row][0]
        _write_groups(here, name, leaves)

    grid.on("cellValueChanged", here.tried(edited), args=["rowIndex", "colId", "newValue"])
    return grid


def _join(here: Here, name: str, leaves: list[list[str]], values: set[str], label: str) -> None:
    if not values or not label.strip():
        raise ParameterError("tick at least one value and name the group first.")
    if len(leaves[0]) <= 2:
        _insert_level(leaves)
    for leaf in leaves:
        if leaf[0] in values:
            leaf[1] = label.strip()
    _write_groups(here, name, leaves)


def _insert_level(leaves: list[list[str]]) -> None:
    for leaf in leaves:
        leaf.insert(1, leaf[0])


def _add_level(here: Here, name: str, leaves: list[list[str]]) -> None:
    """Add a level below everything that repeats the one before, to be edited."""
    for leaf in leaves:
        leaf.insert(len(leaf) - 1, leaf[-2])
    _write_groups(here, name, leaves)


def _write_groups(here: Here, name: str, leaves: list[list[str]]) -> None:
    """Keep groups as a file of the project; a new name each time, so that undo finds the old one."""
    folder = here.project.folder / "hierarchies"
    folder.mkdir(exist_ok=True)
    number = 1 + len(list(folder.glob("*.csv")))
    file = folder / f"{clean_name(name)}-edited-{number}.csv"
    write_whole(file, hierarchy_csv(leaves).encode(), private=True)
    _edit(here, name, "groups", hierarchy={"file": f"hierarchies/{file.name}"}, levels=None)


def _load(here: Here, name: str, path: Path) -> None:
    folder = here.project.folder / "hierarchies"
    folder.mkdir(exist_ok=True)
    target = folder / f"{clean_name(name)}-{number_words(1 + len(list(folder.glob('*.csv'))))}-{path.name}"
    path.replace(target)
    _edit(here, name, "file", hierarchy={"file": f"hierarchies/{target.name}"}, levels=None)


PAGE = Page(
    "/hierarchies",
    "Hierarchies",
    "Say how each quasi-identifier may be made coarser, step by step.",
    show,
    "data",
)
