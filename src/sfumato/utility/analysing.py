"""All analyses of a recoded table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import DataError, ParameterError, nearest
from sfumato.utility.associations import compare_associations
from sfumato.utility.distributions import compare_distribution
from sfumato.utility.modelling import compare_model
from sfumato.utility.queries import compare_queries
from sfumato.utility.recoded import LIMIT
from sfumato.utility.result import Utility

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.utility.recoded import Recoded


def analyse_recoded(
    table: Recoded, *, target: str | None = None, seed: int = 1, limit: int = LIMIT
) -> Utility:
    """Make the same analyses of a table and of its release."""
    if not table.row_count:
        raise DataError("there are no rows to analyse.")
    number = _target(table, target)
    for_sample, for_split, for_queries = np.random.default_rng(seed).spawn(3)
    used = table.sampled(limit, for_sample)
    return Utility(
        "generalized",
        table.row_count,
        table.kept_count,
        table.row_count - table.kept_count,
        used.row_count,
        seed,
        tuple(compare_distribution(table, place) for place in range(len(table.attributes))),
        compare_associations(table),
        None if number is None else compare_model(used, number, for_split),
        compare_queries(used, for_queries) if used.attributes else None,
    )


def _target(table: Recoded, target: str | None) -> int | None:
    """Return the number of the target; None without attributes."""
    names = [item.name for item in table.attributes]
    if target is not None:
        return find_target(target, names)
    secret = [place for place, item in enumerate(table.attributes) if item.role == "sensitive"]
    return secret[0] if secret else (len(names) - 1 if names else None)


def find_target(target: str, names: Sequence[str]) -> int:
    """Return the place of a target among names."""
    if target not in names:
        raise ParameterError(
            f"target must be an attribute that is analysed; got {target!r}. {nearest(target, names)}"
        )
    return list(names).index(target)
