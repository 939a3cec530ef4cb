"""Trees of a specification: nested tables and lists of any depth."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypeGuard

from sfumato.errors import HierarchyError
from sfumato.hierarchies.files import LeafRows
from sfumato.hierarchies.hierarchy import ROOT
from sfumato.hierarchies.kinds import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

Path: TypeAlias = tuple[str, ...]


@dataclass(frozen=True)
class TreeLeaves:
    """The leaves of a tree."""

    leaves: LeafRows  # one row for each leaf, all of the same length
    depths: dict[str, int]  # the depth of those leaves that lie less deep than the deepest


def read_tree(tree: object, attribute: str) -> TreeLeaves:
    """Turn a nested tree into one row of labels for each leaf.

    Examples
    --------
    >>> tree = {"Government": ["State", "Local"], "Private": ["Private"]}
    >>> read_tree(tree, "workclass").leaves.rows[-1]
    ('Private', 'Private', '*')
    """
    paths = list(_walk(tree, (), attribute))
    _check_names(paths, attribute)
    height = max(len(path) for path in paths)
    rows = [_row(path, height) for path in paths]
    depths = {path[-1]: len(path) for path in paths if len(path) < height}
    return TreeLeaves(LeafRows(attribute, rows), depths)


def _walk(node: object, path: Path, attribute: str) -> Iterator[Path]:
    """Yield the path of every leaf below a node, the leaf itself last."""
    if isinstance(node, Mapping):
        parts = [(child, (*path, text_of(name))) for name, child in node.items()]
    elif _is_list(node):
        parts = [(child, path) for child in node]
        _check_list(node, path, attribute)
    elif isinstance(node, str | int | float | dt.date):
        yield (*path, text_of(node))
        return
    else:
        raise HierarchyError(f"{_node(path)} holds something that is no value.", where=attribute)
    if not parts:
        raise HierarchyError(
            f"{_node(path)} has no leaves. Write a leaf as an entry of a list.", where=attribute
        )
    for child, below in parts:
        yield from _walk(child, below, attribute)


def _is_list(node: object) -> TypeGuard[Sequence[object]]:
    """Tell whether a part of the tree is a list; a text is a value."""
    return isinstance(node, Sequence) and not isinstance(node, str)


def _check_list(entries: Sequence[object], path: Path, attribute: str) -> None:
    """Raise HierarchyError where a list holds another one, or two groups of one name."""
    if any(_is_list(entry) for entry in entries):
        raise HierarchyError(
            f"{_node(path)} has a list within its list. Give the inner group a name.", where=attribute
        )
    names = Counter(text_of(name) for entry in entries if isinstance(entry, Mapping) for name in entry)
    for name, count in names.items():
        if count > 1:
            raise HierarchyError(
                f"{_node(path)} has {count} groups with the name {name!r}. Unite them.", where=attribute
            )


def _row(path: Path, height: int) -> tuple[str, ...]:
    """Return the label of a leaf at each level."""
    depth = len(path)
    labels = [path[min(depth, height - level) - 1] for level in range(height)]
    return (*labels, ROOT)


def _check_names(paths: Sequence[Path], attribute: str) -> None:
    """Raise HierarchyError where a name is empty, a leaf stands twice or two nodes could be confused."""
    for path in paths:
        if "" in path:
            raise HierarchyError(
                f"{_node(path[: path.index('')])} holds an empty text. Missing values need no leaf: they "
                "come directly under the root by themselves.",
                where=attribute,
            )
    deepest = _inner_nodes(paths, attribute)
    leaf_of: dict[str, Path] = {}
    for path in paths:
        before = leaf_of.setdefault(path[-1], path)
        if before is not path:
            raise HierarchyError(
                f"A leaf stands twice: under {_shown(before[:-1])} and under {_shown(path[:-1])}.",
                where=attribute,
                values=path[-1:],
            )
        node = deepest.get(path[-1])
        if node is not None and not _is_below(path, node):
            raise HierarchyError(
                f"{_node(node)} has the name of a leaf that is not below it but under {_shown(path[:-1])}. "
                "Rename the node.",
                where=attribute,
            )


def _inner_nodes(paths: Sequence[Path], attribute: str) -> dict[str, Path]:
    """Return the deepest inner node of every name; those of one name must lie below each other."""
    seen: set[Path] = set()
    deepest: dict[str, Path] = {}
    for path in paths:
        for node in (path[:depth] for depth in range(1, len(path))):
            if node in seen:
                continue
            seen.add(node)
            before = deepest.get(node[-1])
            if node[-1] == ROOT:
                raise HierarchyError(f"{_node(node)} has the label of the root. Rename it.", where=attribute)
            if before is not None and not _is_below(node, before):
                raise HierarchyError(
                    f"{_node(node)} has the same name as {_shown(before)}: in a release they could not be "
                    "told apart. Rename one of them.",
                    where=attribute,
                )
            deepest[node[-1]] = node
    return deepest


def _is_below(path: Path, node: Path) -> bool:
    """Tell whether a path leads through a node and further down."""
    return len(path) > len(node) and path[: len(node)] == node


def _shown(path: Path) -> str:
    """Write the path of an inner node for a message."""
    return " > ".join(repr(name) for name in path) or "the root"


def _node(path: Path) -> str:
    """Write an inner node at the beginning of a message."""
    return f"The node {_shown(path)}" if path else "The root"
