"""What the two kinds of releases share: rows that can be taken, verified, written and reported on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload

from sfumato.release import Manifest, check_target, manifest_path, release_target
from sfumato.table import own_frame
from sfumato.verifier.bags import parts_of

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from sfumato.assess.gather import Evidence, Origin
    from sfumato.assess.published import Published
    from sfumato.front import PlainFront
    from sfumato.table.databases import DatabaseTable


class PublishableRows(ABC):
    """Rows that can be taken as a frame, verified, written and reported on."""

    _written: Path | None = None
    _front: PlainFront | None = None
    _run: Mapping[str, object] | None = None  # how it was searched for
    _seen: tuple[object, Published] | None = (
        None  # what the last report found, and of which state of the file
    )

    @property
    @abstractmethod
    def measures(self) -> dict[str, float]:
        """All measures by name, exact."""

    @abstractmethod
    def verify(self) -> dict[str, float]:
        """Recount the rows with code that shares nothing with what made them."""

    @abstractmethod
    def _rows(self) -> object:
        """Return the rows as the engine holds them, with everything that came along."""

    @property
    def _hides_rows(self) -> bool:
        """Whether there are rows that must not show in the types of columns."""
        return False

    @abstractmethod
    def _write(
        self, path: Path | DatabaseTable, *, force: bool = False, partition_by: Sequence[str] | None = None
    ) -> Manifest:
        """Write the rows and their manifest, if what is written keeps its promise."""

    @abstractmethod
    def _origin(self) -> Origin:
        """Return where the rows come from."""

    @abstractmethod
    def _spare_inputs(self, *outputs: Path) -> None:
        """Refuse to replace what the rows are made from."""

    @cached_property
    def frame(self) -> object:
        """The released rows in their order, as `to_frame` returns them."""
        return self.to_frame()

    def to_frame(self, *, keep_index: bool = False) -> object:
        """Return the released rows, with nothing of the rows and cells that were left out.

        Categories, dictionaries and buffers hold only what is published; metadata are removed. Rows are in
        the order of the input, unless microaggregation was asked to sort them.

        Parameters
        ----------
        keep_index
            Whether the index of a pandas frame is published too. It may identify people, and it shows which
            rows were suppressed; without it, rows are counted from 0.

        Returns
        -------
        frame
            The same kind of frame that came in, an engine's relation for a file. The type of a kept column
            is the one that it had, apart from categories; where rows are suppressed, whole numbers and
            objects of pandas get the type that the published values have: see docs/files.md.
        """
        return own_frame(self._rows(), keep_index=keep_index, settle=self._hides_rows)

    def write(
        self,
        path: str | os.PathLike[str],
        *,
        force: bool = False,
        table: str | None = None,
        manifest: str | os.PathLike[str] | None = None,
        partition_by: Sequence[str] | None = None,
    ) -> Manifest:
        """Write the rows and their manifest, if what is written keeps its promise.

        Parameters
        ----------
        path
            The file; its suffix sets the format. ``FILE.json`` is the manifest. The rows of a Spark frame
            become a folder of Parquet or CSV files: see docs/spark.md. Or the address of a database
            without a password, such as ``postgresql://host/name`` or ``sqlite:///file.db``: see
            docs/databases.md.
        force
            Replace files, or the table, that exist.
        table
            In a database, the table to make, in one transaction.
        manifest
            Of a table, the file of its manifest; ``TABLE.json`` in the current folder if not given.
        partition_by
            Published columns whose labels name folders, such as ``sex=F/part-00000.parquet``; those of the
            specification if None. See docs/files.md.

        Returns
        -------
        Manifest
            The content of ``FILE.json``.

        Raises
        ------
        OutputError
            If the file or table exists, or the folder, disk or database cannot be written to.
        VerificationError
            If the promise does not hold. Nothing is written then.
        """
        target = release_target(path, table, manifest)
        self._spare_inputs(manifest_path(target), *([target] if isinstance(target, Path) else []))
        stated = self._write(target, force=force, partition_by=partition_by)
        if isinstance(target, Path):
            vars(self)["_written"] = target.absolute()
        return stated

    @overload
    def report(
        self,
        path: str | os.PathLike[str],
        *,
        internal: Literal[True],
        force: bool = ...,
        show_values: bool = ...,
    ) -> Evidence: ...

    @overload
    def report(
        self,
        path: str | os.PathLike[str],
        *,
        internal: bool = ...,
        force: bool = ...,
        show_values: bool = ...,
    ) -> Published: ...

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        internal: bool = False,
        force: bool = False,
        show_values: bool = True,
    ) -> Published:
        """Recount the release, and write a report about it: one HTML file that opens offline and prints.

        The external edition follows from the released rows and their manifest, and may be published with
        them. The internal edition compares with the original and counts suppressed people too: it is marked,
        readable only by its owner, and must not be published. If the release was written before, the
        written file is recounted, otherwise the rows as they are.

        Parameters
        ----------
        path
            The HTML file.
        internal
            Whether to write the internal edition.
        force
            Replace a file that exists.
        show_values
            Whether labels of the release are shown, which may be values of the data.

        Returns
        -------
        Published or Evidence
            What the report shows; of the internal edition an `Evidence`, with risk and utility before and
            after. Its ``holds`` says whether the promise does; the report of a written file that does not
            hold says so on top.

        Raises
        ------
        OutputError
            If the file exists, or the folder or disk cannot be written to.
        VerificationError
            If the release is not written, and its promise does not hold.
        """
        from sfumato.assess.gather import gather
        from sfumato.report.document import write_report

        check_target(Path(path), force=force)
        self._spare_inputs(Path(path))
        found = self._recount()
        if internal:
            found = gather(found, self._origin(), self._front, run=self._run, exact=self.measures)
        write_report(Path(path), found, show_values=show_values, force=force)
        return found

    def _recount(self) -> Published:
        """Recount the release as it is, once for both editions of its report."""
        from sfumato.report.document import read_release

        state = _state(self._written)
        if self._seen is None or self._seen[0] != state:
            vars(self)["_seen"] = (state, read_release(self._written, self._write))
        assert self._seen is not None
        return self._seen[1]


def _state(path: Path | None) -> object:
    """Return what changes whenever a written release or its manifest does; None if there is none."""
    if path is None or not path.exists():
        return None
    files = [file.stat() for file in (*parts_of(path), manifest_path(path)) if file.exists()]
    return [(file.st_ino, file.st_mtime_ns, file.st_size) for file in files]
