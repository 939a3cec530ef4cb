"""Applying a recoding to the full table, where it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from sfumato.errors import ParameterError
from sfumato.hierarchies.hierarchy import ROOT
from sfumato.table.joining import join_plans
from sfumato.table.keys import Names, clean
from sfumato.table.recoding import ColumnPlan, Manner, Recode, plan_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    import narwhals as nw

    from sfumato._typing import IntArray
    from sfumato.table.coding import Table
    from sfumato.table.sources import Frame, Source


def apply(
    table: Table,
    recodes: Sequence[Recode],
    suppressed: IntArray,
    *,
    output: Literal["drop", "mask"] = "drop",
    ordered: bool = True,
    with_person: bool = False,
) -> object:
    """Recode the full table.

    Every value is joined with its block and its label, then every row with the suppressed classes.
    """
    _check(table, recodes, suppressed)
    source = table.source
    source.refuse_changed()
    manner = Manner(masked=output == "mask", suppressing=len(suppressed) > 0)
    plans = plan_columns(table, recodes, manner)
    names = Names.beside(source.columns)
    secrets = table.secrets if with_person else None
    holding = [] if secrets is None else secrets.plans(len(plans))
    numbered = ordered or (secrets is not None and secrets.needs_rows())
    frame = join_plans(source, [*plans, *holding], suppressed, names, numbered=numbered)
    person = (table.roles.person,) if with_person and table.roles.person else ()
    choice = _Choice(
        source, (*table.roles.released, *person), {plan.name: plan for plan in plans}, manner, names, ordered
    )
    if secrets is not None:
        frame = secrets.numbered(source, frame, names)
        choice = replace(choice, beside=secrets.expressions(source, holding, names))
    return choice.of(frame).to_native()


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


@dataclass(frozen=True)
class _Choice:
    """Which columns leave, as what, and in which order of rows."""

    source: Source
    columns: tuple[str, ...]
    plans: dict[str, ColumnPlan]
    manner: Manner
    names: Names
    ordered: bool
    beside: Sequence[nw.Expr] = ()

    def of(self, frame: Frame) -> Frame:
        """Choose from the joined rows."""
        if self.manner.suppressing and not self.manner.masked:
            frame = frame.filter(~self._flag)
        shown = [self._leaving(name).alias(name) for name in self.columns]
        if self.beside:
            # Not released, so that no order has to hide anything.
            return frame.select(*shown, *self.beside)
        if self.source.is_lazy and self.ordered:
            row = self.names.row
            return frame.select(*shown, row).sort(row).select(*self.columns)
        return frame.select(*shown)

    @property
    def _flag(self) -> nw.Expr:
        """Whether a row is suppressed."""
        import narwhals as nw

        return nw.col(self.names.flag)

    @property
    def _masks(self) -> bool:
        """Whether some rows are masked."""
        return self.manner.masked and self.manner.suppressing

    def _leaving(self, name: str) -> nw.Expr:
        """Return what leaves of a column."""
        import narwhals as nw

        plan = self.plans.get(name)
        if plan is None or plan.shown == "raw":
            column = nw.col(name) if plan is None else clean(self.source, name)
            if self.source.is_relation and isinstance(self.source.schema[name], (nw.Categorical, nw.Enum)):
                # A list of categories names those that no published row has, too.
                column = column.cast(nw.String)
            if plan is None:
                return column
        else:
            column = nw.col(self.names.of(plan.shown, plan.place))
        if plan.shown == "text" and plan.missing_text is not None:
            column = column.fill_null(plan.missing_text)
        if plan.shown == "number" and plan.missing_number is not None:
            column = column.fill_null(plan.missing_number)
        if not self._masks:
            return column
        if plan.is_quasi_identifier:
            return nw.when(self._flag).then(nw.lit(ROOT)).otherwise(column)
        return nw.when(~self._flag).then(column)
