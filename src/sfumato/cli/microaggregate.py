"""``sfumato microaggregate``: clusters of similar rows, released as their centres."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from sfumato.cli.options import (
    DataPath,
    Encoding,
    Options,
    Separator,
    make_reading_spec,
    split_names,
    without_specification,
)
from sfumato.cli.output import Column, Output, count, number, printable, waiting, watching
from sfumato.errors import DataError, ParameterError

if TYPE_CHECKING:
    from sfumato.microaggregating import Microaggregated
    from sfumato.microaggregation.aggregating import Groups
    from sfumato.spec import Spec

_LINE = re.compile(r"at line (\d+)")


def read_groups(path: str) -> list[list[str]]:
    """Read lists of columns that are microaggregated together.

    A TOML file says ``groups = [["A", "B"], ["C"]]``; a JSON file an object with the same key, or the lists
    alone.
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DataError("there is no such file of groups; or say none or auto.", where=path) from None
    except (OSError, UnicodeError):
        raise DataError("the file cannot be read as UTF-8 text.", where=path) from None
    return _check(_parse(text, path, is_json=file.suffix.lower() == ".json"), path)


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


def _check(value: object, path: str) -> list[list[str]]:
    if not isinstance(value, list) or not value:
        raise DataError("a list of groups is expected.", where=f"{path}: groups")
    for at, group in enumerate(value):
        if not isinstance(group, list) or not group:
            raise DataError("a list of columns is expected.", where=f"{path}: groups[{at}]")
        for place, name in enumerate(group):
            if not isinstance(name, str):
                raise DataError("the name of a column is expected.", where=f"{path}: groups[{at}][{place}]")
    return value


Columns: TypeAlias = Annotated[
    list[str],
    typer.Option("--columns", metavar="A,B", help="Columns of numbers or dates; may be repeated."),
]
K: TypeAlias = Annotated[int, typer.Option("--k", min=2, metavar="N", help="Smallest size of a cluster.")]
GroupsText: TypeAlias = Annotated[
    str,
    typer.Option(
        "--groups",
        metavar="none|auto|FILE",
        help="Columns that are clustered together: all (none), searched by GOMM (auto), or as a TOML or JSON "
        "file lists them.",
    ),
]
Within: TypeAlias = Annotated[
    str | None, typer.Option("--within", metavar="COL", help="A column that clusters do not cross.")
]
MethodName: TypeAlias = Annotated[
    Literal["mdav", "v-mdav", "univariate"],
    typer.Option(
        "--method", help="MDAV; V-MDAV, with clusters that grow; or the optimum for each column alone."
    ),
]
Centroid: TypeAlias = Annotated[
    Literal["mean", "median"], typer.Option("--centroid", help="What is released of numbers.")
]
Standardize: TypeAlias = Annotated[
    bool,
    typer.Option("--standardize/--no-standardize", help="Take distances between z-scores."),
]
Order: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--order", metavar="COL=A,B", help="The values of a column of texts, lowest first; may be repeated."
    ),
]
Keep: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--keep",
        metavar="A,B",
        help="Further columns to publish, unchanged; all others are left out. May be repeated.",
    ),
]
Sort: TypeAlias = Annotated[
    bool, typer.Option("--sort", help="Sort the rows by all published columns, so that order tells nothing.")
]
Drop: TypeAlias = Annotated[list[str] | None, typer.Option("--drop", hidden=True)]
Missing: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--missing", metavar="TEXT", help="A text that means missing; may be repeated."),
]
Out: TypeAlias = Annotated[
    str, typer.Option("--out", metavar="FILE", help="The protected table; its suffix tells the format.")
]


def microaggregate(
    *,
    data: DataPath,
    columns: Columns,
    out: Out,
    k: K = 5,
    groups: GroupsText = "none",
    within: Within = None,
    method: MethodName = "mdav",
    centroid: Centroid = "mean",
    standardize: Standardize = True,
    order: Order = None,
    keep: Keep = None,
    sort: Sort = False,
    drop: Drop = None,
    missing: Missing = None,
    separator: Separator = None,
    encoding: Encoding = "utf-8",
    options: Options,
) -> int:
    """Replace values by the centres of clusters of at least k similar rows.

    Only these columns and those of --keep are published; all others are left out. Rows keep their order
    unless --sort is given. With several groups of columns, k holds in each group alone.
    """
    from sfumato.microaggregating import microaggregate as run
    from sfumato.release import check_release_target, manifest_path
    from sfumato.search import Progress

    output, path = Output(options), Path(out)
    names, kept = split_names(columns, "--columns"), split_names(keep or [], "--keep")
    _refuse_contradiction((*names, *kept), split_names(drop or [], "--drop"))
    chosen, orders = _groups(groups), _orders(order or [])
    how = _reading(names, separator, encoding, missing)
    check_release_target(path, force=options.force)
    read = [data] if groups in ("none", "auto") else [data, groups]
    options.spare_inputs([path, manifest_path(path)], read)
    with watching(options, "groupings") as watch, without_specification():
        found = run(
            data,
            names,
            k,
            groups=chosen,
            standardize=standardize,
            method=method,
            within=within,
            centroid=centroid,
            orders=orders,
            keep=kept,
            sort=sort,
            seed=1 if options.seed is None else options.seed,
            threads=options.threads,
            time_limit=options.time_limit,
            callback=lambda at: watch(Progress(at.fraction, at.evaluated, at.seconds)),
            spec=how,
        )
    with waiting(options, "measuring, writing and verifying"):
        manifest = found.write(path, force=options.force)
    _print(found, path, output)
    if options.quiet:
        # What is published is never said to nobody.
        for text in _published(found):
            print(printable(text), file=sys.stderr)
    if drop:
        print("warning: --drop has no effect: columns that are not named are left out.", file=sys.stderr)
    # The terminal is the owner's: numbers are exact here, and coarse in the manifest.
    output.result(_result(found, path, {**manifest.measures, **found.measures}))
    return 0


def _refuse_contradiction(published: tuple[str, ...], dropped: tuple[str, ...]) -> None:
    for name in dropped:
        if name in published:
            raise ParameterError(f"the column {name!r} is to be published and left out.", where="--drop")


def _published(found: Microaggregated) -> list[str]:
    """Return what is left out, and every warning, one line each."""
    left_out = ", ".join(found.recipe.dropped)
    return [
        *([f"left out: {left_out}"] if left_out else []),
        *(f"warning: {text}" for text in found.warnings),
    ]


def _reading(names: tuple[str, ...], separator: str | None, encoding: str, missing: list[str] | None) -> Spec:
    spec = make_reading_spec(names, separator, encoding)
    if not missing:
        return spec
    texts = ["", *(text for text in missing if text)]
    return spec.model_copy(update={"data": spec.data.model_copy(update={"missing": texts})})


def _groups(text: str) -> Groups:

    if text == "none":
        return None
    return "auto" if text == "auto" else read_groups(text)


def _orders(texts: list[str]) -> dict[str, tuple[str, ...]]:
    found = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals or not name:
            raise ParameterError("write COLUMN=LOWEST,…,HIGHEST.", where="--order")
        found[name] = split_names([values], "--order")
    return found


def _print(found: Microaggregated, path: Path, output: Output) -> None:
    """Say what was done, what it costs, and what it does not protect from."""
    from sfumato.release import manifest_path

    measures, clusters = found.measures, sum(item.count for item in found.clusters)
    facts = [
        ("rows", f"{found.rows:,}, {_ORDERS[found.recipe.order]}"),
        ("clusters", f"{clusters:,} of {found.k} or more"),
    ]
    if found.missing["before"]:
        facts.append(
            ("missing", f"{found.missing['before']:,} cells, {found.missing['blanked']:,} more blanked")
        )
    if found.recipe.dropped:
        facts.append(("left out", ", ".join(found.recipe.dropped)))
    output.facts(facts)
    output.line()
    output.table(
        [Column("group", "right"), Column("columns"), Column("clusters", "right")],
        [
            [str(place + 1), ", ".join(group), f"{found.clusters[place].count:,}"]
            for place, group in enumerate(found.groups)
        ],
    )
    output.line()
    output.table(
        [Column("measure", fixed=True), Column("value", "right"), Column("meaning")],
        [[name, number(value), _MEANINGS[name]] for name, value in measures.items()],
    )
    output.line()
    output.notes("warning", found.warnings)
    output.line(f"written   {path}", style="bold")
    output.line(f"          {manifest_path(path).name} beside it says what it promises and how it was made")
    groups = count(len(found.groups), "group")
    output.line(
        f"verified  the file was read back and recounted: classes of {found.k} rows or more in {groups}",
        style="green",
    )


_ORDERS = {"input": "in the order of the input", "sorted": "sorted by all columns"}
_MEANINGS = {
    "k": "rows of the smallest class over all these columns together",
    "il": "information loss: squared error in percent of the total",
    "id": "interval disclosure: percent of values within 10 % of the original",
    "dld": "linkage disclosure: percent of rows whose nearest protected row is their own",
    "score": "mean of information loss and disclosure risk; smaller is better",
}


def _result(found: Microaggregated, path: Path, measures: dict[str, float]) -> dict[str, object]:
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
        "order": found.recipe.order,
        "kept": [name for name in found.recipe.columns if name not in found.recipe.names],
        "left_out": list(found.recipe.dropped),
        "warnings": found.warnings,
        "verified": True,
    }
