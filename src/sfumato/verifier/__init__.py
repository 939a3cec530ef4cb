"""Recount a written release from scratch.

This room shares nothing with the search: it reads the file again, groups its rows with
plain SQL and computes every measure from its definition, in whole numbers and fractions.
It imports the engine and the errors, and nothing else of the package.

What stays out of a release cannot be recounted from it: persons, whose column does not
leave, and whatever depends on original values. Such measures are listed with the reason,
and a requirement on one of them fails unless a file that still carries the columns is
counted beside it (`recount_beside`), or the caller trusts the digest (`holds(..., on_seal=True)`).
What only the data before the release tell (``hdm``, and ``mean_k`` where it decides the suppression)
no file beside it can show: the manifest states it as it was computed, and a requirement is
judged by that.
"""

from sfumato.verifier.bags import FORMATS, hash_file, is_engine_output_error, release_suffix
from sfumato.verifier.checks import Check, violations_of
from sfumato.verifier.judging import cautious, holds, judge
from sfumato.verifier.promise import Promise, Recount
from sfumato.verifier.recounting import complete, recount, recount_beside, recount_both
from sfumato.verifier.sentences import Secret, stated_secrets

__all__ = [
    "FORMATS",
    "Check",
    "Promise",
    "Recount",
    "Secret",
    "cautious",
    "complete",
    "hash_file",
    "holds",
    "is_engine_output_error",
    "judge",
    "recount",
    "recount_beside",
    "recount_both",
    "release_suffix",
    "stated_secrets",
    "violations_of",
]
