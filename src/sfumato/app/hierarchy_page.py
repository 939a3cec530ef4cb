"""Hierarchies: how each quasi-identifier may be made coarser, seen with live counts and edited."""

from __future__ import annotations

from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

from nicegui import ui

from sfumato.app.framing import (
    CHOICES,
    Here,
    button,
    card,
    explained,
    notice,
    show_grid,
    uploader,
    way_to,
)
from sfumato.app.projects import COUNTING, clean_name
from sfumato.errors import ParameterError
from sfumato.previewing import hierarchy_csv
from sfumato.private import write_whole
from sfumato.spec.choices import DATE_UNITS, SCHEMES
from sfumato.words import count_words, printable

if TYPE_CHECKING:
    from pathlib import Path

    from sfumato.previewing import HierarchyLook

MOST_DRAGGED = 200  # values that are shown for dragging
SHOWN = 14  # groups of a level that are shown


def show(here: Here) -> None:
    """Show one quasi-identifier at a time: its ladder, and the editor that fits."""
    project, spec = here.project, here.spec
    if project.checked is None and project.trouble is None and not project.is_busy:
        project.begin(COUNTING, project.check, is_quiet=True)
    if project.trouble is not None:
        notice(project.trouble, "bad")
    with card("Which rows share a label"):
        scope = spec.recoding.scope
        options = explained("scopes", CHOICES["scopes"])
        here.select("Scope of the recoding", options, scope, project.set_scope)
        ui.label(CHOICES["scopes_mean"][scope]).classes("quiet")
    names = spec.quasi_identifiers
    chosen = here.memory.setdefault("attribute", names[0])
    if chosen not in names:
        chosen = here.memory["attribute"] = names[0]
    with ui.element("div").classes("line").props('role="group" aria-label="Quasi-identifiers"'):
        for name in names:
            look = "unelevated" if name == chosen else "outline"
            more = f'dense padding="xs md" aria-pressed="{str(name == chosen).lower()}"'
            button(printable(name), lambda name=name: here.set(attribute=name), look, more)
    found = project.levels.get(chosen)
    editor = _Editor(here, chosen, found)
    with ui.element("div").style("margin-top: 1rem"):
        if found is not None:
            _ladder(chosen, found)
        else:
            ui.label("The groups are counted once the hierarchy is right.").classes("quiet")
        with ui.element("div").classes("cards"):
            editor.source()
            editor.freedom()
        if found is not None and found.kind in ("category", "ordinal"):
            editor.groups()
    way_to("Next: Goals", "/goals", more="icon-right=arrow_forward")


def _ladder(name: str, found: HierarchyLook) -> None:
    many = count_words(len(found.levels), "level")
    with card(f"{printable(name)}: {many}, from as it is to everything alike"):
        rungs = []
        for number, level in enumerate(found.levels):
            most = max((rows for _, rows in level), default=1) or 1
            lines = "".join(
                f'<li><i style="width: {100 * rows / most:.0f}%"></i><span>{escape(printable(label))}</span>'
                f"<span>{rows:,}</span></li>"
                for label, rows in level[:SHOWN]
            )
            if len(level) > SHOWN:
                lines += f"<li><span>and {len(level) - SHOWN:,} more</span></li>"
            words = "as it is" if number == 0 else count_words(len(level), "group")
            rungs.append(f'<div class="rung"><b>level {number}: {words}</b><ul>{lines}</ul></div>')
        ui.html(
            f'<div class="ladder" role="region" tabindex="0" aria-label="Levels with the rows in each group">'
            f"{''.join(rungs)}</div>",
            sanitize=False,
        )


def _number(text: str, where: str) -> int | float:
    try:
        found = float(text.strip())
    except ValueError:
        why = "this is not a number. Write numbers with commas between them."
        raise ParameterError(why, where=where) from None
    return int(found) if found.is_integer() else found


class _Editor:
    """What can be said about one attribute: each method shows one part of it."""

    def __init__(self, here: Here, name: str, found: HierarchyLook | None) -> None:
        self.here, self.name, self.found = here, name, found
        self.attribute = here.spec.attributes[name]
        self.leaves = [] if found is None else [list(leaf) for leaf in found.leaves]

    def edit(self, words: str, **keys: Any) -> None:
        """Change keys of the attribute; None removes one."""
        self.here.project.set_keys(f"{self.name}: {words}", "attributes", self.name, **keys)

    def source(self) -> None:
        """Show where its levels come from."""
        hierarchy, here = self.attribute.hierarchy, self.here
        given: dict[str, Any] = {} if hierarchy is None else dict(hierarchy.to_dict())
        source = "none" if hierarchy is None else hierarchy.source

        def set_end(key: str, text: str) -> None:
            rest = {other: value for other, value in given.items() if other != key}
            self.edit(key, hierarchy={**rest, **({key: _number(text, key)} if text.strip() else {})})

        def set_dates(event: Any) -> None:
            if event.value:
                units = [unit for unit in DATE_UNITS if unit in event.value]
                self.edit("units", hierarchy={"dates": units})

        with card("Where its levels come from"):
            options = dict(CHOICES["hierarchies"])
            options.setdefault(source, f"{source}, from the specification")
            here.select(f"Hierarchy of {self.name}", options, source, self.change_source)
            if source == "intervals":
                self.numbers(given, "intervals", "Widths, each a multiple of the one before")
                for key, words in (
                    ("origin", "Starts at"),
                    ("bottom", "All below"),
                    ("top", "This and above"),
                ):
                    value = "" if given.get(key) is None else str(given[key])
                    field = ui.input(words, value=value).props("dense")
                    here.on_commit(field, partial(set_end, key))
            elif source == "mask":
                length = ui.number("Length of the codes", value=given["mask"], min=1, precision=0).props(
                    "dense"
                )
                here.on_commit(length, lambda value: self.edit("mask", hierarchy={"mask": int(value or 1)}))
            elif source == "prefix":
                self.numbers(given, "prefix", "Characters kept, level by level")
            elif source == "dates":
                units, label, act = list(given["dates"]), "Units from fine to coarse", here.tried(set_dates)
                chips = ui.select(list(DATE_UNITS), multiple=True, value=units, label=label, on_change=act)
                chips.props("use-chips dense").classes("grid")
            elif source == "none":
                ui.label("Group its values below to get levels in between.").classes("quiet")

    def numbers(self, given: dict[str, Any], key: str, words: str) -> None:
        """Show a list of numbers of a hierarchy."""
        field = ui.input(words, value=", ".join(map(str, given[key]))).props("dense").classes("grid")

        def take(text: str) -> None:
            self.edit(key, hierarchy={**given, key: [_number(part, words) for part in text.split(",")]})

        self.here.on_commit(field, take)

    def change_source(self, source: str) -> None:
        """Begin another kind of hierarchy with something that works."""
        if source == "file":
            assert self.leaves
            self.write()
            return
        first: dict[str, Any] = {
            "intervals": {"intervals": [5, 10, 20, 40], "origin": 0},
            "mask": {"mask": max((len(leaf[0]) for leaf in self.leaves), default=5)},
            "prefix": {"prefix": [3, 1]},
            "dates": {"dates": ["month", "year", "decade"]},
        }
        kind = {"intervals": "number", "dates": "date", "none": None}.get(source, "category")
        more = {} if kind is None else {"kind": kind}
        self.edit(CHOICES["hierarchies"][source], hierarchy=first.get(source), levels=None, **more)

    def freedom(self) -> None:
        """Show what the search may do with it, and how much its detail counts."""
        is_local = self.here.spec.is_local
        with card("What a label of it may be" if is_local else "What the search may do with it"):
            if is_local:
                self.labels()
            else:
                names = [key for key in SCHEMES if key != "admissible" or self.attribute.partitions]
                options = explained("schemes", names)
                label, chosen = f"Scheme of {self.name}", self.attribute.scheme
                self.here.select(label, options, chosen, lambda key: self.edit(key, scheme=key, levels=None))
                if chosen == "levels":
                    self.bounds()
            weight = ui.number("Weight of its detail", value=self.attribute.weight, min=0).props("dense")
            self.here.on_commit(weight, lambda value: self.edit("weight", weight=float(value or 0)))

    def labels(self) -> None:
        """Say what a label of a local recoding may be; only what its values allow is offered."""
        attribute, found = self.attribute, self.found
        counted = (self.here.project.checked or {}).get("attributes", ())
        schemes = {item["name"]: item["scheme"] for item in counted}
        kind = "keep" if attribute.keep else attribute.labels or schemes.get(self.name) or ""
        wrong = {"range"} if found is not None and found.kind == "category" else set()
        wrong |= {"tree"} if attribute.hierarchy is None else set()

        def choose(chosen: str) -> None:
            labels, keep = (None, True) if chosen == "keep" else (chosen or None, None)
            self.edit(f"labels {chosen}", labels=labels, keep=keep, snap=None, levels=None)

        def set_snap(text: str) -> None:
            step = text.strip()
            snap = step if step in ("", "hierarchy") else _number(step, "snap")
            self.edit(f"ranges at multiples of {step or 'nothing'}", snap=snap or None)

        options = explained("labels", [key for key in CHOICES["labels"] if key not in wrong])
        options = options if kind in options else {"": "what fits its values", **options}
        self.here.select(f"Labels of {self.name}", options, kind if kind in options else "", choose)
        if kind == "tree":
            self.bounds()
        if kind == "range" and found is not None and found.kind == "number":
            snap = ui.input("Ranges begin and end at multiples of", value=str(attribute.snap or ""))
            self.here.on_commit(snap.props("dense").classes("grid"), set_snap)
            ui.label(
                "Blank: at values that someone in the group has, which tells that they occur. The word "
                "hierarchy: where its narrowest intervals do."
            ).classes("quiet small")

    def bounds(self) -> None:
        """Let the levels that may be used be narrowed."""
        height = 0 if self.found is None else len(self.found.levels) - 1
        low, high = self.attribute.levels or (0, height)
        ends = [low, min(high, height)]
        options = {str(level): str(level) for level in range(height + 1)}

        def set_level(end: int, text: str) -> None:
            ends[end] = int(text)
            self.edit("levels", levels=sorted(ends))

        with ui.element("div").classes("line"):
            ui.label("Levels from")
            for end, words in enumerate(("Lowest level", "Highest level")):
                label = f"{words} of {self.name}"
                self.here.select(label, options, str(ends[end]), partial(set_level, end))
                ui.label("to" if end == 0 else "may be used in a release")

    def groups(self) -> None:
        """Show values and groups in a grid that can be edited: the form of the reference tool's files."""
        here, leaves = self.here, self.leaves
        with card("Its groups, one line per value", "plain"):
            ui.label(
                "Tick values and put them into a group, or edit a label. The last level is everything alike."
            ).classes("quiet")
            if leaves and len(leaves[0]) > 2 and len(leaves) <= MOST_DRAGGED:
                self.drag()
            names = [
                "value",
                *(f"level {number}" for number in range(1, len(leaves[0]) - 1 if leaves else 0)),
            ]
            columns: list[dict[str, Any]] = [
                {"headerName": words, "field": f"c{place}", "editable": place > 0, "minWidth": 120, "flex": 1}
                for place, words in enumerate(names)
            ]
            rows = [{f"c{place}": leaf[place] for place in range(len(names))} for leaf in leaves]
            more = {"rowSelection": {"mode": "multiRow"}, "stopEditingWhenCellsLoseFocus": True}
            grid = show_grid(columns, rows, f"{min(26, 4.5 + 2.7 * len(leaves)):.1f}rem", **more)
            grid.on("cellValueChanged", here.tried(self.relabel), args=["rowIndex", "colId", "newValue"])
            with ui.element("div").classes("line"):
                label = here.field("group", "Name of the group").props("dense")

                async def join() -> None:
                    rows = await grid.get_selected_rows()
                    here.tried(lambda: self.join({row["c0"] for row in rows}, label.value or ""))()

                button("Put ticked values into it", join, "outline")
                button("Add a level above", here.tried(self.add_level), "flat")
            with ui.expansion("Load or save a file of this form").classes("grid"):
                ui.label("One line per value; column i is level i. Files of ARX work as they are.")
                uploader(here, "Load a hierarchy file", self.load, ".csv,.txt")
                file = f"{clean_name(self.name)}.csv"
                button("Save as a file", lambda: ui.download.content(hierarchy_csv(leaves), file), "outline")

    def drag(self) -> None:
        """Show the groups of level 1 with their values, which are dragged or picked and put elsewhere."""
        leaves, groups = self.leaves, dict[str, list[int]]()
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
            words = escape(printable(label))
            head = f'<button aria-label="Put into {words}">{words}</button>'
            boxes.append(f'<div class="group" data-group="{places[0]}">{head}<div>{values}</div></div>')
        box = ui.html("".join(boxes), sanitize=False).classes("groups")

        def move(event: Any) -> None:
            values, group = event.args
            for place in map(int, values):
                leaves[place][1:] = leaves[int(group)][1:]
            self.write()

        for kind, moves in (("dragstart", False), ("dragover", False), ("drop", True), ("click", True)):
            script = f"(e) => sfumatoDragging.{kind}(e, emit)"
            box.on(kind, self.here.tried(move) if moves else None, js_handler=script)

    def relabel(self, event: Any) -> None:
        """Take a label that was edited in the grid; a blank one is the value."""
        row, place = int(event.args["rowIndex"]), int(str(event.args["colId"])[1:])
        self.leaves[row][place] = str(event.args["newValue"] or "").strip() or self.leaves[row][0]
        self.write()

    def join(self, values: set[str], label: str) -> None:
        """Put values into a group of level 1."""
        if not values or not label.strip():
            raise ParameterError("tick at least one value and name the group first.")
        is_new = len(self.leaves[0]) <= 2
        for leaf in self.leaves:
            leaf[1:1] = [leaf[0]] if is_new else []
            leaf[1] = label.strip() if leaf[0] in values else leaf[1]
        self.write()

    def add_level(self) -> None:
        """Add a level below everything that repeats the one before, to be edited."""
        for leaf in self.leaves:
            leaf.insert(len(leaf) - 1, leaf[-2])
        self.write()

    def write(self) -> None:
        """Keep groups as a file of the project; a new name each time, so that undo finds the old one."""
        file = self.new_file("edited-", ".csv")
        write_whole(file, hierarchy_csv(self.leaves).encode(), private=True)
        self.edit("groups", hierarchy={"file": f"hierarchies/{file.name}"}, levels=None)

    def load(self, path: Path) -> None:
        """Take a file that was uploaded."""
        file = path.replace(self.new_file("", f"-{path.name}"))
        self.edit("file", hierarchy={"file": f"hierarchies/{file.name}"}, levels=None)

    def new_file(self, start: str, end: str) -> Path:
        """Return a name with a number that no file of hierarchies has yet."""
        folder = self.here.project.folder / "hierarchies"
        folder.mkdir(exist_ok=True)
        return folder / f"{clean_name(self.name)}-{start}{1 + len(list(folder.glob('*.csv')))}{end}"
