"""Whether a recount keeps a promise, in words."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from sfumato.release.verify.names import larger_is_better
from sfumato.release.verify.promise import budget, plain_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sfumato.release.verify.promise import Count, Promise, Recount

TOLERANCE = 1e-9
ZERO = 1e-12  # below this a float is a sum that should have been 0


def holds(recount: Recount, promise: Promise, *, on_seal: bool = False) -> list[str]:
    """List what the file breaks of its promise.

    Requirements on rational measures are judged exactly, against the decimal that is written;
    the entropy, the protection, and numbers that are only stated, within a relative 1e-9. A required
    measure that only the data before the release tell (``hdm``) is judged by the number that is stated.

    Parameters
    ----------
    recount
        What the file says.
    promise
        What was said of it.
    on_seal
        Accept a required measure that the file cannot show (persons, sentences) if the digest is
        the stated one and the number stated with it meets the requirement. Only for a file that
        was verified in full when it was written.

    Returns
    -------
    list of str
        One sentence for each violation, naming measure, promise and recount; empty if it holds.
    """
    return [
        *_judge_file(recount, promise),
        *_judge_rows(recount, promise),
        *_judge_required(recount, promise, on_seal),
        *_judge_stated(recount, promise),
        *(f"{text}." for text in recount.contradictions),
    ]


def _judge_file(recount: Recount, promise: Promise) -> Iterator[str]:
    if promise.sha256 is not None and promise.sha256.lower() != recount.sha256:
        yield "the file is not the one that was released: its sha256 differs from the manifest's."
    if promise.columns is None:
        return
    for name in sorted(set(recount.columns) - set(promise.columns)):
        yield f"the column {name!r} is in the file and should not be."
    for name in sorted(set(promise.columns) - set(recount.columns)):
        yield f"the column {name!r} should be in the file and is not."


def _judge_rows(recount: Recount, promise: Promise) -> Iterator[str]:
    if promise.rows is not None:
        for key in ("out", "suppressed"):
            if recount.rows[key] != promise.rows[key]:
                yield f"rows {key}: {promise.rows[key]} stated, {recount.rows[key]} counted."
        if promise.output == "mask" and promise.rows["out"] != promise.rows["in"]:
            yield f"rows out: masking keeps all {promise.rows['in']} rows, {promise.rows['out']} stated."
    if promise.limit is None or promise.rule == "below-mean" or "in" not in recount.rows:
        return
    allowed = budget(promise.limit, recount.rows["in"])
    if recount.rows["suppressed"] > allowed:
        yield f"suppressed rows: at most {allowed} allowed, {recount.rows['suppressed']} counted."


def _judge_required(recount: Recount, promise: Promise, on_seal: bool) -> Iterator[str]:
    for name, limit in promise.require.items():
        wanted = f"{'at least' if larger_is_better(name) else 'at most'} {_show(limit)} promised"
        if name in recount.counted:
            if not _meets(name, recount.counted[name], limit):
                yield f"{name}: {wanted}, {_show(recount.counted[name])} counted."
        elif name in recount.at_most and larger_is_better(name) and recount.at_most[name] < _exactly(limit):
            yield f"{name}: {wanted}, and it cannot exceed {_show(recount.at_most[name])}."
        elif name in recount.beforehand and promise.measures.get(name) is not None:
            # Nobody but the one who made the release can count it: the stated number has to do.
            stated = float(promise.measures[name] or 0)
            if not _meets(name, stated, limit):
                yield f"{name}: {wanted}, {_show(stated)} stated."
        elif not (on_seal and _is_sealed(recount, promise, name, limit)):
            reason = recount.not_recounted.get(name, "nobody asked for it")
            yield f"{name}: {wanted}, and it cannot be recounted: {reason}."


def _judge_stated(recount: Recount, promise: Promise) -> Iterator[str]:
    for name, stated in promise.measures.items():
        counted = recount.counted.get(name)
        if stated is None or counted is None:
            continue
        if not math.isclose(stated, counted, rel_tol=TOLERANCE, abs_tol=ZERO):
            yield f"{name}: {_show(stated)} stated, {_show(counted)} counted."


def _meets(name: str, counted: Count, limit: float) -> bool:
    if isinstance(counted, float):
        if math.isclose(counted, limit, rel_tol=TOLERANCE):
            return True
        return counted >= limit if larger_is_better(name) else counted <= limit
    return counted >= _exactly(limit) if larger_is_better(name) else counted <= _exactly(limit)


def _exactly(limit: float) -> Fraction:
    """Return the decimal that is written; yes is 1."""
    return Fraction(str(int(limit) if isinstance(limit, bool) else limit))


def _is_sealed(recount: Recount, promise: Promise, name: str, limit: float) -> bool:
    """Tell whether digest and stated number vouch for a measure that the file cannot show."""
    stated = promise.measures.get(name)
    if stated is None or promise.sha256 is None or promise.sha256.lower() != recount.sha256:
        return False
    return _meets(name, float(stated), limit)


def _show(count: Count) -> str:
    return str(int(count)) if isinstance(count, int) else f"{plain_number(count):.12g}"


__all__ = ["holds"]
