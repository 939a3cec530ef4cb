"""Interpreted and compiled kernels give the same clusters."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import json
import numpy as np
from sfumato.kernels.mdav import mdav_plain
from sfumato.kernels.mdav_indexed import mdav_indexed
from sfumato.microaggregation import univariate, v_mdav

random = np.random.default_rng(3)
out = []
for values in (random.standard_normal((150, 3)), random.integers(0, 3, (150, 2)).astype(float)):
    out += [mdav_plain(values, 4), mdav_indexed(values, 4, 0.0), v_mdav(values, 4, gain=0.9)]
    out.append(univariate(values[:, 0], 4))
print(json.dumps([item.tolist() for item in out]))
"""


def _run(**environment: str) -> object:
    source = Path(__file__).resolve().parents[2] / "src"
    settings = {**os.environ, "PYTHONPATH": str(source), **environment}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=settings, capture_output=True, check=True, timeout=300
    )
    return json.loads(done.stdout)


def test_interpreted_equals_compiled() -> None:
    assert _run(NUMBA_DISABLE_JIT="1") == _run(NUMBA_DISABLE_JIT="0")
