"""A small release with everything that belongs to it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sfumato.release.manifest import Manifest, current_versions
from sfumato.release.recipe import Generalization, RecipeAttribute
from sfumato.release.reference import distribution, make_reference, recoded_attribute
from tests.release.oracle_release import write_csv

if TYPE_CHECKING:
    from pathlib import Path

    from sfumato.verifier import Promise, Recount

HEADER = ["age", "zip", "disease", "note"]
LINES: list[list[str | None]] = [
    ["30-39", "02139", "flu", "a"],
    ["30-39", "02139", "gout", "b"],
    ["30-39", "02139", "flu", "c"],
    ["40-49", "02139", "gout", "d"],
    ["40-49", "02139", "flu", "e"],
    ["40-49", "02139", None, "f"],
]
MEASURES = ("k", "distinct_l(disease)", "t(disease)", "loss", "dm", "suppressed")
REQUIRE = {"k": 3.0, "distinct_l(disease)": 2.0}
ROWS = {"in": 8, "out": 6, "suppressed": 2}


def make_recipe(**others: object) -> Generalization:
    attributes = {
        "name": RecipeAttribute("identifier"),
        "zip": RecipeAttribute("quasi-identifier", "category", 1.0, {"mask": 5}, "levels", level=0),
        "age": RecipeAttribute("quasi-identifier", "number", 2.0, {"intervals": [10]}, "levels", level=1),
        "disease": RecipeAttribute("sensitive", "category"),
        "note": RecipeAttribute("other"),
    }
    settings: dict[str, object] = {
        "limit": 0.25,
        "rule": "failing",
        "require": REQUIRE,
        "order": "input",  # LINES are not sorted
    }
    return Generalization(attributes, **{**settings, **others})  # type: ignore[arg-type]


def make_reference_of_release() -> dict[str, object]:
    zip_code = recoded_attribute(["02139", "02140"], [1, 1], level=0, height=5)
    age = recoded_attribute(["30-39", "40-49", "*"], [10, 10, 1], level=1, height=2, weight=2.0)
    disease = distribution(["flu", "gout", None], [4, 3, 1])
    return make_reference({"zip": zip_code, "age": age}, {"disease": disease})


def make_manifest_of(found: Recount, seen: Recount) -> Manifest:
    return Manifest(
        make_recipe().to_dict(),
        found.measures,
        REQUIRE,
        ROWS,
        seen.sha256,
        make_reference_of_release(),
        current_versions(),
    )


def make_promise() -> Promise:
    """Return the promise before the release: no digest, and no numbers stated."""
    blank = Manifest(make_recipe().to_dict(), {}, REQUIRE, ROWS, "0" * 64, make_reference_of_release(), {})
    return replace(blank.promise(), measures=dict.fromkeys(MEASURES), sha256=None)


def write_lines(path: Path) -> None:
    write_csv(path, HEADER, LINES)
