"""Whether what a manifest says of a microaggregated file agrees with itself."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sfumato.release.verify import Check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sfumato.release.manifest import Manifest
    from sfumato.release.verify.clusters import ClusterPromise

_CENTRES = ("mean", "median", "low")


def judge_settings(manifest: Manifest, promise: ClusterPromise) -> list[Check]:
    """Hold the parts of a manifest against each other."""
    return [_judge_input(manifest), _judge_recipe(manifest.recipe, promise), *_judge_score(manifest.measures)]


def _judge_input(manifest: Manifest) -> Check:
    """Microaggregation keeps every row."""
    rows = manifest.rows
    if rows["in"] == rows["out"] and not rows["suppressed"]:
        return Check("rows in", "holds", f"{rows['in']} stated: every row stays.")
    return Check(
        "rows in",
        "broken",
        f"rows: every row stays, and {rows['in']} in, {rows['out']} out and "
        f"{rows['suppressed']} suppressed are stated.",
    )


def _judge_recipe(recipe: Mapping[str, object], promise: ClusterPromise) -> Check:
    known = [name for group in promise.groups for name in group]
    centres, dropped = recipe.get("centres"), recipe.get("dropped")
    wrong = {
        "a column is in two groups": len(set(known)) < len(known),
        "a grouped column does not leave": not {*known, promise.within or known[0]} <= set(promise.columns),
        "clusters do not cross a column that they are made of": promise.within in known,
        "centres are not stated for exactly the grouped columns": not isinstance(centres, Mapping)
        or set(centres) != set(known)
        or not all(centre in _CENTRES for centre in centres.values()),
        "orders are stated for other columns than grouped ones, or a label twice": any(
            name not in known or len(set(labels)) < len(labels) for name, labels in promise.orders.items()
        ),
        "a column that was left out leaves": not isinstance(dropped, list)
        or any(name in promise.columns for name in dropped),
    }
    found = [text for text, is_wrong in wrong.items() if is_wrong]
    if found:
        return Check("recipe", "broken", f"the recipe contradicts itself: {found[0]}.")
    return Check("recipe", "holds", "groups, centres and columns agree.")


def _judge_score(measures: Mapping[str, float]) -> Iterator[Check]:
    """The score is the mean of il and of the mean of id and dld."""
    if not {"il", "id", "dld", "score"} <= set(measures):
        return
    due = (measures["il"] + (measures["id"] + measures["dld"]) / 2) / 2
    shown = f"{measures['score']:.12g} stated, {due:.12g} by the stated il, id and dld."
    fits = math.isclose(measures["score"], due, rel_tol=1e-9, abs_tol=1e-12)
    yield Check("score of il, id, dld", "holds" if fits else "broken", shown if fits else f"score: {shown}")
