"""A recipe as one SQL statement, which makes exactly the released rows from the original table.

The statement is written for DuckDB and translated by sqlglot. Values that the recipe lists are joined with
their labels; intervals, masks, prefixes and dates are computed; suppressed classes are found by window
functions, as the recipe suppresses them. Columns need the types that their kinds say, or texts that read so.
A value that the recipe does not list suppresses its row, also where a rule would place it: on the original
this is the same, and on other rows it is the safer side. That the limit is kept, the statement cannot check.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, TypeAlias, cast

from sfumato.errors import ParameterError
from sfumato.hierarchies.builders import Definition, read_definition
from sfumato.hierarchies.intervals import Grid, common_scale
from sfumato.hierarchies.kinds import infer_kind, text_of
from sfumato.preparing import RANGES
from sfumato.release.assignment import read_assignment
from sfumato.release.reapply import recorded_hierarchy
from sfumato.release.recipe import BOTH, Generalization, RecipeAttribute, comparable
from sfumato.spec import parse_measure_name
from sfumato.table.databases import quote_table
from sfumato.table.engine import quote_literal, quote_name
from sfumato.table.keys import Names

SqlDialect: TypeAlias = Literal["duckdb", "postgres", "spark", "bigquery", "snowflake"]

_UNSAID = ("entropy_l", "recursive_l", "share_l", "t", "secure")  # measures of classes that SQL would round
_NUMBER = "^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$"
_DATE_PARTS = {
    "day": "substr({0}, 1, 10)",
    "month": "substr({0}, 1, 7)",
    "quarter": "substr({0}, 1, 4) || '-Q' || "
    "CAST(CAST(floor((CAST(substr({0}, 6, 2) AS DOUBLE) + 2) / 3) AS BIGINT) AS VARCHAR)",
    "year": "substr({0}, 1, 4)",
    "decade": "substr({0}, 1, 3) || '0s'",
    "century": "substr({0}, 1, 2) || '00-' || substr({0}, 1, 2) || '99'",
}
_LARGEST_SCALE = 10_000  # smaller numbers than one over this have exponents in their texts


def recipe_sql(
    recipe: Generalization,
    table: str,
    dialect: SqlDialect,
    *,
    made: tuple[str, str] | None = None,
    assignment: object = None,
) -> str:
    """Write the statement; ``made`` says whether it makes a view or a table, and of which name."""
    if recipe.is_local != (assignment is not None):
        why = "is needed: the recipe is local" if recipe.is_local else "is for local recodings. Leave it out"
        raise ParameterError(f"the assignment {why}.", where="--assignment")
    try:
        import sqlglot
    except ImportError:
        raise ParameterError('--sql needs sqlglot. Run: pip install "sfumato[sql]"') from None
    told = None if assignment is None else read_assignment(assignment, recipe)
    query = _RecipeQuery(recipe, table, dialect, told).text()
    if made is not None:
        query = f"CREATE {made[0].upper()} {quote_table(made[1])} AS {query}"
    (found,) = sqlglot.transpile(query, read="duckdb", write=dialect, pretty=True)
    secret = "-- Private: it holds values of the original. Do not publish it.\n" if told else ""
    return f"{secret}{found};\n"


def _named(columns: Mapping[str, str]) -> list[str]:
    return [f"{value} AS {name}" for name, value in columns.items()]


@dataclass(frozen=True)
class _SqlLabel:
    """What becomes of a quasi-identifier."""

    text: str | None  # the SQL of its label; None where the column is published as it came
    known: str = "TRUE"  # the SQL of whether the recipe knows the value
    join: str = ""  # what has to be joined for these


@dataclass
class _RecipeQuery:
    """The parts of a statement for one table."""

    recipe: Generalization
    table: str
    dialect: SqlDialect
    assignment: Mapping[tuple[Any, ...], Any] | None
    steps: list[str] = field(default_factory=list)  # the parts so far, each of which reads the one before
    starts: dict[str, str] = field(default_factory=dict)  # column → where the interval of its number begins
    gone: str = ""  # the column that says whether a row is suppressed

    def text(self) -> str:
        """Return the query, step by step."""
        recipe, attributes = self.recipe, self.recipe.attributes
        given = [f"r.{quote_name(name)}" for name in recipe.released]
        self._step([*given, *_named(self._keys())], f"{quote_table(self.table)} AS r")
        names = recipe.quasi_identifiers
        labels = self._assigned() if recipe.is_local else {n: self._label(n, attributes[n]) for n in names}
        if self.starts:
            self._step(["k.*", *_named(self.starts)], f"{self._last} AS k")
        made = {self._own("text", name): label.text for name, label in labels.items() if label.text}
        made[self._own("known")] = " AND ".join(dict.fromkeys(label.known for label in labels.values()))
        joins = " ".join(dict.fromkeys(label.join for label in labels.values()))
        self._step(["k.*", *_named(made)], f"{self._last} AS k {joins}")
        self._suppress(labels)
        shown = {quote_name(name): self._shown(name, labels.get(name)) for name in recipe.released}
        kept = "" if recipe.suppressed_output == "mask" else f" WHERE NOT {self.gone}"
        self._step(_named(shown), f"{self._last} AS r{kept}")
        order = "" if recipe.order == "input" else f" ORDER BY {', '.join(self._order())}"
        columns = ", ".join(map(quote_name, recipe.released))
        return f"WITH {', '.join(self.steps)} SELECT {columns} FROM {self._last}{order}"

    def _order(self) -> list[str]:
        """Sort by every column, one after another: by size where all its cells read as numbers."""
        order, asked = [], {}
        for name in self.recipe.released:
            cell, own = f"CAST({quote_name(name)} AS VARCHAR)", self._own("all", name)
            is_number = f"regexp_matches({cell}, {quote_literal(_NUMBER)})"
            fits = f"{cell} IS NULL OR {cell} = '*' OR {is_number}"
            asked[own] = f"min(CASE WHEN {fits} THEN 1 ELSE 0 END) OVER ()"
            size = f"CASE WHEN {own} = 1 AND {is_number} THEN CAST({cell} AS DOUBLE) END"
            order += [f"{size} ASC NULLS LAST", f"{cell}{self._collation} ASC NULLS LAST"]
        self._step(["*", *_named(asked)], self._last)
        return order

    @property
    def _last(self) -> str:
        return f"{self._prefix}_{len(self.steps)}"

    def _step(self, columns: Sequence[str], rows: str) -> None:
        query = f"SELECT {', '.join(columns)} FROM {rows}"
        self.steps.append(f"{self._prefix}_{len(self.steps) + 1} AS ({query})")

    @cached_property
    def _prefix(self) -> str:
        return Names.beside(self.recipe.attributes).prefix

    def _own(self, what: str, name: str | None = None) -> str:
        """Return the name of a column that no column of the table has."""
        return quote_name(f"{self._prefix}_{what}" if name is None else f"{self._prefix}_{what} {name}")

    def _key(self, name: str) -> str:
        return self._own("key", name)

    @property
    def _collation(self) -> str:
        # By bytes, as all other dialects do anyway.
        return ' COLLATE "C"' if self.dialect == "postgres" else ""

    def _keys(self) -> dict[str, str]:
        """The values by which columns are told apart: numbers, days or texts, or missing."""
        recipe, found = self.recipe, {}
        rules = (recipe.attributes[name].hierarchy or {} for name in recipe.quasi_identifiers)
        levels = [name for rule in rules for name in cast("list[str]", rule.get("columns", []))]
        units = [recipe.unit] if recipe.unit else []
        numbers = [float(text) for text in recipe.missing if infer_kind([text]) == "number"]
        odd = ["NaN", "nan", *(f"{number:g}" for number in numbers), *map(repr, numbers)]
        for name in dict.fromkeys([*recipe.quasi_identifiers, *recipe.sensitive, *levels, *units]):
            done, cell = recipe.attributes.get(name), f"CAST(r.{quote_name(name)} AS VARCHAR)"
            kind, value = "" if done is None else done.kind, f"{cell}{self._collation}"
            if kind == "number":
                value = f"CAST({cell} AS DOUBLE)"
            elif kind == "date":
                # A time at midnight is a day.
                is_day = f"substr({cell}, 11) IN ('', ' 00:00:00')"
                value = f"CASE WHEN {is_day} THEN substr({cell}, 1, 10) ELSE {cell} END{self._collation}"
            texts = dict.fromkeys([*recipe.missing, *(odd if kind == "number" else [])])
            is_missing = (
                f"WHEN {cell} IN ({', '.join(map(quote_literal, texts))}) THEN NULL " if texts else ""
            )
            found[self._key(name)] = f"CASE {is_missing}WHEN {cell} IS NOT NULL THEN {value} END"
        return found

    def _refused(self, name: str, why: str) -> ParameterError:
        return ParameterError(
            f"the recipe cannot be said in SQL: {why}. Use 'sfumato apply' with the data.", where=name
        )

    def _label(self, name: str, done: RecipeAttribute) -> _SqlLabel:
        """Say what becomes of a quasi-identifier."""
        key, rule = f"k.{self._key(name)}", done.hierarchy or {}
        if done.statistics is not None:
            raise self._refused(name, "its labels are statistics of the released rows")
        if "root" in rule:
            return _SqlLabel(quote_literal(str(rule["root"])))
        listed = [cast("list[object]", rule.get("values", [])), *(done.blocks or ())]
        if done.kind == "date" and (
            done.format or any(len(str(day)) > 10 for days in listed for day in days)
        ):
            raise self._refused(name, "its dates have times of day, or are not in ISO form")
        if "columns" in rule:
            columns, shown = (cast("list[str]", rule[part]) for part in ("columns", "shown"))
            text = f"k.{self._key(columns[done.level - 1] if done.level else name)}"
            is_shown = f"({key} IS NULL OR {text} IN ({', '.join(map(quote_literal, shown))}))"
            return _SqlLabel(f"CASE WHEN {key} IS NOT NULL THEN {text} END" if done.level else None, is_shown)
        has_reach = done.scheme in RANGES and done.kind in ("number", "date")
        if has_reach and done.blocks is not None:
            return self._ranges(name, key, done)
        if done.blocks is None and rule and not {"values", "leaves"} & set(rule):
            return self._rule(name, key, read_definition(name, rule), done.level or 0)
        if has_reach and listed[0]:
            first, last = self._literal(listed[0][0]), self._literal(listed[0][-1])
            return _SqlLabel(None, f"({key} IS NULL OR {key} BETWEEN {first} AND {last})")
        return self._listed(name, key, done) if rule or done.blocks is not None else _SqlLabel(None)

    def _listed(self, name: str, key: str, done: RecipeAttribute) -> _SqlLabel:
        """Join the values that a recipe lists with their labels."""
        made, level = recorded_hierarchy(name, done)
        pairs = [
            (value, made.labels[level][made.levels[level, code]])
            for code, value in enumerate(made.values)
            if value is not None
        ]
        if not pairs:
            return _SqlLabel("CAST(NULL AS VARCHAR)", f"{key} IS NULL")
        alias = quote_name(f"m {name}")
        rows = ", ".join(f"({self._literal(value)}, {self._literal(label)})" for value, label in pairs)
        own = f"{alias}.a" if done.kind == "number" else f"{alias}.a{self._collation}"
        join = f"LEFT JOIN (VALUES {rows}) AS {alias}(a, b) ON {own} = {key}"
        return _SqlLabel(f"{alias}.b" if level else None, f"({key} IS NULL OR {alias}.a IS NOT NULL)", join)

    def _ranges(self, name: str, key: str, done: RecipeAttribute) -> _SqlLabel:
        """Find the block of a number or day: from its first value up to the next block's."""
        step = (done.hierarchy or {}).get("granularity")
        if isinstance(step, int | float):
            key = self._start(name, key, Grid.of(0, step))[1]
        blocks, cases, tests = done.blocks or (), [], []
        for number, block in enumerate(blocks):
            if not block or block[0] is None:
                continue
            after = next(iter(blocks[number + 1] if number + 1 < len(blocks) else ()), None)
            end = f"<= {self._literal(block[-1])}" if after is None else f"< {self._literal(after)}"
            tests.append(f"({key} >= {self._literal(block[0])} AND {key} {end})")
            cases.append(f"WHEN {tests[-1]} THEN {self._literal((done.labels or ())[number])}")
        return _SqlLabel(f"CASE {' '.join(cases)} END", f"({key} IS NULL OR {' OR '.join(tests)})")

    def _rule(self, name: str, key: str, rule: Definition, level: int) -> _SqlLabel:
        """Compute a label by a rule that takes any value."""
        if rule.mask is not None:
            text = f"substr({key}, 1, {rule.mask - level}) || '{'*' * level}'" if level else None
            return _SqlLabel(text, f"({key} IS NULL OR length({key}) >= {rule.mask})")
        if rule.prefix is not None:
            return _SqlLabel(f"substr({key}, 1, {rule.prefix[level - 1]})" if level else None)
        if rule.dates is not None:
            unit = rule.dates[level - 1]
            if level and (unit == "week" or "week" in rule.dates[: level - 1]):
                raise self._refused(name, "dialects count weeks differently")
            return _SqlLabel(_DATE_PARTS[unit].format(key) if level else None)
        if level == 0 and rule.granularity is None:
            return _SqlLabel(None)
        width = rule.granularity if level == 0 else (rule.intervals or ())[level - 1]
        origin = 0 if level == 0 else rule.origin or 0
        assert width is not None
        return _SqlLabel(self._interval(name, key, rule, Grid.of(origin, width), cut=level > 0))

    def _start(self, name: str, key: str, grid: Grid) -> tuple[str, str]:
        """Return where the interval of a number begins, multiplied by the scale, and as it is."""
        scale = float(grid.scale)
        number = f"floor(({key} * {grid.scale} - {grid.origin}) / {float(grid.width)})"
        low, high = (f"({grid.origin} + ({number} + {more}) * {grid.width}) / {scale}" for more in (0, 1))
        # Multiplying and dividing may round across an end, by one interval at most.
        steps = f"CASE WHEN {key} < {low} THEN -1 WHEN {key} >= {high} THEN 1 ELSE 0 END"
        own = self._own("start", name)
        self.starts[own] = f"{grid.origin} + ({number} + {steps}) * {grid.width}"
        return f"k.{own}", f"(k.{own} / {scale})"

    def _interval(self, name: str, key: str, rule: Definition, grid: Grid, *, cut: bool) -> str:
        """Write the label of an interval, cut at bottom and top."""
        ends = [bound for bound in (rule.bottom, rule.top) if cut and bound is not None]
        scale = max(grid.scale, common_scale(ends))
        if scale > _LARGEST_SCALE:
            raise self._refused(name, "its intervals have too many decimals")
        more = scale // grid.scale
        low = f"{self._start(name, key, grid)[0]} * {more}"
        high, zones = f"({low} + {grid.width * more})", ""
        if cut and rule.bottom is not None:
            low = f"greatest({low}, {Fraction(str(rule.bottom)) * scale})"
            zones += f" WHEN {key} < {rule.bottom} THEN {quote_literal(f'<{text_of(rule.bottom)}')}"
        if cut and rule.top is not None:
            high = f"least({high}, {Fraction(str(rule.top)) * scale})"
            zones += f" WHEN {key} >= {rule.top} THEN {quote_literal(f'{text_of(rule.top)}+')}"
        if rule.integer:
            first, last = f"CAST({low} AS BIGINT)", f"CAST({high} AS BIGINT) - 1"
            texts = [f"CAST({number} AS VARCHAR)" for number in (first, last)]
            label = f"CASE WHEN {last} > {first} THEN {texts[0]} || '-' || {texts[1]} ELSE {texts[0]} END"
        else:
            label = f"'[' || {self._decimal(low, scale)} || ', ' || {self._decimal(high, scale)} || ')'"
        return f"CASE WHEN {key} IS NULL THEN NULL{zones} ELSE {label} END"

    def _decimal(self, number: str, scale: int) -> str:
        """Write a number, given multiplied by a power of ten, as Python writes it."""
        whole, digits = f"CAST(abs({number}) AS BIGINT)", len(str(scale)) - 1
        sign = f"CASE WHEN {number} < 0 THEN '-' ELSE '' END"
        if not digits:
            return f"{sign} || CAST({whole} AS VARCHAR) || '.0'"
        rest = f"rtrim(lpad(CAST({whole} % {scale} AS VARCHAR), {digits}, '0'), '0')"
        rest = f"CASE WHEN {rest} = '' THEN '0' ELSE {rest} END"
        front = f"CAST(floor(abs({number}) / {float(scale)}) AS BIGINT)"
        return f"{sign} || CAST({front} AS VARCHAR) || '.' || {rest}"

    def _literal(self, value: object) -> str:
        """Write a value of a recipe."""
        if value is None:
            return "NULL"
        if isinstance(value, dt.date):
            value = text_of(value)
        if isinstance(value, float):
            return f"CAST('{value!r}' AS DOUBLE)"
        return str(value) if isinstance(value, int) else quote_literal(str(value))

    def _assigned(self) -> dict[str, _SqlLabel]:
        """Join the rows with what the private list says of their values."""
        names, found, same = self.recipe.quasi_identifiers, {}, []
        listed = [(*values, *texts, 1) for values, texts in (self.assignment or {}).items() if texts]
        for place, name in enumerate(names):
            done, key = self.recipe.attributes[name], f"k.{self._key(name)}"
            if "granularity" in (done.hierarchy or {}):
                raise self._refused(name, "its numbers are rounded, and then labelled with their rows")
            kind, zero = ("DOUBLE", "0") if done.kind == "number" else ("VARCHAR", "''")
            own = f"CAST(m.a{place} AS {kind})"
            # Engines join by equal values, which missing ones are not.
            same.append(f"({key} IS NULL) = ({own} IS NULL)")
            same.append(f"coalesce({key}, {zero}) = coalesce({own}, {zero})")
            found[name] = None if done.scheme == "keep" else f"m.b{place}"
        rows = ", ".join(f"({', '.join(map(self._literal, row))})" for row in listed)
        columns = [*(f"{part}{place}" for part in "ab" for place in range(len(names))), "c"]
        join = f"LEFT JOIN (VALUES {rows}) AS m({', '.join(columns)}) ON {' AND '.join(same)}"
        return {name: _SqlLabel(text, "m.c IS NOT NULL", join) for name, text in found.items()}

    def _suppress(self, labels: Mapping[str, _SqlLabel]) -> None:
        """Find the rows that are not published: unknown ones, and then those that the rule takes."""
        recipe, own = self.recipe, self._own
        limits = [(*parse_measure_name(name), limit) for name, limit in recipe.require.items()]
        judged = [item for item in limits if item[0] in ("k", "distinct_l", *_UNSAID)]
        rule = ("failing" if judged else "smallest") if recipe.rule == "auto" else recipe.rule
        unknown, self.gone = f"NOT {own('known')}", own("gone")
        if rule == "below-mean":
            raise self._refused("rule", "the mean counts rows of which a recipe knows nothing")
        if rule == "none" or recipe.limit == 0:
            self._step(["*", f"{unknown} AS {own('gone')}"], self._last)
            return
        parts = [own("text", name) if label.text else self._key(name) for name, label in labels.items()]
        apart = f"OVER (PARTITION BY {', '.join([own('known'), *parts])}"
        ranked, sizes, failing = {}, {own("size"): f"count(*) {apart})"}, [unknown]
        if recipe.unit is not None:
            ranked[own("unit")] = f"dense_rank() {apart} ORDER BY {self._key(recipe.unit)} NULLS LAST)"
            sizes[own("size")] = f"max({own('unit')}) {apart})"
        for measure, arguments, limit in judged if rule in ("failing", BOTH) else ():
            if measure in _UNSAID:
                raise self._refused(measure, "classes are suppressed by a measure that SQL would round")
            if measure == "k":
                failing.append(f"{own('size')} < {limit:g}")
                continue
            secret = arguments[0]
            value, rank, count = self._known_value(secret), own("rank", secret), own("values", secret)
            ranked[rank] = f"dense_rank() {apart} ORDER BY {value} NULLS LAST)"
            sizes[count] = f"coalesce(max(CASE WHEN {value} IS NOT NULL THEN {rank} END) {apart}), 1)"
            failing.append(f"{count} < {limit:g}")
        self._step(["*", *_named(ranked)], self._last)
        self._step(["*", *_named(sizes)], self._last)
        self._step(["*", f"({' OR '.join(failing)}) AS {own('gone')}"], self._last)
        if rule != "failing":
            self._suppress_by_size()

    def _suppress_by_size(self) -> None:
        """Take whole sizes of classes, the smallest first, within the limit; the largest size stays."""
        size, gone, share = self._own("size"), self.gone, Fraction(str(self.recipe.limit))
        left = f"CASE WHEN {gone} THEN 0 ELSE 1 END"
        taken = f"sum({left}) OVER (ORDER BY {size}) + sum(1 - {left}) OVER ()"
        fits = f"({taken}) * {share.denominator} <= count(*) OVER () * {share.numerator}"
        largest = f"max(CASE WHEN {gone} THEN 0 ELSE {size} END) OVER ()"
        self.gone = self._own("taken")
        self._step(["*", f"({gone} OR ({fits} AND {size} < {largest})) AS {self.gone}"], self._last)

    def _known_value(self, name: str) -> str:
        """Return a sensitive value; what is declared unknown is missing."""
        done, key = self.recipe.attributes[name], self._key(name)
        silent = ", ".join(map(self._literal, comparable(done.unknown, done.kind)))
        return f"CASE WHEN {key} IN ({silent}) THEN NULL ELSE {key} END" if silent else key

    def _shown(self, name: str, label: _SqlLabel | None) -> str:
        """Return what is published of a column."""
        cell, key, is_masked = (
            f"r.{quote_name(name)}",
            f"r.{self._key(name)}",
            "mask" in self.recipe.suppressed_output,
        )
        if label is None and name not in self.recipe.sensitive:
            return cell
        text = f"r.{self._own('text', name)}" if label is not None and label.text else ""
        cell = text or f"CASE WHEN {key} IS NOT NULL THEN {cell} END"
        if not is_masked:
            return cell
        if label is None:
            return f"CASE WHEN NOT r.{self.gone} THEN {cell} END"
        whole = f"{key} = floor({key}) AND abs({key}) < 1e15 THEN CAST(CAST({key} AS BIGINT) AS VARCHAR)"
        # Every quasi-identifier of a masked release is text, and a number has one spelling.
        spelt = f"WHEN {whole} " if self.recipe.attributes[name].kind == "number" and not text else ""
        return f"CASE WHEN r.{self.gone} THEN '*' {spelt}ELSE CAST({cell} AS VARCHAR) END"
