"""Joining the rows of a file with all mappings in one query of our own engine.

It does what :mod:`sfumato.table.joining` does join by join. The engine reads a
relation anew at every step that is added to it, which for ten joins takes longer than the
joins themselves; and in our own connection there is nobody whom a temporary table could disturb.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, cast

from sfumato.table.arrow import number_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from sfumato._typing import IntArray
    from sfumato.table.keys import Names
    from sfumato.table.recoding import ColumnPlan
    from sfumato.table.sources import Frame

_numbers = itertools.count()


def join_in_one_query(
    native: Any, keyed: Frame, plans: Sequence[ColumnPlan], suppressed: IntArray, names: Names
) -> Frame:
    """Add to every row the blocks, texts and numbers of the plans, and whether it is suppressed."""
    import narwhals as nw

    columns, clauses = ["r.*"], []
    for plan in plans:
        if plan.parts:
            own = names.of("key", plan.place)
            clauses.append(f'LEFT JOIN {_keep(native, plan.mapping(names))} AS m{plan.place} USING ("{own}")')
            columns += [
                f'{_value(plan, part, names)} AS "{names.of(part, plan.place)}"' for part in plan.parts
            ]
    if len(suppressed):
        kept = _keep(native, suppressed_table(suppressed, names))
        same = [f'{_value(plan, "block", names)} = s."{names.of("block", plan.place)}"' for plan in plans]
        clauses.append(f"LEFT JOIN {kept} AS s ON {' AND '.join(same[: suppressed.shape[1]])}")
        columns.append(f's."{names.flag}" IS NOT NULL AS "{names.flag}"')
    query = f"SELECT {', '.join(columns)} FROM sfumato_keyed AS r {' '.join(clauses)}"
    relation: Any = keyed.to_native()
    return cast("Frame", nw.from_native(relation.query("sfumato_keyed", query)))


def suppressed_table(suppressed: IntArray, names: Names) -> pa.Table:
    """Return the blocks of the suppressed classes with a mark."""
    import numpy as np
    import pyarrow as pa

    blocks = [names.of("block", place) for place in range(suppressed.shape[1])]
    columns = [number_array(column) for column in suppressed.astype(np.int32).T]
    marks = number_array(np.ones(len(suppressed), dtype=np.int32))
    return pa.Table.from_arrays([*columns, marks], [*blocks, names.flag])


def _keep(native: Any, table: pa.Table) -> str:
    """Put an Arrow table into the connection of a relation; return its name there."""
    name = f"sfumato_mapping_{next(_numbers)}"
    _sfumato_rows_ = table
    native.query("sfumato_file", f"CREATE TEMP TABLE {name} AS SELECT * FROM _sfumato_rows_")
    del _sfumato_rows_
    return name


def _value(plan: ColumnPlan, part: str, names: Names) -> str:
    """Write the SQL of a joined column; missing, which matched nothing, is put into its block."""
    column = f'm{plan.place}."{names.of(part, plan.place)}"'
    if part != "block" or plan.missing_block is None:
        return column
    return f"coalesce({column}, {plan.missing_block})"
