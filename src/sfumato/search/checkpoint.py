"""Files in which a search keeps how far it came: arrays, and a mark of the run that they belong to."""

from __future__ import annotations

import hashlib
import os
import time
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.errors import ParameterError
from sfumato.private import create, place, private_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from sfumato.search.problem import Problem

INTERVAL_S = 10.0


def fingerprint(problem: Problem, parameters: object, seed: int, arrays: Iterable[object]) -> str:
    """Return a text that is equal for equal runs."""
    parts = [
        problem.cube.fingerprint,
        problem.objectives[0].name,
        *(f"{item.measure.name}={item.limit!r}" for item in problem.requirements),
        repr(problem.suppression),
        repr(parameters),
        str(seed),
    ]
    digest = hashlib.sha256("\n".join(parts).encode())
    for scheme in problem.schemes or ():
        digest.update(f"{scheme.name} {scheme.size} {scheme.count():x}".encode())
        digest.update(scheme.finest.block.tobytes())
    for array in arrays:
        digest.update(np.asarray(array).tobytes())
    return digest.hexdigest()


def load_arrays(path: Path, mark: str, names: Sequence[str]) -> dict[str, NDArray[Any]] | None:
    """Read a checkpoint; None where there is no file."""
    if not path.parent.is_dir():
        raise ParameterError(
            f"the folder {path.parent} for the checkpoint does not exist. Make it first.", where=str(path)
        )
    if not path.exists() or path.stat().st_size == 0:
        return None
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            held = {name: file[name] for name in ("fingerprint", *names)}
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
