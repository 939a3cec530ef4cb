"""Whether a recount keeps a promise, in words."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from fractions import Fraction

from sfumato.verifier.checks import Check, broken, held, judged, unknown, violations_of
from sfumato.verifier.counting import larger_is_better
from sfumato.verifier.promise import Count, Promise, Recount, budget, plain_number

TOLERANCE = 1e-9
ZERO = 1e-12  # below this a float is a sum that should have been 0


def judge(recount: Recount, promise: Promise, *, on_seal: bool = False) -> list[Check]:
    """List everything that was promised or stated, and whether the file keeps it."""
    # Requirements on rational measures are judged exactly, against the decimal that is written; the entropy,
    # the protection, and numbers that are only stated, within a relative 1e-9. A required measure that needs
    # the original data (`hdm`) is judged by the number that is stated.
    found = [
        *judge_digest(recount.sha256, promise.sha256),
        *judge_columns(recount.columns, promise.columns),
        *_judge_rows(recount, promise),
        *_judge_required(recount, promise, on_seal),
        *_judge_stated(recount, promise),
        *recount.checks,
    ]
    told = set(violations_of(found))
    return found + [
        broken("reference", f"{text}.") for text in recount.contradictions if f"{text}." not in told
    ]


def holds(recount: Recount, promise: Promise, *, on_seal: bool = False) -> list[str]:
    """List what the file breaks of its promise."""
    return violations_of(judge(recount, promise, on_seal=on_seal))


def judge_digest(counted: str, stated: str | None) -> Iterator[Check]:
    """Compare the digest of the file with the stated one, if there is one."""
    if stated is not None and stated.lower() == counted:
        yield held("file digest", "the sha256 of the file is the stated one.")
    elif stated is not None:
        detail = "the file is not the one that was released: its sha256 differs from the manifest's."
        yield broken("file digest", detail)


def judge_columns(counted: Collection[str], promised: Collection[str] | None) -> Iterator[Check]:
    """Compare the columns of the file with the promised ones; without a promise nothing is said."""
    if promised is None:
        return
    more, fewer = sorted(set(counted) - set(promised)), sorted(set(promised) - set(counted))
    for name in more:
        yield broken("columns", f"the column {name!r} is in the file but should not be.")
    for name in fewer:
        yield broken("columns", f"the column {name!r} is missing from the file.")
    if not more and not fewer:
        yield held("columns", f"exactly the {len(set(counted))} columns that the recipe publishes.")


def _judge_rows(recount: Recount, promise: Promise) -> Iterator[Check]:
    if promise.rows is not None:
        for key in ("out", "suppressed"):
            stated, counted = promise.rows[key], recount.rows[key]
            yield judged(f"rows {key}", f"{stated} stated, {counted} counted.", is_held=stated == counted)
        came, out = promise.rows["in"], promise.rows["out"]
        if promise.output != "mask":
            yield unknown("rows in", f"{came} stated: the rows that were left out are not in the file.")
        elif out != came:
            yield broken("rows in", f"rows out: masking keeps all {came} rows, but {out} are stated.")
        else:
            counted = recount.rows["out"]
            yield held("rows in", f"{came} stated, {counted} counted: masking keeps all.")
    if promise.limit is None or promise.rule == "below-mean" or "in" not in recount.rows:
        return
    allowed = budget(promise.limit, recount.rows["in"])
    suppressed = recount.rows["suppressed"]
    found = f"at most {allowed} allowed, {suppressed} counted."
    yield judged("suppression limit", found, is_held=suppressed <= allowed, of="suppressed rows")


def _judge_required(recount: Recount, promise: Promise, on_seal: bool) -> Iterator[Check]:
    for name, limit in promise.require.items():
        wanted = f"{'at least' if larger_is_better(name) else 'at most'} {_show(limit)} promised"
        title = f"require {name}"
        if name in recount.counted:
            slack = recount.slack.get(name, Fraction(0))
            found = f"{wanted}, {_show(recount.counted[name])} counted{_within(slack)}."
            yield judged(title, found, is_held=_meets(name, recount.counted[name], limit, slack), of=name)
        elif name in recount.at_most and larger_is_better(name) and recount.at_most[name] < _exactly(limit):
            yield broken(title, f"{name}: {wanted}, but it cannot exceed {_show(recount.at_most[name])}.")
        else:
            yield _judge_unseen(recount, promise, name, wanted, on_seal=on_seal)


def _judge_unseen(recount: Recount, promise: Promise, name: str, wanted: str, *, on_seal: bool) -> Check:
    """Judge a requirement on a measure that the file does not show by the number that is stated."""
    title, limit, stated = f"require {name}", promise.require[name], promise.measures.get(name)
    reason = recount.not_recounted.get(name, "it was not requested")
    if name in promise.withheld and stated is None:
        return unknown(title, f"{wanted}, but its number is not published: {promise.withheld[name]}")
    is_met = stated is not None and _meets(name, float(stated), limit, promise.tolerance.get(name, 0.0))
    if name in recount.beforehand and stated is not None:
        # Nobody but the one who made the release can count it: fall back to the stated number.
        if not is_met:
            return broken(title, f"{name}: {wanted}, {_show(stated)} stated.")
    # Digest and stated number together vouch for what the file cannot show.
    elif not (on_seal and is_met and promise.sha256 and promise.sha256.lower() == recount.sha256):
        return broken(title, f"{name}: {wanted}, but it cannot be recounted: {reason}.")
    return unknown(title, f"{wanted}, {_show(stated or 0)} stated: {reason}.")


def _judge_stated(recount: Recount, promise: Promise) -> Iterator[Check]:
    for name, stated in promise.measures.items():
        if name in recount.counted:
            if stated is not None:
                slack, tolerance = recount.slack.get(name, Fraction(0)), promise.tolerance.get(name, 0.0)
                yield judge_number(name, stated, recount.counted[name], slack, tolerance)
            continue
        # Why a number cannot be counted, unless it is larger than possible.
        reason, most = recount.not_recounted.get(name, "it was not requested"), recount.at_most.get(name)
        if stated is None:
            yield unknown(name, f"{reason}.")
        elif most is not None and stated > most and not _is_close(stated, most):
            yield broken(name, f"{name}: {_show(stated)} stated, but it cannot exceed {_show(most)}.")
        else:
            yield unknown(name, f"{_show(stated)} stated: {reason}.")


def judge_number(
    name: str, stated: float, counted: Count, slack: Fraction = Fraction(0), tolerance: float = 0.0
) -> Check:
    """Compare a stated number with the counted one."""
    found = f"{_show(stated)} stated, {_show(counted)} counted{_within(slack)}."
    due = cautious(name, counted, slack)[0] if slack else counted
    ahead = _sign(name) * (float(due) - stated)
    is_held = _is_close(stated, due) or (not slack and 0 <= ahead <= tolerance + ZERO)
    return judged(name, found, is_held=is_held)


def cautious(name: str, counted: Count, slack: Fraction) -> tuple[float, float]:
    """Return what to state of a measure that may be off by a slack, and how much better it may be."""
    return float(counted - _sign(name) * slack), float(2 * slack)


def _sign(name: str) -> int:
    """Return 1 where larger is better, −1 where smaller is."""
    return 1 if larger_is_better(name) else -1


def _within(slack: Fraction) -> str:
    return f", within {_show(slack)} for the suppressed rows" if slack else ""


def _is_close(stated: float, counted: Count) -> bool:
    return math.isclose(stated, counted, rel_tol=TOLERANCE, abs_tol=ZERO)


def _meets(name: str, counted: Count, limit: float, slack: float | Fraction = 0) -> bool:
    sign = _sign(name)
    if slack:
        counted = counted + sign * slack
    if isinstance(counted, float):
        return math.isclose(counted, limit, rel_tol=TOLERANCE) or sign * counted >= sign * limit
    return sign * counted >= sign * _exactly(limit)


def _exactly(limit: float) -> Fraction:
    """Return the decimal that is written; yes is 1."""
    return Fraction(str(int(limit) if isinstance(limit, bool) else limit))


def _show(count: Count) -> str:
    return str(int(count)) if isinstance(count, int) else f"{plain_number(count):.12g}"
