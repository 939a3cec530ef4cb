"""``sfumato risk``: what attackers would achieve."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.options import (
    DataPath,
    Encoding,
    Options,
    Person,
    Sensitive,
    Separator,
    make_reading_spec,
    split_names,
    without_specification,
)
from sfumato.cli.output import Column, Output, count, waiting
from sfumato.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.assess.risk import Linkage, Reidentification, Risk, TableRisk
    from sfumato.spec import DataSpec, Spec


def risk(
    *,
    data: DataPath,
    qi: Annotated[
        list[str] | None,
        typer.Option(
            "--qi",
            metavar="A,B",
            help="Columns that an outsider may know; if none are named, those of SPEC or FILE, else all.",
        ),
    ] = None,
    sensitive: Sensitive = None,
    release: Annotated[
        str | None,
        typer.Option("--release", metavar="FILE", help="A release of DATA, which is then attacked."),
    ] = None,
    population: Annotated[
        str | None,
        typer.Option("--population", metavar="FILE", help="A table of everyone who might be in DATA."),
    ] = None,
    fraction: Annotated[
        float | None,
        typer.Option(
            "--fraction", metavar="F", help="Or the share of everyone that is in DATA, such as 0.1."
        ),
    ] = None,
    threshold: Annotated[
        float, typer.Option("--threshold", metavar="T", help="A chance above this counts as a risk.")
    ] = 0.2,
    person: Person = None,
    spec: Annotated[
        str | None,
        typer.Option("--spec", metavar="SPEC", help="Roles, hierarchies and how DATA are read."),
    ] = None,
    separator: Separator = None,
    encoding: Encoding = "utf-8",
    options: Options,
) -> int:
    """See what attackers would achieve against a table, and against a release made from it.

    A column whose name holds a comma is written in double quotes, as in CSV.
    """
    from sfumato.assess import attackers

    output = Output(options)
    known = None if qi is None else split_names(qi, "--qi")
    secret = split_names(sensitive or [], "--sensitive")
    how: Spec | DataSpec
    if spec is None:
        # A specification names a quasi-identifier; how a table is read does not depend on which.
        how = make_reading_spec(known or ("any",), separator, encoding).data
    elif separator is not None or encoding != "utf-8":
        raise ParameterError("how the data are read is said by the specification.", where="--spec")
    else:
        how = options.load_spec(spec)
    with waiting(options, "attacking"), without_specification() if spec is None else nullcontext():
        found = attackers.risk(
            data,
            known,
            secret,
            release=release,
            population=population,
            fraction=fraction,
            person=person,
            threshold=threshold,
            seed=1 if options.seed is None else options.seed,
            spec=how,
        )
    _print(data, release, found, output)
    output.result(found.to_dict())
    return 0


def _print(data: str, release: str | None, found: Risk, output: Output) -> None:
    """Print a section for each kind of attack, each with a sentence that says how to read it."""
    title = f"{data}: {count(found.before.rows, 'row')}"
    output.line(title if release is None else f"{title}; released as {release}", style="bold")
    output.notes("note", found.notes)
    _print_classes(found, output)
    _print_people(found, output)
    _print_uniques(found.before, output)
    _print_linkage(found, output)
    _print_attributes(found, output)
    _print_downcoding(found, output)
    _print_subsets(found, output)
    output.line()
    output.line("What would attackers achieve?", style="bold")
    output.paragraph(verdict(found))


def _section(output: Output, title: str, text: str) -> None:
    output.line()
    output.line(title, style="bold")
    output.paragraph(text, "dim")


def _sides(found: Risk) -> list[TableRisk]:
    return [found.before] if found.after is None else [found.before, found.after]


def _columns(found: Risk, first: str) -> list[Column]:
    names = ["data"] if found.after is None else ["data", "release"]
    return [Column(first), *(Column(name, "right") for name in names)]


def _print_classes(found: Risk, output: Output) -> None:
    sides = _sides(found)
    unit = "persons" if found.before.unit == "person" else "rows"
    _section(
        output,
        "Classes",
        f"Who knows the {count(len(found.quasi_identifiers), 'quasi-identifier')} cannot tell the {unit} of "
        f"a class apart: {unit} by the size of their class.",
    )
    bins = [side.sizes.bins for side in sides]
    rows = [
        [_range(items[0].smallest, items[0].largest), *(f"{item.records:,}" for item in items)]
        for items in zip(*bins, strict=True)
        if any(item.records for item in items)
    ]
    output.table(_columns(found, "class size"), rows)


def _range(smallest: int, largest: int | None) -> str:
    if largest is None:
        return f"{smallest:,} or more"
    return f"{smallest:,}" if smallest == largest else f"{smallest:,} to {largest:,}"


def _print_people(found: Risk, output: Output) -> None:
    _section(
        output,
        "Finding one person, or all",
        "The prosecutor knows that the person is in the table, the journalist does not; the marketer matches "
        f"everybody. At risk is whoever is found with a chance above {_percent(found.threshold)}.",
    )
    sides, rows = _sides(found), list[list[str]]()
    for name in ("prosecutor", "journalist"):
        chances: list[Reidentification | None] = [getattr(side, name) for side in sides]
        if any(item is not None for item in chances):
            for word in ("highest", "average", "share_at_risk"):
                label = "share at risk" if word == "share_at_risk" else f"{word} chance"
                cells = ["" if item is None else _percent(getattr(item, word)) for item in chances]
                rows.append([f"{name}: {label}", *cells])
    rows.append(["marketer: share found", *(_percent(side.marketer) for side in sides)])
    output.table(_columns(found, "attacker"), rows)
    if found.before.journalist is None:
        output.line("Name --population or --fraction to see the journalist's chances.", style="dim")


def _print_uniques(before: TableRisk, output: Output) -> None:
    found = before.uniques
    text = f"{count(found.sample, 'record')} of the data ({_percent(found.share)}) no other resembles."
    if found.in_population is not None:
        text += f" {found.in_population:,} of them nobody of the population resembles either."
    _section(output, "Uniques", text)
    rows = [
        [
            item.estimator + (" (to take)" if item.estimator == found.chosen else ""),
            "" if item.population_uniques is None else f"{item.population_uniques:,.0f}",
            "" if item.share_of_sample_uniques is None else _percent(item.share_of_sample_uniques),
            item.why_not or "",
        ]
        for item in found.estimates
    ]
    heads = [Column("uniques in the population, by", fixed=True), Column("estimate", "right")]
    output.table([*heads, Column("share of the data's uniques", "right"), Column("")], rows)


def _print_linkage(found: Risk, output: Output) -> None:
    what = "the data as they are" if found.after is None else "the data as they are, and against the release"
    _section(
        output,
        "Linkage, tried",
        f"Everyone was looked for once, against {what}, and one of the rows that fit best was taken: how "
        "many were found, with the 95 % interval and the rate to expect.",
    )
    rows = [_linkage_row("data", item) for item in found.linkage_before]
    rows += [_linkage_row("release", item) for item in found.linkage_after]
    heads = [Column(""), Column("attacker knows"), *(Column(name, "right") for name in ("tried", "found"))]
    output.table([*heads, *(Column(name, "right") for name in ("rate", "95 %", "expected"))], rows)


def _linkage_row(where: str, item: Linkage) -> list[str]:
    known = f"all {item.of}" if item.known == item.of else f"{item.known} of {item.of}, drawn"
    ends = f"{_percent(item.low)} to {_percent(item.high)}"
    numbers = (
        f"{item.attempts:,}",
        f"{item.successes:,}",
        _percent(item.rate),
        ends,
        _percent(item.expected),
    )
    return [where, known, *numbers]


def _print_attributes(found: Risk, output: Output) -> None:
    if not found.sensitive:
        output.line()
        output.line("Name columns with --sensitive to see whether their values can be learnt.", style="dim")
        return
    _section(
        output,
        "Learning values without finding anybody",
        "Homogeneous: all of the class have one value. Skewed: the own value is likelier in the class than "
        f"in the whole table by more than {_percent(found.threshold)}. Similar: all values of the class lie "
        f"{_likeness(found)}. Shares of the rows.",
    )
    rows = []
    for where, side in zip(("data", "release"), _sides(found), strict=False):
        for item in side.attributes:
            whole = max(item.rows, 1)
            shares = [item.homogeneous_rows, item.skewed_rows, item.similar_rows]
            cells = ["-" if many is None else _percent(many / whole) for many in shares]
            rows.append([item.attribute, where, *cells, f"{item.largest_distance:.3f}"])
    heads = ("homogeneous", "skewed", "similar", "largest distance")
    output.table([Column("attribute"), Column(""), *(Column(name, "right") for name in heads)], rows)


def _likeness(found: Risk) -> str:
    """Say when values are similar."""
    manners = {item.similarity for item in found.before.attributes}
    texts = {
        "range": "within a tenth of the range",
        "hierarchy": "under one node of the hierarchy, a step below its root",
    }
    said = [text for manner, text in texts.items() if manner in manners]
    if None in manners:
        said.append("near each other, which only an order or a hierarchy in a specification tells (-)")
    return "; or ".join(said)


_ATTACKERS = {
    "logic": "logic: what must be true",
    "uniform": "guessing, all values alike",
    "distribution": "guessing by the distribution",
    "minimality": "the same, knowing it is minimal",
}


def _print_downcoding(found: Risk, output: Output) -> None:
    if not found.downcoding:
        return
    _section(
        output,
        "Undoing the generalization (downcoding)",
        "The best release tells that everything finer was impossible. Attackers who know that narrow "
        "generalized cells to finer labels where these must be true, or are with 95 % confidence. Beyond "
        "the guessing by the distribution alone, what minimality adds is the harm. Shares of the "
        "generalized cells; guessed right: if every cell is guessed.",
    )
    rows = []
    for item in found.downcoding:
        draws = f", mean of {item.draws}" if item.draws > 1 else ""
        for attacker in item.attackers:
            shares = (attacker.narrowed, attacker.correct, attacker.guessed)
            cells = ["" if share is None else _percent(share) for share in shares]
            rows.append([f"{item.attacked}{draws}", _ATTACKERS[attacker.attacker], *cells])
    heads = [Column("", fixed=True), Column("attacker"), Column("narrowed", "right")]
    output.table([*heads, Column("rightly", "right"), Column("guessed right", "right")], rows)
    known = ", ".join(f"{item.attacked} {item.refused:,}" for item in found.downcoding)
    output.line(f"Finer recodings that attackers know to be infeasible: {known}.", style="dim")


def _print_subsets(found: Risk, output: Output) -> None:
    scan = found.subsets
    if scan is None:
        return
    unit = f"{scan.unit}s"
    _section(
        output,
        "Combinations that single out most",
        f"{unit.capitalize()} of the data that no other resembles in these columns alone.",
    )
    if not scan.complete:
        output.notes(
            "warning",
            [f"only {scan.scanned:,} of {scan.possible:,} combinations were counted, the likeliest first."],
        )
    if scan.identifying:
        output.notes(
            "warning",
            [f"{', '.join(scan.identifying)}: alone enough to name nearly everyone, and not combined."],
        )
    rows = [
        [", ".join(item.attributes), f"{item.singled_out:,}", _percent(item.share)]
        for many in (1, 2, 3)
        for item in [item for item in scan.best if len(item.attributes) == many][:3]
        if item.singled_out
    ]
    output.table([Column("columns"), Column(unit, "right"), Column("share", "right")], rows)


def verdict(found: Risk) -> str:
    """Say in words what attackers would achieve."""
    before = _level(found.linkage_before)
    if found.after is None:
        uniques = found.before.uniques
        return (
            f"Who knows the quasi-identifiers of everyone would find {_percent(before)} of them in these "
            f"data as they are, and certainly the {count(uniques.sample, 'record')} that no other resembles. "
            + (
                "Do not share them so."
                if uniques.sample
                else "Whether that is little enough is your decision."
            )
        )
    after = _level(found.linkage_after)
    chance = found.after.prosecutor
    learnt = [item.attribute for item in found.after.attributes if item.homogeneous_rows]
    text = (
        f"Who knows the quasi-identifiers of everyone finds {_percent(before)} of them in the data as they "
        f"are, and {_percent(after)} in the release."
    )
    if found.release_kind == "generalized":
        text += f" Nobody there is found with a chance above {_percent(chance.highest)}."
    if chance.records_at_risk:
        many = count(chance.records_at_risk, "record")
        verb = "is" if chance.records_at_risk == 1 else "are"
        text += f" {many} {verb} above {_percent(found.threshold)}."
    if learnt:
        text += f" But in some classes all have the same {learnt[0]}, which is then known."
    return text


def _level(linkage: Sequence[Linkage]) -> float:
    """Return the success rate of the attacker who knows most."""
    return linkage[0].rate if linkage else 0.0


def _percent(share: float) -> str:
    """Return a share in percent.

    Examples
    --------
    >>> _percent(0.41283), _percent(1.0), _percent(0.00012)
    ('41.3 %', '100 %', '0.012 %')
    """
    return f"{100 * share:.3g} %"
