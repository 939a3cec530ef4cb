"""What differs between what two worlds publish, by kind."""

from __future__ import annotations

import difflib
import json
import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tests.worlds.flavours import MARK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.worlds.publishing import Published

STEPPED: dict[str, Callable[[int, int], float]] = {
    ".measures.t(": lambda hidden, rows: hidden / rows,
    ".measures.sf": lambda hidden, rows: hidden / rows,
    ".measures.mean_k": lambda hidden, rows: max(hidden * (hidden - 1), hidden) / rows,
    ".measures.hdm": lambda hidden, rows: hidden * (rows - hidden) / rows,
    ".reference.distributions": lambda hidden, rows: hidden / rows,
}
"""Numbers that depend on hidden rows by their definition, and may be stated in coarse steps: from suppressed
and all rows to the least distance of two steps, which is what all suppressed rows together could change."""

UNSHOWN_FILE, UNSHOWN_FRAME = "FILE: bytes that no reader shows", "frame: bytes that nothing else shows"

DERIVED = ("sha256", "seal")
"""Digests: they differ wherever something else does, and alone only if something is not compared."""


@dataclass(frozen=True)
class Difference:
    """One place where two worlds differ.

    Parameters
    ----------
    kind
        Names the place without names of columns, so that tables can be counted together.
    first, second
        What stands there.
    is_step
        Whether it is a stated number that may have crossed a rounding boundary: the two are at least as
        far apart as all suppressed rows together could move them.
    """

    kind: str
    first: str = ""
    second: str = ""
    is_step: bool = False


def compare(
    first: Published, second: Published, *, same_order: bool, rows: tuple[int, int]
) -> list[Difference]:
    """Return how two worlds differ.

    Parameters
    ----------
    first, second
        What they publish.
    same_order
        Whether the rows that remain stand in one order in both, so that frames must be the same.
    rows
        Suppressed rows and all rows: they say how far apart two different rounded numbers are.
    """
    found = [*_compare_manifests(first, second, rows), *_compare_files(first, second)]
    found += _compare_frames(first, second, same_order=same_order)
    for name in ("recipe", "report"):
        if first.get(name) != second.get(name):
            found.append(Difference(name, *_first_lines(first.get(name, b""), second.get(name, b""))))
    if any(item.kind == "recipe" for item in found) and any("recipe." in item.kind for item in found):
        found = [item for item in found if item.kind != "recipe"]
    if _forms(first) != _forms(second):
        # Hidden values alone decide whether a partition is a level: open, and to be judged by itself.
        return [replace(item, kind=f"[form] {item.kind}") for item in found]
    return found


def _forms(published: Published) -> list[object]:
    """Return how each column's partition is written down: as a level, or as blocks."""
    attributes = json.loads(published["FILE.json"])["recipe"].get("attributes", {})
    partitions = [entry.get("partition") or {} for entry in attributes.values()]
    return [(sorted(partition), partition.get("level")) for partition in partitions]


_MARKED = re.compile(b"%s((?:(?!%s)\\w)*)" % (MARK.encode(), MARK.encode()))


def find_marks(published: Published, shown: set[str] = frozenset()) -> list[Difference]:  # type: ignore[assignment]
    """Return where a text is published that only hidden cells and removed columns hold.

    Parameters
    ----------
    published
        All that is published.
    shown
        Texts of cells in published rows, which recipes may name.
    """
    found = []
    # Towns have a letter in front of the mark.
    shown = {text[text.index(MARK) :] for text in shown if MARK in text}
    for name, content in published.items():
        if name == "FILE" and shown:
            continue  # compressed bytes cut texts to pieces; rows and dictionaries are searched by themselves
        # In the memory of a frame, one text follows upon the other.
        marks = {MARK + rest.decode() for rest in re.findall(_MARKED, content)}
        # A label may end in the middle of a text.
        foreign = [m for m in marks if not any(text.startswith(m) or _runs_on(m, text) for text in shown)]
        if foreign:
            found.append(
                Difference(f"secret text in {name.split('/')[0]}", _around(content, foreign[0].encode()))
            )
    return found


def _runs_on(mark: str, text: str) -> bool:
    """Tell whether a shown text is followed by that of another cell; removed columns end in their names."""
    return mark.startswith(text) and not mark[len(text) :].startswith(("name", "note"))


def _around(content: bytes, mark: bytes) -> str:
    place = content.index(mark)
    return content[max(0, place - 40) : place + 40].decode(errors="replace")


def _compare_manifests(first: Published, second: Published, rows: tuple[int, int]) -> list[Difference]:
    texts = [json.loads(world["FILE.json"]) for world in (first, second)]
    found = [*_walk(texts[0], texts[1], "", rows)]
    telling = [item for item in found if not item.kind.endswith(DERIVED)]
    if first["FILE"] != second["FILE"] or telling:
        return telling
    return found


def _walk(first: object, second: object, path: str, rows: tuple[int, int]) -> Iterator[Difference]:
    """Yield the leaves at which two manifests differ."""
    if first == second and type(first) is type(second):
        return
    if isinstance(first, dict) and isinstance(second, dict):
        for key in sorted({*first, *second}):
            inner = f"{path}.{_nameless(key)}"
            if key not in first or key not in second:
                yield Difference(
                    f"FILE.json{inner} (only in one world)", str(first.get(key)), str(second.get(key))
                )
            else:
                yield from _walk(first[key], second[key], inner, rows)
        return
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        for one, other in zip(first, second, strict=True):
            yield from _walk(one, other, path, rows)
        return
    if isinstance(first, float) and isinstance(second, float) and math.isclose(first, second, rel_tol=1e-12):
        # A sum in the order of hidden codes: next to nothing is told, but bytes and digests differ.
        path = f"{path} (last digits)"
    yield Difference(f"FILE.json{path}", str(first), str(second), _is_step(first, second, path, rows))


def _is_step(first: object, second: object, path: str, rows: tuple[int, int]) -> bool:
    least = next((step(*rows) for name, step in STEPPED.items() if path.startswith(name)), None)
    if least is None or not all(type(item) in (int, float) for item in (first, second)):
        return False
    if path.startswith(".reference") and isinstance(first, int) and isinstance(second, int):
        return False  # counts of rows are never rounded shares
    return abs(first - second) >= least * (1 - 1e-9)  # type: ignore[operator]


def _nameless(key: str) -> str:
    """Write a key without the names of drawn columns."""
    return re.sub(r"\b[qso]\d\b|\b(name|note|ward|pid)\b", "*", key)


def _compare_files(first: Published, second: Published) -> Iterator[Difference]:
    if first["FILE"] == second["FILE"]:
        return
    rows = [world.get("FILE/rows", b"").splitlines() for world in (first, second)]
    if rows[0] != rows[1]:
        same = sorted(rows[0]) == sorted(rows[1])
        yield Difference(
            "FILE: order of rows" if same else "FILE: cells", *_first_lines(*map(b"\n".join, rows))
        )
    parts = [name for name in first if name.startswith("FILE/") and name != "FILE/rows"]
    changed = [name for name in parts if first[name] != second.get(name)]
    for name in changed:
        if rows[0] == rows[1] or name not in ("FILE/footer", "FILE/dictionaries"):
            yield Difference(f"FILE: {name[5:]}", *_first_lines(first[name], second.get(name, b"")))
    if rows[0] == rows[1] and not changed:
        yield Difference(UNSHOWN_FILE)


def _compare_frames(first: Published, second: Published, *, same_order: bool) -> Iterator[Difference]:
    shown = False
    for name in [name for name in first if name.startswith("frame/") and name != "frame/arrow"]:
        one, other = first[name], second.get(name, b"")
        if one == other:
            continue
        if not same_order and name in ("frame/index", "frame/bytes", "frame/dictionaries"):
            continue
        if not same_order and name == "frame/rows" and sorted(one.splitlines()) == sorted(other.splitlines()):
            continue
        if name == "frame/bytes":
            if not shown:
                yield Difference(UNSHOWN_FRAME)
            continue
        shown = True
        yield Difference(f"frame: {name[6:]}", *_first_lines(one, other))


def _first_lines(first: bytes, second: bytes) -> tuple[str, str]:
    """Return the first two lines that differ, cut around the place."""
    lines = [content.decode(errors="replace").splitlines() for content in (first, second)]
    for one, other in zip(*lines, strict=False):
        if one != other:
            place = next((i for i, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), 0)
            begin = max(0, place - 60)
            return one[begin : begin + 160], other[begin : begin + 160]
    return f"{len(lines[0])} lines", f"{len(lines[1])} lines"


def unified(first: Published, second: Published, most: int = 60) -> str:
    """Return what differs as a unified diff of every part, each cut short."""
    found = []
    for name in sorted({*first, *second}):
        if name in ("FILE", "frame/bytes", "frame/arrow") or first.get(name) == second.get(name):
            continue
        sides = [world.get(name, b"").decode(errors="replace").splitlines() for world in (first, second)]
        lines = [*difflib.unified_diff(*sides, f"first/{name}", f"second/{name}", lineterm="", n=1)]
        found += [line[:200] for line in lines[:most]]
        if len(lines) > most:
            found.append(f"… {len(lines) - most} lines more")
    return "\n".join(found)
