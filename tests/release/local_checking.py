"""``python -m tests.release.local_checking --count 5000``: drawn local releases, held against the oracle."""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from tests.release.test_local_release import check_seeds

PIECE = 100


def main() -> None:
    """Check as many drawn tables as asked for; the first release that is wrong ends it with its seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5000, help="releases to check")
    parser.add_argument("--begin", type=int, default=0, help="the first seed")
    asked = parser.parse_args()
    made, seed, begin = 0, asked.begin, time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        while made < asked.count:
            made += check_seeds(range(seed, seed + PIECE), Path(folder), every=10)
            seed += PIECE
            print(f"{made:,} releases of {seed - asked.begin:,} tables, 0 wrong", flush=True)
    print(f"{time.perf_counter() - begin:.0f} s; what could not be released met no requirement")


if __name__ == "__main__":
    main()
