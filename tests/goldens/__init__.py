"""Goldens: every output of small runs, byte for byte.

``pytest --thorough tests/goldens`` runs all cases again and shows the first difference from
``expected/CASE/NAME``; a run without the option has a few of them.
``python -m tests.goldens.write [CASE ...]`` writes the files anew: do that only for outputs that
change on purpose, and read the diff before you commit it.

A case draws a small table, runs commands in this process (``sfumato.cli.main``) or public functions
(``sfumato.*``) in an empty folder, and keeps what they print and write. Nothing here knows internal modules,
so that these can move. What may differ between two runs is masked: times, versions, today's date, seals and
digests of files whose bytes depend on the version of a library. Numbers are compared to the last digit where
the goldens were written by the same libraries on the same kind of processor, else to twelve digits.
"""
