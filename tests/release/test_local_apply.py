"""A local recipe on new data: what becomes of a row follows from the row and the recipe."""

from __future__ import annotations

import pyarrow as pa
import pytest

import sfumato as sf


@pytest.mark.parametrize(
    ("keys", "values", "labels", "new"),
    [
        ({"kind": "number"}, [20, 24], ["10-24", "20-24"], [20, 21, 22]),
        ({"kind": "number"}, [20.5, 24.5], ["[10.5, 24.5]", "[20.5, 24.5]"], [20.5, 22.5]),
        ({"kind": "date"}, ["2020-01-01", "2020-02-01"], ["[2019-05-01, 2020-02-01]",
         "[2020-01-01, 2020-02-01]"], ["2020-01-01", "2020-01-05"]),
        ({}, ["a", "b"], ["{a, b, c}", "{a, b}"], ["a", "b"]),
        ({"hierarchy": {"mask": 3}}, ["201", "202"], ["2**", "20*"], ["201", "203"]),
        ({"hierarchy": {"prefix": [3, 1]}}, ["J45.0", "J45.1"], ["J", "J45"], ["J45.0", "J45.2"]),
        ({"hierarchy": {"tree": {"x": {"y": ["a", "b"], "z": ["c"]}}}}, ["a", "b"], ["x", "y"], ["a", "b"]),
    ],
)  # fmt: skip
def test_what_becomes_of_a_row_does_not_depend_on_other_rows(keys, values, labels, new):
    """Of two labels the narrower one was told by the values of all rows, also of those that go."""
    spec = sf.Spec.from_dict(
        {
            "attributes": {"a": {"role": "quasi-identifier", **keys}},
            "recoding": {"scope": "local"},
            "suppression": {"limit": 0.6},
            "require": {"k": 2},
            "objectives": {"minimize": ["loss"]},
        }
    )
    made = sf.anonymize(pa.table({"a": [*values, *values]}), spec).recipe.to_dict()
    kind = {"number": "range", "date": "range"}.get(
        keys.get("kind"), "tree" if "hierarchy" in keys else "set"
    )
    made["attributes"]["a"] |= {"scheme": kind, "partition": {"labels": labels}}
    if "tree" in keys.get("hierarchy", {}):
        leaves = {"a": ["y", "x", "*"], "b": ["y", "x", "*"], "c": ["z", "x", "*"]}
        made["attributes"]["a"]["hierarchy"] = {"leaves": leaves}
    elif "hierarchy" in keys:
        made["attributes"]["a"]["hierarchy"] = keys["hierarchy"]
    recipe = sf.Recipe.from_dict({**made, "classes": ["0", "1"]})
    for order in (1, -1):
        turned = sf.Recipe.from_dict({**recipe.to_dict(), "classes": ["0", "1"][::order]})
        shown = turned.apply(pa.table({"a": [*new, *new]})).frame.column("a").to_pylist()
        assert shown == [labels[1]] * 2 * len(new)
