"""The recipe of a release: what was done to which column, as a file.

A recipe holds definitions and domain labels, never records, so that it can be kept and
applied again.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, Self, TypeAlias, cast

from sfumato.errors import DataError, OutputError
from sfumato.hierarchies.kinds import infer_kind
from sfumato.release.json_files import Fields, atomic_text, load_json_object, seal_of, stable_json
from sfumato.spec.choices import FORMULAS, KINDS, OUTPUTS, ROLES, Role
from sfumato.spec.choices import ROW_ORDERS as ORDERS
from sfumato.spec.choices import SUPPRESSION_OUTPUTS as SUPPRESSED
from sfumato.spec.choices import SUPPRESSION_RULES as RULES
from sfumato.spec.sections import CountedUnits

Blocks: TypeAlias = tuple[tuple[str | int | float | None, ...], ...]
Labels: TypeAlias = tuple[str | None, ...]

VERSION = 1
BOTH = "failing-then-smallest"
"""What ``auto`` was if classes went by requirements and by size: a recipe does not say the objectives."""

_ATTRIBUTE_KEYS = (
    *("role", "kind", "weight", "hierarchy", "scheme", "partition", "output", "unknown", "format"),
)
_KEYS = (
    *("version", "attributes", "columns", "suppression", "require", "confidential", "data", "release"),
    *("scope", "classes"),
)


@dataclass(frozen=True)
class RecipeAttribute:
    """What was done to one column."""

    role: Role  # its role
    kind: str | None = None  # `number`, `category`, `ordinal` or `date`; None where nobody asked
    weight: float = 1.0  # its weight in the loss
    # the definition that made its hierarchy, e.g. `{"mask": 5}`; None without one.
    hierarchy: Mapping[str, object] | None = None
    scheme: str | None = None  # the scheme that the partition belongs to
    level: int | None = None  # level of the hierarchy, for a partition that is one
    # the blocks of the partition otherwise: of an ordered scheme over numbers or dates the first and the last
    # value of each, and nothing for a block that the release does not show; else the values of each block
    blocks: Blocks | None = None
    output: str = "label"  # how a block is written: `label`, `mean`, `median` or `mode`
    # the label of each block; without blocks, of a local recoding, all labels that the release shows: each
    # says itself what it covers
    labels: Labels | None = None
    # the label and the statistic of each block that the release shows, where statistics are written
    statistics: tuple[tuple[str, str], ...] | None = None
    unknown: tuple[str, ...] = ()  # the values of a sensitive column that count as missing ones do
    format: str | None = None  # how the texts of dates are written, where they are not in ISO form

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form; ``partition`` is null, ``{"level": l}`` or blocks with their labels."""
        partition: dict[str, object] | None = None if self.level is None else {"level": self.level}
        if self.blocks is not None:
            partition = {"blocks": [list(block) for block in self.blocks]}
            partition |= {} if self.labels is None else {"labels": list(self.labels)}
        elif self.labels is not None:
            partition = {"labels": list(self.labels)}
        if partition is not None and self.statistics is not None:
            partition["statistics"] = [list(pair) for pair in self.statistics]
        hierarchy = None if self.hierarchy is None else dict(self.hierarchy)
        return {
            "role": self.role,
            "kind": self.kind,
            "weight": self.weight,
            "hierarchy": hierarchy,
            "scheme": self.scheme,
            "partition": partition,
            "output": self.output,
            **({"unknown": list(self.unknown)} if self.unknown else {}),
            **({} if self.format is None else {"format": self.format}),
        }

    @property
    def entry(self) -> int | list[object] | None:
        """The level, or the blocks as ``front.csv`` writes them; of an ordered scheme its ends alone."""
        if self.blocks is None:
            return self.level
        is_range = self.scheme in ("ordered", "guided-ordered")
        return [[block[0], block[-1]] if is_range and block else list(block) for block in self.blocks]

    @classmethod
    def from_fields(cls, fields: Fields) -> RecipeAttribute:
        """Read the JSON form."""
        fields.only(_ATTRIBUTE_KEYS)
        role = cast("Role", fields.text("role", ROLES))
        partition = fields.fields("partition") if fields.has("partition") else None
        if (partition is not None) != (role == "quasi-identifier"):
            raise DataError(
                "a quasi-identifier must have a partition, and no other column may.", where=fields.where
            )
        level, blocks, labels = (None,) * 3 if partition is None else _read_partition(partition)
        statistics = None if partition is None else _read_statistics(partition)
        return cls(
            role,
            fields.text("kind", KINDS) if fields.has("kind") else None,
            fields.number("weight"),
            fields.mapping("hierarchy") if fields.has("hierarchy") else None,
            fields.optional_text("scheme"),
            level,
            blocks,
            fields.text("output", OUTPUTS),
            labels,
            statistics,
            fields.texts("unknown") if fields.has("unknown") else (),
            fields.optional_text("format") if fields.has("format") else None,
        )


def _read_partition(fields: Fields) -> tuple[int | None, Blocks | None, Labels | None]:
    fields.only(("level", "blocks", "labels", "statistics"))
    labels = fields.optional_texts("labels") if fields.has("labels") else None
    if fields.has("level") == fields.has("blocks") and (labels is None or fields.has("level")):
        raise DataError("either 'level' or 'blocks' is expected.", where=fields.where)
    if fields.has("level"):
        return fields.whole("level"), None, None
    if not fields.has("blocks"):
        return None, None, labels
    blocks = fields.blocks("blocks")
    if labels is not None and len(labels) != len(blocks):
        raise DataError(f"there are {len(blocks)} blocks but {len(labels)} labels.", where=fields.where)
    return None, blocks, labels


def _read_statistics(fields: Fields) -> tuple[tuple[str, str], ...] | None:
    if not fields.has("statistics"):
        return None
    found = fields.blocks("statistics")
    pairs = tuple(
        (pair[0], pair[1])
        for pair in found
        if len(pair) == 2 and isinstance(pair[0], str) and isinstance(pair[1], str)
    )
    if len(pairs) < len(found):
        raise DataError("'statistics' is malformed: pairs of texts are expected.", where=fields.where)
    return pairs


@dataclass(frozen=True)
class Generalization(CountedUnits):
    """What was done to a table, so that it can be read and done again."""

    attributes: Mapping[str, RecipeAttribute]  # name → what was done, in the order of the columns
    # the suppression: the share of rows, the rule, and `drop` or `mask`
    limit: float = 0.0
    rule: str = "auto"
    suppressed_output: Literal["drop", "mask"] = "drop"
    require: Mapping[str, float] = field(default_factory=dict)  # measure → number that holds in the release
    missing: tuple[str, ...] = ("",)  # the texts that were read as missing
    person: str | None = None  # the column that tells persons apart, or None
    # `sorted`: by all columns in their order, each by the texts that the file has. A column in which every
    # cell that is neither missing nor `*` reads as a number is sorted by size, equal numbers by their texts,
    # `*` after them; any other by the bytes of its texts in UTF-8; missing is last. Or `input`, and then
    # nothing is said of the order.
    order: Literal["sorted", "input"] = "sorted"
    # sentences that must stay unknown, each with its damage; on new data, for everyone: for whom they were
    # confidential in the data of the release is not told
    confidential: tuple[tuple[str, float], ...] = ()
    # `escape` if cells of a CSV or TSV file that a spreadsheet would run, or turn into dates, have an
    # apostrophe in front, else `keep`
    formulas: Literal["keep", "escape"] = "keep"
    household: str | None = None  # the column that tells households apart, which are then counted, or None
    # of a local recoding the numbers of the labels that stand together in published rows, in the order of
    # the quasi-identifiers; None of a global one
    classes: tuple[tuple[int, ...], ...] | None = None
    key: str | None = None  # the key file of pseudonyms on new data; no part of what is written

    @property
    def is_local(self) -> bool:
        """Whether one value may have several labels."""
        return self.classes is not None

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """Names of the quasi-identifiers."""
        return self._names("quasi-identifier")

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Names of the sensitive attributes."""
        return self._names("sensitive")

    @property
    def pseudonyms(self) -> tuple[str, ...]:
        """Names of the columns that are published as keyed pseudonyms."""
        return self._names("pseudonym")

    def without_pseudonyms(self) -> Self:
        """Return what was done to all other columns, which can be done again without the key."""
        kept = {name: item for name, item in self.attributes.items() if item.role != "pseudonym"}
        return replace(self, attributes=kept)

    @property
    def unknown(self) -> dict[str, tuple[str | float, ...]]:
        """Column → its unknown values, as a recount compares them."""
        return {name: comparable(item.unknown, item.kind) for name, item in self.attributes.items()}

    @property
    def formats(self) -> dict[str, str]:
        """How dates of columns are written, where not in ISO form."""
        return {name: done.format for name, done in self.attributes.items() if done.format is not None}

    @property
    def released(self) -> tuple[str, ...]:
        """Names of the columns that are published: all but identifiers, the person and the household."""
        names = self._names("quasi-identifier", "sensitive", "other", "pseudonym")
        hidden = {self.person, self.household} - set(self.pseudonyms)
        return tuple(name for name in names if name not in hidden)

    def _names(self, *roles: str) -> tuple[str, ...]:
        return tuple(name for name, attribute in self.attributes.items() if attribute.role in roles)

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form; ``columns`` keeps the order that sorted keys lose."""
        secrets = [{"sentence": sentence, "damage": damage} for sentence, damage in self.confidential]
        return {
            "version": VERSION,
            "attributes": {name: attribute.to_dict() for name, attribute in self.attributes.items()},
            "columns": list(self.attributes),
            "suppression": {"limit": self.limit, "rule": self.rule, "output": self.suppressed_output},
            "require": dict(self.require),
            **({} if self.classes is None else _write_classes(self.classes)),
            **({"confidential": secrets} if secrets else {}),
            "data": {
                "missing": list(self.missing),
                "person": self.person,
                **({"household": self.household} if self.household else {}),
            },
            "release": {
                "order": self.order,
                **({"formulas": self.formulas} if self.formulas != "keep" else {}),
            },
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, object], *, where: str = "recipe") -> Self:
        """Read the JSON form."""
        fields = Fields(values, where)
        if fields.whole("version") != VERSION:
            raise DataError(
                f"the version of the recipe is not {VERSION}; a newer Sfumato wrote it. Update Sfumato.",
                where=where,
            )
        fields.only(_KEYS)
        suppression, data = fields.fields("suppression"), fields.fields("data")
        release = fields.fields("release")
        formulas = release.text("formulas", FORMULAS) if release.has("formulas") else "keep"
        return cls(
            _read_attributes(fields),
            suppression.number("limit"),
            suppression.text("rule", (*RULES, BOTH)),
            cast("Literal['drop', 'mask']", suppression.text("output", SUPPRESSED)),
            fields.numbers("require"),
            data.texts("missing"),
            data.optional_text("person"),
            cast("Literal['sorted', 'input']", release.text("order", ORDERS)),
            tuple((item.text("sentence"), item.number("damage")) for item in fields.entries("confidential")),
            cast("Literal['keep', 'escape']", formulas),
            data.optional_text("household") if data.has("household") else None,
            _read_classes(fields) if fields.has("classes") else None,
        )

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a recipe from its own file or out of a release's ``FILE.json``."""
        values, where = load_json_object(path), str(path)
        if "recipe" in values:
            if "seal" in values and values["seal"] != seal_of(values):
                raise DataError(
                    "it was changed after it was written, so this may not be the recipe of the release. Take "
                    "it from the release again; to change a recipe, save it in a file of its own first.",
                    where=where,
                )
            values, where = Fields(values, where).mapping("recipe"), f"{path}: recipe"
        if values.get("kind") == "microaggregation":
            raise DataError(
                "a microaggregation is not applied to new data: its centres are those of its own rows. "
                "Run 'sfumato microaggregate' on the new data with the same columns and k.",
                where=where,
            )
        if "attributes" not in values:
            raise DataError(
                "this is neither the FILE.json of a release nor a saved recipe. Name one of these.",
                where=where,
            )
        try:
            return cls.from_dict(values, where=where)
        except DataError as error:
            if values.get("version") != VERSION:
                raise
            message = f"{error.message} The recipe is damaged: take it from the release again."
            raise DataError(message, where=error.where) from None

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the recipe to a file; ``force`` replaces an existing recipe, never another file."""
        if force and os.path.lexists(path) and not _is_recipe(path):
            raise OutputError(
                "this name belongs to a file that is not a recipe. Choose another name.", where=str(path)
            )
        atomic_text(path, stable_json(self.to_dict()), force=force)


def comparable(texts: Sequence[str], kind: str | None) -> tuple[str | float, ...]:
    """Return values as a recount compares them: as numbers if they are some, unless the kind is another."""
    if kind not in (None, "number"):
        return tuple(texts)
    return tuple(float(text) if infer_kind([text]) == "number" else text for text in texts)


def _is_recipe(path: str | Path) -> bool:
    """Tell whether a file is one that `Generalization.save` wrote."""
    try:
        values = load_json_object(path)
        return "recipe" not in values and bool(Generalization.from_dict(values))
    except DataError:
        return False


def _read_attributes(fields: Fields) -> dict[str, RecipeAttribute]:
    found, columns = fields.fields("attributes"), fields.texts("columns")
    names = fields.mapping("attributes")
    if sorted(columns) != sorted(names):
        raise DataError("'columns' does not list each of the attributes once.", where=fields.where)
    return {name: RecipeAttribute.from_fields(found.fields(name)) for name in columns}


def _write_classes(classes: Sequence[Sequence[int]]) -> dict[str, object]:
    """Write which labels stand together, one line for each class."""
    return {"scope": "local", "classes": [" ".join(map(str, own)) for own in classes]}


def _read_classes(fields: Fields) -> tuple[tuple[int, ...], ...]:
    """Read which labels stand together, by their numbers."""
    attributes = fields.fields("attributes")
    names = [name for name in fields.texts("columns") if attributes.fields(name).has("partition")]
    counts = [
        len(attributes.fields(name).fields("partition").optional_texts("labels") or ()) for name in names
    ]
    found = [text.split() for text in fields.texts("classes")]
    classes = tuple(tuple(int(word) for word in own if word.isdecimal()) for own in found)
    if not all(
        len(own) == len(counts) == len(listed)
        and all(0 <= number < count for number, count in zip(own, counts, strict=True))
        for own, listed in zip(classes, found, strict=True)
    ):
        raise DataError("'classes' is malformed: numbers of labels are expected.", where=fields.where)
    return classes
