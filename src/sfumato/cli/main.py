"""The command ``sfumato``."""

from __future__ import annotations

import atexit
import gc
import inspect
import os
import re
import sys
import traceback
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any, TypeAlias
from urllib.parse import unquote

import typer
from typer.core import TyperGroup

from sfumato.cli.apply import apply
from sfumato.cli.compare import compare
from sfumato.cli.demo import demo
from sfumato.cli.explore import explore
from sfumato.cli.init import check, init
from sfumato.cli.microaggregate import microaggregate
from sfumato.cli.options import FLAGS, VALUED, Options, option
from sfumato.cli.output import (
    Output,
    Terminated,
    abort,
    aborts,
    flush_output,
    forget_output,
    print_error,
    terminable,
)
from sfumato.cli.release import anonymize, release
from sfumato.cli.risk import measure, risk
from sfumato.cli.serve import serve
from sfumato.cli.studies import studies
from sfumato.cli.verify import report, verify
from sfumato.errors import ParameterError, SfumatoError
from sfumato.words import list_words

WRONG_USE = 2
INTERRUPTED = 130
TERMINATED = 143
TRACEBACK = "SFUMATO_TRACEBACK"  # environment variable that prints the traceback of an unexpected error
Command: TypeAlias = Callable[..., Mapping[str, object]]
"""Parses, calls the library, prints, and returns what ``--json`` prints; ``holds: false`` is status 1."""

_PRINTING = ("json", "quiet")
_READING = ("separator", "encoding", "read", "memory", *_PRINTING)
_SEARCHING = (*_PRINTING, "force", "threads", "seed", "time_limit", "memory", "no_values")
COMMANDS: dict[Command, tuple[str, ...]] = {
    demo: _SEARCHING,
    init: (*_READING, "force", "no_values"),
    check: (*_PRINTING, "no_values"),
    explore: (*_SEARCHING, "checkpoint"),
    compare: (*_PRINTING, "force", "no_values"),
    anonymize: (*_SEARCHING, "checkpoint"),
    # A near-optimal release is searched for too, and so is the best one that an attack is tried on.
    release: (*_PRINTING, "force", "time_limit", "memory", "no_values"),
    apply: (*_READING, "force", "no_values"),
    verify: (*_PRINTING, "memory"),
    report: (*_PRINTING, "force", "memory", "no_values"),
    measure: _READING,
    risk: (*_READING, "seed", "time_limit", "no_values"),
    microaggregate: (*_READING, "force", "threads", "seed", "time_limit", "checkpoint"),
    studies: _PRINTING,
    serve: (),
}
"""The commands, in the order of the help, each with the common options that do something there."""

_PASSWORD = re.compile(r"://(?:[^/?#]*:[^/?#]*@|.*[?&](?:ssl)?password=)", re.IGNORECASE)

# typer brings its own click since 0.2x and uses the installed one before; either way the errors of
# parsing are the relatives of this one.
_PARSING_ERROR: type[Exception] = typer.BadParameter.__mro__[2]


class Commands(TyperGroup):
    """All commands, with common options also in front of the command."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> object:
        """Run one command and exit with its status."""
        given = move_common_options(sys.argv[1:] if args is None else args)
        _never_fail_to_print()

        def run() -> object:
            _refuse_passwords(given)
            words = given or ["--help"]
            return super(Commands, self).main(
                words, prog_name or "sfumato", complete_var, standalone_mode=False, **extra
            )

        status = guard(run, given)
        if not given:  # help was printed, but nothing was asked for
            status = WRONG_USE
        if standalone_mode:
            sys.exit(status)
        return status


def _refuse_passwords(arguments: Sequence[str]) -> None:
    """Refuse the address of a database with a password before any message could repeat it."""
    if any(_PASSWORD.search(unquote(word)) for word in arguments):
        raise ParameterError(
            "an address must not hold a password, since others can read command lines. Use PGPASSWORD, "
            "PGPASSFILE or ~/.pgpass, or a service file."
        )


def guard(run: Callable[[], object], arguments: Sequence[str]) -> int:
    """Run a command line and turn whatever it raises into a message and a status."""
    with terminable():
        status = _guarded(run, arguments)
    lost = flush_output()
    return status if lost is None else _lost(lost)


def _guarded(run: Callable[[], object], arguments: Sequence[str]) -> int:
    as_json = "--json" in arguments
    try:
        status = _run_aborting(run)
    except SfumatoError as error:
        return print_error(error, as_json=as_json, show_values="--no-values" not in arguments)
    except (KeyboardInterrupt, typer.Abort):
        status = INTERRUPTED
    except Terminated:
        status = TERMINATED
    except (BrokenPipeError, SystemExit) as error:
        status = _reader_left(error)
    except OSError as error:
        return _refused(error, as_json)
    except Exception as error:
        return print_error(_in_words(error), as_json=as_json)
    if status in (INTERRUPTED, TERMINATED):
        word = "interrupted" if status == INTERRUPTED else "terminated"
        print_error(SfumatoError(f"{word}; nothing was written."), as_json=as_json)
    return status if isinstance(status, int) else 0


def _run_aborting(run: Callable[[], object]) -> object:
    """Run a command; if it fails after a signal, the engine has made an error of its own of it."""
    try:
        return run()
    except Exception:
        if aborts:
            raise abort(aborts[0]) from None
        raise


def _reader_left(error: BrokenPipeError | SystemExit) -> int:
    """Go on without a reader: what was asked for is done, though nobody looks at it."""
    # The parser leaves with 1 where the reader of a pipe has gone, and by itself in no other way.
    if isinstance(error, SystemExit) and error.code != 1:
        return int(error.code or 0)
    forget_output()
    return 0


def _lost(error: OSError) -> int:
    """Say that the result could not be printed; standard output cannot say it, whatever was asked for."""
    reason = error.strerror or type(error).__name__
    return print_error(SfumatoError(f"the output cannot be written: {reason}."))


def _refused(error: OSError, as_json: bool) -> int:
    """Say that the system refused something, and on which file."""
    # Whatever writes files names them; printing has no name to give.
    if error.filename is None and error.errno is not None:
        forget_output()
        return _lost(error)
    where = None if error.filename is None else str(error.filename)
    reason = error.strerror or type(error).__name__
    message = f"the operating system refused: {reason}. Check the file, its folder and the disk."
    return print_error(SfumatoError(message, where=where), as_json=as_json)


def _in_words(error: Exception) -> SfumatoError:
    """Say what is wrong with the command line, or that the mistake is ours."""
    if isinstance(error, _PARSING_ERROR):
        return _wrong_use(error)
    if isinstance(error, MemoryError):
        return SfumatoError("not enough memory for this table. Use fewer or coarser attributes.")
    if os.environ.get(TRACEBACK):
        traceback.print_exception(error, file=sys.stderr)
    # The text of the error may hold data and is not shown.
    return SfumatoError(
        f"this is a bug in sfumato, not your mistake ({type(error.__cause__ or error).__name__}). "
        f"Set {TRACEBACK}=1 to see where it happens, and report it."
    )


def _wrong_use(error: Exception) -> SfumatoError:
    make = getattr(error, "format_message", None)
    message = " ".join((str(make()) if make else str(error)).split())
    message += "" if message.endswith((".", "?")) else "."
    context, option = getattr(error, "ctx", None), getattr(error, "option_name", None)
    path = getattr(context, "command_path", None) or "sfumato"
    owners = _owners(option)
    if owners and context is not None and context.command.name not in owners:
        message = f"{option} does nothing here; it is an option of {list_words(owners)}."
    return SfumatoError(f"{message[:1].lower()}{message[1:]} See '{path} --help'.", where=path)


def _owners(name: str | None) -> list[str]:
    """Return the commands that have an option."""
    group = typer.main.get_command(make_app())
    assert isinstance(group, TyperGroup)
    return [
        key
        for key, item in group.commands.items()
        if any(name in (*each.opts, *each.secondary_opts) for each in item.params)
    ]


def move_common_options(arguments: Sequence[str]) -> list[str]:
    """Move common options that stand in front of the command behind it."""
    at = 0
    while at < len(arguments) and (step := _length(arguments[at])):
        at += step
    if at >= len(arguments) or arguments[at].startswith("-"):
        return list(arguments)
    return [arguments[at], *arguments[:at], *arguments[at + 1 :]]


def _length(argument: str) -> int:
    """Return how many arguments a common option takes, itself included; 0 if it is none."""
    if argument in VALUED:
        return 2
    return int(argument in FLAGS or argument.partition("=")[0] in VALUED)


def _never_fail_to_print() -> None:
    """Let characters that a terminal does not know be replaced."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def _show_version(asked: bool) -> None:
    if asked:
        from sfumato import __version__

        typer.echo(f"sfumato {__version__}")
        raise typer.Exit


VERSION = option(
    "--version", "Print the version and exit.", default=False, callback=_show_version, is_eager=True
)


def make_app(commands: Iterable[Command] = COMMANDS) -> typer.Typer:
    """Make the command line, of all commands or of some: to look at the options of all takes its time."""
    made = typer.Typer(
        name="sfumato",
        cls=Commands,
        # Plain help and plain errors: they need no rich, so they come at once.
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    made.callback()(sfumato)
    for command in commands:
        register(made, command, COMMANDS[command])
    return made


def sfumato(*, version: bool = VERSION) -> None:
    """See what each step of privacy costs in usefulness, choose, and release with a guarantee."""


def register(app: typer.Typer, command: Command, used: Container[str]) -> None:
    """Make a function a command: typer sees the options it uses, the function an `Output` that has them."""
    own = dict(inspect.signature(command, eval_str=True).parameters)
    del own["output"]
    every = inspect.signature(Options, eval_str=True).parameters
    common = {name: item for name, item in every.items() if name in used}
    version = inspect.Parameter("version", inspect.Parameter.KEYWORD_ONLY, default=VERSION, annotation=bool)
    parameters = [*own.values(), *common.values(), version]

    def run(**given: Any) -> int:
        _refuse_nul(given)
        output = Output(Options(**{name: given[name] for name in common}))
        try:
            found = command(**{name: given[name] for name in own}, output=output)
        except EOFError as error:  # which the parser takes for the end of a terminal's input
            raise RuntimeError("a file ended early") from error
        output.result(found)
        return 0 if found.get("holds", True) else 1

    # typer reads the signature, not the code.
    vars(run)["__signature__"] = inspect.Signature(parameters)
    run.__annotations__ = {item.name: item.annotation for item in parameters}
    app.command(command.__name__, help=inspect.getdoc(command))(run)


def _refuse_nul(given: Mapping[str, object]) -> None:
    """Refuse a character that no name of a file can hold, before any system call trips over it."""
    for name, value in given.items():
        texts = value if isinstance(value, list) else [value]
        if any(isinstance(text, str) and "\0" in text for text in texts):
            raise ParameterError(
                "NUL characters are not allowed here. Remove them.", where=name.replace("_", "-")
            )


def main() -> None:
    """Run the command line and end the process with its status."""
    # Most commands end before it pays to look through all that libraries made at their start.
    gc.set_threshold(500_000, 20, 20)
    # Nothing that other packages hook into the reading of a specification is looked for, or run.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    words = move_common_options(sys.argv[1:])[:1]
    try:
        make_app([command for command in COMMANDS if command.__name__ in words] or COMMANDS)()
    except SystemExit as leaving:
        # To take every library down would take a sixth of a command's time; and the interpreter would wait
        # for a thread in the midst of a long kernel, which sees no signal.
        atexit._run_exitfuncs()
        os._exit(int(leaving.code or 0))
