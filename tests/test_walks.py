"""From a public function to the first compiled loop it is a short way: at most eight calls."""

from __future__ import annotations

import json
import os
import subprocess
import sys

MOST = 8

# Kernels are plain functions where nothing is compiled, so that calls of them can be seen.
PROGRAM = """
import json, sys, threading
import pandas as pd
import sfumato as sf
from pathlib import Path

HOME = Path(sf.__file__).parent
AGES = [21, 25, 25, 33, 36, 36, 41, 48]
TABLE = pd.DataFrame({"age": AGES, "city": list("aabbabab"), "illness": list("xyxyxyxx")})
SPEC = sf.Spec.from_dict({
    "attributes": {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 20]}},
        "city": {"role": "quasi-identifier"},
        "illness": {"role": "sensitive"},
    },
    "suppression": {"limit": 0.3},
    "require": {"k": 2},
    "objectives": {"maximize": ["k"], "minimize": ["loss"]},
})

def walk(call):
    call()  # whatever is imported and set up once
    calls = []
    def see(frame, event, _):
        path = Path(frame.f_code.co_filename)
        if event != "call" or calls or path.parent != HOME / "kernels" or path.name.startswith("_"):
            return
        if frame.f_code.co_name == "<module>":
            return
        while frame is not None:
            path = Path(frame.f_code.co_filename)
            # A comprehension is no place that a reader has to jump to.
            if path.is_relative_to(HOME) and not frame.f_code.co_name.endswith("comp>"):
                calls.append(f"{path.relative_to(HOME).as_posix()}:{frame.f_code.co_name}")
            frame = frame.f_back
    threading.setprofile(see)
    sys.setprofile(see)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return calls[::-1]

print(json.dumps({
    "explore": walk(lambda: sf.explore(TABLE, SPEC, threads=1)),
    "anonymize": walk(lambda: sf.anonymize(TABLE, SPEC, threads=1)),
    "measure": walk(lambda: sf.measure(TABLE, ["age", "city"], ["illness"])),
    "microaggregate": walk(lambda: sf.microaggregate(TABLE, ["age"], k=2)),
}))
"""


def test_from_each_verb_to_its_first_kernel_there_are_at_most_eight_calls() -> None:
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
    )
    walks = json.loads(done.stdout)
    assert all(walks.values()), walks
    long = {verb: " → ".join(calls) for verb, calls in walks.items() if len(calls) > MOST}
    assert long == {}
