"""Small tables with confidential sentences, for the oracle and for the package."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st

from sfumato.domains import Confidential, Cube
from sfumato.measures import Setting
from tests.oracles import confidentiality as oracle
from tests.strategies import Case, cases, tables


@dataclass(frozen=True, eq=False)
class Secret:
    """A table, and which sentences are true for and kept by each row."""

    case: Case
    truth: list[set[int]]
    kept: list[set[int]]
    damage: list[float]

    @property
    def persons(self) -> list[str] | None:
        return self.case.table.persons


@st.composite
def secret_tables(draw: st.DrawFn, *, most: int = 3, everyone: bool | None = None) -> Secret:
    """Draw a table with sentences over its sensitive attributes, and for whom they are confidential."""
    case = draw(cases(tables(max_attributes=3, min_sensitive=1)))
    count = draw(st.integers(1, most))
    names = list(case.sensitive_values)
    rows = [{name: case.table.sensitive[name][u] for name in names} for u in range(len(case.table.rows))]
    sentences = []
    for _ in range(count):
        name = draw(st.sampled_from(names))
        values = draw(st.lists(st.sampled_from(case.sensitive_values[name]), min_size=1, max_size=3))
        atom = ("in", name, tuple(values))
        sentences.append(("not", atom) if draw(st.booleans()) else atom)
    truth = [{i for i, sentence in enumerate(sentences) if oracle.holds(sentence, row)} for row in rows]
    for_all = draw(st.booleans()) if everyone is None else everyone
    kept = [
        set(range(count)) if for_all else draw(st.sets(st.integers(0, count - 1))) for _ in range(len(rows))
    ]
    damage = draw(st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=count, max_size=count))
    return Secret(case, truth, oracle.keep_of_persons(kept, case.table.persons), damage)


def cube_of(secret: Secret) -> Cube:
    """Make the cube with its hidden attribute."""
    case, count = secret.case, len(secret.damage)
    both = np.array(
        [
            [*(i in secret.truth[u] for i in range(count)), *(i in secret.kept[u] for i in range(count))]
            for u in range(len(secret.truth))
        ],
        dtype=np.uint8,
    )
    combinations, codes = np.unique(both, axis=0, return_inverse=True)
    cube = Cube.sorted(
        case.names,
        case.sizes,
        case.codes,
        rows=np.ones(len(case.codes), dtype=np.int64),
        sensitive=(*case.sensitive_values, ""),
        sensitive_sizes=(*map(len, case.sensitive_values.values()), len(combinations)),
        sensitive_codes=np.column_stack([case.sensitive_codes, codes.reshape(-1).astype(np.int32)]),
        persons=case.person_codes,
    )
    own = Confidential(combinations[:, :count] == 1, combinations[:, count:] == 1, np.array(secret.damage))
    return replace(cube, confidential=own)


def setting_of(secret: Secret, cube: Cube) -> Setting:
    """Make the setting with weights that differ."""
    weights = np.linspace(0.5, 2.0, len(secret.case.names))
    return Setting(
        secret.case.names, tuple(secret.case.sensitive_values), weights, confidential=cube.confidential
    )
