"""Interpreted and compiled kernels give the same numbers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import json
import numpy as np
from sfumato.classes import (
    Batch, CellCost, Property, PropertyKind, Recodings, Request, Rule, Suppression, Threshold,
)
from sfumato.domains import Cube, Ladder, Lattice
from sfumato.front import non_dominated

random = np.random.default_rng(3)
levels = np.array([[0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 0]], dtype=np.int32)
codes = random.integers(0, 4, (60, 3)).astype(np.int32)
secret = random.integers(0, 3, (60, 1)).astype(np.int32)
cube = Cube.sorted(
    ("a", "b", "c"), (4, 4, 4), codes, rows=random.integers(1, 4, 60), sensitive=("s",), sensitive_sizes=(3,),
    sensitive_codes=secret, persons=random.integers(0, 30, 60).astype(np.int32),
)
lattice = Lattice((Ladder.whole(levels),) * 3)
size = Property(PropertyKind.SIZE)
kinds = (PropertyKind.DISTINCT, PropertyKind.SQUARES, PropertyKind.T_EQUAL)
request = Request((size, *(Property(kind, 0) for kind in kinds)), tuple(CellCost), (Threshold(size, 2.0),))
out = []
for rule in Rule:
    for word_bits in (64, 4):
        batch = Batch(cube, lattice, request, Suppression(rule, 12), threads=2, word_bits=word_bits)
        found = batch.evaluate(lattice.nodes(0, lattice.size))
        front = non_dominated(np.nan_to_num(found.worst, posinf=9.0, neginf=-9.0))
        out.append([found.sums.tolist(), repr(found.worst.tolist()), front.tolist()])
        out.append(found.penalties.tolist())
        blocks = [np.stack([levels[2], levels[1], levels[0]])] * 3
        own = Recodings(cube, lattice, request, Suppression(rule, 12), threads=2, word_bits=word_bits)
        found = own.evaluate(blocks)
        out.append([found.sums.tolist(), repr(found.worst.tolist()), found.penalties.tolist()])
print(json.dumps(out))
"""


def _run(**environment: str) -> object:
    source = Path(__file__).resolve().parents[2] / "src"
    settings = {**os.environ, "PYTHONPATH": str(source), **environment}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=settings, capture_output=True, check=True, timeout=300
    )
    return json.loads(done.stdout)


def test_interpreted_equals_compiled() -> None:
    """Every rule, one and several words, persons and weights of cells."""
    assert _run(NUMBA_DISABLE_JIT="1") == _run(NUMBA_DISABLE_JIT="0")
