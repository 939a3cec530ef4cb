"""Long work beside the pages: one thread, its progress, a request to stop, and how it ended, in words."""

from __future__ import annotations

import ctypes
import gc
import logging
import os
import sys
import threading
import time
from typing import TYPE_CHECKING

from sfumato.errors import SfumatoError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sfumato.monitor import Progress

BEHIND = 10  # how much longer than pages a job waits for a core, as `nice` counts
OUR_MISTAKE = "This is a bug in sfumato, not your mistake ({}). What you did before it is kept."


class Job:
    """One piece of work in a thread of its own; pages look at it, and none waits for it."""

    def __init__(self, doing: str, work: Callable[[Job], object], after: Callable[[], None]) -> None:
        self.doing = doing  # what is being done, in words
        self.progress: Progress | None = None  # how far a search is
        self.error: str | None = None  # why it failed
        self.stopping = False  # whether it was asked to stop
        self.done = False
        self._begin = time.monotonic()
        self._work, self._after = work, after
        self._thread = threading.Thread(target=self._run, name="sfumato-job", daemon=True)

    def start(self) -> Job:
        """Begin."""
        self._thread.start()
        return self

    @property
    def seconds(self) -> float:
        """Time since it began."""
        return time.monotonic() - self._begin

    def watch(self, progress: Progress) -> bool:
        """Take the progress of a search; return whether it has to stop."""
        if self.progress is None and gc.get_freeze_count():
            gc.freeze()  # libraries and tables are loaded: pages need not wait until they are looked through
        self.progress = progress
        return self.stopping

    def stop(self) -> None:
        """Ask the work to stop with what it has."""
        self.stopping = True

    def wait(self, seconds: float | None = None) -> None:
        """Wait until it is over."""
        self._thread.join(seconds)

    def _run(self) -> None:
        if sys.platform == "linux":
            # Of this thread alone, and those that it starts: pages come first where cores are few.
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), BEHIND)
        try:
            self._work(self)
        except Exception as error:
            self.error = in_words(error)
        finally:
            self.done = True
            self._after()
            let_go()


def let_go() -> None:
    """Give memory that is no longer in use back to the system; by themselves allocators keep most of it."""
    is_serving = gc.get_freeze_count() > 0
    gc.unfreeze()
    gc.collect()  # searches and figures leave much in circles
    if is_serving:
        gc.freeze()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc alone has it
        if trim is not None:
            trim(0)


def in_words(error: Exception) -> str:
    """Return what a person reads of an error; values of the data are only in those that may show them."""
    if isinstance(error, SfumatoError):
        text = error.text(show_values=True)
        return text[:1].upper() + text[1:]
    if isinstance(error, MemoryError):
        return "There is not enough memory for this table. Use fewer or coarser attributes."
    logging.getLogger("sfumato.app").error("a job failed: %s", type(error).__name__)
    return OUR_MISTAKE.format(type(error).__name__)
