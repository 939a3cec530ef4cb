"""What else file and manifest determine: labels, costs of labels, and distributions over the input."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sfumato.release.verify.checks import Check, broken, held, unknown
from sfumato.release.verify.closeness import fill_overall
from sfumato.release.verify.labels import STAR, UnreadableError, accepted_labels, misfits
from sfumato.release.verify.stated import stated_costs, stated_overall

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sfumato.release.verify.loading import Groups
    from sfumato.release.verify.stated import CostTable


def examine(groups: Groups) -> tuple[Check, ...]:
    """Look at labels, costs and distributions."""
    return (*_examine_labels(groups), *_examine_costs(groups), *_examine_distributions(groups))


def _examine_labels(groups: Groups) -> Iterator[Check]:
    for number, name in enumerate(groups.promise.quasi_identifiers):
        done = groups.promise.recoded.get(name)
        if done is None:
            continue
        title = f"labels of {name!r}"
        if misfits(done):
            yield broken(title, f"the blocks of {name!r} in the recipe are not what their labels say.")
        elif done.get("hierarchy") is None and not _has_blocks(done):
            yield unknown(title, "the recipe does not say how they are made.")
        else:
            yield _examine_column(groups, number, name, done)


def _has_blocks(done: Mapping[str, object]) -> bool:
    partition = done.get("partition")
    return isinstance(partition, Mapping) and ("blocks" in partition or "statistics" in partition)


def _examine_column(groups: Groups, number: int, name: str, done: Mapping[str, object]) -> Check:
    """Ask of every label in the file whether the recipe can write it."""
    title = f"labels of {name!r}"
    try:
        accepts = accepted_labels(done)
    except UnreadableError:
        return broken(title, f"what the recipe says of {name!r} is no rule that writes labels.")
    definition = done.get("hierarchy")
    has_missing = not (isinstance(definition, Mapping) and "root" in definition)
    # At the root there is neither a missing value nor one that is unknown.
    blank = {None, STAR, *groups.promise.missing} if has_missing else set()
    found = groups.connection.execute(f"SELECT q{number}, sum(n) FROM cells GROUP BY 1").fetchall()
    foreign = [
        rows for label, rows in found if label not in blank and not (label is not None and accepts(label))
    ]
    if foreign:
        many = f"{len(foreign)} labels in {sum(foreign)} rows"
        return broken(title, f"the column {name!r} holds {many} that its recipe cannot write.")
    return held(title, f"{len(found)} in the file, and the recipe can write each.")


def _examine_costs(groups: Groups) -> Iterator[Check]:
    for name in groups.promise.quasi_identifiers:
        done = groups.promise.recoded.get(name)
        costs = None if groups.promise.reference is None else stated_costs(groups.promise, name, "loss")
        if done is None or costs is None:
            continue
        title = f"costs of {name!r}"
        others = [stated_costs(groups.promise, name, kind) for kind in ("extent", "height")]
        is_one_scale = all(other is None or len(set(other.bottoms)) < 2 for other in others)
        if is_one_scale and _is_plausible(costs) and _fit_sizes(costs, done):
            yield held(title, "they fit the blocks of the recipe as far as it names them.")
        else:
            yield broken(title, f"the costs that are stated for {name!r} are not those of its recipe.")


def _is_plausible(costs: CostTable) -> bool:
    """Tell whether blocks of these sizes can lie side by side in one domain."""
    if len(set(costs.bottoms)) > 1:
        return False
    return not costs.bottoms or sum(top + 1 for top in costs.tops) <= costs.bottoms[0] + 1


def _fit_sizes(costs: CostTable, done: Mapping[str, object]) -> bool:
    """Compare with the values that a recipe lists for each label, where it lists all of them."""
    sizes = _listed_sizes(done)
    stated = dict(zip(costs.labels, costs.tops, strict=True))
    return all(stated[label] == size - 1 for label, size in sizes.items() if label in stated)


def _listed_sizes(done: Mapping[str, object]) -> dict[str | None, int]:
    """Return label → number of values; nothing where rules, ranges or statistics stand for values."""
    partition, definition = done.get("partition"), done.get("hierarchy") or {}
    assert isinstance(definition, Mapping)
    if not isinstance(partition, Mapping) or partition.get("statistics") is not None:
        return {}
    if partition.get("blocks") is not None:
        is_listed = done.get("kind") in ("category", "ordinal") and not definition
        pairs = zip(partition.get("labels") or (), partition["blocks"], strict=False)
        return {label: len(block) for label, block in pairs} if is_listed else {}
    level, leaves, sizes = partition.get("level"), definition.get("leaves"), dict[str | None, int]()
    if not isinstance(leaves, Mapping) or not level:
        return {}
    for labels in leaves.values():
        if isinstance(labels, list) and 0 < level < len(labels):  # the root holds missing too
            sizes[labels[level - 1]] = sizes.get(labels[level - 1], 0) + 1
    return sizes


def _examine_distributions(groups: Groups) -> Iterator[Check]:
    stated = (groups.promise.reference or {}).get("distributions")
    if groups.promise.rows is None or not isinstance(stated, Mapping):
        return
    for name in stated:
        title = f"distribution of {name!r}"
        overall = stated_overall(groups.promise, name) if name in groups.attributes else None
        if overall is None:
            yield broken(title, f"the manifest states a distribution of {name!r}, which is not sensitive.")
        elif fill_overall(groups, name, overall):
            yield held(title, "the file fits it.")
        else:
            yield broken(title, f"the file does not fit the manifest's overall distribution of {name!r}.")
