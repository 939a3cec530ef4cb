"""What a study is: it measures, then writes about what it measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from studies.common.results import Results


@dataclass(frozen=True)
class Study:
    """A paper's experiments, run again.

    Parameters
    ----------
    name
        What it is called on the command line.
    title
        One line for the list of studies.
    folder
        Where the results of the full run lie.
    measure
        Runs everything and returns all numbers. With True it runs a small part within seconds, and its
        numbers mean nothing.
    write
        Writes README and figures of given results into a folder, from the results alone.
    """

    name: str
    title: str
    folder: Path
    measure: Callable[[bool], Results]
    write: Callable[[Results, Path], None]


__all__ = ["Study"]
