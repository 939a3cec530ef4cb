"""Everything that can be said for and against a release: what it promised, what was found, what it cost."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, cast

import numpy as np

from sfumato.assess.analyses import utility
from sfumato.assess.attackers import attack, read_original, reading_of, survey_of
from sfumato.assess.cells import CodedTable, Survey
from sfumato.assess.exposure import Exposure, expose_draft, find_exposures
from sfumato.assess.left_out import AttributeLoss, find_left_out
from sfumato.assess.pairing import Released, open_release, recode_cells
from sfumato.assess.published import Lack, Published, Subject, attempt, count_classes, sizes_dict
from sfumato.assess.reidentification import Assumptions
from sfumato.table import Source, open_source
from sfumato.table.keys import Roles

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato.assess.risk_results import Linkage, Risk, TableRisk
    from sfumato.assess.utility import Utility
    from sfumato.front import ClassSizes, PlainFront, PlainSolution
    from sfumato.release import Generalization
    from sfumato.spec import Spec
    from sfumato.verifier.checks import Verdict

LEFT_OUT = "left out"
WIDEST = 90  # letters of a list that stands on one line
_LIST = re.compile(r"= \[\n((?: +[^\n]+,\n)+)\]")


def specification_text(spec: Spec, *, show_values: bool = True) -> str:
    """Return a specification as TOML that reveals nothing the release does not."""
    # Comments go, since they may hold anything; of paths the names of files stay; lists of values (trees,
    # orders, partitions) become their lengths; for whom a sentence is confidential is left out, as in a
    # manifest.
    import tomli_w

    tables = cast("dict[str, dict[str, object]]", spec.to_dict())
    data = tables.get("data", {})
    if "path" in data:
        data["path"] = file_name(str(data["path"]))
    # Anyone who knows it can repeat the draw among near-optimal releases.
    tables.get("release", {}).pop("seed", None)
    for attribute in cast("dict[str, dict[str, object]]", tables.get("attributes", {})).values():
        for key, noun in (("order", "values"), ("partitions", "partitions")):
            entries = attribute.get(key)
            if isinstance(entries, list | tuple):
                attribute[key] = f"{LEFT_OUT}: {len(entries)} {noun}"
        hierarchy = attribute.get("hierarchy")
        if isinstance(hierarchy, dict) and "file" in hierarchy:
            hierarchy["file"] = file_name(str(hierarchy["file"]))
        if isinstance(hierarchy, dict) and "tree" in hierarchy:
            hierarchy["tree"] = f"{LEFT_OUT}: {_leaves(hierarchy['tree'])} values"
    statements = cast("list[dict[str, object]]", tables.get("confidential", []))
    for statement in statements:
        for key in ("for", "record", *(() if show_values else ("sentence",))):
            if key in statement:
                statement[key] = LEFT_OUT

    def on_one_line(match: re.Match[str]) -> str:
        text = f"= [{', '.join(line.strip().removesuffix(',') for line in match[1].splitlines())}]"
        return text if len(text) <= WIDEST else match[0]

    return _LIST.sub(on_one_line, tomli_w.dumps(tables))


def _leaves(tree: object) -> int:
    if isinstance(tree, dict):
        return sum(_leaves(child) for child in tree.values())
    return sum(_leaves(child) for child in tree) if isinstance(tree, list | tuple) else 1


def file_name(path: str) -> str:
    """Return the name of a file without its folders, whichever system wrote them."""
    return PureWindowsPath(PurePosixPath(path).name).name or LEFT_OUT


ASSIGNED = (
    "Name the assignment that was written with the release (--assignment FILE); or, in Python, make the "
    "report from the release itself."
)
ADVICE = "Use the data and the specification that the release came from."


@dataclass(frozen=True)
class Origin:
    """Where the release comes from."""

    data: object  # the original rows, a frame or a path
    spec: Spec | None = None  # the specification; None where there was none
    # a draft or a microaggregated table, which knows the rows before and after; None where there are files
    # alone
    made: object | None = None
    assignment: object | None = None  # the private file that says which labels a local release gave whom


@dataclass(frozen=True, kw_only=True)
class Evidence(Published):
    """Everything that can be said for and against a release: the content of the internal report."""

    # Aggregates alone, and labels that the release shows itself; yet they count suppressed people too.
    sizes_before: ClassSizes | None = None  # how rows of the original are spread over classes
    risk: Risk | None = None  # what attackers achieve, before and after; None without the original
    utility: Utility | None = None  # what analyses still give; None without the original
    losses: tuple[AttributeLoss, ...] = ()  # suppressed rows by group; none where no row is suppressed
    # the front, and the number of the released solution where it is found in it
    front: PlainFront | None = None
    solution: int | None = None
    run: Mapping[str, object] = field(default_factory=dict)  # how the release was searched for
    spec: Spec | None = None  # the specification
    left_out: tuple[str, ...] = ()  # columns of the original that the specification does not name
    # measures over all rows, those that a manifest rounds or withholds included
    exact: Mapping[str, float] = field(default_factory=dict)

    @property
    def risk_before(self) -> TableRisk | None:
        """The risks of the original."""
        return None if self.risk is None else self.risk.before

    @property
    def risk_after(self) -> TableRisk | None:
        """The risks of the release."""
        return self.risk_alone if self.risk is None else self.risk.after

    @property
    def measures(self) -> dict[str, float]:
        """All measures, exact where those are known."""
        return {**super().measures, **self.exact}

    @property
    def linkage(self) -> tuple[tuple[Linkage, ...], tuple[Linkage, ...]]:
        """Linkage attacks before and after."""
        return ((), ()) if self.risk is None else (self.risk.linkage_before, self.risk.linkage_after)

    def to_dict(self, *, show_values: bool = True) -> dict[str, object]:
        """Return the evidence as plain JSON."""
        told: dict[str, object] | None = None
        if self.utility is not None:
            # How values are spread in the original is left out: rare ones are few people.
            told, hidden = self.utility.to_dict(show_values=False), ("before", "after", "labels")
            told["attributes"] = [
                {key: value for key, value in item.items() if key not in hidden}
                for item in cast("list[dict[str, object]]", told["attributes"])
            ]
        return {
            **super().to_dict(show_values=show_values),
            "class_sizes": {"before": sizes_dict(self.sizes_before), "after": sizes_dict(self.sizes_after)},
            "risk": None if self.risk is None else self.risk.to_dict(),
            "utility": told,
            "left_out": list(self.left_out),
            "suppressed_by_group": [item.to_dict(show_values=show_values) for item in self.losses],
            "exact": dict(self.exact),
            "solution": self.solution,
            "solutions": None if self.front is None else len(self.front),
            "run": dict(self.run),
            "specification": self.specification(show_values=show_values),
        }

    def specification(self, *, show_values: bool = True) -> str | None:
        """Return the specification as outsiders may read it; None where there is none."""
        return None if self.spec is None else specification_text(self.spec, show_values=show_values)


def gather(
    found: Published,
    origin: Origin | None = None,
    front: PlainFront | None = None,
    *,
    run: Mapping[str, object] | None = None,
    exact: Mapping[str, float] | None = None,
    lacks: Sequence[Lack] = (),
) -> Evidence:
    """Add what only the makers of a release know."""
    run = run if run is not None else {} if front is None else front.run
    number = None if front is None else find_solution(front, found.subject)
    if exact is None:
        exact = {} if front is None or number is None else dict(front[number - 1].measures)
    base = Evidence(
        **{**vars(found), "lacks": (*lacks, *found.lacks)},
        front=front if front is not None and len(front) else None,
        solution=number,
        run=run,
        exact=exact,
        spec=None if origin is None else origin.spec,
    )
    return base if origin is None or found.lack("sizes") else _compared(base, origin)


def _compared(base: Evidence, origin: Origin) -> Evidence:
    """Add measures that need the original data."""
    subject, lacks = base.subject, list(base.lacks)
    spec = origin.spec
    how = None if spec is None else spec.data
    released = open_release(subject.data if origin.made is None else origin.made)
    original = open_source(origin.data, reading_of(how, released))
    if origin.assignment is not None:
        released = released.assigned(original, origin.assignment)
    names, sensitive = subject.quasi_identifiers, subject.sensitive
    strata = () if how is None else how.strata
    survey, needed = survey_of(Survey(), how, released), (*sensitive, *strata)
    table = attempt(lacks, "risk", ADVICE, lambda: read_original(original, names, needed, released, survey))
    sizes = risks = losses = None
    if table is None:
        lacks.append(replace(lacks[-1], part="sizes"))
    else:
        sizes = count_classes(table.cells, names)
        both, columns = (original, table), (names, sensitive)
        attacked = partial(attack, both, columns, released, Assumptions(), spec=spec)
        risks = attempt(lacks, "risk", ADVICE, attacked)
        losses = attempt(lacks, "risk", _advice(released), lambda: _losses(table, original, released, strata))
    told = attempt(lacks, "risk", _advice(released), lambda: _exposures(original, released, spec))
    compare = partial(utility, released, origin.data, spec, origin.made)
    analyses = attempt(lacks, "utility", _advice(released), compare)
    named = () if spec is None else spec.attributes
    return replace(
        base,
        sizes_before=sizes,
        risk=risks,
        exposures=base.exposures if told is None else tuple(told),
        utility=analyses,
        losses=losses or (),
        left_out=tuple(name for name in original.columns if name not in named) if named else (),
        lacks=tuple(lacks),
    )


def _losses(
    table: CodedTable, original: Source, released: Released, strata: Sequence[str]
) -> tuple[AttributeLoss, ...]:
    """Count suppressed rows by group; a microaggregated table has none."""
    if released.recipe is None:
        return ()
    kept = recode_cells(table, original, released).released
    names = [*released.recipe.quasi_identifiers, *released.recipe.sensitive]
    return find_left_out(table, kept, names, strata)


def _exposures(original: Source, released: Released, spec: Spec | None) -> list[Exposure] | None:
    """Find what unchanged columns give away with the original at hand; None where roles are not known."""
    if released.draft is not None:
        return expose_draft(released.draft)
    recipe = released.recipe
    if recipe is None:
        return None
    # The recipe, not the specification, which may have been edited since.
    by_role: dict[str, list[str]] = {}
    for name in original.columns:
        by_role.setdefault(recipe.attributes[name].role if name in recipe.attributes else "", []).append(name)
    roles = Roles(
        recipe.quasi_identifiers,
        recipe.sensitive,
        tuple(by_role.get("identifier", ())),
        tuple(name for name in by_role.get("other", ()) if name != recipe.unit),
        recipe.unit if recipe.unit in original.columns else None,
        recipe.released,
        tuple(name for name in by_role.get("", ()) if name != recipe.unit),
        weight=None if spec is None else spec.data.weight,
    )
    return find_exposures(original, roles, recipe.require, released, roles.sensitive)


def _advice(released: Released) -> str:
    """Say what to do where something cannot be compared."""
    is_file = released.recipe is not None and released.recipe.is_local and released.draft is None
    return ASSIGNED if is_file else ADVICE


def find_solution(front: PlainFront, subject: Subject) -> int | None:
    """Return the number of the solution that a release is; None where none or several may be it."""
    # Levels, the smallest class and the number of suppressed rows decide. Among several, so do all measures
    # that the release states; a manifest may state some of them rounded, so they do not decide alone.
    recipe, verdict = subject.recipe, subject.verdict
    if recipe is None:
        return None
    found = [item for item in front if _is_like(item, recipe, verdict)]
    if len(found) > 1:
        known = verdict.stated
        found = [
            item
            for item in found
            if all(np.isclose(known[n], v, rtol=1e-9) for n, v in item.measures.items() if n in known)
        ]
    return found[0].number if len(found) == 1 else None


def _is_like(item: PlainSolution, recipe: Generalization, verdict: Verdict) -> bool:
    """Tell whether a solution has the levels of a release, its suppressed rows and its smallest class."""
    if set(item.recoding) != set(recipe.quasi_identifiers) or item.is_local != recipe.is_local:
        return False
    levels = {name: level for name, level in item.recoding.items() if isinstance(level, int)}
    suppressed, k = verdict.rows.get("suppressed"), verdict.measures.get("k")
    has_counts = suppressed in (None, item.suppressed) and k in (None, item.measures.get("k", k))
    return has_counts and all(recipe.attributes[name].level == level for name, level in levels.items())
