"""The kinds of values that a specification holds, each checked in plain words.

pydantic would take ``true`` for the number 1 and ``"5"`` for 5; in a file that decides
about privacy a value of the wrong kind is a mistake, so these types take neither.

The names of measures are keys of ``[require]``, entries of ``[objectives]``, column headers and
JSON keys, so each measure has exactly one spelling: one blank after a comma, and double
quotes only around an argument that could not be read back without them.
"""

from __future__ import annotations

import functools
import math
import numbers
import os
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Annotated, Literal, TypeAlias, TypeVar, get_args
from urllib.parse import parse_qsl, urlsplit

from pydantic import BeforeValidator

from sfumato.errors import SpecError
from sfumato.spec.places import LocatedError, SpecFault, found, refuse, sentence_of

T = TypeVar("T")

Role: TypeAlias = Literal["identifier", "quasi-identifier", "sensitive", "other", "pseudonym"]
Kind: TypeAlias = Literal["number", "category", "ordinal", "date"]
Scheme: TypeAlias = Literal[
    "levels", "cuts", "ordered", "guided-ordered", "sets", "guided-sets", "admissible"
]
Output: TypeAlias = Literal["label", "mean", "median", "mode"]
Scope: TypeAlias = Literal["global", "local"]
LabelChoice: TypeAlias = Literal["tree", "range", "set", "suppress"]
ProofDirection: TypeAlias = Literal["auto", "bottom-up", "top-down", "both"]
_DirectedMethod: TypeAlias = Literal["optimal", "descent", "exhaustive", "lattice"]
_EvolutionaryMethod: TypeAlias = Literal[
    "pbg-ea", "nsga2", "nsga3", "unsga3", "agemoea", "smsemoa", "spea2", "moead", "granulation-ga"
]
Method: TypeAlias = Literal["auto", _DirectedMethod, _EvolutionaryMethod, "bottom-up", "top-down"]
Variant: TypeAlias = Literal["incognito", "breadth-first"]
SuppressionRule: TypeAlias = Literal["auto", "none", "failing", "smallest", "below-mean"]
SuppressionOutput: TypeAlias = Literal["drop", "mask"]
RowOrder: TypeAlias = Literal["sorted", "input"]
ReleaseChoice: TypeAlias = Literal["optimal", "near-optimal"]
Formulas: TypeAlias = Literal["keep", "escape"]
DateUnit: TypeAlias = Literal["day", "week", "month", "quarter", "year", "decade", "century"]

ROLES: tuple[str, ...] = get_args(Role)
KINDS: tuple[str, ...] = get_args(Kind)
SCHEMES: tuple[str, ...] = get_args(Scheme)
OUTPUTS: tuple[str, ...] = get_args(Output)
LABEL_CHOICES: tuple[str, ...] = get_args(LabelChoice)
METHODS: tuple[str, ...] = get_args(Method)
VARIANTS: tuple[str, ...] = get_args(Variant)
SUPPRESSION_RULES: tuple[str, ...] = get_args(SuppressionRule)
SUPPRESSION_OUTPUTS: tuple[str, ...] = get_args(SuppressionOutput)
ROW_ORDERS: tuple[str, ...] = get_args(RowOrder)
FORMULAS: tuple[str, ...] = get_args(Formulas)
DATE_UNITS: tuple[str, ...] = get_args(DateUnit)  # from fine to coarse

SCHEME_ACRONYMS: dict[str, str] = {
    "BHS": "levels",
    "GHS": "cuts",
    "OPS": "ordered",
    "GOPS": "guided-ordered",
    "SPS": "sets",
    "GSPS": "guided-sets",
}

GUIDED_SCHEMES: tuple[str, ...] = ("cuts", "guided-ordered", "guided-sets")
"""The schemes whose blocks follow a tree, so that they need a hierarchy."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ARGUMENT = re.compile(r'\s*(?:"(?P<quoted>(?:[^"]|"")*)"|(?P<bare>[^,()"]*[^,()"\s]))\s*')
_SPECIAL = re.compile(r'[,()"]')
_SHAPE = "a measure is written name, name(attribute) or name(attribute, option)"


def parse_measure_name(text: str) -> tuple[str, tuple[str, ...]]:
    """Split the name of a measure into the bare name and its arguments."""
    # Blanks around names, commas and parentheses are ignored; inside double quotes every character counts and
    # `""` stands for one quote. Whether the measure exists is not checked here.
    stripped = text.strip()
    name = _NAME.match(stripped)
    if name is None:
        raise SpecError(f"{_SHAPE}; this does not start with a name.")
    rest = stripped[name.end() :].lstrip()
    if not rest:
        return name.group(), ()
    if not (rest.startswith("(") and rest.endswith(")")):
        raise SpecError(f"{_SHAPE}; a pair of parentheses is expected after the name.")
    rest, position = rest[1:-1], 0
    arguments: list[str] = []
    while True:
        match = _ARGUMENT.match(rest, position)
        if match is None:
            raise SpecError(
                f"{_SHAPE}; argument {len(arguments) + 1} is empty or is missing its double quotes."
            )
        quoted = match.group("quoted")
        arguments.append(match.group("bare").strip() if quoted is None else quoted.replace('""', '"'))
        position = match.end()
        if position == len(rest):
            return name.group(), tuple(arguments)
        if rest[position] != ",":
            raise SpecError(f"{_SHAPE}; a comma is expected after argument {len(arguments)}.")
        position += 1


def format_measure_name(name: str, arguments: Sequence[str] = ()) -> str:
    """Write the name of a measure in its one canonical spelling."""
    # An argument stands in double quotes if it holds `,`, `(`, `)` or `"`, and also if it is empty or begins
    # or ends with a blank, which reading would lose.
    if not arguments:
        return name
    return f"{name}({', '.join(_format_argument(argument) for argument in arguments)})"


def _format_argument(argument: str) -> str:
    if argument and argument == argument.strip() and not _SPECIAL.search(argument):
        return argument
    return '"' + argument.replace('"', '""') + '"'


def canonical_measure_name(text: str) -> str:
    """Return the canonical spelling of a measure's name, or raise SpecError."""
    return format_measure_name(*parse_measure_name(text))


LARGEST_WEIGHT = 1_000_000_000


def check_text(value: object) -> str:
    """Accept text that can be written as UTF-8."""
    if not isinstance(value, str):
        raise ValueError(f"must be text; found {found(value)}.")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("contains a character that UTF-8 cannot encode.") from None
    return str(value)


def check_filled_text(value: object) -> str:
    """Accept text with at least one character."""
    text = check_text(value)
    if not text:
        raise ValueError("must not be empty.")
    return text


def check_path(value: object) -> str:
    """Accept the text of a path, or a path object."""
    return check_filled_text(os.fspath(value) if isinstance(value, os.PathLike) else value)


DATABASES = (".db", ".sqlite", ".sqlite3")
"""What the names of SQLite files end in."""

_ADDRESS = re.compile(r"(postgres(?:ql)?|sqlite)://", re.IGNORECASE)
_SECRETS = ("password", "sslpassword")


def database_address(place: object) -> str | None:
    """Return the address of a database as the drivers know it; None for the path of any other file."""
    text = str(os.fspath(place)) if isinstance(place, str | os.PathLike) else ""
    match = _ADDRESS.match(text)
    if match is None:
        return f"sqlite:///{text}" if text.lower().endswith(DATABASES) else None
    return ("sqlite" if match[1].lower() == "sqlite" else "postgresql") + text[len(match[1]) :]


def refuse_password(address: str) -> None:
    """Raise ValueError for an address that holds a password; the message does not repeat it."""
    try:
        parts = urlsplit(address)
        named = {key.lower() for key, _ in parse_qsl(parts.query, keep_blank_values=True)}
        is_secret = parts.password is not None or not named.isdisjoint(_SECRETS)
    except ValueError:
        raise ValueError("is not an address of a database, such as postgresql://host/name.") from None
    if is_secret:
        raise ValueError(
            "an address must not hold a password, since files and command lines are read by others. Use "
            "PGPASSWORD, PGPASSFILE or ~/.pgpass, or a service file."
        )


def check_data_path(value: object) -> str:
    """Accept the path of a file, or the address of a database without a password."""
    path = check_path(value)
    if (address := database_address(path)) is not None:
        refuse_password(address)
    return path


def check_number(value: object) -> int | float:
    """Accept a finite number, and keep whole numbers whole."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ValueError(f"must be a number; found {found(value)}.")
    try:
        finite = math.isfinite(float(value))
    except OverflowError:
        finite = False
    if not finite:
        raise ValueError("must be a finite number.")
    return int(value) if isinstance(value, numbers.Integral) else float(value)


def exact(number: int | float) -> Fraction:
    """Return the decimal that the text of a number shows."""
    return Fraction(repr(number))


def is_multiple(number: int | float, of: int | float) -> bool:
    """Tell whether a decimal is a whole multiple of another one."""
    return (exact(number) / exact(of)).denominator == 1


def check_positive(value: object) -> int | float:
    """Accept a finite number above 0."""
    number = check_number(value)
    if number <= 0:
        raise ValueError(f"must be above 0; found {number}.")
    return number


def check_snap(value: object) -> int | float | str:
    """Accept a number above 0, or the word for the intervals of the hierarchy."""
    if isinstance(value, str) and value != "hierarchy":
        raise ValueError(f"must be a number above 0, or 'hierarchy'; found {value!r}.")
    return value if isinstance(value, str) else check_positive(value)


def check_weight(value: object) -> float:
    """Accept a number from 0 to a thousand million; beyond that, sums of weights lose what the others say."""
    number = check_number(value)
    if number < 0:
        raise ValueError(f"must be 0 or above; found {number}.")
    if number > LARGEST_WEIGHT:
        raise ValueError(
            f"must be at most {LARGEST_WEIGHT}; found {number}. Only the ratio of weights counts: divide "
            "all of them."
        )
    return float(number)


def check_share(value: object) -> float:
    """Accept a number in [0, 1]."""
    number = check_number(value)
    if not 0 <= number <= 1:
        raise ValueError(f"must be between 0 and 1; found {number}.")
    return float(number)


def check_whole(value: object, lowest: int = 0) -> int:
    """Accept a whole number that is not below ``lowest``."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise ValueError(f"must be a whole number; found {found(value)}.")
    if value < lowest:
        raise ValueError(f"must be {lowest} or above; found {int(value)}.")
    return int(value)


def at_least(lowest: int) -> BeforeValidator:
    """Make the check of a whole number that is not below ``lowest``."""
    return BeforeValidator(functools.partial(check_whole, lowest=lowest))


def check_flag(value: object) -> bool:
    """Accept true and false."""
    if not isinstance(value, bool):
        raise ValueError(f"must be true or false; found {found(value)}.")
    return value


def check_list(value: object) -> list[object]:
    """Accept a list or a tuple; a set has no order, and text is not a list."""
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"must be a list; found {found(value)}.")
    return list(value)


def check_entries(value: object, check: Callable[[object], T], if_empty: str = "") -> list[T]:
    """Check each entry of a list, report each wrong one at its own place, and refuse that there is none."""
    checked: list[T] = []
    problems: list[SpecFault] = []
    for position, entry in enumerate(check_list(value)):
        try:
            checked.append(check(entry))
        except LocatedError as error:
            problems += [SpecFault((position, *item.location), item.sentence) for item in error.problems]
        except ValueError as error:
            problems.append(SpecFault((position,), sentence_of(error)))
    refuse(problems)
    if if_empty and not checked:
        raise ValueError(if_empty)
    return checked


def refuse_repetition(entries: Sequence[object]) -> None:
    """Report every entry that also occurs earlier in the list."""
    first: dict[object, int] = {}
    for position, entry in enumerate(entries):
        first.setdefault(entry, position)
    refuse(
        SpecFault((position,), f"repeats entry {first[entry] + 1}.")
        for position, entry in enumerate(entries)
        if first[entry] != position
    )


def check_distinct(value: object, check: Callable[[object], T], if_empty: str = "") -> tuple[T, ...]:
    """Check each entry of a list in which none occurs twice."""
    entries = check_entries(value, check, if_empty)
    refuse_repetition(entries)
    return tuple(entries)


def check_names(value: object) -> tuple[str, ...]:
    """Accept distinct names; a single one may stand without brackets."""
    return check_distinct([value] if isinstance(value, str) else value, check_filled_text)


def write_list(names: Sequence[str]) -> str:
    """Write names as ``'a', 'b' and 'c'``."""
    quoted = [repr(name) for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


Text: TypeAlias = Annotated[str, BeforeValidator(check_text)]
FilledText: TypeAlias = Annotated[str, BeforeValidator(check_filled_text)]
PathText: TypeAlias = Annotated[str, BeforeValidator(check_path)]
DataPath: TypeAlias = Annotated[str, BeforeValidator(check_data_path)]
Number: TypeAlias = Annotated[int | float, BeforeValidator(check_number)]
Positive: TypeAlias = Annotated[int | float, BeforeValidator(check_positive)]
Snap: TypeAlias = Annotated[int | float | str, BeforeValidator(check_snap)]
Seconds: TypeAlias = Annotated[float, BeforeValidator(check_positive)]
Weight: TypeAlias = Annotated[float, BeforeValidator(check_weight)]
Share: TypeAlias = Annotated[float, BeforeValidator(check_share)]
Whole: TypeAlias = Annotated[int, BeforeValidator(check_whole)]
Flag: TypeAlias = Annotated[bool, BeforeValidator(check_flag)]
ColumnNames: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(check_names)]
Texts: TypeAlias = Annotated[tuple[Text, ...], BeforeValidator(check_list)]
