"""From a file and a promise to a recount."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.errors import ParameterError, VerificationError
from sfumato.verifier import bags
from sfumato.verifier.checks import Check, broken, held, split_name, unknown
from sfumato.verifier.counting import BEFOREHAND, COUNT_OF, fill_overall
from sfumato.verifier.coverage import LABEL_KINDS, named_values
from sfumato.verifier.labels import UnreadableError, accepted_labels, misfits
from sfumato.verifier.loading import BeforehandError, Groups, UndeterminedError, UnstatedError, load_groups
from sfumato.verifier.promise import CostTable, Count, Promise, Recount, stated_costs, stated_overall

if TYPE_CHECKING:
    from sfumato.verifier.spark_rows import SparkRows


def _examine_labels(groups: Groups) -> Iterator[Check]:
    """Ask of every label in the file whether the recipe can write it."""
    for number, name in enumerate(groups.promise.quasi_identifiers):
        done = groups.promise.recoded.get(name)
        if done is None:
            continue
        title = f"labels of {name!r}"
        partition = _part(done, "partition")
        if misfits(done):
            yield broken(title, f"the blocks of {name!r} in the recipe are not what their labels say.")
            continue
        if done.get("hierarchy") is None and not {"blocks", "statistics", "labels"} & partition.keys():
            yield unknown(title, "the recipe does not say how they are made.")
            continue
        try:
            accepts = accepted_labels(done)
        except UnreadableError:
            yield broken(title, f"what the recipe says about {name!r} is not a rule that writes labels.")
            continue
        # At the root there is neither a missing value nor one that is unknown.
        blank = set() if "root" in _part(done, "hierarchy") else {None, bags.STAR, *groups.promise.missing}
        found: list[tuple[Any, ...]] = [*groups.once(f"SELECT q{number}, sum(n) FROM classes GROUP BY 1")]
        others = [(label, rows) for label, rows in found if label not in blank]
        foreign = [rows for label, rows in others if label is None or not accepts(label)]
        if foreign:
            many = f"{len(foreign)} labels in {sum(foreign)} rows"
            yield broken(title, f"the column {name!r} holds {many} that its recipe cannot write.")
        else:
            yield held(title, f"{len(found)} in the file; the recipe can write each.")


def _part(done: Mapping[str, object], key: str) -> Mapping[str, Any]:
    """Return an object that a recipe holds; an empty one if there is none."""
    part = done.get(key)
    return part if isinstance(part, Mapping) else {}


def _examine_costs(groups: Groups) -> Iterator[Check]:
    for name in groups.promise.quasi_identifiers:
        done = groups.promise.recoded.get(name)
        costs = None if groups.promise.reference is None else stated_costs(groups.promise, name, "loss")
        if done is None or costs is None:
            continue
        title = f"costs of {name!r}"
        others = [stated_costs(groups.promise, name, kind) for kind in ("extent", "height")]
        others = [stated_costs(groups.promise, name, kind) for kind in ("extent", "height")]
        is_one_scale = all(other is None or len(set(other.bottoms)) < 2 for other in (costs, *others))
        is_local = done.get("scheme") in LABEL_KINDS
        if is_one_scale and (_fit_labels(costs, done) if is_local else _fit_sizes(costs, done)):
            yield held(title, f"consistent with the {'labels' if is_local else 'blocks'} the recipe lists.")
        else:
            yield broken(title, f"the costs that are stated for {name!r} are not those of its recipe.")


def _fit_labels(costs: CostTable, done: Mapping[str, object]) -> bool:
    """Compare with the values that labels of a local recoding name themselves; these may overlap."""
    if not set(costs.labels) <= set(_part(done, "partition").get("labels") or ()):
        return False
    named = [named_values(label) if isinstance(label, str) else None for label in costs.labels]
    return all(own is None or top == len(own) - 1 for own, top in zip(named, costs.tops, strict=True))


def _fit_sizes(costs: CostTable, done: Mapping[str, object]) -> bool:
    """Compare with the values that a recipe lists for each label, where it lists all of them."""
    # Blocks of these sizes must have room side by side in one domain.
    if costs.bottoms and sum(top + 1 for top in costs.tops) > costs.bottoms[0] + 1:
        return False
    sizes = _listed_sizes(done)
    stated = zip(costs.labels, costs.tops, strict=True)
    return all(top == sizes[label] - 1 for label, top in stated if label in sizes)


def _listed_sizes(done: Mapping[str, object]) -> dict[str | None, int]:
    """Return label → number of values; nothing where rules, ranges or statistics stand for values."""
    partition, definition = _part(done, "partition"), _part(done, "hierarchy")
    if partition.get("statistics") is not None:
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
            yield held(title, "the file matches it.")
        else:
            yield broken(title, f"the file does not match the manifest's overall distribution of {name!r}.")


def recount(path: str | Path | SparkRows, promise: Promise, *, person_column: str | None = None) -> Recount:
    """Read a release again and count every measure that its promise names."""
    # Missing is a value like any other in quasi-identifiers. In sensitive attributes it, and values declared
    # unknown, do not count in ℓ and are 1 apart from every other in t. In a `mask` release, rows that are `*`
    # in every quasi-identifier and blank in every sensitive attribute are exempt, at most as many as the
    # promise states suppressed.
    return _recount_by([promise], path, person_column)[0]


def recount_both(path: str | Path, promise: Promise, other: Promise) -> tuple[Recount, Recount]:
    """Read a release once, and count it by two promises that differ in numbers and reference alone."""
    first, second = _recount_by([promise, other], path, None)
    return first, second


def _recount_by(
    promises: Sequence[Promise], place: str | Path | SparkRows, person_column: str | None
) -> list[Recount]:
    path = Path(place) if isinstance(place, str) else place
    if not promises[0].quasi_identifiers:
        raise ParameterError("a promise must name at least one quasi-identifier; found none.")
    bags.check_file(path)
    with bags.open_engine() as connection:
        with bags.readable(path):
            sha256 = bags.hash_file(path)
            groups = load_groups(connection, path, promises[0], person_column)
        with bags.enough_room(path):
            return [
                _count_all(replace(groups, promise=promise, notes=[], contradictions=[]), sha256)
                for promise in promises
            ]


def complete(
    released: Recount, path: Path | SparkRows, checked: Path | SparkRows, promise: Promise
) -> Recount:
    """Add to the recount of a release what the same rows show with the columns that are not published."""
    # What is never published may be in any order.
    wider = recount(checked, replace(promise, order="input"), person_column=promise.person)
    names = (*promise.quasi_identifiers, *promise.sensitive)
    if not bags.hold_same_rows(path, checked, names, promise.dialect):
        raise VerificationError(
            "the file and the one that was checked with it hold different rows.", where=str(path)
        )
    gained = {name: number for name, number in wider.counted.items() if name in released.not_recounted}
    return replace(
        released,
        counted={**released.counted, **gained},
        not_recounted={name: why for name, why in released.not_recounted.items() if name not in gained},
        at_most={name: number for name, number in released.at_most.items() if name not in gained},
    )


def recount_beside(path: Path | SparkRows, checked: Path | SparkRows, promise: Promise) -> Recount:
    """Recount a release together with the same rows and unpublished columns; see `complete`."""
    return complete(recount(path, promise), path, checked, promise)


def _count_all(groups: Groups, sha256: str) -> Recount:
    counted: dict[str, Count] = {}
    not_recounted: dict[str, str] = {}
    at_most: dict[str, Count] = {}
    beforehand = set()
    slack: dict[str, Fraction] = {}
    promise = groups.promise
    for text in dict.fromkeys((*promise.require, *promise.measures)):
        groups.slack = Fraction(0)
        try:
            counted[text] = _count(groups, text)
            if groups.slack:
                slack[text] = groups.slack
        except UndeterminedError as error:
            not_recounted[text] = error.reason
            # A manifest that states a number was written with what its recount needs; else it was changed.
            stated = promise.measures.get(text) is not None and promise.reference is not None
            if stated and isinstance(error, UnstatedError):
                groups.contradictions.append(f"{text}: a number is stated, but {error.reason}")
            if isinstance(error, BeforehandError):
                beforehand.add(text)
            if error.at_most is not None:
                at_most[text] = error.at_most
    examined = [*_examine_labels(groups), *_examine_costs(groups), *_examine_distributions(groups)]
    rows = {"out": groups.file_rows}
    with suppress(UndeterminedError):
        rows = {"in": groups.input_rows, **rows, "suppressed": groups.suppressed_rows}
    return Recount(
        counted,
        not_recounted,
        at_most,
        rows,
        groups.number("SELECT count(*) FROM sizes"),
        groups.columns,
        sha256,
        tuple(dict.fromkeys(groups.notes)),
        tuple(dict.fromkeys(groups.contradictions)),
        frozenset(beforehand),
        (*groups.ordering, *examined),
        slack,
    )


def _count(groups: Groups, text: str) -> Count:
    name, arguments = split_name(text)
    if name in BEFOREHAND and not arguments:
        raise BeforehandError(BEFOREHAND[name])
    count = COUNT_OF.get((name, len(arguments)))
    if count is None:
        raise UndeterminedError("no measure of this name can be recounted")
    if arguments and arguments[0] in groups.promise.quasi_identifiers:
        raise UndeterminedError(f"the column {arguments[0]!r} is published recoded")
    if arguments and arguments[0] not in groups.attributes:
        raise UndeterminedError(f"the column {arguments[0]!r} is not in the file")
    return count(groups, *arguments)
