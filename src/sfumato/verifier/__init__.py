"""Recount a written release from scratch.

This room shares nothing with the search: it reads the file again, groups its rows with
plain SQL and computes every measure from its definition, in whole numbers and fractions.
It imports the engine and the errors, and nothing else of the package. Rows that Spark holds are grouped
there, and counted on here.

What is not published cannot be recounted from a release: persons, whose column is
removed, and whatever depends on original values. These measures are listed with the reason,
and a requirement on one of them fails unless a file that still carries the columns is
counted with it (`recount_beside`), or the caller trusts the digest (`holds(..., on_seal=True)`).
Measures that need the original data (``hdm``, and ``mean_k`` if it decides the suppression) cannot
be shown by any other file: the manifest states them as they were computed, and a requirement is
judged by these numbers.
"""

from sfumato.verifier.bags import FORMATS, hash_file, is_engine_output_error, release_suffix
from sfumato.verifier.checks import Check, violations_of
from sfumato.verifier.judging import cautious, holds, judge
from sfumato.verifier.promise import Promise, Recount
from sfumato.verifier.recounting import complete, recount, recount_beside, recount_both
from sfumato.verifier.sentences import Secret, stated_secrets
from sfumato.verifier.spark_rows import SparkRows
