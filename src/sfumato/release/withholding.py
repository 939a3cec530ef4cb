"""A release after earlier ones: who was in which of their classes, and who has to be withheld."""

from __future__ import annotations

import secrets
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.classes import budget_of
from sfumato.errors import DataError, InfeasibleError, ParameterError, SfumatoError, SpecError
from sfumato.private import scratch_folder
from sfumato.release.manifest import Manifest, manifest_path, open_original
from sfumato.release.new_data import apply_recipe
from sfumato.release.recipe import Generalization
from sfumato.release.series import NOBODY, Series, alone, digest_of, read_ledger
from sfumato.spec import parse_measure_name
from sfumato.table.pseudonyms import ledger_token, read_key, specified_key, spell_whole
from sfumato.table.values import rank, texts_of_array
from sfumato.verifier import Promise, hash_file, release_suffix
from sfumato.verifier.bags import hold_same_rows
from sfumato.verifier.intersections import recount_series
from sfumato.words import count_words, list_words

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from sfumato._typing import BoolArray, LongArray
    from sfumato.preparing import Prepared
    from sfumato.release.draft import Draft

DIVERSE = ("distinct_l", "entropy_l", "recursive_l")
_NOT_MADE = (
    "the earlier data do not give the rows of this release, so nobody can say who was in which class. Pass "
    "the data that it was made from, or use a ledger."
)


def open_series(
    prepared: Prepared,
    promise: Promise,
    *,
    after: str | os.PathLike[str] | None = None,
    after_data: object = None,
    ledger: str | os.PathLike[str] | None = None,
    key: str | os.PathLike[str] | None = None,
) -> Series | None:
    """Find out what earlier releases showed; None if there is neither any nor anything that links rows."""
    if after is None and after_data is None and ledger is None:
        return alone(prepared)
    _refuse_unclear(prepared, promise)
    path = None if ledger is None else Path(ledger)
    has_ledger = path is not None and path.exists()
    if after is not None and after_data is None and not has_ledger:
        raise ParameterError(
            "say who was in the earlier release: pass its ledger, or its original data (--after-data).",
            where=str(ledger or after),
        )
    if after_data is not None and (after is None or has_ledger):
        raise ParameterError("--after-data needs --after, and a ledger that does not exist yet or none.")
    if after is not None and not Path(after).exists():
        raise DataError("there is no such file.", where=str(after))
    if key is not None:
        secret = read_key(Path(key), make=not has_ledger)
    elif path is not None or prepared.spec.data.key is not None:
        secret = specified_key(prepared.spec, make=not has_ledger)
    else:
        secret = secrets.token_bytes(32)  # nothing outlasts this run
    if after_data is not None and after is not None:
        return Series(secret, _derive(Path(after), after_data, prepared, secret), path)
    earlier = read_ledger(path, secret) if path is not None and has_ledger else NOBODY
    if after is not None and hash_file(Path(after)) != earlier["releases"][-1]["sha256"]:
        raise DataError("this is not the last release that the ledger knows.", where=str(after))
    return Series(secret, earlier, path, None if path is None else digest_of(path))


def _refuse_unclear(prepared: Prepared, promise: Promise) -> None:
    """Refuse data that do not say whose every row is, and a promise without k."""
    data, plan = prepared.spec.data, prepared.table.person_rows
    if data.unit is None or plan is None:
        raise SpecError(
            "releases are compared person by person: name the column that says whose row it is.",
            where=prepared.spec.where("data", "person"),
        )
    if "k" not in promise.require:
        raise SpecError("a series of releases needs k.", where=prepared.spec.where("require"))
    if plan.missing["number"]:
        rows = count_words(int(plan.missing["number"]), "row")
        raise DataError(
            f"{rows} have no {data.unit_word}. In a series of releases every row needs one.", where=data.unit
        )


def _derive(last: Path, data: object, prepared: Prepared, key: bytes) -> dict[str, Any]:
    """Find out who is in which class of an earlier release, from the data that it was made from."""
    manifest = Manifest.load(manifest_path(last))
    recipe = replace(Generalization.from_dict(manifest.recipe).without_pseudonyms(), order="input")
    if recipe.unit != prepared.spec.data.unit:
        raise DataError(
            f"the earlier release counted by {recipe.unit!r}, this one by {prepared.spec.data.unit!r}. Name "
            "the same column as person in [data].",
            where=str(last),
        )
    try:
        draft = apply_recipe(recipe, open_original(data, manifest.reading(), recipe.missing), "suppress")
    except SfumatoError as error:
        raise DataError(f"{_NOT_MADE} {error.message}", where=str(last)) from None
    with scratch_folder() as folder:
        checked = Path(folder) / f"checked{release_suffix(last)}"
        draft.write_checked(checked, dialect=draft.prepared.table.source.dialect.of_columns(recipe.released))
        promise = replace(draft.promise, dialect=manifest.dialect)
        names = (*promise.quasi_identifiers, *promise.sensitive)
        if not hold_same_rows(last, checked, names, manifest.dialect):
            raise DataError(_NOT_MADE, where=str(last))
        found = recount_series(checked, promise, NOBODY, key)
    return {"releases": [{"sha256": manifest.sha256}], "cells": found.cells, "persons": found.tokens}


@dataclass
class Shortfall:
    """Who has too few candidates or values."""

    # (what, the least number) → persons concerned, and the smallest number found
    counts: dict[tuple[str, int], tuple[int, int]] = field(default_factory=dict)
    people: list[int] = field(default_factory=list)  # published persons to be withheld
    left: set[int] = field(default_factory=set)  # earlier cells of which more people have to leave

    def is_short(self, what: str, limit: int, found: int, people: int) -> bool:
        """Tell whether people have too few of something, and count them then."""
        if found < limit:
            many, smallest = self.counts.get((what, limit), (0, found))
            self.counts[what, limit] = many + people, min(smallest, found)
        return found < limit


def withhold(draft: Draft, series: Series) -> Draft:
    """Return the draft, with as many people withheld as the earlier releases make necessary."""
    people = _Persons.of(draft, series)
    if series.count and max(people.before) < 0:
        raise InfeasibleError(
            f"no {people.unit} of earlier releases is in these data. Check that the same column, spelt the "
            "same way, and the same key are used; if nobody is in both, there is nothing to check."
        )
    first = None
    withheld = np.zeros(len(people.before), dtype=np.bool_)
    while True:
        found = people.judge(draft.class_of, withheld)
        first = first or found
        if found.people or found.left:
            people.extend(withheld, found)
            people.refuse_too_many(draft.class_of, withheld, first)
        elif not withheld.any() or (draft.withheld is not None and (draft.withheld == withheld).all()):
            return replace(draft, series=replace(series, known=people.known))
        else:
            draft = people.remake(draft, withheld.copy(), first)
            people.refuse_too_many(draft.class_of, withheld, first)


@dataclass(eq=False)
class _Persons:
    """The people of a draft, by the codes of the cube, and where they were in earlier releases."""

    draft: Draft
    series: Series
    tokens: list[str]  # what stands for each person in the ledger
    before: list[int]  # the earlier cell of each person; -1 if there is none
    diverse: dict[str, int]  # sensitive attribute → how many values there have to be
    texts: dict[str, list[str | None]]  # its value in each cell of the cube; None if it tells nothing
    # earlier cell and classes, with the rows in each → published persons, as they were judged last
    cells: dict[tuple[int, frozenset[tuple[int, int]]], list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, draft: Draft, series: Series) -> _Persons:
        """Look everyone up."""
        prepared, plan = draft.prepared, draft.prepared.table.person_rows
        assert plan is not None
        # The last code is that of missing, if there are such rows; then it is one person whom nobody knows.
        tokens = [""] * (len(plan.values) + 1)
        for code, text in zip(rank(plan.values).tolist(), texts_of_array(plan.values), strict=True):
            tokens[code] = ledger_token(series.key, text)
        diverse: dict[str, int] = {}
        for text, limit in draft.promise.require.items():
            name, arguments = parse_measure_name(text)
            if name in DIVERSE:
                diverse[arguments[0]] = max(ceil(limit), diverse.get(arguments[0], 1))
        texts = {}
        for name in diverse:
            number = prepared.setting.sensitive.index(name)
            known = zip(prepared.table.sensitive[name].labels[0], prepared.cube.known(number), strict=True)
            labels = [spell_whole(str(text)) if is_known else None for text, is_known in known]
            texts[name] = [labels[code] for code in prepared.cube.sensitive_codes[:, number].tolist()]
        before = [series.earlier["persons"].get(token, -1) for token in tokens]
        return cls(draft, series, tokens, before, diverse, texts)

    @property
    def unit(self) -> str:
        """What is counted, in words."""
        return self.draft.prepared.spec.data.unit_word

    @property
    def least(self) -> int:
        """How many candidates there have to be."""
        return max(ceil(self.draft.promise.require.get("k", 1)), 1)

    @property
    def codes(self) -> LongArray:
        """The person of each cell of the cube."""
        persons = self.draft.prepared.cube.persons
        assert persons is not None
        return persons.astype(np.int64)

    @property
    def known(self) -> int:
        """Published people whom an earlier release shows too."""
        return sum(len(people) for (before, _), people in self.cells.items() if before >= 0)

    def judge(self, class_of: LongArray, withheld: BoolArray) -> Shortfall:
        """Find the people who have too few candidates or values over all releases."""
        found, earlier = Shortfall(), self.series.earlier["cells"]
        bags, of_class = self._group(class_of, withheld)
        left = Counter(self.series.earlier["persons"].values())
        staying: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
        for (before, classes), people in self.cells.items():
            many = len(people)
            left[before] -= many
            short = [found.is_short("candidates", self.least, many, many)]
            for name, limit in self.diverse.items():
                own = sum((bags[name, person] for person in people), Counter[str]())
                staying[name, before] += own
                common = set[str]().union(*(of_class[name, number] for number, _ in classes))
                if before >= 0 and name in earlier[before]["common"]:
                    common &= {*earlier[before]["common"][name]}
                short.append(found.is_short(f"values of {name!r}", limit, len(own), many))
                short.append(found.is_short(f"common values of {name!r}", limit, len(common), many))
            found.people += people if any(short) else []
        # What nobody stays of is as it was: this release tells nothing about it.
        split = {before for before, _ in self.cells if before >= 0}
        for before in split:
            if not (many := left[before]):
                continue
            short = [found.is_short("candidates", self.least, many, many)]
            for name, limit in self.diverse.items():
                lost = Counter(earlier[before]["bag"].get(name, {})) - staying[name, before]
                short.append(found.is_short(f"values of {name!r}", limit, len(lost), many))
            found.left |= {before} if any(short) else set()
        return found

    def _group(
        self, class_of: LongArray, withheld: BoolArray
    ) -> tuple[dict[tuple[str, int], Counter[str]], dict[tuple[str, int], set[str]]]:
        """Put published people into cells; return the values of each person, and those of each class."""
        bags: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
        of_class: dict[tuple[str, int], set[str]] = defaultdict(set)
        held: dict[int, Counter[int]] = defaultdict(Counter)
        codes, rows, classes = self.codes, self.draft.prepared.cube.rows, class_of.tolist()
        for cell in np.flatnonzero((class_of >= 0) & ~withheld[codes]).tolist():
            person, many = int(codes[cell]), int(rows[cell])
            held[person][classes[cell]] += many
            for name, texts in self.texts.items():
                if (text := texts[cell]) is not None:
                    bags[name, person][text] += many
                    of_class[name, classes[cell]].add(text)
        self.cells = defaultdict(list)
        for person, own in held.items():
            self.cells[self.before[person], frozenset(own.items())].append(person)
        return bags, of_class

    def extend(self, withheld: BoolArray, found: Shortfall) -> None:
        """Withhold people who have too few, and others whose earlier cell would otherwise lose too few."""
        withheld[found.people] = True
        total = Counter(self.series.earlier["persons"].values())
        for number in found.left:
            cells = [people for (before, _), people in self.cells.items() if before == number]
            staying = sorted((people for people in cells if not withheld[people[0]]), key=len)
            needed = self.least - total[number] + sum(map(len, staying))
            if staying and 0 < needed <= len(staying[-1]) - self.least:
                # Who leaves with those who have left anyway follows from nothing but the digests.
                withheld[sorted(staying[-1], key=lambda person: self.tokens[person])[:needed]] = True
            elif len(staying) == len(cells) > 0:
                withheld[staying[0]] = True

    def refuse_too_many(self, class_of: LongArray, withheld: BoolArray, first: Shortfall) -> None:
        """Raise InfeasibleError if more rows are suppressed than may be."""
        recipe, rows = self.draft.recipe, self.draft.prepared.cube.rows
        gone = int(rows[(class_of < 0) | withheld[self.codes]].sum())
        budget = budget_of(recipe.limit, int(rows.sum()))
        if recipe.rule != "below-mean" and gone > budget:
            allowed = f"at most {budget:,} may be" if budget else "none may be"
            raise self._refusal(first, f"{gone:,} rows would have to be suppressed, but {allowed}")

    def remake(self, draft: Draft, withheld: BoolArray, first: Shortfall) -> Draft:
        """Make the draft again without the people who are withheld."""
        assert draft.remake is not None
        try:
            return draft.remake(withheld=withheld)
        except InfeasibleError:
            raise self._refusal(first, "what is left of the classes misses a requirement") from None

    def _refusal(self, first: Shortfall, why: str) -> InfeasibleError:
        """Say who has too little, and why suppressing their rows does not help."""
        told = [
            f"{count_words(many, self.unit)} {'has' if many == 1 else 'have'} fewer than {limit} {what} (the "
            f"smallest number is {smallest})"
            for (what, limit), (many, smallest) in first.counts.items()
        ]
        many = self.series.count
        over = f"over this release and {count_words(many, 'earlier one')}" if many else "in this release"
        advice = "Raise the suppression limit, or take a coarser recoding."
        return InfeasibleError(f"{list_words(told)} {over}; {why}. {advice}")


def coarser_drafts(draft: Draft) -> Iterator[Draft]:
    """Make drafts one level up, the least loss first, and then from the first of them on."""
    remake = draft.remake
    if remake is None or remake.keywords.get("recipe") is not None or draft.tuples is not None:
        return
    prepared, problem, node, lattice = remake.args
    names, whole = prepared.scheme_names, lattice or prepared.lattice
    while True:
        steps = []
        for a, ladder in enumerate(whole.ladders):
            if names[a] != "levels" or node[a] >= ladder.highest:
                continue
            higher = np.array(node)
            higher[a] += 1
            with suppress(InfeasibleError):
                steps.append((remake.func(prepared, problem, higher, lattice), higher))
        if not steps:
            return
        steps.sort(key=lambda item: item[0].measures["loss"])
        yield from (made for made, _ in steps)
        node = steps[0][1]
