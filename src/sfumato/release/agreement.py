"""Whether the parts of a manifest agree, and whether its seal matches."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sfumato.release.recipe import Generalization
from sfumato.spec.choices import LABEL_CHOICES, SCHEMES
from sfumato.verifier import Check, stated_secrets
from sfumato.verifier.checks import broken, held, judged, split_name, unknown
from sfumato.verifier.sentences import names_in

if TYPE_CHECKING:
    from sfumato.release.manifest import Manifest
    from sfumato.verifier.clusters import ClusterPromise


def judge_manifest(manifest: Manifest) -> list[Check]:
    """Return the seal's verdict, and whether recipe and reference agree."""
    return [judge_seal(manifest), _judge_agreement(manifest)]


def judge_seal(manifest: Manifest) -> Check:
    """Tell whether a manifest is as it was written."""
    if manifest.seal == "fits":
        return held("seal", "the manifest matches its seal.")
    if manifest.seal == "broken":
        return broken("seal", "the manifest was changed after it was written: it does not match its seal.")
    return unknown("seal", "the manifest has no seal.")


def _judge_agreement(manifest: Manifest) -> Check:
    recipe = Generalization.from_dict(manifest.recipe)
    wrong = (
        _wrong_settings(recipe)
        or _wrong_attributes(recipe, _part(manifest, "attributes"))
        or _wrong_distributions(manifest)
        or _wrong_sentences(recipe, manifest)
    )
    if wrong:
        return broken("agreement", f"the manifest contradicts itself: {wrong}.")
    return held("agreement", "recipe, requirements and reference say the same.")


def _wrong_settings(recipe: Generalization) -> str | None:
    """See that the limit is a share, and that schemes are known and belong to quasi-identifiers."""
    if not 0 <= recipe.limit <= 1:
        return "the share of rows that may be suppressed is not between 0 and 1"
    for name, done in recipe.attributes.items():
        known = (*LABEL_CHOICES, "keep") if recipe.is_local else (None, *SCHEMES)
        if done.scheme not in (known if done.role == "quasi-identifier" else (None,)):
            return f"the scheme of {name!r} in its recipe is not allowed for its role"
    return None


def _part(manifest: Manifest, name: str) -> Mapping[str, object]:
    part = manifest.reference.get(name, {})
    return part if isinstance(part, Mapping) else {}


def _wrong_attributes(recipe: Generalization, stated: Mapping[str, object]) -> str | None:
    """Compare columns, weights and outputs."""
    if stated and set(stated) != set(recipe.quasi_identifiers):
        return "costs are stated for columns other than its quasi-identifiers"
    for name in recipe.quasi_identifiers:
        done, entry = recipe.attributes[name], stated.get(name)
        if isinstance(entry, Mapping) and entry.get("weight", done.weight) != done.weight:
            return f"the weight of {name!r} in its recipe is not the one that its costs are stated for"
        if done.statistics is not None and done.output == "label":
            return f"statistics of {name!r} are listed, but its labels are said to be published"
        if done.statistics is None and done.output != "label" and done.level != 0:
            return f"the statistics of {name!r} are said to be published, but none are listed"
    return None


def _wrong_distributions(manifest: Manifest) -> str | None:
    """A distribution over the input is stated where t is, and nowhere else."""
    compared = {
        arguments[0] for name, arguments in map(split_name, manifest.measures) if name == "t" and arguments
    }
    stated = set(_part(manifest, "distributions"))
    if stated - compared:
        return f"it states a distribution of {sorted(stated - compared)[0]!r}, which no measure compares"
    return None


def _wrong_sentences(recipe: Generalization, manifest: Manifest) -> str | None:
    """The recipe names each sentence with its damage; the reference names it as it is recounted."""
    listed = manifest.reference.get("sentences") or []
    # Their texts may differ: a recipe spells out the order of an ordinal attribute.
    if not isinstance(listed, list) or len(listed) != len(recipe.confidential):
        return "the confidential sentences of its recipe are not those that it states"
    trees = [secret.tree for secret in stated_secrets(manifest.reference)]
    if not all(name in recipe.sensitive for tree in trees for name in names_in(tree)):
        return "a confidential sentence is about a column that is not sensitive"
    return None


_CENTRES = ("mean", "median", "low")


def judge_settings(manifest: Manifest, promise: ClusterPromise) -> list[Check]:
    """Compare the parts of a manifest with each other."""
    return [_judge_input(manifest), _judge_recipe(manifest.recipe, promise), *_judge_score(manifest.measures)]


def _judge_input(manifest: Manifest) -> Check:
    """Microaggregation keeps every row."""
    rows = manifest.rows
    if rows["in"] == rows["out"] and not rows["suppressed"]:
        return held("rows in", f"{rows['in']} stated: every row is kept.")
    stated = f"{rows['in']} in, {rows['out']} out and {rows['suppressed']} suppressed are stated."
    return broken("rows in", f"rows: every row is kept, but {stated}")


def _judge_recipe(recipe: Mapping[str, object], promise: ClusterPromise) -> Check:
    known = [name for group in promise.groups for name in group]
    centres, dropped = recipe.get("centres"), recipe.get("dropped")
    wrong = {
        "a column is in two groups": len(set(known)) < len(known),
        "a grouped column is not published": not {*known, promise.within or known[0]} <= set(promise.columns),
        "the column that separates clusters is itself grouped": promise.within in known,
        "centres are not stated for exactly the grouped columns": not isinstance(centres, Mapping)
        or set(centres) != set(known)
        or not all(centre in _CENTRES for centre in centres.values()),
        "orders are stated for columns that are not grouped, or name a label twice": any(
            name not in known or len(set(labels)) < len(labels) for name, labels in promise.orders.items()
        ),
        "a column that was left out is published": not isinstance(dropped, list)
        or any(name in promise.columns for name in dropped),
    }
    found = [text for text, is_wrong in wrong.items() if is_wrong]
    if found:
        return broken("recipe", f"the recipe contradicts itself: {found[0]}.")
    return held("recipe", "groups, centres and columns agree.")


def _judge_score(measures: Mapping[str, float]) -> Iterator[Check]:
    """The score is the mean of il and of the mean of id and dld."""
    if not {"il", "id", "dld", "score"} <= set(measures):
        return
    due = (measures["il"] + (measures["id"] + measures["dld"]) / 2) / 2
    shown = f"{measures['score']:.12g} stated, {due:.12g} by the stated il, id and dld."
    fits = math.isclose(measures["score"], due, rel_tol=1e-9, abs_tol=1e-12)
    yield judged("score of il, id, dld", shown, is_held=fits, of="score")
