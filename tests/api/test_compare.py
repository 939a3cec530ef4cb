"""Two releases of the same rows, compared row by row."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from tests.api.conftest import make_rows, make_spec


def sizes(release: sf.Release, rows: int, secret: list[Any] | None = None) -> list[float | None]:
    """Return the size of every row's class, or how many there share its value; None where it is masked."""
    frame: Any = release.frame
    keys = list(frame[["age", "zip", "sex", "work"]].astype(str).itertuples(index=False, name=None))
    if secret is None:
        count = Counter(keys)
        found = [count[key] for key in keys]
    else:
        pairs = Counter(zip(keys, secret, strict=True))
        found = [pairs[pair] if pair[1] is not None else 0 for pair in zip(keys, secret, strict=True)]
    assert len(found) == rows
    return [None if set(key) == {"*"} else number for key, number in zip(keys, found, strict=True)]


def spread(one: list[float | None], other: list[float | None]) -> float:
    return sum(max(x - y, 0) for x, y in zip(one, other, strict=True) if x is not None and y is not None)


@pytest.mark.parametrize(("low", "high"), [(2, 8), (3, 5), (2, 40)])
def test_the_spread_is_the_sum_of_what_rows_gain(low: int, high: int) -> None:
    columns = make_rows(160)
    made = []
    for k in (low, high):
        parts: dict[str, Any] = {"require": {"k": k}, "suppression": {"limit": 0.2, "output": "mask"}}
        made.append(sf.anonymize(pd.DataFrame(columns), sf.Spec.from_dict(make_spec(**parts))))
    assert made[0].rows["suppressed"] != made[1].rows["suppressed"]
    for name, secret in (("spread_k", None), ("spread_l(diagnosis)", columns["diagnosis"])):
        first, second = (sizes(release, 160, secret) for release in made)
        found = sf.compare(*made, [name])[name]
        assert (found["first"], found["second"]) == (spread(first, second), spread(second, first))
        pairs = [(x, y) for x, y in zip(first, second, strict=True) if x is not None and y is not None]
        assert found["compared"] == len(pairs)
        assert found["higher"] == sum(x > y for x, y in pairs)
        assert found["equal"] == sum(x == y for x, y in pairs)
        vector = made[0].property_vector(name)
        known = sorted(x for x in first if x is not None)
        assert sorted(vector[vector == vector].tolist()) == known


def test_what_cannot_be_compared_is_refused() -> None:
    spec = sf.Spec.from_dict(make_spec())
    first, other = (sf.anonymize(pd.DataFrame(make_rows(rows)), spec) for rows in (120, 121))
    with pytest.raises(sf.ParameterError, match="not of the same rows"):
        sf.compare(first, other)
    with pytest.raises(sf.ParameterError, match="not made of a property of rows"):
        first.property_vector("loss")
