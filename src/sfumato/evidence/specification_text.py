"""A specification as outsiders may read it: no folder of the machine, no list of values, no comment."""

from __future__ import annotations

import re
from pathlib import PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from sfumato.spec import Spec

LEFT_OUT = "left out"
WIDEST = 90
"""Letters of a list that stands on one line."""

_LIST = re.compile(r"= \[\n((?: +[^\n]+,\n)+)\]")


def specification_text(spec: Spec, *, show_values: bool = True) -> str:
    """Return a specification as TOML that tells nothing which the release does not tell.

    Comments go, since they may hold anything; of paths the names of files stay; lists of values (trees,
    orders, partitions) become their lengths; for whom a sentence is confidential is left out, as in a
    manifest.
    """
    import tomli_w

    tables = cast("dict[str, dict[str, object]]", spec.to_dict())
    data = tables.get("data", {})
    if "path" in data:
        data["path"] = file_name(str(data["path"]))
    # Whoever knows it can repeat the draw among near-optimal releases.
    tables.get("release", {}).pop("seed", None)
    for attribute in cast("dict[str, dict[str, object]]", tables.get("attributes", {})).values():
        _redact_attribute(attribute)
    statements = cast("list[dict[str, object]]", tables.get("confidential", []))
    for statement in statements:
        for key in ("for", "record", *(() if show_values else ("sentence",))):
            if key in statement:
                statement[key] = LEFT_OUT
    return _LIST.sub(_on_one_line, tomli_w.dumps(tables))


def _on_one_line(match: re.Match[str]) -> str:
    """Return a list on one line where that is short enough."""
    text = f"= [{', '.join(line.strip().removesuffix(',') for line in match[1].splitlines())}]"
    return text if len(text) <= WIDEST else match[0]


def _redact_attribute(attribute: dict[str, object]) -> None:
    for key in ("order", "partitions"):
        entries = attribute.get(key)
        if isinstance(entries, list | tuple):
            attribute[key] = f"{LEFT_OUT}: {len(entries)} {'values' if key == 'order' else 'partitions'}"
    hierarchy = attribute.get("hierarchy")
    if not isinstance(hierarchy, dict):
        return
    if "file" in hierarchy:
        hierarchy["file"] = file_name(str(hierarchy["file"]))
    if "tree" in hierarchy:
        hierarchy["tree"] = f"{LEFT_OUT}: {_leaves(hierarchy['tree'])} values"


def _leaves(tree: object) -> int:
    if isinstance(tree, dict):
        return sum(_leaves(child) for child in tree.values())
    return sum(_leaves(child) for child in tree) if isinstance(tree, list | tuple) else 1


def file_name(path: str) -> str:
    r"""Return the name of a file without its folders, whichever system wrote them.

    Examples
    --------
    >>> file_name("/data/people/adult.csv"), file_name(r"C:\people\adult.csv"), file_name("adult.csv")
    ('adult.csv', 'adult.csv', 'adult.csv')
    """
    return PureWindowsPath(PurePosixPath(path).name).name or LEFT_OUT
