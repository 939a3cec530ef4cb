"""``sfumato check``: what is wrong, or how large the search is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.options import Options
from sfumato.cli.output import Column, Output, count, huge, print_errors

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sfumato.errors import SfumatoError
    from sfumato.spec import Spec

_COLUMNS = (
    Column("attribute"),
    Column("role", fixed=True),
    Column("kind", fixed=True),
    Column("scheme", fixed=True),
    Column("values", "right"),
    Column("levels", "right"),
    Column("partitions", "right"),
)


def check(
    *,
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="The specification file.")],
    options: Options,
) -> int:
    """Say what is wrong, or how large the search is.

    Reads specification, data and hierarchies, and writes nothing.
    """
    from sfumato import api
    from sfumato.errors import DataError, HierarchyError

    loaded = options.load_spec(spec)
    try:
        found = api.check(None, loaded)
    except (DataError, HierarchyError) as error:
        errors = _all_problems(loaded, error)
        print_errors(errors, options)
        return max(item.status for item in errors)
    output = Output(options)
    _print(spec, found, output)
    output.result(found)
    return 0


def _all_problems(spec: Spec, first: SfumatoError) -> list[SfumatoError]:
    """Look at every attribute by itself, so that one run shows what is wrong with each of them."""
    from sfumato.errors import SfumatoError
    from sfumato.preparing import load

    found: dict[str, SfumatoError] = {}
    for name in (*spec.quasi_identifiers, *spec.sensitive):
        alone = spec.attributes[name].model_copy(update={"role": "quasi-identifier"})
        try:
            load(None, spec.model_copy(update={"attributes": {name: alone}, "confidential": ()}))
        except SfumatoError as error:
            found |= {str(item): item for item in getattr(error, "problems", (error,))}
    return list(found.values()) or [first]


def _print(spec: str, found: Mapping[str, object], output: Output) -> None:
    """Print what an attribute is taken for, the space, and the warnings."""
    attributes = found["attributes"]
    assert isinstance(attributes, list)
    rows = [
        [
            str(item["name"]),
            str(item["role"]),
            *(_cell(item[key]) for key in ("kind", "scheme", "values", "levels")),
            "" if item["space"] is None else huge(str(item["space"])),
        ]
        for item in attributes
    ]
    warnings = found["warnings"]
    assert isinstance(warnings, list)
    output.line(f"{spec}: nothing is wrong", style="bold")
    output.line()
    output.table(_COLUMNS, rows)
    output.line()
    facts = [
        ("rows", f"{found['rows']:,} ({found['distinct']:,} distinct in the quasi-identifiers)"),
        ("space", f"{huge(str(found['space']))} recodings"),
        ("method", f"{found['method']}: {_certainty(found)}"),
    ]
    protected = found.get("confidential")
    for number, item in enumerate(protected if isinstance(protected, list) else [], start=1):
        facts.append((f"sentence {number}", f"{item['sentence']} protects {count(item['people'], 'person')}"))
    left_out = found.get("left_out")
    if isinstance(left_out, list) and left_out:
        facts.append(("left out", f"{', '.join(left_out)} (the specification does not name them)"))
    output.facts(facts)
    output.notes("warning", warnings)


def _certainty(found: Mapping[str, object]) -> str:
    if found["exact"]:
        return "the result will be exact"
    if found["method"] in ("exhaustive", "optimal"):
        return "so many that the time limit may end the search before it is complete"
    return "so many that a heuristic looks for good ones, perhaps not all"


def _cell(value: object) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return "" if value is None else str(value)
