"""Trees of a specification, which has checked their shape: nested tables and lists of any depth."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeAlias

from sfumato.errors import HierarchyError
from sfumato.hierarchies.hierarchy import ROOT
from sfumato.hierarchies.hierarchy_files import LeafRows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Path: TypeAlias = tuple[str, ...]


def read_tree(tree: object, attribute: str) -> tuple[LeafRows, dict[str, int]]:
    """Return one row of labels for each leaf, and the depth of leaves less deep than the deepest."""
    paths = list(_walk(tree, (), attribute))
    _check_names(paths, attribute)
    height = max(len(path) for path in paths)
    rows = [(*(path[min(len(path), height - level) - 1] for level in range(height)), ROOT) for path in paths]
    depths = {path[-1]: len(path) for path in paths if len(path) < height}
    return LeafRows(attribute, rows), depths


def _walk(node: object, path: Path, attribute: str) -> Iterator[Path]:
    """Yield the path of every leaf below a node, the leaf itself last."""
    if isinstance(node, dict):
        for name, child in node.items():
            yield from _walk(child, (*path, name), attribute)
    elif isinstance(node, list):
        names = Counter(name for entry in node if isinstance(entry, dict) for name in entry)
        for name, count in names.items():
            if count > 1:
                raise HierarchyError(
                    f"{_node(path)} has {count} groups with the name {name!r}. Merge them.", where=attribute
                )
        for child in node:
            yield from _walk(child, path, attribute)
    else:
        yield (*path, str(node))


def _check_names(paths: Sequence[Path], attribute: str) -> None:
    """Raise HierarchyError where a name is empty or two nodes could be confused."""
    for path in paths:
        if "" in path:
            raise HierarchyError(
                f"{_node(path[: path.index('')])} holds an empty text. Missing values need no leaf: they "
                "are placed directly under the root.",
                where=attribute,
            )
    deepest = _inner_nodes(paths, attribute)
    for path in paths:
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
    return " > ".join(repr(name) for name in path) or "the root"


def _node(path: Path) -> str:
    return f"the node {_shown(path)}" if path else "the root"
