"""What anyone can find out about a release who holds FILE and FILE.json, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar, cast

import numpy as np

from sfumato.errors import SfumatoError, VerificationError
from sfumato.evidence.likeness import find_positions
from sfumato.evidence.released import count_classes, masked_tuples, read_attributes
from sfumato.front import ClassSizes
from sfumato.hierarchies import ROOT
from sfumato.release import Manifest, Recipe, audit_release, manifest_path
from sfumato.release.microaggregated import MicroRecipe, is_microaggregated
from sfumato.release.stable_json import load_json_object
from sfumato.risks.assess import Assumptions, assess
from sfumato.risks.cells import read_cells
from sfumato.spec import DataSpec
from sfumato.table import open_source

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from sfumato.evidence.released import ReleasedAttribute
    from sfumato.risks import TableRisk
    from sfumato.table import Source
    from sfumato.table.tally import Tally

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
    """The release that the evidence is about, as FILE and FILE.json describe it."""

    data: Path  # the path of its file
    verdict: Mapping[str, object]  # what the independent recount found, as `sfumato.verify` returns it
    # the attributes that may be known to an outsider, and those that must not be learnt
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    file: str | None = None  # the name of its file; None where it is not written
    # what was done to a generalized or to a microaggregated table; the other is None
    recipe: Recipe | None = None
    micro: MicroRecipe | None = None
    columns: tuple[str, ...] = ()  # all columns that are published
    reference: Mapping[str, object] = field(default_factory=dict)  # what a manifest states beside the file
    # how the rows were released: their order, and how the solution was chosen where it says so
    release: Mapping[str, object] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)  # of what made it

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Columns that were microaggregated together; none for other releases."""
        return () if self.micro is None else self.micro.groups

    @property
    def has_persons(self) -> bool:
        """Whether what is required counts persons, who may have several rows."""
        return self.recipe is not None and self.recipe.person is not None

    @property
    def is_masked(self) -> bool:
        """Whether suppressed rows stand in the file, as ``*`` throughout."""
        return self.recipe is not None and self.recipe.suppressed_output == "mask"


@dataclass(frozen=True, kw_only=True)
class Published:
    """What follows from the released rows and their manifest: the content of the external report."""

    subject: Subject  # the release
    # how released rows are spread over classes, in rows
    sizes_after: ClassSizes = field(default_factory=lambda: ClassSizes((), (), ()))
    attributes: tuple[ReleasedAttribute, ...] = ()  # the labels of each quasi-identifier
    # what attackers achieve who know nothing but the release; counted in rows
    risk_alone: TableRisk | None = None
    withheld: Mapping[str, str] = field(default_factory=dict)  # measure → why the manifest does not state it
    lacks: tuple[Lack, ...] = ()  # what is not there

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
    def sizes_before(self) -> ClassSizes | None:
        """Sizes of the original's classes, which the published files do not tell."""
        return None

    @property
    def risk_before(self) -> TableRisk | None:
        """The risks of the original, which the published files do not tell."""
        return None

    @property
    def risk_after(self) -> TableRisk | None:
        """The risks of the release."""
        return self.risk_alone

    @property
    def measures(self) -> dict[str, float]:
        """The measures that may be shown: those that the manifest states."""
        stated = cast("Mapping[str, object]", self.subject.verdict.get("stated") or {})
        return {name: float(number) for name, number in stated.items() if isinstance(number, int | float)}

    def lack(self, part: Part) -> Lack | None:
        """Return why a part is not there; None where it is."""
        return next((item for item in self.lacks if item.part == part), None)

    def to_dict(self, *, show_values: bool = True) -> dict[str, object]:
        """Return plain JSON."""
        verdict = {key: value for key, value in self.subject.verdict.items() if key != "file"}
        return {
            "file": self.subject.file,
            "verdict": verdict,
            "quasi_identifiers": list(self.subject.quasi_identifiers),
            "sensitive": list(self.subject.sensitive),
            "class_sizes": {"after": sizes_dict(self.sizes_after)},
            "attributes": [item.to_dict(show_values=show_values) for item in self.attributes],
            "risk_of_release": None if self.risk_after is None else self.risk_after.to_dict(),
            "withheld": dict(self.withheld),
            "versions": dict(self.subject.versions),
            "lacks": [item.to_dict() for item in self.lacks],
        }


def sizes_dict(sizes: ClassSizes | None) -> dict[str, object] | None:
    """Return sizes of classes as plain JSON."""
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


def published(file: Path) -> Published:
    """Read a release back, recount it, and find out what it shows of itself.

    This takes nothing but the path of FILE, with FILE.json beside it, so that nothing else can get into
    what is made from it.
    """
    subject = read_subject(file)
    withheld = load_json_object(manifest_path(file)).get("withheld")
    reasons = {name: str(why) for name, why in withheld.items()} if isinstance(withheld, dict) else {}
    done = subject.recipe or subject.micro
    source = open_source(file, DataSpec() if done is None else DataSpec(missing=done.missing))
    absent = {*subject.quasi_identifiers, *subject.sensitive} - {*source.columns}
    if absent:
        return Published(subject=subject, withheld=reasons, lacks=_without_columns(sorted(absent)))
    sizes, counted = count_classes(source, subject.quasi_identifiers, masked=subject.is_masked)
    lacks: list[Lack] = []
    return Published(
        subject=subject,
        sizes_after=sizes,
        attributes=_attributes(subject, counted),
        risk_alone=attempt(lacks, "risk", "Verify the file.", lambda: _risk(subject, source)),
        withheld=reasons,
        lacks=tuple(lacks),
    )


def _without_columns(names: Sequence[str]) -> tuple[Lack, ...]:
    """Return what cannot be told of a file that does not have the columns it promises."""
    why = f"the file does not have the columns it promises: {', '.join(map(repr, names))}."
    parts: tuple[Part, ...] = ("sizes", "risk", "utility", "attributes")
    return tuple(Lack(part, why, "Write the release again.") for part in parts)


def _attributes(subject: Subject, counted: Tally) -> tuple[ReleasedAttribute, ...]:
    if subject.recipe is None:
        return ()
    return read_attributes(
        counted,
        subject.recipe,
        _mapping(subject.reference.get("attributes")),
        cast("Mapping[str, int]", _mapping(subject.verdict.get("rows"))),
        kept=~masked_tuples(counted) if subject.is_masked else None,
    )


def _risk(subject: Subject, source: Source) -> TableRisk:
    """Let attackers try the released rows; suppressed ones that stand there as ``*`` are nobody."""
    names = subject.quasi_identifiers
    table = read_cells(source, (*names, *subject.sensitive))
    cells = table.cells
    if subject.is_masked:
        stars = [np.array([text == ROOT for text in table.texts(name)])[cells.codes[name]] for name in names]
        cells = cells.keep(~np.all(stars, axis=0))
    assumed = Assumptions(positions=find_positions(table, subject.sensitive, {}))
    return assess(cells, names, subject.sensitive, assumed)


def attempt(lacks: list[Lack], part: Part, remedy: str, make: Callable[[], Found]) -> Found | None:
    """Make a part of the evidence; where it cannot be made, note why."""
    try:
        return make()
    except SfumatoError as error:
        # The message names counts and columns, never a value; the place may be a folder of this machine.
        lacks.append(Lack(part, error.message, remedy))
        return None


def read_subject(file: Path) -> Subject:
    """Recount a released file, and return it as what the evidence is about."""
    manifest, verdict = Manifest.load(manifest_path(file)), judge_file(file)
    choice = load_json_object(manifest_path(file)).get("choice")
    release = {**_mapping(manifest.recipe.get("release")), **({} if choice is None else {"choice": choice})}
    if is_microaggregated(manifest):
        micro = MicroRecipe.from_dict(manifest.recipe)
        return Subject(
            data=file,
            verdict=verdict,
            quasi_identifiers=micro.names,
            file=file.name,
            micro=micro,
            columns=micro.columns,
            release=release,
            versions=manifest.versions,
        )
    recipe = Recipe.from_dict(manifest.recipe)
    return Subject(
        data=file,
        verdict=verdict,
        quasi_identifiers=recipe.quasi_identifiers,
        sensitive=recipe.sensitive,
        file=file.name,
        recipe=recipe,
        columns=recipe.released,
        reference=manifest.reference,
        release=release,
        versions=manifest.versions,
    )


def judge_file(file: Path) -> dict[str, object]:
    """Recount a released file; one that cannot even be recounted does not hold."""
    try:
        return audit_release(file)
    except VerificationError as error:
        manifest = Manifest.load(manifest_path(file))
        return {  # what only a recount tells is left open
            "holds": False,
            "violations": [error.message],
            "require": dict(manifest.require),
            "stated": dict(manifest.measures),
            "measures": {},
            "not_recounted": {},
            "rows": dict(manifest.rows),
            "classes": None,
            "notes": [],
            "sha256": manifest.sha256,
        }


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}
