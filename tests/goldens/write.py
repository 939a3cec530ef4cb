"""Write the goldens anew: ``python -m tests.goldens.write [CASE ...]``."""

from __future__ import annotations

import sys
import tempfile
import time
import warnings
from pathlib import Path

from tests.goldens.cases import CASES, run_case
from tests.goldens.comparing import EXPECTED, WRITTEN_WITH, surroundings, write_expected


def main(names: list[str]) -> None:
    """Run cases, all where none is named, and write what they gave."""
    unknown = sorted(set(names) - set(CASES))
    if unknown:
        raise SystemExit(f"there is no case {unknown[0]!r}. There are: {', '.join(CASES)}")
    warnings.simplefilter("error")  # as the tests do
    for name in names or CASES:
        begin = time.process_time()
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / name
            place.mkdir()
            changed = write_expected(name, run_case(name, place))
        print(f"{name}: {time.process_time() - begin:.1f} s, changed: {', '.join(changed) or 'nothing'}")
    if not names:
        # Digits count only where all goldens come from one place.
        (EXPECTED / WRITTEN_WITH).write_text(surroundings(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
