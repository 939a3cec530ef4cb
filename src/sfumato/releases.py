"""A release with its verified promise, the recipe that repeats it, and measures by name."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from sfumato import release
from sfumato.errors import ParameterError, VerificationError
from sfumato.measures import gain_per_loss
from sfumato.notebooks import ShownInNotebook
from sfumato.publishable import PublishableRows

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from sfumato import front as fronts
    from sfumato._typing import FloatArray
    from sfumato.assess.exposure import Exposure
    from sfumato.assess.gather import Origin
    from sfumato.measures.custom import Step
    from sfumato.previewing import ReleaseLook
    from sfumato.release.local_labels import LocalLabels
    from sfumato.release.new_data import Treatment
    from sfumato.spec import Spec
    from sfumato.table.databases import DatabaseTable


OLD_TREATMENTS = {"error": "refuse", "*": "generalize"}


class Measures(dict[str, float], ShownInNotebook):
    """Measures by name, which a notebook shows as a table."""

    shown_by = "measures_cell"


class Release(PublishableRows, ShownInNotebook):
    """A solution applied to the full table, to be verified and written.

    Made by `sfumato.anonymize`, `Solution.release` and `Recipe.apply`.
    """

    shown_by = "release_cell"

    def __init__(
        self,
        draft: release.Draft,
        run: Mapping[str, object] | None = None,
        front: fronts.PlainFront | None = None,
    ) -> None:
        self._draft = draft
        self._front = front
        self.run = self._run = dict(run or {})

    def __repr__(self) -> str:
        rows = self.rows
        left_out = f"; left out: {', '.join(self.left_out)}" if self.left_out else ""
        return f"<release of {rows['out']} rows, {rows['suppressed']} suppressed{left_out}>"

    @property
    def measures(self) -> dict[str, float]:
        """All measures by name."""
        return dict(self._draft.measures)

    @property
    def rows(self) -> dict[str, int]:
        """Rows that came ``in``, go ``out``, and are ``suppressed``."""
        return dict(self._draft.promise.rows or {})

    @property
    def recoding(self) -> dict[str, object]:
        """Attribute → level, or blocks of values under other schemes than ``levels``."""
        return dict(self._draft.recoding)

    @property
    def groupings(self) -> tuple[release.Grouping | LocalLabels, ...]:
        """What was done to each quasi-identifier: its blocks and their labels, or its labels alone."""
        return self._draft.groupings

    @property
    def spec(self) -> Spec:
        """The specification that it was made by."""
        return self._draft.prepared.spec

    @property
    def left_out(self) -> tuple[str, ...]:
        """Columns that the specification or recipe does not name, and that are therefore left out."""
        # A recipe names identifiers too, which new data may have or not.
        named = self._draft.recipe.attributes
        return tuple(name for name in self._draft.prepared.table.left_out if name not in named)

    @property
    def unchanged(self) -> tuple[str, ...]:
        """Columns whose values are published as they came."""
        changed = {item.name for item in self.groupings if not item.keep} | {*self._draft.recipe.pseudonyms}
        return tuple(name for name in self._draft.recipe.released if name not in changed)

    @cached_property
    def exposures(self) -> list[Exposure]:
        """What columns outside the quasi-identifiers give away; found when it is asked for, for you only.

        Each tells how many rows are in smaller classes than `k` requires if the column is known too, and
        which generalized or removed columns it predicts. As text each is a warning.
        """
        from sfumato.assess.exposure import expose_draft

        return expose_draft(self._draft)

    @property
    def unknown(self) -> dict[str, dict[str, int]]:
        """Column → how many ``values`` a recipe did not know, and in how many ``rows``; for you only."""
        return {name: asdict(many) for name, many in release.count_unknown(self._draft.prepared).items()}

    @property
    def classes(self) -> int:
        """Number of classes that remain."""
        return int((~self._draft.classes.suppressed).sum())

    def gain_per_loss(self, coarser: Release, attribute: str) -> Step:
        """Return what this release tells more than a coarser one of the same rows, and protects less.

        Parameters
        ----------
        coarser
            A release whose groups unite those of this one.
        attribute
            The sensitive attribute that is told about.

        Returns
        -------
        Step
            Its ``gain`` in bits, its ``loss`` of k, and their ``ratio``.
        """
        number = self._draft.prepared.setting.sensitive_number("gain_per_loss", attribute)
        return gain_per_loss(self._draft.classes, coarser._draft.classes, number)

    def property_vector(self, measure: str) -> FloatArray:
        """Return what every row of the input has of the property that a measure is about.

        For ``k``, ``mean_k`` and ``spread_k`` this is the size of the row's class; for ``spread_l(x)`` how
        many rows of the class share the row's own value of x; for any other measure of classes, such as
        ``t(x)``, the number of the row's class.

        Parameters
        ----------
        measure
            The name of the measure.

        Returns
        -------
        numpy.ndarray
            One number for each row, NaN for suppressed ones. Rows come in an order that depends on their
            values alone, the same in releases of the same data. **Not for publication.**
        """
        return self._draft.property_vector(measure)

    @property
    def fingerprint(self) -> str:
        """A hash of the coded rows that it was made from, which must not be published."""
        return self._draft.prepared.cube.fingerprint

    def preview(self, most: int = 8) -> ReleaseLook:
        """Return the first rows before and after, and whom the release leaves out; for you only.

        Parameters
        ----------
        most
            How many rows.

        Returns
        -------
        ReleaseLook
            ``names`` of the quasi-identifiers, rows ``before`` and ``after`` as texts (``*`` throughout
            where a row is suppressed), and ``losses``: suppressed rows by group of each attribute.
        """
        from sfumato.previewing import look_at_release

        return look_at_release(self._draft, most)

    @property
    def recipe(self) -> Recipe:
        """What was done, so that it can be done again to new data."""
        return Recipe.from_dict(self._draft.recipe.to_dict())

    def verify(self) -> dict[str, float]:
        """Recount the release with code that shares nothing with the search.

        Returns
        -------
        dict
            Measure → number as recounted.

        Raises
        ------
        VerificationError
            If the promise does not hold.
        """
        found = self._draft.verify()
        violations = release.holds(found, self._draft.promise)
        if violations:
            raise VerificationError(" ".join(violations))
        return dict(found.measures)

    def in_series(
        self,
        *,
        after: str | os.PathLike[str] | None = None,
        after_data: object = None,
        ledger: str | os.PathLike[str] | None = None,
        key: str | os.PathLike[str] | None = None,
    ) -> Release:
        """Return the release that may follow earlier ones of the same or overlapping people.

        Whoever compares all releases must find at least ``k`` candidates for everyone, also for those who
        left or arrived, and as many sensitive values as ℓ requires: see docs/series.md. The rows of people
        for whom that does not hold are suppressed, within the limit. `write` recounts it with independent
        code, and adds the release to the ledger.

        Parameters
        ----------
        after
            The last release, with its ``FILE.json`` next to it.
        after_data
            The data that it was made from, a frame or a path, if there is no ledger.
        ledger
            A private file that says who was in which class of all earlier releases, by keyed digests; made
            if there is none. **Never publish it.**
        key
            The key file; that of the specification if None. Made if there is none and no ledger either.

        Raises
        ------
        InfeasibleError
            If it cannot follow the earlier ones; the message says how many people have too few candidates.
        DataError
            If ledger and key, or the last release and its data, do not belong together.
        """
        draft = self._draft
        series = release.open_series(
            draft.prepared, draft.promise, after=after, after_data=after_data, ledger=ledger, key=key
        )
        if series is None:
            return self
        return Release(release.withhold(draft, series), self.run, self._front)

    @property
    def suppressed_cells(self) -> dict[str, int]:
        """Attribute → how many published rows of a local recoding show ``*``; nothing for a global one."""
        return release.count_stars(self._draft)

    def write_assignment(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write which combination of values has which labels in a local recoding; **never publish it**.

        With it `Recipe.apply` makes the same rows again. Only you can read the file.

        Parameters
        ----------
        path
            A new file.
        force
            Replace a file that exists.

        Raises
        ------
        ParameterError
            If the release is not a local recoding.
        """
        self._draft.spare_inputs(Path(path))
        release.write_assignment(self._draft, Path(path), force=force)

    def _rows(self) -> object:
        return self._draft.frame

    @property
    def _hides_rows(self) -> bool:
        return self.rows.get("suppressed", 0) > 0

    def _write(
        self, path: Path | DatabaseTable, *, force: bool = False, partition_by: Sequence[str] | None = None
    ) -> release.Manifest:
        draft = self._draft if partition_by is None else self._draft.divided(partition_by)
        return draft.write(path, force=force)

    def _spare_inputs(self, *outputs: Path) -> None:
        self._draft.spare_inputs(*outputs)

    def _origin(self) -> Origin:
        from sfumato.assess.gather import Origin

        prepared = self._draft.prepared
        return Origin(prepared.table.source, prepared.spec, self._draft)


@dataclass(frozen=True)
class Recipe(release.Generalization):
    """What was done to a table, so that it can be done again.

    `Recipe.load` reads it from its own file or from a release's ``FILE.json``.
    """

    def apply(
        self,
        data: object,
        *,
        unknown: Literal["suppress", "refuse", "generalize", "error", "*"] = "suppress",
        assignment: str | os.PathLike[str] | None = None,
        key: str | os.PathLike[str] | None = None,
    ) -> Release:
        """Recode new data in the same way and check the requirements again.

        Intervals, masks and dates take any value. An ordered block of numbers
        or dates takes all from its first value up to the next block's first;
        below the first block and above the last, and before a block that the
        release did not show, values are unknown. So is a category that the
        recipe does not list: a recipe lists no value that only suppressed rows
        had. Classes that miss a requirement are suppressed within the limit.

        The recipe of a local recoding gives a row the labels of the class that covers it
        and tells most; a row that no class of the release covers is suppressed.

        Parameters
        ----------
        data
            A frame or the path of a file with the columns of the recipe.
        unknown
            ``suppress``: rows with an unknown value are suppressed first, and count against the limit.
            They were suppressed in the release that the recipe comes from, or are new and rare, and
            nothing shows that they are different. ``refuse``: an unknown value is an error.
            ``generalize``: it becomes ``*`` and its rows are classes of their own, which must meet the
            requirements too; the release then shows that they had a value that is not listed.
            (``error`` and ``*`` are old names of the last two.)
        assignment
            The private file that `Release.write_assignment` wrote, of a local recoding: rows with values
            that it lists get exactly the labels that they had.
        key
            The key file of pseudonyms, if the release has any: the same one gives the same pseudonyms.

        Returns
        -------
        Release
            The recoded rows; its ``unknown`` counts what the recipe did not know.

        Raises
        ------
        HierarchyError
            If a value is unknown, and that is refused.
        InfeasibleError
            If the requirements cannot be met within the limit.
        """
        chosen = OLD_TREATMENTS.get(unknown, unknown)
        if chosen not in release.TREATMENTS:
            raise ParameterError(
                f"unknown must be 'suppress', 'refuse' or 'generalize'; got {unknown!r}.", where="unknown"
            )
        if chosen != unknown:
            message = f"unknown={unknown!r} is an old name; write unknown={chosen!r}."
            warnings.warn(message, DeprecationWarning, stacklevel=2)
        keyed = self if key is None else replace(self, key=str(Path(key).absolute()))
        return Release(release.apply_recipe(keyed, data, cast("Treatment", chosen), assignment))
