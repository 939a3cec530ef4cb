"""Time limit, progress and stopping, the same for every search."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias


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
    """

    fraction: float
    evaluated: int
    seconds: float
    hypervolume: float | None = None


Callback: TypeAlias = Callable[[Progress], bool | None]
"""Called some ten times a second; a search stops when it returns True."""


class Monitor:
    """Watches one search.

    Parameters
    ----------
    time_limit_s
        Seconds after which the search has to stop; None for no limit.
    callback
        Sees the progress and may ask to stop.
    """

    def __init__(self, time_limit_s: float | None = None, callback: Callback | None = None) -> None:
        self._limit, self._callback = time_limit_s, callback
        self._begin = time.perf_counter()
        self._told = 0.0
        self.reason: str | None = None
        self.hypervolume: float | None = None

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
        if self._callback and (seconds - self._told >= 0.1 or fraction >= 1.0):
            self._told = seconds
            if self._callback(Progress(min(1.0, fraction), evaluated, seconds, self.hypervolume)):
                self.reason = self.reason or "stopped"
        if self._limit is not None and seconds >= self._limit:
            self.reason = self.reason or "time limit"
        return self.stopped
