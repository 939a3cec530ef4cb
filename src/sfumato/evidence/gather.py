"""All that can be said for and against a release: what it promised, what was found, what it cost."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

import numpy as np

from sfumato.errors import DataError, SfumatoError
from sfumato.evidence.analyses import utility
from sfumato.evidence.attackers import risk
from sfumato.evidence.released import count_classes, masked_tuples, read_attributes
from sfumato.evidence.specification_text import specification_text
from sfumato.front import ClassSizes
from sfumato.table import open_source

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sfumato.evidence.released import ReleasedAttribute
    from sfumato.front import Front, Solution
    from sfumato.release import Recipe
    from sfumato.risks import Linkage, Risk, TableRisk
    from sfumato.spec import Spec
    from sfumato.table import Source
    from sfumato.table.tally import Tally
    from sfumato.utility.result import Utility

Found = TypeVar("Found")
Part: TypeAlias = Literal["front", "sizes", "risk", "utility", "attributes", "specification"]


@dataclass(frozen=True)
class Lack:
    """A part of the evidence that is not there: why, and how to get it."""

    part: Part
    why: str
    remedy: str

    def to_dict(self) -> dict[str, str]:
        """Return plain JSON."""
        return {"part": self.part, "why": self.why, "remedy": self.remedy}


@dataclass(frozen=True, kw_only=True)
class Subject:
    """The release that the evidence is about.

    Parameters
    ----------
    data
        Its rows: a frame, or the path of the file.
    verdict
        What the independent recount found, as `sfumato.verify` returns it.
    quasi_identifiers, sensitive
        The attributes that may be known to an outsider, and those that must not be learnt.
    file
        The name of its file; None where it is not written.
    recipe
        What was done; None for a microaggregated table.
    reference
        What a manifest states beside the file.
    groups
        Columns that were microaggregated together; none for other releases.
    versions
        Of what made it.
    """

    data: object
    verdict: Mapping[str, object]
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    file: str | None = None
    recipe: Recipe | None = None
    reference: Mapping[str, object] = field(default_factory=dict)
    groups: tuple[tuple[str, ...], ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Origin:
    """Where the release comes from.

    Parameters
    ----------
    data
        The original rows, a frame or a path.
    spec
        The specification; None where there was none.
    made
        A draft or a microaggregated table, which knows the rows before and after; None where there are files
        alone.
    """

    data: object
    spec: Spec | None = None
    made: object | None = None


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """All that can be said for and against a release; aggregates alone, and labels that it shows itself.

    Parameters
    ----------
    subject
        The release.
    sizes_before, sizes_after
        How rows are spread over classes, in rows.
    attributes
        What became of each quasi-identifier.
    risk
        What attackers achieve, before and after; None without the original.
    risk_alone
        What they achieve against the release, where nothing else is known.
    utility
        What analyses still give; None without the original.
    front, solution
        The front, and the number of the released solution where it is found in it.
    run
        How the release was searched for.
    spec
        The specification.
    left_out
        Columns of the original that the specification does not name.
    lacks
        What is not there.
    """

    subject: Subject
    sizes_after: ClassSizes
    sizes_before: ClassSizes | None = None
    attributes: tuple[ReleasedAttribute, ...] = ()
    risk: Risk | None = None
    risk_alone: TableRisk | None = None
    utility: Utility | None = None
    front: Front | None = None
    solution: int | None = None
    run: Mapping[str, object] = field(default_factory=dict)
    spec: Spec | None = None
    left_out: tuple[str, ...] = ()
    lacks: tuple[Lack, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the recount confirms the promise."""
        return bool(self.subject.verdict["holds"])

    @property
    def required_k(self) -> float | None:
        """The smallest class that is required; None where nothing is said about it."""
        require = self.subject.verdict.get("require")
        limit = require.get("k") if isinstance(require, dict) else None
        return float(limit) if isinstance(limit, int | float) else None

    @property
    def risk_before(self) -> TableRisk | None:
        """The risks of the original."""
        return None if self.risk is None else self.risk.before

    @property
    def risk_after(self) -> TableRisk | None:
        """The risks of the release."""
        return self.risk_alone if self.risk is None else self.risk.after

    @property
    def linkage(self) -> tuple[tuple[Linkage, ...], tuple[Linkage, ...]]:
        """Linkage attacks before and after."""
        return ((), ()) if self.risk is None else (self.risk.linkage_before, self.risk.linkage_after)

    def lack(self, part: Part) -> Lack | None:
        """Return why a part is not there; None where it is."""
        return next((item for item in self.lacks if item.part == part), None)

    def to_dict(self, *, show_values: bool = True) -> dict[str, object]:
        """Return the evidence as plain JSON.

        Parameters
        ----------
        show_values
            Whether labels of the release and confidential sentences are named. How values are spread in the
            original is never told, only how far the release is from it.
        """
        verdict = {key: value for key, value in self.subject.verdict.items() if key != "file"}
        return {
            "file": self.subject.file,
            "verdict": verdict,
            "quasi_identifiers": list(self.subject.quasi_identifiers),
            "sensitive": list(self.subject.sensitive),
            "class_sizes": {
                "before": _sizes_dict(self.sizes_before),
                "after": _sizes_dict(self.sizes_after),
            },
            "attributes": [item.to_dict(show_values=show_values) for item in self.attributes],
            "risk": None if self.risk is None else self.risk.to_dict(),
            "risk_of_release": None if self.risk_after is None else self.risk_after.to_dict(),
            "utility": None if self.utility is None else _without_distributions(self.utility),
            "left_out": list(self.left_out),
            "solution": self.solution,
            "solutions": None if self.front is None else len(self.front),
            "run": dict(self.run),
            "specification": self.specification(show_values=show_values),
            "versions": dict(self.subject.versions),
            "lacks": [item.to_dict() for item in self.lacks],
        }

    def specification(self, *, show_values: bool = True) -> str | None:
        """Return the specification as outsiders may read it; None where there is none."""
        return None if self.spec is None else specification_text(self.spec, show_values=show_values)


def _sizes_dict(sizes: ClassSizes | None) -> dict[str, object] | None:
    if sizes is None:
        return None
    thin = sizes.thinned()
    return {
        "smallest": sizes.sizes[0] if sizes.sizes else None,
        "classes": sum(sizes.classes),
        "rows": sizes.total,
        "sizes": list(thin.sizes),
        "rows_up_to": list(thin.cumulative),
    }


def _without_distributions(found: Utility) -> dict[str, object]:
    """Leave out how values are spread in the original: rare ones are few people."""
    told = found.to_dict(show_values=False)
    attributes = told["attributes"]
    assert isinstance(attributes, list)
    hidden = ("before", "after", "labels")
    told["attributes"] = [
        {key: value for key, value in item.items() if key not in hidden} for item in attributes
    ]
    return told


def gather(
    subject: Subject,
    origin: Origin | None = None,
    front: Front | None = None,
    *,
    run: Mapping[str, object] | None = None,
    lacks: Sequence[Lack] = (),
) -> Evidence:
    """Collect the evidence about a release.

    Parameters
    ----------
    subject
        The release.
    origin
        The original rows and the specification; without them only the release itself is judged.
    front
        The front that it was picked from.
    run
        How it was searched for; the front's where None.
    lacks
        What the caller knows to be missing.

    Returns
    -------
    Evidence
        What cannot be computed is among its ``lacks``.
    """
    released = _open_release(subject)
    base = Evidence(
        subject=subject,
        sizes_after=ClassSizes((), (), ()),
        front=front if front is not None and len(front) else None,
        solution=None if front is None else find_solution(front, subject),
        run=run if run is not None else {} if front is None else front.run,
        spec=None if origin is None else origin.spec,
        lacks=tuple(lacks),
    )
    absent = {*subject.quasi_identifiers, *subject.sensitive} - {*released.columns}
    if absent:
        return replace(base, lacks=(*lacks, *_without_columns(sorted(absent))))
    is_masked = _is_masked(subject)
    sizes, counted = count_classes(released, subject.quasi_identifiers, masked=is_masked)
    base = replace(base, sizes_after=sizes, attributes=_attributes(subject, counted, is_masked=is_masked))
    return _alone(base) if origin is None else _compared(base, origin)


def _without_columns(names: Sequence[str]) -> list[Lack]:
    """Return what cannot be told of a file that lacks columns it promises."""
    why = f"the file lacks what it promises to have: {', '.join(map(repr, names))}."
    parts: tuple[Part, ...] = ("sizes", "risk", "utility", "attributes")
    return [Lack(part, why, "Write the release again.") for part in parts]


def _is_masked(subject: Subject) -> bool:
    return subject.recipe is not None and subject.recipe.suppressed_output == "mask"


def _open_release(subject: Subject) -> Source:
    """Open the released rows, missing as the recipe says."""
    from sfumato.spec import DataSpec

    missing = ("",) if subject.recipe is None else subject.recipe.missing
    return open_source(subject.data, DataSpec(missing=missing))


def _attributes(subject: Subject, counted: Tally, *, is_masked: bool) -> tuple[ReleasedAttribute, ...]:
    if subject.recipe is None:
        return ()
    costs, rows = subject.reference.get("attributes"), subject.verdict.get("rows")
    return read_attributes(
        counted,
        subject.recipe,
        costs if isinstance(costs, dict) else {},
        rows if isinstance(rows, dict) else {},
        kept=~masked_tuples(counted) if is_masked else None,
    )


def _alone(base: Evidence) -> Evidence:
    """Add what attackers achieve against a release of which nothing else is known."""
    lacks = list(base.lacks)
    found = _try(lacks, "risk", lambda: _risk_alone(base.subject))
    return replace(base, risk_alone=found, lacks=tuple(lacks))


def _compared(base: Evidence, origin: Origin) -> Evidence:
    """Add what only the original tells."""
    subject, lacks = base.subject, list(base.lacks)
    original = open_source(origin.data, None if origin.spec is None else origin.spec.data)
    sizes = _try(lacks, "sizes", lambda: count_classes(original, subject.quasi_identifiers)[0])
    risks = _try(lacks, "risk", lambda: _risk(subject, origin))
    alone = _try([], "risk", lambda: _risk_alone(subject)) if risks is None else None
    analyses = _try(lacks, "utility", lambda: _utility(subject, origin))
    named = () if origin.spec is None else origin.spec.attributes
    return replace(
        base,
        sizes_before=sizes,
        risk=risks,
        risk_alone=alone,
        utility=analyses,
        left_out=tuple(name for name in original.columns if name not in named) if named else (),
        lacks=tuple(lacks),
    )


def _risk(subject: Subject, origin: Origin) -> Risk:
    """Let attackers try the original and the release."""
    return risk(
        origin.data,
        subject.quasi_identifiers,
        subject.sensitive,
        release=subject.data if origin.made is None else origin.made,
        downcoding=False,
        spec=origin.spec,
    )


def _risk_alone(subject: Subject) -> TableRisk:
    """Let attackers try the release alone.

    Raises
    ------
    DataError
        If its suppressed rows are masked: they are no class, and a table by itself does not say so.
    """
    if _is_masked(subject):
        raise DataError("rows that are * throughout cannot be set aside without the original.")
    return risk(_open_release(subject), subject.quasi_identifiers, subject.sensitive, subsets=False).before


def _utility(subject: Subject, origin: Origin) -> Utility:
    if origin.made is not None:
        return utility(origin.made)
    columns = [name for group in subject.groups for name in group]
    return utility(origin.data, subject.data, spec=origin.spec, recipe=subject.recipe, columns=columns)


def _try(lacks: list[Lack], part: Part, make: Callable[[], Found]) -> Found | None:
    """Make a part of the evidence; where it cannot be made, note why."""
    try:
        return make()
    except SfumatoError as error:
        # The message names counts and columns, never a value; the place may be a folder of this machine.
        lacks.append(
            Lack(part, error.message, "Use the data and the specification that the release came from.")
        )
        return None


def find_solution(front: Front, subject: Subject) -> int | None:
    """Return the number of the solution that a release is; None where none or several may be it.

    Levels decide; among solutions of equal levels, or of other schemes, so do suppressed rows and all
    measures that the release states.
    """
    recipe, rows = subject.recipe, subject.verdict.get("rows")
    if recipe is None:
        return None
    found = [item for item in front if _has_levels(item, recipe) and _has_measures(item, subject, rows)]
    return found[0].number if len(found) == 1 else None


def _has_levels(item: Solution, recipe: Recipe) -> bool:
    if set(item.recoding) != set(recipe.quasi_identifiers):
        return False
    levels = {name: level for name, level in item.recoding.items() if isinstance(level, int)}
    return all(recipe.attributes[name].level == level for name, level in levels.items())


def _has_measures(item: Solution, subject: Subject, rows: object) -> bool:
    stated = subject.verdict.get("stated")
    known = stated if isinstance(stated, dict) else {}
    counted = rows.get("suppressed") if isinstance(rows, dict) else None
    if known.get("suppressed", counted) not in (None, item.suppressed):
        return False
    return all(
        np.isclose(known[name], value, rtol=1e-9) for name, value in item.measures.items() if name in known
    )


__all__ = ["Evidence", "Lack", "Origin", "Part", "Subject", "find_solution", "gather"]
