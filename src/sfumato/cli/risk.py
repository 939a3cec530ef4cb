"""``sfumato measure`` and ``sfumato risk``: all measures of any table, and what attackers would achieve."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING

from sfumato.cli import options as shared
from sfumato.cli.options import REQUIRED, option, place_words, reading, split_names
from sfumato.cli.output import Output, TableColumn, number, percent, right, waiting
from sfumato.errors import ParameterError
from sfumato.words import count_words, number_words, range_words

if TYPE_CHECKING:
    from sfumato.assess.risk_results import Reidentification, Risk, TableRisk


def measure(
    *,
    data: str = shared.DATA,
    qi: list[str] = option("--qi", "Columns that an outsider may know; may be repeated.", "A,B", REQUIRED),
    sensitive: list[str] | None = shared.SENSITIVE,
    person: str | None = shared.PERSON,
    output: Output,
) -> Mapping[str, object]:
    """Measure any table, protected or not.

    A column whose name holds a comma is written in double quotes, as in CSV.
    """
    from sfumato import api
    from sfumato.report import findings as words

    known, secret = split_names(qi, "--qi"), split_names(sensitive, "--sensitive")
    with waiting(output.options, "reading the data"), reading(output.options, known) as how:
        numbers = api.measure(data, known, secret, person=person, spec=how)
    found = words.Findings(numbers, known, secret, person)
    rows, classes = count_words(found.rows, "row"), count_words(int(numbers["classes"]), "class")
    output.line(f"{place_words(data)}: {rows} in {classes} by {found.known}", style="bold")
    output.line()
    output.table(
        [TableColumn("measure", fixed=True), *right("value"), "meaning"],
        [
            [name, number(numbers[name]), words.meaning(name, found)]
            for name in numbers
            if name not in words.COUNTS
        ],
    )
    output.heading("Is this table anonymous?")
    output.paragraph(words.verdict(found))
    if not secret:
        output.line("Name columns with --sensitive to see whether their values are protected.", style="dim")
    return numbers


_ATTACKERS = {
    "logic": "logic: what must be true",
    "uniform": "guessing, all values alike",
    "distribution": "guessing by the distribution",
    "minimality": "the same, knowing it is minimal",
}


def risk(
    *,
    data: str = shared.DATA,
    qi: list[str] | None = option(
        "--qi", "Columns that an outsider may know; if not given, those of SPEC or FILE, else all.", "A,B"
    ),
    sensitive: list[str] | None = shared.SENSITIVE,
    release: str | None = option("--release", "A release of DATA, to attack as well.", "FILE"),
    assignment: str | None = shared.ASSIGNMENT,
    population: str | None = option("--population", "A table of everyone who might be in DATA.", "FILE"),
    fraction: float | None = option(
        "--fraction", "Or the share of the population that is in DATA, such as 0.1.", "F"
    ),
    weight: str | None = option("--weight", "Or the column of survey weights.", "W"),
    threshold: float = option("--threshold", "A chance above this counts as a risk.", "T", 0.2),
    person: str | None = shared.PERSON,
    household: str | None = shared.HOUSEHOLD,
    spec: str | None = option("--spec", "Specification: roles, hierarchies and how to read DATA.", "SPEC"),
    output: Output,
) -> dict[str, object]:
    """See what attackers would achieve against a table, and against a release made from it.

    A column whose name holds a comma is written in double quotes, as in CSV.
    """
    from sfumato import api

    options = output.options
    known = None if qi is None else split_names(qi, "--qi")
    secret = split_names(sensitive, "--sensitive")
    if spec is not None and (options.separator is not None or options.encoding != "utf-8" or options.read):
        raise ParameterError(
            "--separator, --encoding and --read cannot be combined with --spec; set them in [data].",
            where="--spec",
        )
    source = (
        # A specification names a quasi-identifier; how a table is read does not depend on which.
        reading(options, known or ("any",)) if spec is None else nullcontext(options.load_spec(spec))
    )
    with waiting(options, "attacking"), source as how:
        found = api.risk(
            data,
            known,
            secret,
            release=release,
            population=population,
            fraction=fraction,
            weight=weight,
            person=person,
            household=household,
            threshold=threshold,
            seed=1 if options.seed is None else options.seed,
            spec=how.data if spec is None else how,
            assignment=assignment,
        )
    title = f"{place_words(data)}: {count_words(found.before.rows, 'row')}"
    output.line(title if release is None else f"{title}; released as {release}", style="bold")
    output.notes("note", found.notes)
    _print_classes(found, output)
    _print_people(found, output)
    _print_uniques(found.before, output)
    _print_linkage(found, output)
    _print_attributes(found, output)
    _print_downcoding(found, output)
    _print_subsets(found, output)
    output.heading("What would attackers achieve?")
    output.paragraph(verdict(found))
    return found.to_dict()


def _section(output: Output, title: str, text: str) -> None:
    """Begin the part about one kind of attack with how to read it."""
    output.heading(title)
    output.paragraph(text, "dim")


def _sides(found: Risk) -> dict[str, TableRisk]:
    return {"data": found.before} | ({} if found.after is None else {"release": found.after})


def _print_classes(found: Risk, output: Output) -> None:
    unit = f"{found.before.unit}s"
    _section(
        output,
        "Classes",
        f"Someone who knows the {count_words(len(found.quasi_identifiers), 'quasi-identifier')} cannot "
        f"tell the {unit} of a class apart. The table counts {unit} by the size of their class.",
    )
    sides = _sides(found)
    rows = [
        [range_words(items[0].smallest, items[0].largest), *(f"{item.records:,}" for item in items)]
        for items in zip(*(side.sizes.bins for side in sides.values()), strict=True)
        if any(item.records for item in items)
    ]
    output.table(["class size", *right(*sides)], rows)


def _print_people(found: Risk, output: Output) -> None:
    _section(
        output,
        "Finding one person, or all",
        "The prosecutor knows that the person is in the table, the journalist does not; the marketer matches "
        f"everybody. At risk are people found with a chance above {percent(found.threshold)}.",
    )
    sides, rows = _sides(found), list[list[str]]()
    for name in ("prosecutor", "journalist"):
        chances: list[Reidentification | None] = [getattr(side, name) for side in sides.values()]
        if any(item is not None for item in chances):
            for word in ("highest", "average", "share_at_risk"):
                label = "share at risk" if word == "share_at_risk" else f"{word} chance"
                cells = ["" if item is None else percent(getattr(item, word)) for item in chances]
                rows.append([f"{name}: {label}", *cells])
        if any(item is not None and item.basis == "weight" for item in chances):
            many = ["" if item is None else number_words(item.expected) for item in chances]
            rows.append([f"{name}: expected number found", *many])
    rows.append(["marketer: share found", *(percent(side.marketer) for side in sides.values())])
    households = [side.households for side in sides.values()]
    if any(item is not None for item in households):
        for word in ("highest", "average"):
            cells = ["" if item is None else percent(getattr(item, word)) for item in households]
            rows.append([f"any member of a household: {word}", *cells])
    output.table(["attacker", *right(*sides)], rows)
    if found.before.journalist is None:
        text = "Add --population, --fraction or --weight to see the journalist's chances."
        output.line(text, style="dim")


def _print_uniques(before: TableRisk, output: Output) -> None:
    found = before.uniques
    text = f"Unique in the data: {count_words(found.sample, 'record')} ({percent(found.share)})."
    if found.in_population is not None:
        text += f" Of these, {found.in_population:,} unique in the population too."
    _section(output, "Uniques", text)
    rows = []
    for item in found.estimates:
        name = f"{item.estimator} (recommended)" if item.estimator == found.chosen else item.estimator
        many, share = item.population_uniques, item.share_of_sample_uniques
        cells = ["" if many is None else f"{many:,.0f}", "" if share is None else percent(share)]
        rows.append([name, *cells, item.why_not or ""])
    numbers = right("estimate", "share of the data's uniques")
    output.table([TableColumn("uniques in the population, by", fixed=True), *numbers, ""], rows)


def _print_linkage(found: Risk, output: Output) -> None:
    what = "the original data" if not found.linkage_after else "the original data and in the release"
    _section(
        output,
        "Simulated linkage attack",
        f"Everyone was looked for once in {what}, and one best match was picked. The table shows how "
        "many were correct, with a 95 % interval, and the rate to expect.",
    )
    rows = []
    for where, tried in (("data", found.linkage_before), ("release", found.linkage_after)):
        for item in tried:
            known = f"all {item.of}" if item.known == item.of else f"{item.known} of {item.of}, drawn"
            counts = (f"{item.attempts:,}", f"{item.successes:,}")
            ends = f"{percent(item.low)} to {percent(item.high)}"
            rows.append([where, known, *counts, percent(item.rate), ends, percent(item.expected)])
    output.table(["", "attacker knows", *right("tried", "found", "rate", "95 %", "expected")], rows)


def _print_attributes(found: Risk, output: Output) -> None:
    if not found.sensitive:
        output.line()
        output.line("Name columns with --sensitive to see whether their values can be learnt.", style="dim")
        return
    manners = {item.similarity for item in found.before.attributes}
    texts = {
        "range": "within a tenth of the range",
        "hierarchy": "under one node of the hierarchy, a step below its root",
        None: "near each other, which takes an order or a hierarchy in a specification (-)",
    }
    likeness = "; or ".join(text for manner, text in texts.items() if manner in manners)
    _section(
        output,
        "Learning values without finding anybody",
        "Homogeneous: all known values of the class are the same. Skewed: a row's own value is more likely "
        f"in its class than in the whole table, by more than {percent(found.threshold)}. Similar: all known "
        f"values of the class lie {likeness}. Shares of the rows; a row without a known value never "
        "counts.",
    )
    rows = []
    for where, side in _sides(found).items():
        for item in side.attributes:
            whole = max(item.rows, 1)
            shares = [item.homogeneous_rows, item.skewed_rows, item.similar_rows]
            cells = ["-" if many is None else percent(many / whole) for many in shares]
            rows.append([item.attribute, where, *cells, f"{item.largest_distance:.3f}"])
    heads = right("homogeneous", "skewed", "similar", "largest distance")
    output.table(["attribute", "", *heads], rows)


def _print_downcoding(found: Risk, output: Output) -> None:
    if not found.downcoding:
        return
    _section(
        output,
        "Undoing the generalization (downcoding)",
        "The best release reveals that everything finer was impossible. Attackers who know this can "
        "narrow generalized cells to finer labels that must be true, or are true with 95 % confidence. The "
        "harm is what minimality adds to guessing by the distribution. Shares of the generalized cells; "
        "guessed right: if every cell is guessed.",
    )
    rows = []
    for item in found.downcoding:
        draws = f", mean of {item.draws}" if item.draws > 1 else ""
        for attacker in item.attackers:
            shares = (attacker.narrowed, attacker.correct, attacker.guessed)
            cells = ["" if share is None else percent(share) for share in shares]
            rows.append([f"{item.attacked}{draws}", _ATTACKERS[attacker.attacker], *cells])
    heads = right("narrowed", "rightly", "guessed right")
    output.table([TableColumn("", fixed=True), "attacker", *heads], rows)
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
        f"{unit.capitalize()} of the data that are unique in these columns.",
    )
    if not scan.complete:
        counted = f"only {scan.scanned:,} of {scan.possible:,} combinations were counted"
        output.notes("warning", [f"{counted}, the most likely first."])
    if scan.identifying:
        names = ", ".join(scan.identifying)
        output.notes("warning", [f"{names}: identifies nearly everyone by itself, so it was not combined."])
    rows = [
        [", ".join(item.attributes), f"{item.singled_out:,}", percent(item.share)]
        for many in (1, 2, 3)
        for item in [item for item in scan.best if len(item.attributes) == many][:3]
        if item.singled_out
    ]
    output.table(["columns", *right(unit, "share")], rows)


def verdict(found: Risk) -> str:
    """Say in words what attackers would achieve."""
    # The attacker who knows most comes first.
    rates = [tried[0].rate if tried else 0.0 for tried in (found.linkage_before, found.linkage_after)]
    text = (
        f"Someone who knew everyone's quasi-identifiers would find {percent(rates[0])} of them in "
        f"{'these data' if found.after is None else 'the original data'}"
    )
    if found.after is None:
        uniques = found.before.uniques
        advice = "Whether that is low enough is for you to decide."
        if uniques.sample:
            advice = "Do not share the data in this form."
        many = count_words(uniques.sample, "unique record")
        return f"{text}, and would be certain about {many}. {advice}"
    chance = found.after.prosecutor
    learnt = [item.attribute for item in found.after.attributes if item.homogeneous_rows]
    text += f", and {percent(rates[1])} in the release." if found.linkage_after else "."
    if found.release_kind == "generalized":
        text += f" Nobody there is found with a chance above {percent(chance.highest)}."
    if chance.records_at_risk:
        many = count_words(chance.records_at_risk, "record")
        verb = "is" if chance.records_at_risk == 1 else "are"
        text += f" {many} {verb} above {percent(found.threshold)}."
    if learnt:
        text += f" But in some classes all known values of {learnt[0]} are the same, so they are revealed."
    return text
