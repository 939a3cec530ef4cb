"""The running example in full, the whole way through the product."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

import sfumato as sf
from sfumato.preparing import load, make_problem
from sfumato.search.granulation_ga import BinaryCode, exchange
from studies.granulation import paper
from studies.granulation.searches import Whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.search import GranulationParameters
    from studies.common.results import Results

Q = "quasi-identifier"
OUTPUTS = {"born": "median", "zip": "median", "height": "mean"}


def table() -> pa.Table:
    """Return Figure 1."""
    return pa.table({name: [row[a] for row in paper.TABLE] for a, name in enumerate(paper.NAMES)})


def specification(
    *,
    sentences: Sequence[dict[str, object]] = (),
    node: Sequence[int] | None = None,
    statistics: bool = False,
    require: dict[str, float] | None = None,
) -> sf.Spec:
    """Return the specification of the running example.

    Parameters
    ----------
    sentences
        What is confidential.
    node
        The one recoding that is allowed; all where None.
    statistics
        Whether medians and means are released rather than labels.
    require
        What must hold.
    """
    attributes: dict[str, dict[str, object]] = {
        "born": {"role": Q, "hierarchy": {"dates": ["month", "year"]}},
        "zip": {"role": Q, "hierarchy": {"mask": 5}},
        "height": {"role": Q, "hierarchy": {"intervals": [5, 10, 20]}},
    }
    for name, level in zip(attributes, node or (), strict=False):
        attributes[name]["levels"] = [level, level]
    if statistics:
        for name, output in OUTPUTS.items():
            attributes[name]["output"] = output
    return sf.Spec.from_dict(
        {
            "attributes": attributes | {"income": {"role": "sensitive"}, "health": {"role": "sensitive"}},
            "confidential": list(sentences),
            "require": require or {"secure": 1},
            "objectives": {"minimize": ["loss"]},
        }
    )


def measure(seeds: Sequence[int], parameters: GranulationParameters) -> Results:
    """Run everything that the paper shows on its table."""
    for_all = [{"sentence": paper.SECRET}]
    problem = make_problem(load(table(), specification(sentences=for_all)), ("sf", "ql"), ())
    whole = Whole(problem)
    points = np.column_stack([whole.unsuppressed, whole.secure])
    released = _released(statistics=False)
    return {
        "figure_2": released,
        "figure_4": _released(statistics=True),
        "classes": _classes(released),
        "chosen": {"everyone": _is_secure(for_all), "first": _is_secure([_of_first()])},
        "codes": _codes(),
        "points": np.round(points, 6),
        **whole.describe(),
        **whole.compare(seeds, parameters),
    }


def _of_first() -> dict[str, object]:
    return {"sentence": paper.OF_FIRST, "record": 1}


def _released(*, statistics: bool) -> list[list[object]]:
    """Release the chosen recoding, verified, and return its quasi-identifiers row by row."""
    spec = specification(node=paper.CHOSEN, statistics=statistics, require={"k": 3})
    release = sf.anonymize(table(), spec)
    release.verify()
    frame = release.frame
    assert isinstance(frame, pa.Table)
    columns = [frame.column(name).to_pylist() for name in OUTPUTS]
    return [list(row) for row in zip(*columns, strict=True)]


def _classes(released: list[list[object]]) -> list[list[int]]:
    """Return the persons who cannot be told apart in a release."""
    found: dict[tuple[object, ...], list[int]] = {}
    for person, row in enumerate(released, start=1):
        found.setdefault(tuple(row), []).append(person)
    return list(found.values())


def _is_secure(sentences: list[dict[str, object]]) -> bool:
    """Tell whether the chosen recoding is secure."""
    prepared = load(table(), specification(sentences=sentences, node=paper.CHOSEN))
    problem = make_problem(prepared, (), ("loss",))
    return bool(problem.feasible(problem.batch(1).evaluate(problem.lattice.bottom[None]))[0])


def _codes() -> Results:
    """Return the code of the chosen recoding, the crossover and its repair."""
    code = BinaryCode(tuple(map(len, paper.PARTITIONS.values())))
    first, second = _bits(paper.PARENTS[0]), _bits(paper.PARENTS[1])
    children = np.concatenate(exchange(first, second, np.array([3]), np.array([code.length])))
    return {
        "chosen": _texts(code.encode(np.array([paper.CHOSEN])))[0],
        "children": _texts(children),
        "repaired": _texts(code.repair(children)),
    }


def _bits(text: str) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    return np.array([[int(letter) for letter in text]], dtype=np.uint8)


def _texts(codes: np.ndarray[tuple[int, int], np.dtype[np.uint8]]) -> list[str]:
    return ["".join(map(str, code)) for code in codes.tolist()]


__all__ = ["OUTPUTS", "measure", "specification", "table"]
