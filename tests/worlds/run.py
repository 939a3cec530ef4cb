"""``python -m tests.worlds.run``: thousands of drawn tables, and the kinds of differences found in them."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.worlds.comparing import unified
from tests.worlds.examining import examine
from tests.worlds.microaggregating import examine_microaggregation
from tests.worlds.tables import CHANGES

if TYPE_CHECKING:
    from tests.worlds.examining import Outcome

REPORT_EVERY, MICRO_EVERY = 50, 20


@dataclass
class Summary:
    """What was found so far."""

    compared: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    examples: dict[str, tuple[str, str, str, str]] = field(default_factory=dict)
    changes: dict[str, Counter[str]] = field(default_factory=dict)
    clean: int = 0

    def add(self, outcome: Outcome) -> None:
        """Count what became of one seed."""
        if outcome.rejected is not None:
            self.rejected[outcome.rejected] += 1
            self.examples.setdefault(outcome.rejected, (outcome.case.seed, "", "", ""))
            return
        self.compared += 1
        # No number that is published depends on hidden cells, so that even a rounding step is a difference.
        real = {item.kind: item for item in outcome.differences}
        self.clean += not real
        for kind, item in real.items():
            self.kinds[kind] += 1
            self.changes.setdefault(kind, Counter())[outcome.case.change] += 1
            self.examples.setdefault(kind, (outcome.case.seed, outcome.shape, item.first, item.second))

    def print(self, seconds: float, cpu: float) -> None:
        """Say what was found, most frequent kind first."""
        drawn = self.compared + sum(self.rejected.values())
        print(
            f"\n{drawn} tables drawn, {self.compared} compared, {self.clean} without any difference; "
            f"{drawn / max(seconds, 1e-9):.2f} drawn per second, {cpu / max(drawn, 1):.3f} s of one core each"
        )
        for reason, count in self.rejected.most_common(12):
            print(f"  rejected {count:6d}  {reason} ({self.examples[reason][0]})")
        for kind, count in self.kinds.most_common():
            seed, shape, first, second = self.examples[kind]
            causes = ", ".join(f"{name} {times}" for name, times in self.changes[kind].most_common(4))
            print(f"{count:6d}  {kind}\n        changes: {causes}\n        --only {seed}   {shape}")
            print(f"        {first[:150]!r}\n        {second[:150]!r}")


def main(arguments: list[str] | None = None) -> int:
    """Run the generator; status 1 if any world differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.worlds.run", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="tables to draw")
    parser.add_argument("--seed", type=int, default=1, help="begins the seed of every table")
    parser.add_argument("--only", metavar="SEED", help="one table alone, such as 1:57, with its diff")
    parser.add_argument("--kind", help="only differences whose kind holds this text; prints the first diff")
    parser.add_argument("--change", choices=sorted(CHANGES), help="change this in every table that allows it")
    parser.add_argument("--time-limit", type=float, default=None, help="seconds after which it stops")
    parser.add_argument("--report-every", type=int, default=REPORT_EVERY, help="tables per compared report")
    given = parser.parse_args(arguments)
    if given.only:
        if given.only.endswith(":micro"):
            outcome = examine_microaggregation(given.only)
        else:
            outcome = examine(given.only, given.change, with_report=True)
        _show(outcome)
        return int(bool(outcome.differences))
    return _run(given)


def _run(given: argparse.Namespace) -> int:
    summary, begin, cpu, shown = Summary(), time.perf_counter(), time.process_time(), False
    for number in range(given.count):
        seconds = time.perf_counter() - begin
        if given.time_limit is not None and seconds > given.time_limit:
            break
        outcome = _examine_one(given, number)
        if given.kind:
            outcome.differences = [item for item in outcome.differences if given.kind in item.kind]
        summary.add(outcome)
        if outcome.differences:
            print(f"{outcome.case.seed}: {outcome.differences[0].kind}", file=sys.stderr, flush=True)
        if given.kind and outcome.differences and not shown:
            shown = True
            _show(outcome)
        if sys.stderr.isatty() or number % 100 == 99:
            counts = f"{number + 1} drawn, {summary.compared} compared, {len(summary.kinds)} kinds"
            line = f"{counts}, {seconds:.0f} s"
            print(line, end="\r" if sys.stderr.isatty() else "\n", file=sys.stderr, flush=True)
    summary.print(time.perf_counter() - begin, time.process_time() - cpu)
    return int(bool(summary.kinds))


def _examine_one(given: argparse.Namespace, number: int) -> Outcome:
    """Examine one seed; every twentieth table is microaggregated, unless one change alone is asked for."""
    seed = f"{given.seed}:{number}"
    if number % MICRO_EVERY == MICRO_EVERY - 1 and not given.change:
        return examine_microaggregation(f"{seed}:micro")
    return examine(seed, given.change, with_report=number % given.report_every == 0)


def _show(outcome: Outcome) -> None:
    print(f"{outcome.case.seed}: {outcome.shape}")
    if outcome.rejected is not None or outcome.worlds is None:
        print(f"rejected: {outcome.rejected}")
        return
    for item in outcome.differences:
        step = " (a step)" if item.is_step else ""
        print(f"  {item.kind}{step}: {item.first[:150]!r} / {item.second[:150]!r}")
    print(unified(*outcome.worlds))


if __name__ == "__main__":
    raise SystemExit(main())
