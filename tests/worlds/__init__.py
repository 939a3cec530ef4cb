"""Two worlds that differ in hidden cells alone must publish the same bytes.

``python -m tests.worlds.run --count 10000 --seed 1`` draws tables and compares; ``--only SEED`` shows one
of them with its diff, ``--kind TEXT`` the first difference of one kind, ``--change NAME`` makes one change
alone.
"""
