"""Applying a recoding to the full table, where it is: every value is joined with what it becomes."""

from __future__ import annotations

import functools
import operator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from sfumato.errors import ParameterError
from sfumato.hierarchies.hierarchy import ROOT
from sfumato.table.arrow import number_array, text_array
from sfumato.table.joining import Joining, TupleLabels
from sfumato.table.keys import ColumnPlan, Names, clean, key
from sfumato.table.libraries import nw, pa, pc
from sfumato.table.pseudonyms import plan_pseudonym
from sfumato.table.tally import align, tally
from sfumato.table.values import numbers_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato._typing import BoolArray, IntArray
    from sfumato.table.coding import Table
    from sfumato.table.dialects import LeavingKind
    from sfumato.table.keys import Shown
    from sfumato.table.sources import Source


@dataclass(frozen=True, eq=False)
class Recode:
    """What happens to one quasi-identifier."""

    attribute: str  # its name
    block: IntArray  # the block of each code, missing included where it is part of the domain
    # the text of each block; None is missing. Empty where a label belongs to the whole tuple of codes
    labels: Sequence[str | None]
    keep: bool = False  # whether the column leaves as it is, with its type
    # the number of each block, where labels are numbers and leave as such wherever kept numbers would; None
    # for a block that no row has
    numbers: Sequence[int | float | None] | None = None


def apply(
    table: Table,
    recodes: Sequence[Recode],
    suppressed: IntArray | TupleLabels,
    *,
    output: Literal["drop", "mask"] = "drop",
    ordered: bool = True,
    with_person: bool = False,
    withheld: ColumnPlan | None = None,
) -> object:
    """Recode the full table.

    Every value is joined with its block and its label, then every row with the suppressed classes, or with
    the labels of its tuple of blocks. Rows of persons whom ``withheld`` marks are suppressed too.
    """
    if not isinstance(suppressed, TupleLabels):
        suppressed = TupleLabels(suppressed, np.ones(len(suppressed), dtype=np.bool_))
    _check(table, recodes, suppressed.blocks)
    source = table.source
    source.refuse_changed()
    masked, is_flagged = output == "mask", bool(suppressed.hidden.any())
    suppressing = is_flagged or withheld is not None
    plans = {
        recode.attribute: _plan_recoded(
            table, recode, place, masked=masked, suppressing=suppressing, joined=len(suppressed.blocks) > 0
        )
        for place, recode in enumerate(recodes)
    }
    for name in table.roles.sensitive:
        plans[name] = _plan_sensitive(table, name, len(plans), suppressing=suppressing)
    for name in table.roles.pseudonyms:
        plans[name] = plan_pseudonym(table.spec, table.pseudonyms, name, len(plans))
    secrets = table.secrets if with_person else None
    holding = [] if secrets is None else [*secrets.holding]
    if with_person and table.person_rows is not None:
        holding.append(table.person_rows)
    holding += [] if withheld is None else [withheld]
    ordered &= source.is_lazy and source.has_order
    numbered = ordered or (secrets is not None and secrets.needs_rows())
    names = Names.beside(source.columns)
    joined = [plan for plan in (*plans.values(), *holding) if plan.parts]
    frame = Joining(source, joined, suppressed, names, table.of_rows).frame(numbered=numbered)
    flags = [nw.col(names.flag)] if is_flagged else []
    flags += [] if withheld is None else [withheld.column("number", names) == 1]
    flag = functools.reduce(operator.or_, flags, nw.lit(False)) if len(flags) != 1 else flags[0]
    if suppressing and not masked:
        frame = frame.filter(~flag)
    is_beside = with_person and table.roles.person not in (None, *table.roles.pseudonyms)
    columns = (*table.roles.released, *([str(table.roles.person)] if is_beside else []))
    hidden = flag if suppressing and masked else None
    shown = [_leaving(source, name, plans.get(name), names, hidden).alias(name) for name in columns]
    beside = [] if secrets is None else secrets.expressions(source, names)
    if with_person and table.roles.person in table.roles.pseudonyms:
        beside.append(key(source, str(table.roles.person)).alias(names.person))
    if with_person and table.person_rows is not None:
        beside.append(table.person_rows.column("number", names).alias(names.person_rows))
    # What stands beside is not released, so that no order has to hide anything.
    if ordered and not beside:
        return frame.select(*shown, names.row).sort(names.row).select(*columns).to_native()
    return frame.select(*shown, *beside).to_native()


def _check(table: Table, recodes: Sequence[Recode], suppressed: IntArray) -> None:
    """Raise ParameterError if recodes or classes do not fit the table."""
    found = sorted(recode.attribute for recode in recodes)
    if found != sorted(table.roles.quasi_identifiers):
        raise ParameterError(
            f"recodes must name each of the {len(table.hierarchies)} quasi-identifiers once; found {found}."
        )
    for recode in recodes:
        size = table.hierarchies[recode.attribute].size
        if len(recode.block) != size:
            raise ParameterError(
                f"the recode of {recode.attribute!r} has {len(recode.block)} codes; its domain has {size}."
            )
    if suppressed.ndim != 2 or suppressed.shape[1] != len(recodes):
        raise ParameterError(
            f"suppressed must have the shape (classes, {len(recodes)}); found {suppressed.shape}."
        )


def _plan_recoded(
    table: Table, recode: Recode, place: int, *, masked: bool, suppressing: bool, joined: bool
) -> ColumnPlan:
    """Plan a quasi-identifier. In a masked release every one is text; to be joined, rows know blocks."""
    name, raw = recode.attribute, table.raw[recode.attribute]
    blocks = number_array(recode.block[raw.codes])
    shown: Shown = "text"
    parts: dict[str, pa.Array] = {}
    if recode.keep and not masked:
        shown, parts = _plan_kept(table, name, suppressing=suppressing)
    elif recode.numbers is not None and not masked and table.source.schema[name].is_numeric():
        # A block that no published row has must not decide how the others leave.
        known = numbers_of([0 if number is None else number for number in recode.numbers])
        if known is not None:
            shown, parts = "number", {"number": pc.call_function("take", [number_array(known), blocks])}
    if joined:
        parts["block"] = blocks
    if shown == "text" and recode.labels:
        parts["text"] = pc.call_function("take", [text_array(recode.labels), blocks])
    missing: dict[str, int | float | str | None] = {}
    if raw.missing is not None:
        block = int(recode.block[raw.missing])
        number = None if recode.numbers is None else recode.numbers[block]
        missing = {"block": block, "text": recode.labels[block] if recode.labels else None, "number": number}
    filled = {part: value for part, value in missing.items() if value is not None}
    return ColumnPlan(name, place, True, shown, parts, raw.values, filled)


def _plan_sensitive(table: Table, name: str, place: int, *, suppressing: bool) -> ColumnPlan:
    """Plan a sensitive attribute: it leaves as it is, with one spelling for each value."""
    raw = table.raw[name]
    shown, parts = _plan_kept(table, name, suppressing=suppressing)
    if shown == "text":
        labels = text_array(table.sensitive[name].labels[0])
        parts["text"] = pc.call_function("take", [labels, number_array(raw.codes)])
    return ColumnPlan(name, place, False, shown, parts, raw.values)


def _plan_kept(table: Table, name: str, *, suppressing: bool) -> tuple[Shown, dict[str, pa.Array]]:
    """Return what leaves of a column that is kept as far as possible, and its numbers if they leave.

    Several raw values of one code are granules, or one number in two spellings. Texts of numbers and dates
    have one spelling whether or not another one occurs: that another one occurs in rows which do not leave
    must not show.
    """
    hierarchy, codes = table.hierarchies.get(name) or table.sensitive[name], table.raw[name].codes
    dtype = table.source.schema[name]
    # Where a column is kept and rows are suppressed, no unknown value leaves.
    unknown = hierarchy.is_unknown
    leaving = codes[~unknown[codes]] if suppressing else codes
    is_exact = len(np.unique(leaving)) == len(leaving) and (suppressing or not unknown.any())
    # Instants leave as what the clock of their zone showed, which is what was counted; and times that are no
    # dates as the texts that they were told apart by.
    is_zoned = getattr(table.raw[name].values.type, "tz", None) is not None
    is_spelt = isinstance(dtype, nw.String) and hierarchy.kind in ("number", "date")
    is_spelt |= isinstance(dtype, nw.Datetime) and hierarchy.kind != "date"
    if is_exact and not is_spelt and not is_zoned:
        return "raw", {}
    known = hierarchy.values[: hierarchy.size - hierarchy.has_missing]
    numbers = numbers_of(known) if dtype.is_numeric() else None
    return ("text", {}) if numbers is None else ("number", {"number": number_array(numbers[codes])})


def kept_values(table: Table, name: str, blocks: Sequence[IntArray], suppressed: IntArray) -> BoolArray:
    """Tell which values of a quasi-identifier rows have that are not suppressed, from the rows themselves."""
    source, raw, own = table.source, table.raw[name], Names.beside(table.source.columns)
    shown = np.zeros(raw.size, dtype=np.bool_)
    found: Source = source
    if len(suppressed):
        recodes = [Recode(*item, ()) for item in zip(table.roles.quasi_identifiers, blocks, strict=True)]
        plans = [
            _plan_recoded(table, recode, place, masked=False, suppressing=True, joined=True)
            for place, recode in enumerate(recodes)
        ]
        hidden = TupleLabels(suppressed, np.ones(len(suppressed), dtype=np.bool_))
        frame = Joining(source, plans, hidden, own).frame(numbered=False).filter(~nw.col(own.flag))
        found = replace(source, held=frame.select(key(source, name).alias(name)), missing=(), database=None)
    column = tally(found, (name,)).columns[name]
    shown[column.coded(align(column, raw))] = True
    return shown


def _leaving(
    source: Source, name: str, plan: ColumnPlan | None, names: Names, hidden: nw.Expr | None
) -> nw.Expr:
    """Return what leaves of a column; ``hidden`` says which rows are masked, if any are."""
    if plan is not None and plan.shown != "raw":
        column = plan.column(plan.shown, names)
    else:
        column = nw.col(name) if plan is None else clean(source, name)
        if source.is_relation and isinstance(source.schema[name], (nw.Categorical, nw.Enum)):
            # A list of categories names those that no published row has, too.
            column = column.cast(nw.String)
    if plan is None or hidden is None:
        return column
    if plan.is_quasi_identifier:
        return nw.when(hidden).then(nw.lit(ROOT)).otherwise(column)
    return nw.when(~hidden).then(column)


def leaving_kinds(table: Table, recodes: Sequence[Recode], *, masked: bool) -> dict[str, LeavingKind]:
    """Say how every released column leaves when it is written."""
    plain: LeavingKind = "plain" if table.source.is_text else "own"
    kinds: dict[str, LeavingKind] = dict.fromkeys(table.roles.released, plain)
    spelt: dict[str, LeavingKind] = {"number": "number", "date": "date"}
    for name, domain in {**table.sensitive, **table.hierarchies}.items():
        kinds[name] = plain if table.spec.attributes[name].format else spelt.get(domain.kind, plain)
    kinds |= dict.fromkeys(table.roles.pseudonyms, "text")
    for recode in recodes:
        if masked or not recode.keep:
            is_number = recode.numbers is not None and not masked
            kinds[recode.attribute] = "number" if is_number else "text"
    return kinds
