"""The whole specification of a run."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, ClassVar, Self

from pydantic import BeforeValidator, Field, PrivateAttr, ValidationError, model_validator

from sfumato.errors import nearest
from sfumato.notebooks import ShownInNotebook
from sfumato.private import spare_inputs
from sfumato.spec import sections
from sfumato.spec.attribute import AttributeSpec  # noqa: TC001 (pydantic reads it at run time)
from sfumato.spec.choices import check_number, check_text, database_address, parse_measure_name
from sfumato.spec.places import SpecFault, collect_problems, refuse
from sfumato.spec.toml_text import Document, read_document, write_document


class Spec(sections.Section, ShownInNotebook):
    """Everything about a run: the data, the attributes, the requirements and the objectives.

    A specification does not change; ``model_copy`` makes a changed copy. Two are equal if all
    their fields are; the folder does not count.

    Parameters
    ----------
    data
        Where the data are and how they are read.
    attributes
        Attribute → what is done with it; at least one quasi-identifier.
    recoding
        Whether one value may have several labels.
    suppression
        Which rows may be suppressed.
    require
        Measure → the number that every release must meet.
    confidential
        Sentences that must stay unknown; the measures ``secure``, ``exposed`` and ``sf`` are about them.
    objectives
        What the front is about.
    search
        How the best recodings are looked for.
    release
        How a release is written.

    Raises
    ------
    SpecError
        If something is unknown, missing or wrong: the first problem with its place, and how
        many more there are.

    Examples
    --------
    >>> spec = Spec(attributes={"age": {"role": "quasi-identifier"}}, require={"k": 5})
    >>> spec.quasi_identifiers
    ('age',)
    """

    shown_by: ClassVar[str] = "spec_cell"

    data: sections.DataSpec = sections.DataSpec()
    attributes: dict[str, AttributeSpec]
    recoding: sections.RecodingSpec = sections.RecodingSpec()
    suppression: sections.SuppressionSpec = sections.SuppressionSpec()
    require: Annotated[dict[str, float], sections.check_numbers(check_number)] = Field(
        {}, examples=[{"k": 5}]
    )
    confidential: Annotated[
        tuple[sections.ConfidentialSpec, ...], BeforeValidator(sections.check_statements)
    ] = ()
    objectives: sections.ObjectivesSpec = sections.ObjectivesSpec()
    search: sections.SearchSpec = sections.SearchSpec()
    release: sections.ReleaseSpec = sections.ReleaseSpec()

    _has_tables: ClassVar[bool] = True

    _folder: Path | None = PrivateAttr(default=None)
    _document: Document | None = PrivateAttr(default=None)

    def __init__(self, **fields: object) -> None:
        # Declared again so that type checkers accept plain dictionaries for the parts.
        super().__init__(**fields)

    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a specification file.

        Parameters
        ----------
        path
            A TOML file.

        Returns
        -------
        Spec
            Its relative paths refer to the folder of the file.

        Raises
        ------
        SpecError
            If the file cannot be read or something in it is wrong; ``where`` names the line.
        """
        document = read_document(path)
        return cls._from_document(document, Path(path).absolute().parent)

    @classmethod
    def from_dict(cls, mapping: Mapping[str, object], folder: str | os.PathLike[str] | None = None) -> Self:
        """Make a specification of plain tables, such as `to_dict` returns.

        Parameters
        ----------
        mapping
            The tables of the file.
        folder
            What relative paths refer to; by default the current folder at the time of use.

        Raises
        ------
        SpecError
            If something is wrong.
        """
        return cls._from_document(Document(mapping), None if folder is None else Path(folder))

    @classmethod
    def _from_document(cls, document: Document, folder: Path | None) -> Self:
        """Check the values, and report problems with their places."""
        try:
            spec = cls.model_validate(document.values)
        except ValidationError as error:
            raise document.error(collect_problems(cls, error)) from None
        spec._folder = folder
        if document.source is not None:
            spec._document = document
        return spec

    def to_dict(self) -> dict[str, sections.PlainValue]:
        """Return plain tables that JSON and TOML can write, defaults left out.

        Returns
        -------
        dict
            `from_dict` makes an equal specification from it.
        """
        tables = super().to_dict()
        if self.require:  # k = 5 rather than k = 5.0
            tables["require"] = {name: int(x) if x.is_integer() else x for name, x in self.require.items()}
        return tables

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a TOML file that loads back equal to this specification.

        Paths are written as they are: save a specification with relative paths next to
        the files that it names.

        Parameters
        ----------
        path
            The file; one that exists is replaced in one step.

        Raises
        ------
        OutputError
            If the file cannot be written, or is one that the specification names.
        """
        spare_inputs([Path(path)], self._named)
        write_document(self.to_dict(), path)

    @property
    def folder(self) -> Path:
        """The folder that relative paths refer to."""
        return Path.cwd() if self._folder is None else self._folder

    def resolve(self, path: str | os.PathLike[str]) -> Path:
        """Return a path of the specification that works from any folder; ``-`` is standard input."""
        return Path(path) if str(path) == "-" else self.folder / path

    @property
    def inputs(self) -> tuple[Path, ...]:
        """The files that it names, and its own; no output may replace them."""
        own = None if self._document is None else self._document.source
        return self._named if own is None else (Path(own), *self._named)

    @property
    def data_path(self) -> Path | str | None:
        """Where the data are, from any folder: a file, or the address of a database."""
        if self.data.path is None:
            return None
        address = database_address(self.data.path)
        if address is None:
            return self.resolve(self.data.path)
        file = address.removeprefix("sqlite:///")
        return address if file == address else f"sqlite:///{self.resolve(file)}"

    @property
    def _named(self) -> tuple[Path, ...]:
        hierarchies = (item.hierarchy.file for item in self.attributes.values() if item.hierarchy is not None)
        data = None if self.data_path is None else str(self.data_path).removeprefix("sqlite:///")
        named = (None if database_address(data) == data else data, self.data.key, *hierarchies)
        return tuple(self.resolve(name) for name in named if name is not None)

    def where(self, *location: str | int) -> str:
        """Name a place of the specification, for the message of an error found later.

        Parameters
        ----------
        *location
            Keys from the outside in, and positions in lists from 0.

        Returns
        -------
        str
            For example ``adult.toml:14: [attributes.age] levels``; without a file only the keys.

        Examples
        --------
        >>> spec = Spec(attributes={"age": {"role": "quasi-identifier"}}, require={"k": 5})
        >>> spec.where("require", "k")
        '[require] k'
        """
        return (self._document or Document({})).where(location)

    def place(self, *location: str | int) -> str | None:
        """Name a place of the file that the specification was read from; None if there is no file."""
        return None if self._document is None else self._document.where(location)

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """Names of the quasi-identifiers, in the order of the file."""
        return self._with_role("quasi-identifier")

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Names of the sensitive attributes, in the order of the file."""
        return self._with_role("sensitive")

    @property
    def identifiers(self) -> tuple[str, ...]:
        """Names of the attributes with the role identifier, in the order of the file."""
        return self._with_role("identifier")

    @property
    def others(self) -> tuple[str, ...]:
        """Names of the attributes that are published unchanged, in the order of the file."""
        return self._with_role("other")

    @property
    def pseudonyms(self) -> tuple[str, ...]:
        """Names of the attributes that are published as keyed pseudonyms, in the order of the file."""
        return self._with_role("pseudonym")

    @property
    def published(self) -> tuple[str, ...]:
        """Names of the attributes that are published, in the order of the file."""
        return tuple(name for name, asked in self.attributes.items() if asked.role != "identifier")

    def _with_role(self, role: str) -> tuple[str, ...]:
        return tuple(name for name, attribute in self.attributes.items() if attribute.role == role)

    def __eq__(self, other: object) -> bool:
        """Compare all fields, and not the folder."""
        if not isinstance(other, Spec):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in type(self).model_fields)

    @model_validator(mode="after")
    def _check_together(self) -> Self:
        wrong = (*self._wrong_attributes(), *self._unknown_attributes())
        folders = self.release.unfit_folders(self.published)
        refuse([*wrong, *self._wrong_recoding(), *self._wrong_scope(), *folders])
        return self

    def _wrong_attributes(self) -> Iterator[SpecFault]:
        """Find what is wrong with the attributes as a whole."""
        for name in self.attributes:
            try:
                check_text(name)
            except ValueError as error:
                yield SpecFault(("attributes",), f"the name of an attribute {error}")
        names = self.quasi_identifiers
        if not names:
            yield SpecFault(
                ("attributes",), "no attribute has the role 'quasi-identifier'; at least one is needed."
            )
        elif not any(self.attributes[name].weight for name in names):
            yield SpecFault(
                ("attributes", names[0], "weight"), "at least one quasi-identifier needs a weight above 0."
            )
        for word, column in (("person", self.data.person), ("household", self.data.household)):
            if column in self.attributes and self.attributes[column].role not in ("identifier", "pseudonym"):
                yield SpecFault(
                    ("attributes", column, "role"),
                    f"this is the {word} column of [data], so its role must be 'identifier' or 'pseudonym'.",
                )
        if self.data.household is not None and self.data.household == self.data.person:
            yield SpecFault(("data", "household"), "is the same column as person. Name it once.")

    def _unknown_attributes(self) -> Iterator[SpecFault]:
        """Find measures whose attribute is not named in the specification."""
        places: list[tuple[str, tuple[str | int, ...]]] = [(name, ("require", name)) for name in self.require]
        for direction in ("maximize", "minimize"):
            names = getattr(self.objectives, direction)
            places += [(name, ("objectives", direction, place)) for place, name in enumerate(names)]
        for name, location in places:
            arguments = parse_measure_name(name)[1]
            if arguments and arguments[0] not in self.attributes:
                hint = nearest(arguments[0], self.attributes)
                yield SpecFault(location, f"unknown attribute {arguments[0]!r}. {hint}")

    @property
    def is_local(self) -> bool:
        """Whether one value may have several labels."""
        return self.recoding.scope == "local"

    def suppress_cells(self) -> Self:
        """Return the specification of a release that keeps each value or shows ``*``, row by row.

        Returns
        -------
        Spec
            With ``scope = "local"`` and ``labels = "suppress"`` for every quasi-identifier that may change.
        """
        found = self.to_local()
        attributes = {
            name: asked.model_copy(update={"snap": None, "labels": "suppress"})
            if asked.role == "quasi-identifier" and not asked.keep
            else asked
            for name, asked in found.attributes.items()
        }
        return found.model_copy(update={"attributes": attributes})

    def to_local(self) -> Self:
        """Return the specification of local recodings of the same attributes.

        Returns
        -------
        Spec
            With ``scope = "local"``, the usual search, and no keys of global recoding, such as schemes.
        """
        attributes = dict(self.attributes)
        for name in self.quasi_identifiers:
            asked = self.attributes[name]
            # A granularity without a hierarchy sets the scheme by itself.
            by_itself = asked.granularity is not None and asked.hierarchy is None
            scheme = "ordered" if by_itself else "levels"
            global_only = {"scheme": scheme, "levels": None, "partitions": None, "output": "label"}
            attributes[name] = asked.model_copy(update=global_only)
        rule = "none" if self.suppression.rule == "none" else "auto"
        return self.model_copy(
            update={
                "attributes": attributes,
                "recoding": sections.RecodingSpec(scope="local"),
                "suppression": self.suppression.model_copy(update={"rule": rule}),
                "search": self.search.model_copy(update={"method": "auto"}),
                "release": self.release.model_copy(update={"choice": "optimal"}),
            }
        )

    def to_global(self) -> Self:
        """Return the specification of global recodings by levels of the same attributes.

        Returns
        -------
        Spec
            With ``scope = "global"``, the usual search, no keys of local recoding, and level 0 for what is
            kept.
        """
        attributes = {
            name: asked.model_copy(
                update={
                    "labels": None,
                    "snap": None,
                    "keep": False,
                    "levels": (0, 0) if asked.keep else asked.levels,
                }
            )
            for name, asked in self.attributes.items()
        }
        search = sections.SearchSpec(seed=self.search.seed, time_limit=self.search.time_limit)
        return self.model_copy(
            update={"attributes": attributes, "recoding": sections.RecodingSpec(), "search": search}
        )

    def _wrong_recoding(self) -> Iterator[SpecFault]:
        """Find what of ``[recoding]`` does nothing."""
        for key in ("ladder", "weighted"):
            if getattr(self.recoding, key) and not self.is_local:
                yield SpecFault(("recoding", key), 'is for scope = "local". Remove it, or set the scope.')
        if self.recoding.weighted and self.data.weight is None:
            yield SpecFault(("recoding", "weighted"), "needs the column of survey weights: [data] weight.")
        if self.recoding.weighted and self.objectives.minimize[:1] not in ((), ("loss",)):
            yield SpecFault(("recoding", "weighted"), "acts on loss only. Minimize loss, or remove it.")

    def _wrong_scope(self) -> Iterator[SpecFault]:
        """Find keys that belong to the other scope."""
        for name in self.quasi_identifiers:
            asked = self.attributes[name]
            if not self.is_local:
                for key in ("labels", "keep", "snap"):
                    if getattr(asked, key):
                        yield SpecFault(
                            ("attributes", name, key),
                            'is for local recoding. Add [recoding] scope = "local", or remove it.',
                        )
                continue
            # A granularity without a hierarchy sets the scheme by itself.
            by_itself = asked.granularity is not None and asked.scheme == "ordered"
            if "scheme" in asked.model_fields_set and not by_itself:
                yield SpecFault(
                    ("attributes", name, "scheme"),
                    'is for global recoding. With scope = "local" say what a label may be: labels = "tree", '
                    '"range", "set" or "suppress".',
                )
            if asked.output != "label":
                yield SpecFault(("attributes", name, "output"), "is for global recoding. Remove it.")
        if self.is_local and self.suppression.rule in ("smallest", "below-mean"):
            yield SpecFault(
                ("suppression", "rule"),
                'suppresses by class size, which is for global recoding. Use "auto": rows are suppressed '
                "where that costs least.",
            )
        if self.is_local and self.release.choice != "optimal":
            yield SpecFault(("release", "choice"), "is for global recoding. Remove it.")
        if self.is_local and self.search.method != "auto":
            yield SpecFault(
                ("search", "method"), 'is for global recoding; scope = "local" has its own search. Remove it.'
            )
