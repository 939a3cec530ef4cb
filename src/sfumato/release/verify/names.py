"""Names of measures, read without the parser that the search uses."""

from __future__ import annotations

import re

_NAME = re.compile(r"([A-Za-z_]\w*)(?:\((.*)\))?", re.DOTALL)
_ARGUMENT = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^,()"]*[^,()"\s]))\s*(,|$)')

LARGER_IS_BETTER = frozenset(
    {
        "distinct_l",
        "entropy_l",
        "k",
        "mean_k",
        "precision",
        "protection",
        "ql",
        "recursive_l",
        "secure",
        "sf",
        "share_l",
        "spread_k",
        "spread_l",
        "usefulness",
    }
)


def split_name(text: str) -> tuple[str, tuple[str, ...]]:
    """Split ``t("zip, code", ordered)`` into its name and arguments.

    A text that is not the name of a measure comes back whole, without arguments.

    Examples
    --------
    >>> split_name('t("zip, code", ordered)')
    ('t', ('zip, code', 'ordered'))
    """
    match = _NAME.fullmatch(text.strip())
    if match is None:
        return text, ()
    if match.group(2) is None:
        return match.group(1), ()
    arguments: list[str] = []
    place, more = 0, ","
    while more:
        argument = _ARGUMENT.match(match.group(2), place)
        if argument is None:
            return text, ()
        quoted, bare, more = argument.groups()
        arguments.append(bare.strip() if quoted is None else quoted.replace('""', '"'))
        place = argument.end()
    return match.group(1), tuple(arguments)


def larger_is_better(text: str) -> bool:
    """Tell whether a requirement on this measure is a lower limit."""
    return split_name(text)[0] in LARGER_IS_BETTER
