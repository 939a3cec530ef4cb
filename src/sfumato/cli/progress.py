"""While a search runs: a bar on standard error if that is a terminal, and Ctrl-C."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from typing import TYPE_CHECKING

from sfumato.cli.output import is_utf8, make_console

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from rich.progress import Progress as Bar

    from sfumato.cli.options import Options
    from sfumato.search import Progress

STOPPED = "stopping with the best so far; Ctrl-C again aborts"
COMPILING = "compiling kernels (first run only) …"
PATIENCE_S = 1.5
"""Seconds after which it is said what takes so long."""


class Terminated(BaseException):
    """The process was asked to end (SIGTERM); no error of a command, which nothing but the door catches."""


class Watch:
    """The callback of a search: shows its progress, and stops it after the first Ctrl-C."""

    def __init__(self, doing: str, *, later: str | None = None, shown: bool, unit: str = "recodings") -> None:
        self._later = later
        self._unit = unit
        self.stopped = False
        self.terminated = False
        self.has_begun = False
        self._bar = _make_bar() if shown else None
        self._task = None if self._bar is None else self._bar.add_task(doing, total=None, done="")

    def __call__(self, progress: Progress) -> bool:
        """Show how far a search is; return True if it has to stop."""
        self.has_begun = True
        if self._bar is not None and self._task is not None:
            done = progress_text(progress, self._unit)
            text = STOPPED if self.stopped else "searching"
            self._bar.update(self._task, description=text, total=1.0, completed=progress.fraction, done=done)
        return self.stopped

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        """Take a Ctrl-C: the first one during a search stops it, any other one aborts."""
        if self.stopped or not self.has_begun:
            raise KeyboardInterrupt
        self.stopped = True
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, description=STOPPED)

    def terminate(self, number: int, frame: FrameType | None) -> None:
        """Take a SIGTERM while a checkpoint is kept: the search stops and writes it; any other one aborts."""
        if self.stopped or not self.has_begun:
            raise Terminated
        self.stopped = self.terminated = True

    @contextlib.contextmanager
    def shown(self) -> Iterator[None]:
        """Draw the bar, if there is one, and wipe it away at the end."""
        if self._bar is None:
            yield
            return
        timer = threading.Timer(PATIENCE_S, self._say_later)
        timer.daemon = True
        timer.start()
        try:
            with self._bar:
                yield
        finally:
            timer.cancel()

    def _say_later(self) -> None:
        if self._bar is not None and self._task is not None and self._later and not self.has_begun:
            self._bar.update(self._task, description=self._later)


def progress_text(progress: Progress, unit: str) -> str:
    """Say how far a search is, and how much its front dominates where that is followed.

    Examples
    --------
    >>> from sfumato.search import Progress
    >>> progress_text(Progress(0.25, 12_400, 3.1, 0.81234), "recodings")
    ' 25 %  12,400 recodings, hypervolume 0.8123'
    """
    text = f"{100 * progress.fraction:3.0f} %  {progress.evaluated:,} {unit}"
    return text if progress.hypervolume is None else f"{text}, hypervolume {progress.hypervolume:.4f}"


@contextlib.contextmanager
def watching(options: Options, unit: str = "recodings") -> Iterator[Watch]:
    """Show the progress of a search, and turn the first Ctrl-C into a request to stop it."""
    later = f"reading the data, or {COMPILING}"
    watch = Watch("reading the data", later=later, shown=_is_shown(options), unit=unit)
    with contextlib.ExitStack() as stack:
        stack.enter_context(handling(signal.SIGINT, watch.interrupt))
        if options.checkpoint is not None:
            stack.enter_context(handling(signal.SIGTERM, watch.terminate))
        stack.enter_context(watch.shown())
        yield watch
        if watch.terminated:
            raise Terminated


@contextlib.contextmanager
def terminable() -> Iterator[None]:
    """Let SIGTERM end a command in order, as Ctrl-C does; a second one ends the process at once."""

    def end(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        raise Terminated

    with handling(signal.SIGTERM, end):
        yield


@contextlib.contextmanager
def handling(number: signal.Signals, handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Handle a signal for a while, unless it is ignored or arrives in another thread."""
    before = signal.getsignal(number)
    if threading.current_thread() is not threading.main_thread() or before in (None, signal.SIG_IGN):
        yield
        return
    signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)


@contextlib.contextmanager
def waiting(options: Options, doing: str, *, later: str | None = None) -> Iterator[None]:
    """Show on a terminal what is being waited for."""
    with Watch(doing, later=later, shown=_is_shown(options)).shown():
        yield


def _is_shown(options: Options) -> bool:
    """Tell whether progress is shown: on a terminal, and if nobody asked for silence."""
    return sys.stderr.isatty() and not (options.json or options.quiet)


def _make_bar() -> Bar:
    """Return a bar that disappears when it is done."""
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    return Progress(
        SpinnerColumn("dots" if is_utf8(sys.stderr) else "line"),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[done]}", markup=False),
        TimeElapsedColumn(),
        console=make_console(sys.stderr),
        transient=True,
    )
