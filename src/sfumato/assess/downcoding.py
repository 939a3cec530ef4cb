"""Downcoding: undoing part of a generalization by using the fact that it is minimal.

The attacker has the release (its classes, and how many rows were suppressed), the hierarchies, what was
required, the limit of suppression and the objective, and knows that the publisher's algorithm returns the
best recoding. The attack outputs a strict refinement of the release: for some cells of a class a label of a
finer recoding, such as "at least two rows of this class are from the north". Rows of a class are alike, so a
claim is about how many of them have a finer label, and is right as far as that many really have it.

What is known. Let h be a finer recoding: one attribute a level lower, or one of its blocks split. If h had
been feasible and cheaper, it would have been published. A suppressed row costs at most 1; so with S for what
h saves at least over the released rows, s suppressed rows and a budget of B rows, at least
m = min(B − s + 1, ⌈S⌉) released rows lie in classes of h that fail. Where k alone is required, these have 1
to k − 1 rows; with any other requirement of classes, and where persons are counted, it is known only that
they are a part of a class. Where a release was drawn among near-optimal ones, S is smaller by what the
tolerance allows, and often nothing is left of it. By ``dm`` how much is saved is not known, and m is 1.
Recodings that are finer in one attribute, coarser in others and still cheaper are not used: they say
something of several classes together, and of none by itself.

The attackers:

- logic: claims what is true in every table that fits. If all other classes together can hold at most m − r
  of the failing rows, a class holds r of them, and each child has at least the fewest rows with which that
  is possible. Each recoding h is used by itself, so not everything that is true is found.
- distribution: knows how often each value occurs, takes the rows of a class as drawn from that, and claims
  what is then true with a probability of `CONFIDENCE`; without minimality this is the base rate.
- minimality: the same, given that at least one released row lies in a failing class of h.
- uniform: every value of the domain is as likely as any other; the other base rate.

References
----------
Cohen, A. (2022), Attacks on deidentification's defenses, USENIX Security, section 4 (there every record may
be generalized by itself; here one recoding is for the whole table); Wong, R. C.-W. et al. (2007), Minimality
attack in privacy preserving data publishing, VLDB.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sfumato.assess.cells import CodedTable, number_tuples
from sfumato.assess.pairing import Released, label_values, raw_codes
from sfumato.assess.risk_results import Attacker, Downcoding, Narrowing
from sfumato.classes import Rule
from sfumato.domains import Ladder, Lattice, Partition
from sfumato.hierarchies import text_of
from sfumato.measures import ClassMeasure
from sfumato.monitor import Monitor
from sfumato.preparing import Prepared, load, make_problem
from sfumato.search import METHODS, Problem, SearchSettings, choose_method, collect_near, is_enumerable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sfumato._typing import FloatArray, IntArray, LongArray
    from sfumato.release import Generalization
    from sfumato.spec import Spec
    from sfumato.table import Source

CONFIDENCE = 0.95  # how probable a claim about a cell must be to be made
MOST_SPLITS = 32  # ways to split one block that are tried, evenly spread over all there are
BY_CELLS = ("loss", "glm")  # objectives whose saving by a finer recoding is known from labels alone
_SURE = -30.0  # the logarithm of a chance that is none
_KINDS: tuple[Attacker, ...] = ("uniform", "distribution", "minimality")


class FinerSplit(NamedTuple):
    """A finer partition of one attribute, and what follows from its not being published."""

    child: LongArray  # (m,): the child of each code within its block, from 0 on
    many: LongArray  # (blocks,): children of each block; 1 where it is not split
    floor: int  # released rows that are in failing classes of the finer recoding, at least; 0: nothing known


@dataclass(frozen=True, eq=False)
class _Attacked:
    """What a release shows."""

    problem: Problem
    partitions: list[IntArray]
    blocks: IntArray  # (classes, q), of the classes that are published
    rows: LongArray
    members: LongArray  # the class of each cell of the cube, −1 where it is suppressed
    suppressed: int
    tolerance: float

    @property
    def k(self) -> int | None:
        """The size below which a class fails, if that is all by which it can fail."""
        asked = self.problem.requirements
        is_alone = len(asked) == 1 and asked[0].measure.name == "k" and self.problem.cube.persons is None
        return int(asked[0].limit) if is_alone else None

    def smallest(self, rows: LongArray) -> LongArray:
        """Return the size below which a part of classes may fail."""
        return rows if self.k is None else np.minimum(rows, self.k)

    @property
    def weights(self) -> FloatArray | None:
        """What a cell of each attribute costs at most, in suppressed rows; None if not known by cells."""
        objective = self.problem.objectives[0]
        weights = getattr(objective, "weights", None) if objective.name in BY_CELLS else None
        return None if weights is None else np.asarray(weights / weights.sum())

    def spent(self, a: int, partition: IntArray) -> float:
        """Return what an attribute of the released rows costs at most, in suppressed rows, by a partition."""
        assert self.weights is not None
        block = self.partitions[a]
        size, count = np.bincount(partition)[partition], int(block.max()) + 1
        worst = np.zeros(count)
        np.maximum.at(worst, block, self.weights[a] * (size - 1) / max(1, len(block) - 1))
        return float((worst * np.bincount(self.blocks[:, a], weights=self.rows, minlength=count)).sum())


def is_attackable(problem: Problem) -> str | None:
    """Say why minimality reveals nothing about a problem's releases that this attack can use, or None."""
    if len(problem.objectives) != 1 or problem.suppression.rule not in (Rule.FAILING, Rule.NONE):
        return "a finer recoding may have been rejected for a reason other than a failing class."
    if problem.objectives[0].name not in (*BY_CELLS, "dm"):
        return f"a finer recoding need not be better by {problem.objectives[0].name!r}."
    if not all(isinstance(item.measure, ClassMeasure) for item in problem.requirements):
        return "a finer recoding may have missed a requirement on the whole table."
    return None if problem.requirements else "nothing is required of classes."


def downcode(
    problem: Problem,
    partitions: Sequence[IntArray],
    priors: Sequence[FloatArray],
    *,
    tolerance: float = 0.0,
    name: str = "release",
) -> Downcoding:
    """Attack the release that a recoding of a table makes."""
    facts = _read(problem, [Partition.of(block).block for block in partitions], tolerance)
    done, known, cells = np.zeros(2 + 3 * len(_KINDS)), 0, 0
    for a, block in enumerate(facts.partitions):
        wide = np.bincount(block)[facts.blocks[:, a]] > 1
        cells += int(facts.rows[wide].sum())
        best = np.zeros((len(facts.rows), len(done)))
        tried = np.zeros(len(facts.rows), dtype=bool)
        for split in _splits(facts, a):
            known += split.floor > 0
            inside = np.flatnonzero(split.many[facts.blocks[:, a]] > 1)
            found = _attack(facts, a, split, inside, np.asarray(priors[a], dtype=np.float64))
            # Of several ways to split a block the one counts by which most is learnt, surely or probably.
            now, before = found[:, [0, -3]], best[inside][:, [0, -3]]
            more = (now[:, 0] > before[:, 0]) | ((now[:, 0] == before[:, 0]) & (now[:, 1] > before[:, 1]))
            better = more | ~tried[inside]
            best[inside[better]], tried[inside] = found[better], True
        done += best.sum(axis=0)
    shares = done / max(1, cells)
    logic = Narrowing("logic", float(shares[0]), float(shares[1]))
    rest = [Narrowing(kind, *map(float, shares[2 + 3 * i : 5 + 3 * i])) for i, kind in enumerate(_KINDS)]
    return Downcoding(name, cells, known, (logic, *rest))


def _read(problem: Problem, partitions: list[IntArray], tolerance: float) -> _Attacked:
    """Apply a recoding, and keep what is published of it."""
    ladders = problem.lattice.ladders
    fixed = Lattice(tuple(Ladder.listed([Partition(b)], x) for b, x in zip(partitions, ladders, strict=True)))
    classes = problem.batch(threads=1, lattice=fixed).classes(fixed.bottom)
    codes = [block[problem.cube.codes[:, a]].astype(np.int64) for a, block in enumerate(partitions)]
    # Both number classes in the order of their blocks.
    number = number_tuples(codes, [int(block.max()) + 1 for block in partitions])
    kept = ~classes.suppressed
    members = np.where(kept, np.cumsum(kept) - 1, -1)[number]
    gone, blocks, rows = int(classes.rows[~kept].sum()), classes.blocks[kept], classes.rows[kept]
    return _Attacked(problem, partitions, blocks, rows, members, gone, tolerance)


# --- finer recodings ------------------------------------------------------------------


def _splits(facts: _Attacked, a: int) -> Iterator[FinerSplit]:
    """Yield the finer partitions that an attribute may take while all others stay as they are."""
    block, ladder = facts.partitions[a], facts.problem.lattice.ladders[a]
    schemes = facts.problem.schemes
    allowed = ladder.levels[ladder.lowest : ladder.highest + 1]
    if schemes is None or schemes[a].name == "levels":
        for finer in allowed[::-1]:
            if int(finer.max()) > int(block.max()):
                yield _split(facts, a, finer)
        return
    for number in np.unique(facts.blocks[:, a]):
        inside = np.flatnonzero(block == number)
        pieces = [level[inside] for level in ladder.heights[::-1]]
        order = np.arange(len(inside))
        cuts = [*(order >= i for i in order[1:]), *(order == i for i in order[1:-1])]
        tried = np.linspace(0, len(cuts) - 1, MOST_SPLITS if cuts else 0).astype(int)
        pieces += [cuts[i] for i in np.unique(tried)]
        seen = {Partition(block)}
        for piece in pieces:
            finer = block.astype(np.int64) * (len(block) + 1)
            finer[inside] += piece
            partition = Partition.of(finer)
            if partition not in seen and schemes[a].is_valid(partition):
                seen.add(partition)
                yield _split(facts, a, partition.block)


def _split(facts: _Attacked, a: int, finer: IntArray) -> FinerSplit:
    """Number the children of each block, and say what follows from the finer partition's absence."""
    block = facts.partitions[a]
    pairs, place = np.unique(np.stack([block, finer]), axis=1, return_inverse=True)
    many = np.bincount(pairs[0]).astype(np.int64)
    child = place.reshape(-1) - (np.cumsum(many) - many)[block]
    # By the sum of squared sizes finer classes cost less, and how much less is not known.
    saved = 0.0 if facts.tolerance else 1.0
    if facts.weights is not None:
        # What it saves at least over the released rows, less what the tolerance allows.
        now = [facts.spent(b, block) for b, block in enumerate(facts.partitions)]
        allowed = (sum(now) + facts.suppressed) * facts.tolerance / (1 + facts.tolerance)
        saved = now[a] - facts.spent(a, finer) - allowed
    floor = min(facts.problem.suppression.budget - facts.suppressed + 1, int(np.ceil(saved - 1e-9)))
    # What costs the same but for rounding is not known to be cheaper.
    return FinerSplit(child, many, floor if saved > 1e-9 * len(facts.rows) else 0)


# --- attackers ----------------------------------------------------------------------


def _attack(facts: _Attacked, a: int, split: FinerSplit, inside: LongArray, prior: FloatArray) -> FloatArray:
    """Return for some classes the cells narrowed and how many of them rightly, attacker by attacker."""
    blocks, width = facts.blocks[inside, a], int(split.many.max())
    truth = np.zeros((len(facts.rows), width))
    shown = facts.members >= 0
    codes = facts.problem.cube.codes[shown, a]
    np.add.at(truth, (facts.members[shown], split.child[codes]), facts.problem.cube.rows[shown])
    truth = truth[inside]
    found = np.zeros((len(inside), 2 + 3 * len(_KINDS)))
    many = split.many[blocks]
    least = _least(facts, split, inside, many)[:, None] * (np.arange(width) < many[:, None])
    found[:, 0], found[:, 1] = least.sum(axis=1), np.minimum(least, truth).sum(axis=1)
    shares = np.zeros((2, len(split.many), width))
    np.add.at(shares[0], (facts.partitions[a], split.child), 1.0)
    np.add.at(shares[1], (facts.partitions[a], split.child), prior)
    empty = shares[1].sum(axis=1) == 0
    shares[1, empty] = shares[0, empty]
    shares /= shares.sum(axis=2, keepdims=True)
    rows = facts.rows[inside]
    smallest = facts.smallest(rows)
    sort = np.stack([rows, blocks], axis=1)
    kinds, first, place = np.unique(sort, axis=0, return_index=True, return_inverse=True)
    models = [
        _Multinomial(int(rows[i]), shares[:, blocks[i], : split.many[blocks[i]]], int(smallest[i]))
        for i in first
    ]
    times = np.bincount(place.reshape(-1), minlength=len(kinds))
    refused = _log_none(models, times) if split.floor else _SURE
    for number, model in enumerate(models):
        here = np.flatnonzero(place.reshape(-1) == number)
        for kind, tails in enumerate(model.tails(refused)):
            sure, every = (_claims(tails, least_likely) for least_likely in (CONFIDENCE, 0.0))
            found[here, 2 + 3 * kind] = sure.sum()
            for column, claimed in ((3 + 3 * kind, sure), (4 + 3 * kind, every)):
                found[here, column] = np.minimum(truth[here, : len(claimed)], claimed).sum(axis=1)
    return found


def _least(facts: _Attacked, split: FinerSplit, inside: LongArray, many: LongArray) -> LongArray:
    """Return how many rows of each class every child has at least, in every table that fits."""
    found, rows = np.zeros(len(inside), dtype=np.int64), facts.rows[inside]
    smallest = facts.smallest(rows)
    room = _room(rows, many, smallest)
    need = split.floor - (room.sum() - room)
    # More than there is room for is needed only where the release is not the best.
    for place in np.flatnonzero((need > 0) & (need <= room)):
        counts = np.arange(rows[place] + 1)
        failing = np.where(counts < smallest[place], counts, 0)
        rest = _room(rows[place] - counts, many[place] - 1, smallest[place])
        found[place] = np.argmax(failing + rest >= need[place])
    return found


def _room(rows: LongArray, children: LongArray | int, smallest: LongArray | int) -> LongArray:
    """Return how many rows can lie in children smaller than ``smallest``, at most."""
    fill = children * (smallest - 1)
    return np.where(rows <= fill, rows, np.maximum(children - 1, 0) * (smallest - 1))


class _Multinomial:
    """A class whose rows are drawn into children: how probable it is that a child has so many rows."""

    # Independent Poisson numbers, given their sum, are multinomial; so sums over all ways to fill the other
    # children are convolutions. O(children · rows²).

    def __init__(self, rows: int, shares: FloatArray, smallest: int) -> None:
        self.rows, self.shares, self.smallest = rows, shares, smallest
        self._logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, rows + 1)))])
        self._whole = float(self._poisson(float(rows))[rows])

    def _poisson(self, mean: float) -> FloatArray:
        counts = np.arange(self.rows + 1)
        if mean <= 0:
            return np.asarray(counts == 0, dtype=np.float64)
        return np.asarray(np.exp(counts * np.log(mean) - mean - self._logs))

    def _restricted(self) -> list[FloatArray]:
        """Return the numbers of rows of each child, without those by which it would fail."""
        found = [self._poisson(self.rows * share) for share in self.shares[1]]
        for item in found:
            item[1 : self.smallest] = 0.0
        return found

    def log_none(self) -> float:
        """Return the logarithm of the chance that no child fails."""
        whole = np.ones(1)
        for item in self._restricted():
            whole = _convolve(whole, item)[: self.rows + 1]
        chance = whole[self.rows] / self._whole
        return float(np.log(chance)) if chance > 0 else -np.inf

    def _joint(self) -> FloatArray:
        """Return the chances that a child has so many rows and none fails, shape (children, rows + 1)."""
        items = self._restricted()
        ahead = [np.ones(1)]
        for item in items[:-1]:
            ahead.append(_convolve(ahead[-1], item)[: self.rows + 1])
        behind, found = np.ones(1), np.zeros((len(items), self.rows + 1))
        for v in range(len(items) - 1, -1, -1):
            rest = np.zeros(self.rows + 1)
            others = _convolve(ahead[v], behind)[: self.rows + 1]
            rest[: len(others)] = others
            found[v] = items[v] * rest[::-1] / self._whole
            behind = _convolve(behind, items[v])[: self.rows + 1]
        return found

    def tails(self, refused: float) -> Iterator[FloatArray]:
        """Yield for each attacker the chance that a child has at least 1, 2, … rows."""
        # `refused` is the logarithm of the chance, by the distribution, that no class of the table fails.
        by_kind = []
        for shares in self.shares:
            means = [(self.rows * p, self.rows * (1 - p)) for p in shares]
            both = [self._poisson(own) * self._poisson(others)[::-1] for own, others in means]
            by_kind.append(np.array(both) / self._whole)
        known = by_kind[1]
        chance = -np.expm1(refused)
        if refused > _SURE and chance > 1e-9:
            others = refused - self.log_none()
            known = np.maximum(known - self._joint() * np.exp(min(others, 0.0)), 0.0) / chance
        for item in (*by_kind, known):
            yield np.cumsum(item[:, ::-1], axis=1)[:, ::-1][:, 1:]


def _convolve(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return the distribution of a sum; long ones by Fourier transform."""
    if len(one) * len(other) < 1_000_000:
        return np.convolve(one, other)
    length = len(one) + len(other) - 1
    size = 1 << length.bit_length()
    found = np.fft.irfft(np.fft.rfft(one, size) * np.fft.rfft(other, size), size)[:length]
    return np.maximum(found, 0.0)


def _log_none(models: Sequence[_Multinomial], times: LongArray) -> float:
    """Return the logarithm of the chance that no child of any class fails, down to one as good as none."""
    total = 0.0
    # Small classes are quickly computed, and mostly enough to tell that some child fails.
    for number in sorted(range(len(models)), key=lambda i: models[i].rows):
        total += float(times[number]) * models[number].log_none()
        if total <= _SURE:
            return _SURE
    return total


def _claims(tails: FloatArray, confidence: float) -> LongArray:
    """Return how many rows are claimed for each child: the most probable, not more than there are."""
    children, rows = tails.shape
    order = np.argsort(-tails.reshape(-1), kind="stable")[:rows]
    order = order[tails.reshape(-1)[order] >= confidence]
    return np.bincount(order // rows, minlength=children).astype(np.int64)


DRAWS = 5  # near-optimal releases that are attacked
UNTRIED = "Downcoding was not tried:"


def attack_minimality(
    source: Source, spec: Spec, released: Released, people: tuple[Source, CodedTable] | None, *, seed: int
) -> tuple[tuple[Downcoding, ...], list[str]]:
    """Attack a release, the best one and near-optimal ones; return what was found, and remarks."""
    recipe = released.recipe
    assert recipe is not None
    if recipe.is_local:
        return (), [f"{UNTRIED} it undoes global recoding, and this release was recoded locally."]
    if sorted(recipe.quasi_identifiers) != sorted(spec.quasi_identifiers) or not spec.objectives.minimize:
        return (), [f"{UNTRIED} the release is not the one that the specification describes."]
    prepared = load(source, spec.model_copy(update={"require": dict(recipe.require)}))
    problem = make_problem(prepared, (), spec.objectives.minimize[:1])
    why = is_attackable(problem)
    if why is not None:
        return (), [f"{UNTRIED} {why}"]
    partitions = _read_partitions(prepared, recipe, source)
    priors = [_prior(prepared, a, people) for a in range(len(partitions))]
    found = [downcode(problem, partitions, priors, tolerance=released.tolerance)]
    if not is_enumerable(problem):
        return tuple(found), ["There are too many recodings to attack near-optimal releases for comparison."]
    return (*found, *_compare(problem, priors, prepared, seed)), []


def _compare(
    problem: Problem, priors: Sequence[FloatArray], prepared: Prepared, seed: int
) -> list[Downcoding]:
    """Attack the best release and some near-optimal ones, for which the attacker knows the tolerance."""
    spec = prepared.spec
    batch = problem.batch()
    method = choose_method(problem, "auto")[0]
    best = METHODS[method](problem, batch, Monitor(spec.search.time_limit), SearchSettings(spec.search.seed))
    if not len(best.nodes):
        return []
    rng, tolerance = np.random.default_rng(seed), spec.release.tolerance
    near = collect_near(problem, best.lattice, best.nodes[0], tolerance, rng)
    found = [downcode(problem, _blocks(best.lattice.ladders, best.nodes[0]), priors, name="optimum")]
    drawn = [
        downcode(problem, _blocks(near.lattice.ladders, near.draw(rng)), priors, tolerance=tolerance)
        for _ in range(DRAWS)
    ]
    attackers = []
    for items in zip(*(item.attackers for item in drawn), strict=True):
        guessed = [item.guessed for item in items if item.guessed is not None]
        narrowed = float(np.mean([item.narrowed for item in items]))
        correct = float(np.mean([item.correct for item in items]))
        mean = float(np.mean(guessed)) if guessed else None
        attackers.append(Narrowing(items[0].attacker, narrowed, correct, mean))
    cells = round(np.mean([item.cells for item in drawn]))
    refused = round(np.mean([item.refused for item in drawn]))
    return [*found, Downcoding("near-optimal", cells, refused, tuple(attackers), len(drawn))]


def _blocks(ladders: Sequence[Ladder], node: LongArray) -> list[IntArray]:
    return [ladder.levels[number] for ladder, number in zip(ladders, node, strict=True)]


def _read_partitions(prepared: Prepared, recipe: Generalization, source: Source) -> list[IntArray]:
    """Return the blocks of a release: levels by their numbers, others by the labels of the data's values."""
    found, labels = [], None
    for a, name in enumerate(prepared.setting.quasi_identifiers):
        done, ladder = recipe.attributes[name], prepared.lattice.ladders[a]
        if done.level is not None:
            found.append(ladder.levels[done.level])
            continue
        labels = label_values(recipe, source) if labels is None else labels
        # A value that no row has is a block of its own.
        places: dict[object, int] = {}
        block = np.arange(prepared.table.hierarchies[name].size, dtype=np.int32)
        for text, code in raw_codes(prepared, name).items():
            block[code] = places.setdefault(labels[name].get(text), code)
        found.append(block)
    return found


def _prior(prepared: Prepared, a: int, people: tuple[Source, CodedTable] | None) -> FloatArray:
    """Return how often each code of an attribute occurs, in the population if there is one."""
    cube, name = prepared.cube, prepared.setting.quasi_identifiers[a]
    known = np.bincount(cube.codes[:, a], weights=cube.rows, minlength=cube.sizes[a]).astype(np.float64)
    if people is None:
        return known
    table, hierarchy = people[1], prepared.table.hierarchies[name]
    code_of = {None if v is None else text_of(v): code for code, v in enumerate(hierarchy.values)}
    places = np.array([code_of.get(text, -1) for text in table.texts(name)])[table.cells.codes[name]]
    counts = np.bincount(places[places >= 0], weights=table.cells.rows[places >= 0], minlength=cube.sizes[a])
    # A population that writes its values in another way reveals nothing.
    return counts.astype(np.float64) if counts.any() else known
