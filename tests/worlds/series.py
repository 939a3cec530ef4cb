"""``python -m tests.worlds.series N``: N drawn series of two or three releases, and what an attack finds."""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

import sfumato as sf
from tests.worlds import intersecting

LABELS = ["age", "sex"]


@dataclass
class Outcome:
    """What became of one drawn series."""

    granted: int = 0  # releases after the first that were granted
    refused: int = 0
    withheld: int = 0  # granted ones for which people had to be withheld
    needed: int = 0  # releases that an attack breaks if nobody is withheld
    found: list[str] = field(default_factory=list)  # what an attack finds in what was granted
    missed: list[str] = field(default_factory=list)  # releases granted unchanged that an attack breaks


def draw_table(rng: random.Random, people: list[int]) -> pd.DataFrame:
    """Draw a year: who is in it; what they are follows from the number of each person."""
    rng.shuffle(people)
    return pd.DataFrame(
        {
            "pid": [f"p{number}" for number in people],
            "tag": [f"t{number}" for number in people],
            "age": [20 + (number * 7) % 40 for number in people],
            "sex": ["MF"[number // 3 % 2] for number in people],
            "ill": [["flu", "cold", "burn"][(number * 5 + number // 4) % 3] for number in people],
        }
    )


def draw_spec(rng: random.Random, folder: Path) -> sf.Spec:
    """Draw requirements, a scheme, and how much may be suppressed."""
    is_local = rng.random() < 0.2
    age: dict[str, object] = {"role": "quasi-identifier"}
    if not is_local or rng.random() < 0.5:
        age["hierarchy"] = {"intervals": [5, 10, 20], "bottom": 20, "top": 60}
    require = {"k": rng.choice([2, 2, 3])} | ({"distinct_l(ill)": 2} if rng.random() < 0.7 else {})
    return sf.Spec.from_dict(
        {
            "data": {"person": "pid", "key": str(folder / "people.key")},
            "attributes": {
                "pid": {"role": "identifier"},
                "tag": {"role": "other"},
                "age": age,
                "sex": {"role": "quasi-identifier"},
                "ill": {"role": "sensitive"},
            },
            "recoding": {"scope": "local" if is_local else "global"},
            "require": require,
            "suppression": {"limit": rng.choice([0.0, 0.2, 0.5, 0.9])},
            "objectives": {"minimize": ["loss"]},
            "search": {"iterations": 500} if is_local else {},
        }
    )


def play(seed: int, folder: Path) -> Outcome:
    """Make one series of releases and attack it after each."""
    rng = random.Random(f"series {seed}")
    spec, outcome = draw_spec(rng, folder), Outcome()
    k, least = int(spec.require["k"]), int(spec.require.get("distinct_l(ill)", 1))
    everyone = list(range(rng.randint(8, 12) if seed % 2 else rng.randint(20, 60)))
    turnover = rng.choice([0.0, 0.1, 0.3])
    shown: list[intersecting.Shown] = []
    last = None
    for year in range(rng.choice([2, 2, 3])):
        people = [number for number in everyone if rng.random() >= turnover]
        people = people if len(people) >= k else everyone
        try:
            made = sf.anonymize(draw_table(rng, people), spec)
        except sf.InfeasibleError:
            break
        raw = [*shown, _shown(made)]
        is_broken = bool(shown) and bool(intersecting.attack(raw, k, least))
        outcome.needed += is_broken
        file = folder / f"year{year}.csv"
        try:
            release = made.in_series(after=last, ledger=folder / "ledger.json")
            release.write(file)
        except sf.InfeasibleError:
            outcome.refused += 1
            break
        shown.append(intersecting.read(file, "tag", LABELS, "ill"))
        if last is not None:
            outcome.granted += 1
            outcome.withheld += release.rows != made.rows
            if is_broken and release.rows == made.rows:
                outcome.missed.append(f"seed {seed}, year {year}")
        found = intersecting.attack(shown, k, least)
        outcome.found += [f"seed {seed}, year {year}: {text}" for text in found]
        last = file
    return outcome


def _shown(made: sf.Release) -> intersecting.Shown:
    """Return what a release would show if nothing were checked."""
    rows: Any = made.frame
    return {row["tag"]: (tuple(str(row[name]) for name in LABELS), row["ill"]) for _, row in rows.iterrows()}


def run(seeds: range) -> tuple[Counter[str], list[str]]:
    """Play many series; return counts, and everything that an attack found."""
    counts: Counter[str] = Counter()
    found = []
    for done, seed in enumerate(seeds):
        if done and done % 100 == 0:
            print(f"{done} of {len(seeds)}: {dict(counts)}, found {len(found)}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            outcome = play(seed, Path(folder))
        for name in ("granted", "refused", "withheld", "needed"):
            counts[name] += getattr(outcome, name)
        found += [*outcome.found, *(f"not refused: {text}" for text in outcome.missed)]
    return counts, found


if __name__ == "__main__":
    begin, many = time.perf_counter(), int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    counted, broken = run(range(first, first + many))
    print(f"{many} series in {time.perf_counter() - begin:.0f} s: {dict(counted)}")
    print(*broken[:20], sep="\n")
    sys.exit(bool(broken))
