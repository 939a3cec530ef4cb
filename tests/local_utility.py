"""What analyses give of global, scheme and local releases: the table in docs/local.md.

``python -m tests.local_utility`` writes it anew; tests/test_how_it_works.py checks that it is up to date.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import sfumato as sf
from sfumato.assess.analyses import utility
from sfumato.assess.pairing import open_release

PAGE = Path(__file__).parents[1] / "docs" / "local.md"
MARKS = re.compile(r"(<!-- utility: begin .*? -->\n).*?(\n<!-- utility: end -->)", re.DOTALL)
HEADINGS = (
    *("table", "recoding", "loss", "count, half of the queries off by", "distributions moved by"),
    *("associations changed by", "model"),
)
REGIONS = {"north": ["n1", "n2", "n3"], "south": ["s1", "s2"], "west": ["w1", "w2", "w3", "w4"]}
TRADES = {"care": ["nurse", "doctor", "carer"], "craft": ["smith", "joiner"], "office": ["clerk", "writer"]}


def leaves(tree: dict[str, list[str]]) -> list[str]:
    """Return the values of a tree of two levels."""
    return [leaf for names in tree.values() for leaf in names]


def census() -> tuple[pa.Table, dict[str, Any]]:
    """Return the first 2,000 rows of the embedded table with three quasi-identifiers."""
    files = sf.datasets.hierarchies()
    return sf.datasets.adult().slice(0, 2000), {
        "age": {"intervals": [5, 10, 20, 40], "bottom": 15, "top": 95},
        "education": {"file": str(files["education"])},
        "workclass": {"file": str(files["workclass"])},
        "salary-class": None,
    }


def clinic(rows: int = 1500) -> tuple[pa.Table, dict[str, Any]]:
    """Draw patients whose stay depends on age and region."""
    rng = np.random.default_rng(11)
    age = rng.integers(20, 90, rows)
    region = rng.choice(leaves(REGIONS), rows)
    long = rng.random(rows) < 0.1 + 0.6 * (age > 60) + 0.2 * (region == "s1")
    stay = np.where(long, "long", "short")
    return pa.table({"age": age, "region": region, "stay": stay}), {
        "age": {"intervals": [5, 10, 20, 40], "bottom": 20, "top": 90},
        "region": {"tree": REGIONS},
        "stay": None,
    }


def payroll(rows: int = 1500) -> tuple[pa.Table, dict[str, Any]]:
    """Draw employees whose union membership depends on trade and years of service."""
    rng = np.random.default_rng(12)
    years = rng.binomial(40, 0.3, rows)
    trade, region = rng.choice(leaves(TRADES), rows), rng.choice(leaves(REGIONS), rows)
    member = rng.random(rows) < np.where(np.isin(trade, TRADES["craft"]), 0.7, 0.2) + 0.01 * years
    union = np.where(member, "member", "none")
    return pa.table({"years": years, "trade": trade, "region": region, "union": union}), {
        "years": {"intervals": [2, 4, 8, 16], "bottom": 0, "top": 41},
        "trade": {"tree": TRADES},
        "region": {"tree": REGIONS},
        "union": None,
    }


def release(data: pa.Table, rules: dict[str, Any], kind: str) -> sf.Release:
    """Make the best release of k = 5 by levels, by cuts of the hierarchies, or by local recoding."""
    attributes: dict[str, Any] = {}
    for name, rule in rules.items():
        scheme = {"scheme": "cuts"} if kind == "cuts" else {}
        quasi = {"role": "quasi-identifier", "hierarchy": rule, **scheme}
        attributes[name] = {"role": "sensitive"} if rule is None else quasi
    spec: dict[str, Any] = {
        "attributes": attributes,
        "require": {"k": 5},
        "objectives": {"minimize": ["loss"]},
    }
    if kind == "local":
        spec |= {"recoding": {"scope": "local"}, "search": {"iterations": 60_000}}
    return sf.anonymize(data, sf.Spec.from_dict(spec))


def rows() -> list[list[str]]:
    """Return the rows of the table."""
    found = []
    for title, (data, rules) in {"census": census(), "clinic": clinic(), "payroll": payroll()}.items():
        for kind in ("levels", "cuts", "local"):
            made = release(data, rules, kind)
            told = utility(open_release(made._draft))
            assert told.queries is not None
            assert told.model is not None
            quasi = [item.distance for item in told.attributes if item.role == "quasi-identifier"]
            scores = [f"{100 * side['accuracy']:.0f} %" for side in (told.model.release, told.model.original)]
            found.append(
                [
                    title,
                    {"levels": "global, levels", "cuts": "global, cuts", "local": "local"}[kind],
                    f"{made.measures['loss']:.3f}",
                    f"{100 * told.queries.error.median:.0f} %",
                    f"{100 * float(np.mean(quasi)):.0f} %",
                    f"{told.association_change:.2f}",
                    f"{scores[0]} ({scores[1]})",
                ]
            )
    return found


def table() -> str:
    """Return the table as Markdown."""
    lines = [HEADINGS, ["---"] * len(HEADINGS), *rows()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def updated() -> str:
    """Return the page with the table made anew."""
    made = table()
    return MARKS.sub(lambda found: f"{found[1]}\n{made}\n{found[2]}", PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    PAGE.write_text(updated(), encoding="utf-8")
