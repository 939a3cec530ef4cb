"""What the commands print: lines and tables, or one JSON object; errors as one line."""

from __future__ import annotations

import contextlib
import json
import math
import os
import signal
import socket
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, TextIO

from sfumato import words
from sfumato.errors import SfumatoError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from types import FrameType

    from rich.console import Console
    from rich.progress import Progress as Bar

    from sfumato.cli.options import Options
    from sfumato.search import Progress

# How a terminal shows texts and numbers; a page may use line breaks, and other digits.
printable = partial(words.printable, one_line=False)
number = partial(words.number_words, tenths=True)
percent = partial(words.percent_words, style="risk")

PIPED_WIDTH = 120  # columns if no terminal reports its width
WIDEST_DRAWING = 100
NARROWEST = 12  # columns that a cell gets at least, if it is that long


@dataclass(frozen=True)
class TableColumn:
    """A column of a printed table: its header, its side, and whether its cells stay on one line."""

    header: str
    side: Literal["left", "right"] = "left"
    fixed: bool = False


def right(*headers: str) -> list[TableColumn]:
    """Return columns of numbers, which end at the right."""
    return [TableColumn(header, "right") for header in headers]


class Output:
    """Standard output, as the options want it."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.is_shown = not (options.json or options.quiet)

    @cached_property
    def _console(self) -> Console:
        return make_console(sys.stdout)

    @property
    def width(self) -> int:
        """Columns that a drawing may take."""
        return min(self._console.width, WIDEST_DRAWING)

    @property
    def is_unicode(self) -> bool:
        """Whether standard output shows more than ASCII."""
        return is_utf8(sys.stdout)

    def line(self, text: str = "", style: str = "") -> None:
        """Print a line of text, which only the terminal itself may break."""
        if self.is_shown:
            from rich.text import Text

            self._console.print(Text(printable(text), style=style), soft_wrap=True)

    def paragraph(self, text: str, style: str = "", *, first: str = "", others: str = "") -> None:
        """Print text in as many lines as it needs, broken between words only."""
        if self.is_shown:
            wrapped = textwrap.wrap(
                f"{first}{text}",
                self._console.width,
                subsequent_indent=others,
                break_long_words=False,
                break_on_hyphens=False,
            )
            for line in wrapped:
                self.line(line, style)

    def heading(self, text: str) -> None:
        """Begin a part of the output."""
        self.line()
        self.line(text, style="bold")

    def block(self, text: str) -> None:
        """Print lines as they are."""
        for line in text.split("\n"):
            self.line(line)

    def notes(self, word: str, texts: Sequence[str]) -> None:
        """Print remarks, each after a word such as ``warning``."""
        for text in texts:
            self.paragraph(text, "yellow", first=f"{word}: ", others="  ")

    def warn(self, texts: Sequence[str]) -> None:
        """Print what must not be missed: on standard error where nothing else is to be printed."""
        self.notes("warning", texts)
        for text in texts if self.options.quiet and not self.options.json else ():
            print(printable(f"warning: {text}"), file=sys.stderr)

    def table(self, heads: Sequence[TableColumn | str], rows: Sequence[Sequence[str]]) -> None:
        """Print a table; without rows, nothing."""
        if not (self.is_shown and rows):
            return
        from rich import box
        from rich.table import Table
        from rich.text import Text

        columns = [TableColumn(item) if isinstance(item, str) else item for item in heads]
        unbroken = [item.fixed or item.side == "right" for item in columns]
        needed = 2 * (len(columns) - 1)
        for item, is_unbroken, *cells in zip(columns, unbroken, *rows, strict=True):
            longest = max(len(printable(text)) for text in (item.header, *cells))
            needed += longest if is_unbroken else min(longest, NARROWEST)
        if needed > self._console.width:
            self._records(columns, rows)
            return
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
        for item, is_unbroken in zip(columns, unbroken, strict=True):
            header = Text(printable(item.header))
            table.add_column(header, justify=item.side, overflow="fold", no_wrap=is_unbroken)
        for row in rows:
            table.add_row(*(Text(printable(cell)) for cell in row))
        with self._console.capture() as drawn:
            self._console.print(table)
        for line in drawn.get().splitlines():
            print(line.rstrip())

    def _records(self, columns: Sequence[TableColumn], rows: Sequence[Sequence[str]]) -> None:
        """Print a table that finds no room: each row as its name, and what it says about it below."""
        for row in rows:
            self.line(row[0], style="bold")
            told = [
                f"{item.header} {cell}".strip()
                for item, cell in zip(columns[1:], row[1:], strict=True)
                if cell
            ]
            if told:
                self.paragraph(", ".join(told), first="  ", others="  ")

    def facts(
        self, rows: Sequence[tuple[str, str]], left_out: Sequence[str] = (), by: str = "specification"
    ) -> None:
        """Print names with what is said about them, and last the columns that are left out."""
        if not self.is_shown:
            return
        names = ", ".join(left_out)
        every = [*rows, ("left out", f"{names} (not named in the {by})")] if names else rows
        wide = max(len(printable(name)) for name, _ in every) + 2
        for name, text in every:
            self.paragraph(text, first=f"{printable(name):<{wide}}", others=" " * wide)

    def result(self, values: Mapping[str, object]) -> None:
        """Print the one JSON object, if that is asked for."""
        if self.options.json:
            print_json(values)


def make_console(stream: TextIO) -> Console:
    """Return a console that neither guesses markup nor colours numbers."""
    from rich.console import Console

    console = Console(file=stream, highlight=False, markup=False, emoji=False)
    if not console.is_terminal and not os.environ.get("COLUMNS"):
        console.width = PIPED_WIDTH
    return console


def is_utf8(stream: TextIO) -> bool:
    """Tell whether a stream takes every character."""
    return (stream.encoding or "").lower().replace("-", "").replace("_", "") == "utf8"


def print_json(values: Mapping[str, object]) -> None:
    """Print a JSON object to standard output; what is not finite becomes null."""
    print(json.dumps(plain(values), indent=2, ensure_ascii=not is_utf8(sys.stdout), allow_nan=False))


def plain(value: object) -> object:
    """Return what JSON can hold: whole floats as integers, no infinity, paths and others as texts."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return int(value) if value.is_integer() and abs(value) < 1e15 else float(value)
    return value if value is None or isinstance(value, str | int) else str(value)


def shell_word(text: object) -> str:
    """Return a text as one word of a command line."""
    word = str(text)
    return word if word and all(letter.isalnum() or letter in "./\\:_-+," for letter in word) else f'"{word}"'


def forget_output() -> None:
    """Discard what is still to be printed, so that exiting does not fail on a closed pipe."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def flush_output() -> OSError | None:
    """Flush what is still to be printed; return why that failed, unless the reader is gone."""
    try:
        sys.stdout.flush()
    except OSError as error:
        forget_output()
        return None if isinstance(error, BrokenPipeError) else error
    return None


class CollectedError(SfumatoError):
    """All that is wrong, where a command looks for more than the first mistake."""

    def __init__(self, errors: Sequence[SfumatoError]) -> None:
        super().__init__(errors[0].message, where=errors[0].where)
        self.errors = errors


def print_error(error: SfumatoError, *, as_json: bool = False, show_values: bool = False) -> int:
    """Say what is wrong, on standard error or as one JSON object; return the exit status."""
    several = error.errors if isinstance(error, CollectedError) else None
    errors = several or [error]
    every = [{"message": item.message, "where": item.where} for item in errors]
    if not (as_json and _print_json_error({**every[0], "all": every} if several else every[0])):
        is_coloured = sys.stderr.isatty() and "NO_COLOR" not in os.environ and os.name != "nt"
        word = "\033[1;31merror:\033[0m" if is_coloured else "error:"
        with contextlib.suppress(OSError):
            for item in errors:
                text = " ".join(item.text(show_values=show_values).splitlines())
                print(word, printable(text), file=sys.stderr)
                for line in getattr(item, "picture", ()):
                    print(f"    {printable(line)}", file=sys.stderr)
    return max(item.status for item in errors)


def _print_json_error(told: Mapping[str, object]) -> bool:
    """Print the error as JSON; return False if that failed, so that it is said where it can be."""
    try:
        print_json({"error": told})
        sys.stdout.flush()
    except OSError as error:
        forget_output()
        return isinstance(error, BrokenPipeError)
    return True


STOPPED = "stopping with the best so far; Ctrl-C again aborts"
LATER = "reading the data, or compiling kernels (first run only) …"
PATIENCE_S = 1.5  # seconds after which it is said what takes so long
stops: list[int] = []
aborts: list[int] = []
"""The signals that stopped a search of this command, and those that aborted it."""
watches: list[Watch] = []
"""What watches searches of this command now."""


class Terminated(BaseException):
    """The process was asked to end (SIGTERM); no error of a command, which nothing but the door catches."""


class Watch:
    """The callback of a search: shows its progress, and stops it after the first Ctrl-C."""

    def __init__(self, doing: str, *, later: str | None = None, shown: bool, unit: str = "recodings") -> None:
        self._later = later
        self._unit = unit
        self.stopped = False
        self._aborted: type[BaseException] | None = None
        self.has_begun = False
        self._bar = _make_bar(doing) if shown else None

    def __call__(self, progress: Progress) -> bool:
        """Show how far a search is; return True if it has to stop."""
        if self._aborted is not None:  # while a kernel was compiled, and the compiler swallowed it
            raise self._aborted
        self.has_begun = True
        text = STOPPED if self.stopped else "searching"
        done = progress_text(progress, self._unit)
        self._show(description=text, total=1.0, completed=progress.fraction, done=done)
        return self.stopped

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        """Take a Ctrl-C or SIGTERM: the first one during a search stops it, any other one aborts."""
        if self.stopped or not self.has_begun:
            self._aborted = abort(number)
            raise self._aborted
        stops.append(number)
        self.stopped = True  # last: whoever sees it sees the other too
        self._show(description=STOPPED)

    @contextlib.contextmanager
    def shown(self) -> Iterator[None]:
        """Draw the bar, if there is one, and wipe it away at the end."""
        if self._bar is None:
            yield
            return
        from sfumato import monitor

        monitor.is_followed.set()
        ended = threading.Event()
        threading.Thread(target=self._follow, args=(ended,), daemon=True).start()
        try:
            with self._bar:
                yield
        finally:
            ended.set()

    def _follow(self, ended: threading.Event) -> None:
        """Show how far the engine is until a search begins; after a while, what else may take so long."""
        from sfumato import monitor

        begin = time.monotonic()
        while not ended.wait(0.25) and not self.has_begun:
            done = monitor.query_progress()
            if done is not None:
                self._show(total=1.0, completed=done, done=f"{100 * done:3.0f} % of this step")
            elif time.monotonic() >= begin + PATIENCE_S:
                self._say_later()

    def _say_later(self) -> None:
        if self._later and not self.has_begun:
            self._show(description=self._later)

    def _show(self, **fields: Any) -> None:
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], **fields)


def progress_text(progress: Progress, unit: str) -> str:
    """Say how far a search is, and how much its front dominates where that is followed."""
    text = f"{100 * progress.fraction:3.0f} %  {progress.evaluated:,} {unit}"
    return text if progress.hypervolume is None else f"{text}, hypervolume {progress.hypervolume:.4f}"


@contextlib.contextmanager
def watching(options: Options, unit: str = "recodings") -> Iterator[Watch]:
    """Show the progress of a search, and turn the first Ctrl-C or SIGTERM into a request to stop it."""
    watch = Watch("reading the data", later=LATER, shown=_is_shown(options), unit=unit)
    with contextlib.ExitStack() as stack:
        stack.enter_context(handling(signal.SIGINT, watch.interrupt))
        stack.enter_context(handling(signal.SIGTERM, watch.interrupt))
        stack.enter_context(watch.shown())
        watches.append(watch)
        stack.callback(watches.remove, watch)
        yield watch


@contextlib.contextmanager
def terminable() -> Iterator[None]:
    """Let SIGTERM end a command in order, as Ctrl-C does; a second one ends the process at once."""
    stops.clear()
    aborts.clear()

    def end(number: int, frame: FrameType | None) -> None:
        if number == signal.SIGTERM:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        raise abort(number)

    with handling(signal.SIGTERM, end), handling(signal.SIGINT, end), _ending_queries():
        yield


@contextlib.contextmanager
def _ending_queries() -> Iterator[None]:
    """Let a signal that aborts a command end what the engine is at, which no handler of Python can."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    ended, before = threading.Event(), signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    passing = threading.Thread(target=_pass_on, args=(ours, ended), daemon=True)
    passing.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        ended.set()
        theirs.close()
        passing.join()
        ours.close()


def _pass_on(signals: socket.socket, ended: threading.Event) -> None:
    """Interrupt the engines when a signal comes, unless it only stops a search."""
    known = 0  # of those that stop a search
    while number := signals.recv(1):
        if number[0] not in (signal.SIGINT, signal.SIGTERM):
            continue
        # The handler that stops a search is still to run, or has just run.
        if any(watch.has_begun and not watch.stopped for watch in watches) or len(stops) > known:
            known += 1
            continue
        from sfumato import monitor
        from sfumato.verifier import bags

        # Again and again: one that comes just before a query begins would be forgotten.
        while not ended.wait(0.05):
            for item in (*monitor.engines, *bags.running):
                with contextlib.suppress(Exception):  # one that is closed meanwhile
                    item.interrupt()


def abort(number: int) -> type[BaseException]:
    """Note that a signal aborts the command, and return what to raise: libraries may swallow that."""
    aborts.append(number)
    return Terminated if number == signal.SIGTERM else KeyboardInterrupt


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


def waiting(options: Options, doing: str) -> AbstractContextManager[None]:
    """Show on a terminal what is being waited for."""
    return Watch(doing, shown=_is_shown(options)).shown()


def _is_shown(options: Options) -> bool:
    """Tell whether progress is shown: on a terminal, and if nobody asked for silence."""
    return sys.stderr.isatty() and not (options.json or options.quiet)


def _make_bar(doing: str) -> Bar:
    """Return a bar that disappears when it is done."""
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    bar = Progress(
        SpinnerColumn("dots" if is_utf8(sys.stderr) else "line"),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[done]}", markup=False),
        TimeElapsedColumn(),
        console=make_console(sys.stderr),
        transient=True,
    )
    bar.add_task(doing, total=None, done="")
    return bar
