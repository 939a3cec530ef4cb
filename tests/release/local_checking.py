"""``python -m tests.release.local_checking --count 5000``: drawn local releases, held against the oracle.

Every release is checked as a frame; one of ``--every`` is also written, checked as a file and verified with
its data, which takes five times as long. ``--every 1`` writes them all.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import count
from pathlib import Path

from tests.release.test_local_release import check_seeds

PIECE = 25


def check_piece(begin: int, every: int) -> int:
    """Check the tables of some seeds; return how many could be released."""
    with tempfile.TemporaryDirectory() as folder:
        return check_seeds(range(begin, begin + PIECE), Path(folder), every=every)


def main() -> None:
    """Check as many drawn tables as asked for; the first release that is wrong ends it with its seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5000, help="releases to check")
    parser.add_argument("--begin", type=int, default=0, help="the first seed")
    parser.add_argument("--every", type=int, default=11, help="of so many, one is written and verified")
    parser.add_argument(
        "--processes", type=int, default=os.cpu_count() or 1, help="by default one for each core"
    )
    asked = parser.parse_args()
    made, begin = 0, time.perf_counter()
    with ProcessPoolExecutor(asked.processes) as pool:
        seeds, pieces = count(asked.begin, PIECE), []
        while made < asked.count:
            while len(pieces) < 2 * asked.processes:
                pieces.append(pool.submit(check_piece, next(seeds), asked.every))
            made += pieces.pop(0).result()
            print(f"{made:,} releases, 0 wrong, {time.perf_counter() - begin:.0f} s", flush=True)
        pool.shutdown(cancel_futures=True)
    print("what could not be released met no requirement")


if __name__ == "__main__":
    main()
