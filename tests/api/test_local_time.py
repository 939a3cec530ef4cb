"""A time limit that is asked for is used; one that is not only ends the search."""

from __future__ import annotations

import time

import numpy as np
import pyarrow as pa

import sfumato as sf


def people() -> pa.Table:
    rng = np.random.default_rng(3)
    return pa.table({name: rng.integers(0, 30, 400) for name in ("age", "zip", "size")})


def asked(**search: object) -> sf.Spec:
    attributes = {name: {"role": "quasi-identifier"} for name in ("age", "zip", "size")}
    return sf.Spec.from_dict(
        {
            "attributes": attributes,
            "require": {"k": 5},
            "objectives": {"minimize": ["loss"]},
            "recoding": {"scope": "local"},
            "search": search,
        }
    )


def test_the_time_is_used_and_kept() -> None:
    data = people()
    sf.anonymize(data, asked(iterations=100))
    begin = time.process_time()  # on one thread: what else the machine does meanwhile is not used
    release = sf.anonymize(data, asked(time_limit=1.5), threads=1)
    assert time.process_time() - begin < 3.0
    assert release.run["seconds"] >= 1.0


def test_moves_are_the_same_everywhere() -> None:
    first, second = (sf.anonymize(people(), asked(iterations=2000, time_limit=50.0)) for _ in range(2))
    assert first.frame == second.frame
    alone, again = (sf.anonymize(people(), asked()) for _ in range(2))
    assert alone.frame == again.frame
