"""What anyone who has FILE and FILE.json, and nothing else, can find out about a release."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, cast

from sfumato.assess.cells import Cells, CodedTable, count_rows, read_cells
from sfumato.assess.exposure import Exposure, find_small_classes, readable
from sfumato.assess.pairing import find_known, find_positions
from sfumato.assess.reidentification import Assumptions, assess
from sfumato.assess.risk_results import Plain
from sfumato.errors import SfumatoError, VerificationError
from sfumato.front import ClassSizes
from sfumato.hierarchies import ROOT, text_of
from sfumato.release import Generalization, Manifest, manifest_path
from sfumato.release.audit import audit_release
from sfumato.release.json_files import load_json_object
from sfumato.release.manifest import open_released
from sfumato.release.microaggregated import Microaggregation, is_microaggregated
from sfumato.verifier.checks import Verdict, broken

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from sfumato.assess.risk_results import TableRisk
    from sfumato.table import Source


@dataclass(frozen=True)
class Block:
    """One label of a released column: its rows, and the share of detail that each of them lost."""

    label: str | None
    rows: int
    cost: float | None = None

    def to_dict(self, *, show_values: bool = True) -> dict[str, object]:
        """Return plain JSON; without values, the label is left out."""
        return {key: value for key, value in vars(self).items() if show_values or key != "label"}


@dataclass(frozen=True)
class ReleasedAttribute:
    """What became of one quasi-identifier."""

    name: str  # the attribute
    scheme: str | None  # the space that its partition was taken from; None where it is not told
    # its level and that of everything in one block; None where the partition is no level, or not told
    level: int | None
    height: int | None
    output: str  # what stands for a block: `label`, `mean`, `median` or `mode`
    # share of its detail that was lost over all input rows, suppressed ones included; None where the manifest
    # does not tell what labels cost
    loss: float | None
    blocks: tuple[Block, ...]  # its labels in the release, in their order

    @property
    def is_kept(self) -> bool:
        """Whether the column is published as it came."""
        return self.level == 0

    @property
    def is_gone(self) -> bool:
        """Whether nothing of it can be told apart any more."""
        return len(self.blocks) == 1 and self.blocks[0].label == ROOT

    def to_dict(self, *, show_values: bool = True) -> dict[str, object]:
        """Return plain JSON; without values, labels are left out."""
        return {**vars(self), "blocks": [block.to_dict(show_values=show_values) for block in self.blocks]}


def count_classes(cells: Cells, names: Sequence[str], suppressed: int = 0) -> ClassSizes:
    """Count classes over some columns, in rows."""
    rows = cells.classes(names).rows
    return ClassSizes.count(rows, rows, suppressed)


def _attributes(subject: Subject, table: CodedTable, cells: Cells) -> tuple[ReleasedAttribute, ...]:
    """Say what became of each quasi-identifier, given the cells of a release that are not masked."""
    recipe, rows, found = subject.recipe, subject.verdict.rows, []
    costs = _mapping(subject.reference.get("attributes"))
    for name in () if recipe is None else recipe.quasi_identifiers:
        assert recipe is not None
        done, stated = recipe.attributes[name], _mapping(costs.get(name))
        counts = count_rows(cells.codes[name], cells.rows, cells.sizes[name])
        blocks = _blocks(dict(zip(table.texts(name), counts.tolist(), strict=True)), stated)
        default = _mapping(stated.get("height")).get("default")
        height = default[1] if isinstance(default, list) and done.level is not None else None
        loss = None
        if rows.get("in") and all(block.cost is not None for block in blocks):
            lost = sum(block.rows * (block.cost or 0.0) for block in blocks)
            loss = (lost + rows.get("suppressed", 0)) / rows["in"]
        found.append(ReleasedAttribute(name, done.scheme, done.level, height, done.output, loss, blocks))
    return tuple(found)


def _blocks(counts: Mapping[str | None, int], stated: Mapping[str, object]) -> tuple[Block, ...]:
    """Return the labels that occur, in the order of the reference, else in their own."""
    loss = _mapping(stated.get("loss"))
    cells = [cell for cell in cast("list[list[Any]]", loss.get("cells", [])) if len(cell) == 3]
    costs = {
        None if cell[0] is None else text_of(cell[0]): float(str(cell[1])) / float(str(cell[2]))
        for cell in cells
    }
    default = loss.get("default")
    other = default[0] / default[1] if isinstance(default, list) else None
    order = {label: place for place, label in enumerate(costs)}
    found = [Block(label, count, costs.get(label, other)) for label, count in counts.items() if count]
    return tuple(sorted(found, key=lambda block: (order.get(block.label, len(order)), _natural(block.label))))


def _natural(label: str | None) -> tuple[int, float, str]:
    """Sort numbers as numbers, then texts, then missing."""
    if label is None:
        return 2, 0.0, ""
    try:
        return 0, float(label), label
    except ValueError:
        return 1, 0.0, label


Found = TypeVar("Found")
Part: TypeAlias = Literal["front", "sizes", "risk", "utility", "attributes", "specification"]


@dataclass(frozen=True)
class Lack(Plain):
    """A part of the evidence that is not there: why, and how to get it."""

    part: Part
    why: str
    remedy: str


@dataclass(frozen=True, kw_only=True)
class Subject:
    """The release that the evidence is about, as FILE and FILE.json describe it."""

    data: Path  # the path of its file
    verdict: Verdict  # what the independent recount found
    # the attributes that may be known to an outsider, and those that must not be learnt
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    file: str | None = None  # the name of its file; None where it is not written
    # what was done to a generalized or to a microaggregated table; the other is None
    recipe: Generalization | None = None
    micro: Microaggregation | None = None
    columns: tuple[str, ...] = ()  # all columns that are published
    reference: Mapping[str, object] = field(default_factory=dict)  # what a manifest states besides the file
    # how the rows were released: their order, and how the solution was chosen where it says so
    release: Mapping[str, object] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)  # of what made it
    about: Mapping[str, str] = field(default_factory=dict)  # when, by whom, for whom and what for

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Columns that were microaggregated together; none for other releases."""
        return () if self.micro is None else self.micro.groups

    @property
    def has_persons(self) -> bool:
        """Whether what is required counts persons or households, which may have several rows."""
        return self.recipe is not None and self.recipe.unit is not None

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
    # what attackers achieve who know only the release; counted in rows
    risk_alone: TableRisk | None = None
    # what columns outside the quasi-identifiers give away
    exposures: tuple[Exposure, ...] = ()
    withheld: Mapping[str, str] = field(default_factory=dict)  # measure → why the manifest does not state it
    lacks: tuple[Lack, ...] = ()  # what is not there

    @property
    def holds(self) -> bool:
        """Whether the recount confirms the promise."""
        return self.subject.verdict.holds

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
        return {name: float(number) for name, number in self.subject.verdict.stated.items()}

    def lack(self, part: Part) -> Lack | None:
        """Return why a part is not there; None where it is."""
        return next((item for item in self.lacks if item.part == part), None)

    def to_dict(self, *, show_values: bool = True) -> dict[str, object]:
        """Return plain JSON."""
        return {
            "file": self.subject.file,
            "verdict": self.subject.verdict.to_dict(),
            "quasi_identifiers": list(self.subject.quasi_identifiers),
            "sensitive": list(self.subject.sensitive),
            "class_sizes": {"after": sizes_dict(self.sizes_after)},
            "attributes": [item.to_dict(show_values=show_values) for item in self.attributes],
            "risk_of_release": None if self.risk_after is None else self.risk_after.to_dict(),
            "exposures": [asdict(item) for item in self.exposures],
            "withheld": dict(self.withheld),
            "versions": dict(self.subject.versions),
            "about": dict(self.subject.about),
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
    """Read a release back, recount it, and find out what it shows of itself."""
    # This takes nothing but the path of FILE, with FILE.json next to it, so that nothing else can get into
    # what is made from it.
    subject = read_subject(file)
    withheld = load_json_object(manifest_path(file)).get("withheld")
    reasons = {name: str(why) for name, why in withheld.items()} if isinstance(withheld, dict) else {}
    done = subject.recipe or subject.micro
    source = open_released(file, ("",) if done is None else done.missing)
    absent = {*subject.quasi_identifiers, *subject.sensitive} - {*source.columns}
    if absent:
        why = f"the file does not have the columns it promises: {', '.join(map(repr, sorted(absent)))}."
        parts: tuple[Part, ...] = ("sizes", "risk", "utility", "attributes")
        without = tuple(Lack(part, why, "Write the release again.") for part in parts)
        return Published(subject=subject, withheld=reasons, lacks=without)
    names = subject.quasi_identifiers
    table = read_cells(source, (*names, *subject.sensitive))
    cells = table.without_masked(names) if subject.is_masked else table.cells
    lacks: list[Lack] = []
    return Published(
        subject=subject,
        sizes_after=count_classes(cells, names, table.cells.row_count - cells.row_count),
        attributes=_attributes(subject, table, cells),
        risk_alone=attempt(lacks, "risk", "Verify the file.", lambda: _risk(subject, table, cells)),
        exposures=_exposures(subject, source),
        withheld=reasons,
        lacks=tuple(lacks),
    )


def _exposures(subject: Subject, source: Source) -> tuple[Exposure, ...]:
    """Count small classes over quasi-identifiers and one unchanged column that is not sensitive."""
    known = {*subject.quasi_identifiers, *subject.sensitive}
    others = readable(source, [name for name in subject.columns if name not in known])
    if subject.recipe is None or not others:
        return ()
    names, k = subject.quasi_identifiers, max(int(subject.recipe.require.get("k", 2)), 2)
    table = read_cells(source, (*names, *others))
    cells = table.without_masked(names) if subject.is_masked else table.cells
    return tuple(item for item in find_small_classes(cells, names, others, k) if item.findings)


def _risk(subject: Subject, table: CodedTable, cells: Cells) -> TableRisk:
    """Let attackers try the released rows."""
    names = subject.sensitive
    known = find_known(table, names, subject.recipe)
    assumed = Assumptions(positions=find_positions(table, names, {}), known=known)
    return assess(cells, subject.quasi_identifiers, names, assumed)


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
    manifest = Manifest.load(manifest_path(file))
    try:
        verdict = audit_release(file)
    except VerificationError as error:
        # One that cannot even be recounted does not hold; what only a recount tells is left open.
        verdict = Verdict(
            require=manifest.require,
            stated=manifest.measures,
            rows=manifest.rows,
            sha256=manifest.sha256,
            checks=[broken("manifest", error.message)],
        )
    choice = load_json_object(manifest_path(file)).get("choice")
    release = {**_mapping(manifest.recipe.get("release")), **({} if choice is None else {"choice": choice})}
    release |= {"linking": manifest.linking["text"]} if "text" in manifest.linking else {}
    recipe = micro = None
    if is_microaggregated(manifest):
        micro = Microaggregation.from_dict(manifest.recipe)
        names, columns = micro.names, micro.columns
    else:
        recipe = Generalization.from_dict(manifest.recipe)
        names, columns = recipe.quasi_identifiers, recipe.released
    return Subject(
        data=file,
        verdict=verdict,
        quasi_identifiers=names,
        sensitive=() if recipe is None else recipe.sensitive,
        file=file.name,
        recipe=recipe,
        micro=micro,
        columns=columns,
        reference=manifest.reference,
        release=release,
        versions=manifest.versions,
        about=manifest.about,
    )


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}
