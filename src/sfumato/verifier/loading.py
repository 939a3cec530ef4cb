"""Group the rows of a release once; every measure is counted on the groups."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.errors import VerificationError
from sfumato.verifier.bags import STAR, ask_number, folder_columns, open_file, quote, rows_on_spark, unescape
from sfumato.verifier.checks import Check, judge_order, split_name
from sfumato.verifier.promise import Count, Promise, Scalar, budget, key_of, text_of
from sfumato.verifier.sentences import Telling, held_condition, names_in, write_condition

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckdb import DuckDBPyConnection

    from sfumato.verifier.spark_rows import SparkRows


class UndeterminedError(Exception):
    """File and manifest do not determine a measure; used only in this package."""

    def __init__(self, reason: str, at_most: Count | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at_most = at_most


class BeforehandError(UndeterminedError):
    """A measure depends on what is never published, so it can only be stated when a release is made."""


class UnstatedError(UndeterminedError):
    """Something that the recount of a measure needs is missing from the reference."""


VOTE = 720_720
"""A person's vote in ℓ, of which each of its rows in the original has an equal part, rounded down."""


@dataclass
class Groups:
    """The release inside the engine.

    The engine holds ``classes`` (class, q0…, n): every class with its rows n, ``cells`` (class, a0…, n, v):
    the distinct rows of a class with their number and the votes of their persons, and ``sizes`` (rows, size):
    for every class its rows and what counts as its size. ``attributes`` maps names to the columns a0, a1, ….
    ``slack`` is how far the number that was counted last may be from the one over all input rows. ``known``
    keeps what was asked before.
    """

    connection: DuckDBPyConnection
    promise: Promise
    columns: tuple[str, ...]
    attributes: dict[str, str]
    has_persons: bool
    kept_rows: int = 0
    masked_rows: int = 0
    telling: Telling | None = None
    notes: list[str] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)
    slack: Fraction = Fraction(0)
    ordering: tuple[Check, ...] = ()
    known: dict[object, Any] = field(default_factory=dict)

    def ask(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[int, ...]]:
        """Return the rows of a query whose columns are numbers."""
        return self.connection.execute(sql, list(parameters)).fetchall()

    def once(self, sql: str) -> list[tuple[int, ...]]:
        """Return the rows of a query on tables that never change: those of the first time it was asked."""
        if sql not in self.known:
            self.known[sql] = self.ask(sql)
        found: list[tuple[int, ...]] = self.known[sql]
        return found

    def number(self, sql: str) -> int:
        """Return the one number that a query on tables that never change gives."""
        return self.once(sql)[0][0]

    def make(self, table: str, query: str, parameters: Sequence[object] = ()) -> None:
        """Make a table of a query's rows, in place of an older one."""
        self.ask(f"CREATE OR REPLACE TEMP TABLE {table} AS {query}", parameters)

    def make_listed(self, table: str, values: Sequence[Scalar], **numbers: Sequence[int]) -> None:
        """Make a table of a manifest's labels or values, written as cells are compared, and their numbers."""
        lists = ", ".join(f"unnest(?::BIGINT[]) AS {name}" for name in numbers)
        self.make(
            table,
            f"SELECT {key_of('value', values)} AS value, {', '.join(numbers)} "
            f"FROM (SELECT unnest(?::VARCHAR[]) AS value, {lists})",
            [[text_of(value) for value in values], *map(list, numbers.values())],
        )

    @property
    def has_votes(self) -> bool:
        """Whether rows know what they count where persons have one vote each."""
        return self.has_persons and bool(self.promise.person_rows)

    @property
    def width(self) -> int:
        """Number of quasi-identifiers."""
        return len(self.promise.quasi_identifiers)

    @property
    def file_rows(self) -> int:
        """Rows of the file."""
        return self.kept_rows + self.masked_rows

    @property
    def input_rows(self) -> int:
        """Rows that came in: stated by the manifest, or those of the file where masking keeps all."""
        if self.promise.rows is not None:
            return self.promise.rows["in"]
        if self.promise.output == "mask":
            return self.file_rows
        raise UndeterminedError("how many rows came in is only in the manifest")

    @property
    def suppressed_rows(self) -> int:
        """Rows that are in no class."""
        return self.masked_rows if self.promise.output == "mask" else self.input_rows - self.file_rows


def load_groups(
    connection: DuckDBPyConnection, path: Path | SparkRows, promise: Promise, person_column: str | None
) -> Groups:
    """Group the rows of the file that remain; the file is not read again after this."""
    there, said = rows_on_spark(path), folder_columns(path)
    if there is not None:
        is_sorted = promise.order == "sorted"
        columns = there.columns
        ordering = there.check_order(promise.columns or columns) if is_sorted else ()
    else:
        assert isinstance(path, Path)
        columns = open_file(connection, path, "file", promise.dialect)
        ordering = check_order(connection, "file", columns, promise, said)
    if promise.formulas == "escape" and isinstance(path, Path):
        columns = unescape(path, columns)
    attributes = _attributes_to_load(promise, columns)
    beside = dict.fromkeys(name for item in promise.sentences for name in item.columns if name in columns)
    wanted = {f"q{i}": name for i, name in enumerate(promise.quasi_identifiers)}
    wanted |= {alias: name for name, alias in attributes.items()}
    wanted |= {f"b{i}": name for i, name in enumerate(beside)}
    if person_column is not None:
        wanted |= {"person": person_column}
        wanted |= {"person_rows": promise.person_rows} if promise.person_rows else {}
    absent = [name for name in wanted.values() if name not in columns]
    if absent:
        raise VerificationError(
            f"the column {absent[0]!r} was promised but is missing from the file.", where=str(path)
        )
    selected = ", ".join(f"{columns[name]} AS {alias}" for alias, name in wanted.items())
    many = "1::BIGINT"
    if there is not None:
        there.count(connection, wanted.values(), "file")
        many = "n"
    connection.execute(f"CREATE TEMP VIEW released AS SELECT {selected}, {many} AS n FROM file")
    groups = Groups(connection, promise, tuple(columns), attributes, person_column is not None)
    groups.ordering = ordering
    _exempt_masked_rows(groups, list(wanted))
    _group(groups)
    groups.telling = count_telling(groups, {name: f"b{i}" for i, name in enumerate(beside)})
    if groups.kept_rows == 0:
        raise VerificationError("the file has no row left.", where=str(path))
    return groups


def _attributes_to_load(promise: Promise, columns: Mapping[str, str]) -> dict[str, str]:
    """Give the sensitive columns, and others that a measure is about, names from a0 on."""
    names = dict.fromkeys(promise.sensitive)
    for text in (*promise.require, *promise.measures):
        _, arguments = split_name(text)
        if arguments and arguments[0] in columns and arguments[0] not in promise.quasi_identifiers:
            names[arguments[0]] = None
    return {name: f"a{number}" for number, name in enumerate(names)}


def _exempt_masked_rows(groups: Groups, names: Sequence[str]) -> None:
    """Make the view ``kept`` of the rows that are not suppressed."""
    # A masked row is `*` in every quasi-identifier and blank in every sensitive attribute. A row of a wholly
    # general class can look the same, so no more rows are exempt than are stated suppressed (without a
    # manifest: than the limit allows); the rest count as a class. Rows that look the same are the same to
    # every measure; among persons the missing ones are exempt first.
    promise = groups.promise
    if promise.output != "mask":
        groups.connection.execute("CREATE TEMP VIEW kept AS FROM released")
        return
    blank = [f"coalesce(q{i}, '') = '{STAR}'" for i in range(groups.width)]
    blank += [f"coalesce({groups.attributes[name]}, '') = ''" for name in promise.sensitive]
    masked = " AND ".join(blank)
    counted = f"coalesce(sum(n) FILTER (WHERE {masked}), 0)::BIGINT, coalesce(sum(n), 0)::BIGINT"
    found, rows = groups.ask(f"SELECT {counted} FROM released")[0]
    allowed = rows if promise.limit is None else budget(promise.limit, rows)
    groups.masked_rows = min(found, allowed if promise.rows is None else promise.rows["suppressed"])
    order = ", ".join([*(["person NULLS FIRST"] if groups.has_persons else []), *names])
    running = f"sum(n) OVER (ORDER BY {order} ROWS UNBOUNDED PRECEDING) - {groups.masked_rows}"
    rest = f"SELECT *, ({running})::BIGINT AS beyond FROM released WHERE {masked}"
    groups.connection.execute(
        f"CREATE TEMP VIEW kept AS SELECT * FROM released WHERE NOT ({masked}) UNION ALL "
        f"SELECT * EXCLUDE (beyond) REPLACE (least(n, beyond) AS n) FROM ({rest}) WHERE beyond > 0"
    )


def _group(groups: Groups) -> None:
    """Fill the tables; missing is a value like any other, and all missing persons are one."""
    keys = [f"q{i}" for i in range(groups.width)]
    named = ", ".join([*keys, *groups.attributes.values()])
    votes = "0"
    if groups.has_votes:
        beyond = "SELECT person FROM kept GROUP BY person HAVING sum(n) > min(person_rows::BIGINT)"
        if groups.number(f"SELECT count(*) FROM ({beyond})"):
            raise VerificationError(
                f"{groups.promise.units} have more rows in the file than in the original."
            )
        votes = f"sum(n * greatest({VOTE} // person_rows::BIGINT, 1))::BIGINT"
    groups.make("counted", f"SELECT {named}, sum(n)::BIGINT AS n, {votes} AS v FROM kept GROUP BY {named}")
    by = ", ".join(keys)
    groups.make(
        "classes",
        f"SELECT row_number() OVER (ORDER BY {by}) AS class, * FROM "
        f"(SELECT {by}, sum(n)::BIGINT AS n FROM counted GROUP BY {by})",
    )
    same = " AND ".join(f"counted.{key} IS NOT DISTINCT FROM classes.{key}" for key in keys)
    shown = "".join(f"{alias}, " for alias in groups.attributes.values())
    groups.make("cells", f"SELECT class, {shown}counted.n AS n, v FROM counted JOIN classes ON {same}")
    groups.ask("DROP TABLE counted")
    sizes = "SELECT n AS rows, n AS size FROM classes"
    if groups.has_persons:
        persons = "count(DISTINCT person) + CAST(count(person) < count(*) AS INTEGER)"
        sizes = f"SELECT sum(n)::BIGINT AS rows, {persons} AS size FROM kept GROUP BY {by}"
    groups.make("sizes", sizes)
    groups.kept_rows = groups.number("SELECT coalesce(sum(rows), 0) FROM sizes")


def count_telling(groups: Groups, beside: Mapping[str, str]) -> Telling | None:
    """Count the people about whom the classes of a release reveal something confidential."""
    secrets = groups.promise.sentences
    if not secrets or any(name not in groups.attributes for item in secrets for name in names_in(item.tree)):
        return None
    keys = ", ".join(f"q{i}" for i in range(groups.width))
    judged, certain, possible = [], ["false"], ["false"]
    texts = dict(groups.attributes)
    for name in set(texts) & set(groups.promise.formats):
        read = f"try_strptime({texts[name]}, {quote(groups.promise.formats[name])})"
        texts[name] = f"coalesce(CAST({read} AS VARCHAR), {texts[name]})"
    for i, secret in enumerate(secrets):
        held = held_condition(secret, beside)
        judged.append(f"bool_and({write_condition(secret.tree, texts)}) OVER own AS told{i}")
        judged.append(f"{held or 'true'} AS held{i}")
        possible.append(f"(told{i} AND held{i})")
        certain += [] if held is None else [f"(told{i} AND held{i})"]
    person = ["person"] if groups.has_persons else []
    rows = f"SELECT {', '.join([keys, 'n', *person, *judged])} FROM kept WINDOW own AS (PARTITION BY {keys})"
    groups.make(
        "told",
        f"SELECT {', '.join([keys, 'n', *person])}, ({' OR '.join(certain)}) AS certain, "
        f"({' OR '.join(possible)}) AS possible FROM ({rows})",
    )
    in_both = (f"coalesce(sum(n) FILTER (WHERE {which}), 0)::BIGINT" for which in ("certain", "possible"))
    sure, perhaps = groups.ask(f"SELECT {', '.join(in_both)} FROM told")[0]
    people: int | None = sure
    if groups.promise.person is not None:
        distinct = f"SELECT DISTINCT {keys}, person FROM told WHERE certain"
        people = groups.number(f"SELECT count(*) FROM ({distinct})") if groups.has_persons else None
    return Telling(sure, perhaps, people)


_FIRST_ROWS = 2048


def check_order(
    connection: DuckDBPyConnection,
    view: str,
    columns: Mapping[str, str],
    promise: Promise,
    said: Sequence[str] = (),
) -> tuple[Check, ...]:
    """Compare each row of a file, or of a folder that labels name, with the one before it."""
    # `sorted` means: by all columns that the recipe lists, in that order, each by the texts that its cells
    # have in the file. A column in which every cell that is neither missing nor `*` reads as a number (as the
    # engine reads doubles, undefined ones excepted) is sorted by size, equal numbers by their texts, `*`
    # after them; any other column by the bytes of its texts in UTF-8. Missing comes last. The file alone
    # decides, not the types of its format, so that one table has one order in every format.
    names = [name for name in promise.columns or columns if name in columns and name not in said]
    if promise.order != "sorted" or not names:
        return ()
    found = _sort_keys(connection, view, [columns[name] for name in names])
    keys = ", ".join(f"{key}, 'ASC NULLS LAST'" for key in found)
    # Without an order of its own a window sees the rows one after the other, as they are read.
    labels = [f"{columns[name]} AS l{place}" for place, name in enumerate(said)]
    before = ["lag(key) OVER () AS last", *(f"lag(l{n}) OVER () AS b{n}" for n in range(len(said)))]
    same = [f" AND l{n} IS NOT DISTINCT FROM b{n}" for n in range(len(said))]
    chosen = ", ".join([f"create_sort_key({keys}) AS key", *labels])
    late = ask_number(
        connection,
        f"SELECT count(*) FROM (SELECT *, {', '.join(before)} FROM (SELECT {chosen} FROM {view})) "
        f"WHERE last > key{''.join(same)}",
    )
    return judge_order(late, len(names))


def _sort_keys(connection: DuckDBPyConnection, view: str, texts: Sequence[str]) -> list[str]:
    """Return what columns are sorted by; whole numbers of one double are still told apart by size."""
    asked = list(dict.fromkeys(texts))
    # Most texts are told from numbers by the first rows.
    for rows in (f"(FROM {view} LIMIT {_FIRST_ROWS})", view):
        questions = []
        for text in asked:
            double = f"TRY_CAST({text} AS DOUBLE)"
            number = f"coalesce({text} = '*' OR NOT isnan({double}), {text} IS NULL)"
            questions.append(f"coalesce(bool_and({number}), true)")
            questions.append(f"coalesce(max(abs({double})) >= {2**53}, false)")
        answers = (
            connection.execute(f"SELECT {', '.join(questions)} FROM {rows}").fetchall() if asked else [()]
        )
        are_wide = dict(zip(asked, answers[0][1::2], strict=True))
        asked = [text for text, is_number in zip(asked, answers[0][::2], strict=True) if is_number]
    keys = []
    for text in texts:
        sizes = ["DOUBLE", *(["HUGEINT"] if are_wide[text] else [])] if text in asked else []
        keys += [*(f"TRY_CAST({text} AS {size})" for size in sizes), text]
    return keys
