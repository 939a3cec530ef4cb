"""``sfumato microaggregate``: clusters of similar rows, released as their centres."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from sfumato.cli.options import DATA, REQUIRED, option, reading, refuse_address, split_names
from sfumato.cli.output import Output, TableColumn, number, printable, right, waiting, watching
from sfumato.cli.release import print_written
from sfumato.errors import DataError, ParameterError
from sfumato.words import count_words

if TYPE_CHECKING:
    from sfumato.microaggregating import Microaggregated
    from sfumato.microaggregation.aggregating import Groups

BOUNDED = 200_000
"""Cells up to which a bound is computed."""
_LINE = re.compile(r"at line (\d+)")
_ORDERS = {"input": "in the order of the input", "sorted": "sorted by all columns"}
_MEANINGS = {
    "k": "rows of the smallest class over all these columns together",
    "il": "information loss: squared error in percent of the total",
    "id": "interval disclosure: percent of published values within 10 % of the original",
    "id_standardized": "the same on z-scores, whose zero is the mean",
    "dld": "linkage disclosure: percent of rows whose nearest protected row is their own",
    "score": "mean of il and of the mean of id and dld; smaller is better",
}


def microaggregate(
    *,
    data: str = DATA,
    columns: list[str] = option(
        "--columns", "Columns of numbers or dates; may be repeated.", "A,B", REQUIRED
    ),
    out: str = option("--out", "The protected table; its suffix sets the format.", "FILE", REQUIRED),
    k: int = option("--k", "Smallest size of a cluster.", "N", 5, min=2),
    groups: str = option(
        "--groups",
        "Columns that are clustered together: all (none), found by GOMM and a descent (auto), by GOMM or "
        "D-GOMM as printed, or listed in a TOML or JSON file.",
        "none|auto|gomm|d-gomm|FILE",
        "none",
    ),
    loss_weight: float = option(
        "--loss-weight",
        "What information loss counts against disclosure risk in the search for groups, 0 to 1.",
        "W",
        0.5,
        min=0.0,
        max=1.0,
    ),
    search_out: str | None = option(
        "--search-out",
        "A folder for the groupings that no other dominates in il, id and dld, and for what each operator "
        "did. Not for publishing.",
        "FOLDER",
    ),
    within: str | None = option("--within", "A column that clusters do not cross.", "COL"),
    method: Literal["mdav", "v-mdav", "univariate", "annealing", "auto"] = option(
        "--method",
        "MDAV; V-MDAV, with clusters that grow; the optimum for each column by itself; annealing, which "
        "regroups rows for much less error; auto, annealing from the better start.",
        default="mdav",
    ),
    steps: int = option(
        "--steps", "How many steps annealing tries for each row; --time-limit sets seconds instead.", "N", 300
    ),
    centroid: Literal["mean", "median"] = option(
        "--centroid", "Statistic that is published for numbers.", default="mean"
    ),
    standardize: bool = option(
        "--standardize/--no-standardize", "Take distances between z-scores.", default=True
    ),
    order: list[str] | None = option(
        "--order", "The values of a column of texts, lowest first; may be repeated.", "COL=A,B"
    ),
    keep: list[str] | None = option(
        "--keep", "Further columns to publish, unchanged; all others are left out. May be repeated.", "A,B"
    ),
    sort: bool = option(
        "--sort", "Sort the rows by all published columns, so that order reveals nothing.", default=False
    ),
    drop: list[str] | None = option("--drop", "", hidden=True),
    missing: list[str] | None = option("--missing", "A text that means missing; may be repeated.", "TEXT"),
    output: Output,
) -> dict[str, object]:
    """Replace values by the centres of clusters of at least k similar rows.

    Only these columns and those of --keep are published; all others are left out. Rows keep their order
    unless --sort is given. With several groups of columns, k holds in each group separately.
    """
    from sfumato import api
    from sfumato.microaggregation.aggregating import GROUP_SEARCHES
    from sfumato.release import check_release_target, manifest_path
    from sfumato.release.json_files import atomic_folder

    refuse_address(out)
    options, path = output.options, Path(out)
    names, kept = split_names(columns, "--columns"), split_names(keep, "--keep")
    for name in split_names(drop, "--drop"):
        if name in (*names, *kept):
            raise ParameterError(
                f"the column {name!r} cannot be both published and left out. Name it once.", where="--drop"
            )
    check_release_target(path, force=options.force)
    is_file = groups != "none" and groups not in GROUP_SEARCHES
    if groups not in GROUP_SEARCHES and (search_out is not None or loss_weight != 0.5):
        option_name = "--loss-weight" if search_out is None else "--search-out"
        raise ParameterError("it acts on a search for groups: add --groups auto.", where=option_name)
    options.spare_inputs([path, manifest_path(path)], [data, groups] if is_file else [data])
    with watching(options, "groupings") as watch, reading(options, names, missing or ()) as how:
        found = api.microaggregate(
            data,
            names,
            k,
            groups=read_groups(groups) if is_file else cast("Groups", None if groups == "none" else groups),
            standardize=standardize,
            method=method,
            within=within,
            centroid=centroid,
            orders=_orders(order or []),
            keep=kept,
            sort=sort,
            loss_weight=loss_weight,
            steps=steps,
            seed=1 if options.seed is None else options.seed,
            threads=options.threads,
            time_limit=options.time_limit,
            callback=watch,
            checkpoint=options.checkpoint,
            spec=how,
        )
    with waiting(options, "measuring, writing and verifying"):
        manifest = found.write(path, force=options.force)
        if search_out is not None and found.search is not None:
            files = found.search.tables()
            atomic_folder(search_out, files, force=options.force, private=list(files))
    _print(found, path, output)
    _warn(found, output, is_dropping=bool(drop))
    # The terminal is the owner's: numbers are exact here, and coarse in the manifest.
    return _described(found, path, {**manifest.measures, **found.measures})


def _warn(found: Microaggregated, output: Output, *, is_dropping: bool) -> None:
    """Print on standard error what the user must not miss."""
    lines = []
    if output.options.quiet:
        # What is published is never said to nobody.
        dropped = found.recipe.dropped
        lines += [f"left out: {', '.join(dropped)}"] if dropped else []
        lines += [f"warning: {text}" for text in found.warnings]
    if is_dropping:
        lines.append("warning: --drop has no effect: columns that are not named are left out.")
    for line in lines:
        print(printable(line), file=sys.stderr)


def _orders(texts: list[str]) -> dict[str, tuple[str, ...]]:
    found = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals or not name:
            raise ParameterError("write COLUMN=LOWEST,…,HIGHEST.", where="--order")
        found[name] = split_names([values], "--order")
    return found


def read_groups(path: str) -> list[list[str]]:
    """Read lists of columns that are microaggregated together."""
    # A TOML file says `groups = [["A", "B"], ["C"]]`; a JSON file an object with the same key, or the lists
    # alone.
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DataError(
            "file not found; pass a file, 'none', 'auto', 'gomm' or 'd-gomm'.", where=path
        ) from None
    except (OSError, UnicodeError):
        raise DataError("the file cannot be read as UTF-8 text.", where=path) from None
    value = _parse(text, path, is_json=file.suffix.lower() == ".json")
    if not isinstance(value, list) or not value:
        raise DataError("a list of groups is expected.", where=f"{path}: groups")
    for at, group in enumerate(value):
        if not isinstance(group, list) or not group:
            raise DataError("a list of columns is expected.", where=f"{path}: groups[{at}]")
        for place, name in enumerate(group):
            if not isinstance(name, str):
                raise DataError("the name of a column is expected.", where=f"{path}: groups[{at}][{place}]")
    return value


def _parse(text: str, path: str, *, is_json: bool) -> object:
    try:
        value: object = json.loads(text) if is_json else tomllib.loads(text)
    except json.JSONDecodeError as error:
        raise DataError("this is not JSON.", where=f"{path}, line {error.lineno}") from None
    except tomllib.TOMLDecodeError as error:
        line = _LINE.search(str(error))
        # Without a line, it is the end of the file.
        where = f"{path}, line {line[1] if line else text.count(chr(10)) + 1}"
        raise DataError('this is not TOML. Write groups = [["A", "B"], ["C"]].', where=where) from None
    if not isinstance(value, dict):
        return value
    if set(value) != {"groups"}:
        raise DataError('one key is expected: groups = [["A", "B"], ["C"]].', where=path)
    return value["groups"]


def _print(found: Microaggregated, path: Path, output: Output) -> None:
    """Say what was done, what it costs, and what it does not protect against."""
    clusters, missing = sum(item.count for item in found.clusters), found.missing
    facts = [
        ("rows", f"{found.rows:,}, {_ORDERS[found.recipe.order]}"),
        ("clusters", f"{clusters:,} of {found.k} or more"),
    ]
    if missing["before"]:
        facts.append(("missing", f"{missing['before']:,} cells, {missing['blanked']:,} more blanked"))
    if found.recipe.dropped:
        facts.append(("left out", ", ".join(found.recipe.dropped)))
    output.facts(facts)
    output.line()
    groups = enumerate(zip(found.groups, found.clusters, strict=True), start=1)
    output.table(
        [*right("group"), "columns", *right("clusters")],
        [[str(place), ", ".join(group), f"{made.count:,}"] for place, (group, made) in groups],
    )
    output.line()
    output.table(
        [TableColumn("measure", fixed=True), *right("value"), "meaning"],
        [[name, number(value), _MEANINGS[name]] for name, value in found.measures.items()],
    )
    output.line()
    if _is_bounded(found):
        output.line(f"The squared error is at most {100 * found.gap:.3g} % above the least possible.")
        output.line()
    output.notes("warning", found.warnings)
    held = f"classes of {found.k} rows or more in {count_words(len(found.groups), 'group')}"
    print_written(path, f"recounted: {held}", output)


def _is_bounded(found: Microaggregated) -> bool:
    """Tell whether a bound is worth its time: some seconds at this size, far more beyond."""
    from sfumato.microaggregation.aggregating import ANNEALED

    return found.recipe.method in ANNEALED and found.centres.size <= BOUNDED and not found.stopped


def _described(found: Microaggregated, path: Path, measures: dict[str, float]) -> dict[str, object]:
    """Return what ``--json`` prints."""
    from sfumato.release import manifest_path

    return {
        "file": str(path),
        "manifest": str(manifest_path(path)),
        "rows": found.rows,
        "k": found.k,
        "joint_k": found.joint_k,
        "groups": [list(group) for group in found.groups],
        "clusters": [item.count for item in found.clusters],
        "measures": measures,
        "missing": found.missing,
        **({"gap": found.gap} if _is_bounded(found) else {}),
        "order": found.recipe.order,
        "kept": [name for name in found.recipe.columns if name not in found.recipe.names],
        "left_out": list(found.recipe.dropped),
        **({"stopped": True} if found.stopped else {}),
        "warnings": found.warnings,
        "verified": True,
    }
