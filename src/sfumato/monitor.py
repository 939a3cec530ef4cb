"""Time limit, progress, stopping and checkpoints, the same for every search."""

from __future__ import annotations

import os
import threading
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias
from weakref import WeakSet

import numpy as np

from sfumato.errors import ParameterError
from sfumato.private import create, place, private_folder

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from sfumato._typing import FloatArray


class Engine(Protocol):
    """What runs queries."""

    def interrupt(self) -> None:
        """End the query with an error."""

    def query_progress(self) -> float:
        """Percent of the query; negative where nobody knows."""


engines: WeakSet[Engine] = WeakSet()
"""Those there are. Another thread may interrupt them: a query lets no handler of a signal run."""

is_followed = threading.Event()
"""Set before an engine is started that is to say how far it is."""


def query_progress() -> float | None:
    """Return how much of the query at work is done, between 0 and 1; None where none is, or nobody knows."""
    found = [-1.0]
    for item in list(engines):
        with suppress(Exception):  # it is closed meanwhile
            found.append(item.query_progress() / 100)
    return max(found) if max(found) >= 0 else None


class StoppedError(Exception):
    """The search was told to stop in the midst of an evaluation."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What a callback sees.

    Parameters
    ----------
    fraction
        Share of the work done, between 0 and 1.
    evaluated
        Recodings, or groupings, evaluated so far.
    seconds
        Time since the search began.
    hypervolume
        Share of the objectives' space that the solutions found dominate, if the search knows it.
    costs
        The objectives of the solutions found so far, a row for each and smaller is better, if the search
        keeps them; not to be changed.
    """

    fraction: float
    evaluated: int
    seconds: float
    hypervolume: float | None = None
    costs: FloatArray | None = None


Callback: TypeAlias = Callable[[Progress], bool | None]
"""Called some ten times a second; a search stops when it returns True."""


class Monitor:
    """Watches one search.

    Parameters
    ----------
    time_limit_s
        Seconds after which the search has to stop; None for no limit.
    callback
        Sees the progress and may ask to stop; called in the thread that made the monitor, and in no other.
    """

    def __init__(self, time_limit_s: float | None = None, callback: Callback | None = None) -> None:
        self._limit, self._callback = time_limit_s, callback
        self._begin = time.perf_counter()
        self._told = 0.0
        self._home = threading.get_ident()
        self._at: tuple[float, int] | None = None  # how far the search was when it last said so
        self.halt = np.zeros(1, dtype=np.int64)  # 1 ends long kernels at once: somebody asked to stop
        self.reason: str | None = None
        self.evaluated = 0  # when it was told last
        self.hypervolume: float | None = None
        self.costs: FloatArray | None = None

    @property
    def seconds(self) -> float:
        """Time since the search began."""
        return time.perf_counter() - self._begin

    @property
    def spent(self) -> float:
        """Share of the time limit that is over; 0 where there is none."""
        return self.seconds / self._limit if self._limit else 0.0

    @property
    def stopped(self) -> bool:
        """Whether the search has been told to stop."""
        return self.reason is not None

    def tick(self, fraction: float, evaluated: int) -> bool:
        """Tell the callback, check the clock; return True if the search has to stop."""
        seconds = self.seconds
        self._at, self.evaluated = (fraction, evaluated), evaluated
        is_due = seconds - self._told >= 0.1 or fraction >= 1.0
        if self._callback and is_due and threading.get_ident() == self._home:
            self._told = seconds
            if self._callback(Progress(min(1.0, fraction), evaluated, seconds, self.hypervolume, self.costs)):
                self.halt[0] = 1
        if self.halt[0]:
            self.reason = self.reason or "stopped"
        if self._limit is not None and seconds >= self._limit:
            self.reason = self.reason or "time limit"
        return self.stopped

    def poll(self) -> None:
        """Look at the clock and the callback while a search is at work, once it has something to show."""
        if self._at is not None:
            self.tick(*self._at)

    def refuse(self) -> None:
        """Raise StoppedError once somebody asked to stop."""
        self.poll()
        if self.halt[0]:
            raise StoppedError

    def silent(self) -> Monitor:
        """Return a monitor for one of several searches side by side: it ends with this one."""
        made = Monitor()
        made.halt = self.halt
        return made


INTERVAL_S = 10.0
"""Between two checkpoints."""


def load_arrays(path: Path, mark: str, names: Sequence[str] | None = None) -> dict[str, NDArray[Any]] | None:
    """Read a checkpoint, or only these of its arrays; None where there is no file."""
    if not path.parent.is_dir():
        raise ParameterError(
            f"the folder {path.parent} for the checkpoint does not exist. Make it first.", where=str(path)
        )
    if not path.exists() or path.stat().st_size == 0:
        return None
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            held = {name: file[name] for name in ("fingerprint", *(file if names is None else names))}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        raise ParameterError(
            f"{path.name} is not a checkpoint. Name another file.", where=str(path)
        ) from None
    if str(held["fingerprint"]) != mark:
        raise ParameterError(
            f"{path.name} is the checkpoint of another run: its data, specification or settings differ. "
            "Name another file, or remove it.",
            where=str(path),
        )
    return held


class Keeper:
    """Writes checkpoints from time to time, each one whole or not at all, and for this user's eyes alone."""

    def __init__(self, path: Path | None, mark: str) -> None:
        self._path, self._mark = path, mark
        self._last = time.perf_counter()

    @property
    def is_due(self) -> bool:
        """Whether it is time for the next one."""
        return self._path is not None and time.perf_counter() - self._last >= INTERVAL_S

    def keep(self, arrays: Mapping[str, object]) -> None:
        """Write a checkpoint in place of the last one."""
        if self._path is None:
            return
        held = {name: np.asarray(array) for name, array in arrays.items()}
        with private_folder(self._path.parent) as folder:
            draft = folder / "checkpoint"
            create(draft)
            with draft.open("wb") as file:
                np.savez(file, allow_pickle=False, fingerprint=np.array(self._mark), **held)
                file.flush()
                os.fsync(file.fileno())
            place(folder, [(draft, self._path)], private=[self._path.name])
        self._last = time.perf_counter()


class Recall:
    """What was evaluated, row by row, and kept in a checkpoint.

    A search that is resumed takes its steps again, and looks up here what it evaluated before: so it does
    what it would have done without the stop, with all that it keeps between its steps.
    """

    def __init__(self, path: Path | None, mark: str) -> None:
        self._keeper = Keeper(path, mark)
        held = (None if path is None else load_arrays(path, mark)) or {}
        # Names with a colon are those of another part of the run.
        self.held = {name: item for name, item in held.items() if name != "fingerprint" and ":" not in name}
        self._parts: list[dict[str, NDArray[Any]]] = []
        self._is_kept = path is not None
        rows = self.held.get("rows", np.zeros((0, 0)))
        self._place = {row.tobytes(): place for place, row in enumerate(rows)}

    def find(self, rows: NDArray[Any]) -> dict[str, NDArray[Any]] | None:
        """Return what is known of rows, in their order; None where it is not known of all."""
        places = [self._place.get(row.tobytes(), -1) for row in rows] if self._place else []
        if min(places, default=-1) < 0:
            return None
        return {name: array[places] for name, array in self.held.items()}

    def add(self, **columns: NDArray[Any]) -> None:
        """Keep what was found of new ``rows``."""
        if self._is_kept and len(columns["rows"]):
            self._parts.append(columns)
            if self._keeper.is_due:
                self.save()

    def save(self) -> None:
        """Write the checkpoint, if there is anything new."""
        if self._parts:
            parts = [self.held, *self._parts] if self.held else self._parts
            self._keeper.keep({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})
