"""Every mistake is told in one line: place, what is wrong, nearest valid name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sfumato.errors import SpecError
from sfumato.spec import AttributeSpec, HierarchySpec, Spec

if TYPE_CHECKING:
    from pathlib import Path

AGE = '[attributes.age]\nrole = "quasi-identifier"\n'
JOB = '[attributes.job]\nrole = "sensitive"\n'


def message(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str | bytes) -> str:
    """Load a file named s.toml and return the line that a user reads."""
    content = text.encode() if isinstance(text, str) else text
    (folder / "s.toml").write_bytes(content)
    monkeypatch.chdir(folder)
    with pytest.raises(SpecError) as caught:
        Spec.load("s.toml")
    line = str(caught.value)
    assert "\n" not in line
    assert caught.value.status == 2
    return line


def age(line: str) -> str:
    """Return a specification whose third line is about age."""
    return f"{AGE}{line}\n"


def tree(text: str) -> str:
    """Return a specification whose third line is a tree."""
    return age(f"hierarchy = {{ tree = {text} }}")


UNKNOWN = {
    "unknown key": (
        '# my data\n[attributes.age]\nrolle = "quasi-identifier"\n',
        "s.toml:3: [attributes.age] rolle: unknown key. Did you mean 'role'?",
    ),
    "unknown table": (
        AGE + "\n[serach]\nseed = 1\n",
        "s.toml:4: [serach]: unknown key. Did you mean 'search'?",
    ),
    "unknown key outside all tables": (
        "seed = 1\n" + AGE,
        "s.toml:1: seed: unknown key. Valid names: 'attributes', 'confidential', 'data', 'objectives', "
        "'recoding', 'release', 'require', 'search', 'suppression'. docs/specification.md explains them.",
    ),
    "a table of a later version": (
        AGE + '[[privileges]]\nsentence = "a == 1"\n',
        "s.toml:3: [privileges]: unknown key. Valid names: 'attributes', 'confidential', 'data', "
        "'objectives', 'recoding', 'release', 'require', 'search', 'suppression'. "
        "docs/specification.md explains them.",
    ),
    "unknown key of an inline table": (
        age("hierarchy = { interval = [5, 10] }"),
        "s.toml:3: [attributes.age] hierarchy.interval: unknown key. Did you mean 'intervals'?",
    ),
    "unknown dotted key": (
        age("hierarchy.maks = 5"),
        "s.toml:3: [attributes.age] hierarchy.maks: unknown key. Did you mean 'mask'?",
    ),
    "unknown key of an attribute that is named like a key": (
        AGE + '[attributes.hierarchy]\nrole = "other"\nkinds = "date"\n',
        "s.toml:5: [attributes.hierarchy] kinds: unknown key. Did you mean 'kind'?",
    ),
    "quoted names": (
        '[attributes."zip code"]\nrole = "quasi-identifier"\n"the levels" = [0, 1]\n',
        's.toml:3: [attributes."zip code"] "the levels": unknown key. Did you mean \'levels\'?',
    ),
    "unknown role": (
        '[attributes.age]\nrole = "quasi-identifyer"\n',
        "s.toml:2: [attributes.age] role: unknown role 'quasi-identifyer'. Did you mean 'quasi-identifier'?",
    ),
    "unknown kind": (
        age('kind = "integer"'),
        "s.toml:3: [attributes.age] kind: unknown kind 'integer'. "
        "Valid names: 'category', 'date', 'number', 'ordinal'.",
    ),
    "unknown scheme": (
        age('scheme = "level"'),
        "s.toml:3: [attributes.age] scheme: unknown scheme 'level'. Did you mean 'levels'?",
    ),
    "variant": (
        AGE + '[search]\nvariant = "incogito"\n',
        "s.toml:4: [search] variant: unknown variant 'incogito'. Did you mean 'incognito'?",
    ),
    "unknown method": (
        AGE + '[search]\nmethod = "optmal"\n',
        "s.toml:4: [search] method: unknown method 'optmal'. Did you mean 'optimal'?",
    ),
    "unknown rule": (
        AGE + '[suppression]\nrule = "below"\n',
        "s.toml:4: [suppression] rule: unknown rule 'below'. Did you mean 'below-mean'?",
    ),
    "unknown output of suppression": (
        AGE + '[suppression]\noutput = "label"\n',
        "s.toml:4: [suppression] output: unknown output 'label'. Valid names: 'drop', 'mask'.",
    ),
    "unknown row order": (
        AGE + '[release]\norder = "sort"\n',
        "s.toml:4: [release] order: unknown order 'sort'. Did you mean 'sorted'?",
    ),
    "unknown unit": (
        age('hierarchy = { dates = ["month", "yaer"] }'),
        "s.toml:3: [attributes.age] hierarchy.dates, entry 2: unknown unit 'yaer'. Did you mean 'year'?",
    ),
    "unknown encoding": (
        '[data]\nencoding = "utf-88"\n' + AGE,
        "s.toml:2: [data] encoding: unknown encoding. Common ones: 'utf-8', 'latin-1', 'cp1252'.",
    ),
    "unknown attribute of a requirement": (
        AGE + JOB + '[require]\nk = 5\n"t(jub,ordered)" = 0.3\n',
        "s.toml:7: [require] \"t(jub, ordered)\": unknown attribute 'jub'. Did you mean 'job'?",
    ),
    "unknown attribute of an objective": (
        AGE + JOB + '[objectives]\nmaximize = [\n  "k",\n  "distinct_l(agge)",\n]\n',
        "s.toml:8: [objectives] maximize, entry 2: unknown attribute 'agge'. Did you mean 'age'?",
    ),
}

SCHEMES = {
    "cuts without a tree": (
        age('scheme = "cuts"'),
        "s.toml:3: [attributes.age] scheme: 'cuts' follows the tree of a hierarchy, but there is no "
        "hierarchy. Add one, or use 'ordered' or 'sets'.",
    ),
    "acronym without a tree": (
        age('scheme = "GOPS"'),
        "s.toml:3: [attributes.age] scheme: 'guided-ordered' follows the tree of a hierarchy, but there is "
        "no hierarchy. Add one, or use 'ordered' or 'sets'.",
    ),
    "levels of another scheme": (
        age('scheme = "ordered"\nlevels = [0, 1]'),
        "s.toml:4: [attributes.age] levels: only applies to the scheme 'levels'; the scheme here is "
        "'ordered'.",
    ),
    "nothing admissible": (
        age('scheme = "admissible"'),
        "s.toml:3: [attributes.age] scheme: 'admissible' needs a list of partitions: add partitions = [...].",
    ),
    "partitions of another scheme": (
        age("partitions = [1]"),
        "s.toml:3: [attributes.age] partitions: needs scheme = \"admissible\"; the scheme here is 'levels'.",
    ),
    "value twice": (
        age('scheme = "admissible"\npartitions = [\n  [[1, 2], [3]],\n  [[1],\n   [3, 1.0]],\n]'),
        "s.toml:7: [attributes.age] partitions, entry 2, entry 2, entry 2: this value occurs twice in the "
        "partition.",
    ),
    "no list of blocks": (
        age('scheme = "admissible"\npartitions = [["a", "b"]]'),
        "s.toml:4: [attributes.age] partitions, entry 1, entry 1: a block must be a list of values; found "
        "text. Write brackets around it. (1 more problem)",
    ),
    "empty block": (
        age('scheme = "admissible"\npartitions = [[["a"], []]]'),
        "s.toml:4: [attributes.age] partitions, entry 1, entry 2: a block must hold at least one value.",
    ),
    "no partition": (
        age('scheme = "admissible"\npartitions = [1.5]'),
        "s.toml:4: [attributes.age] partitions, entry 1: must be a list of blocks or the number of a level; "
        "found a number with a fraction.",
    ),
    "no partitions": (
        age('scheme = "admissible"\npartitions = []'),
        "s.toml:4: [attributes.age] partitions: needs at least one partition.",
    ),
}

VALUES = {
    "share": (
        AGE + "[suppression]\nlimit = 1.5\n",
        "s.toml:4: [suppression] limit: must be between 0 and 1; found 1.5.",
    ),
    "not a number": (
        AGE + "[suppression]\nlimit = nan\n",
        "s.toml:4: [suppression] limit: must be a finite number.",
    ),
    "true is no number": (
        AGE + "[suppression]\nlimit = true\n",
        "s.toml:4: [suppression] limit: must be a number; found true or false.",
    ),
    "text is no number": (
        AGE + '[require]\nk = "5"\n',
        "s.toml:4: [require] k: must be a number; found text.",
    ),
    "infinite requirement": (
        AGE + f"[require]\nk = {'9' * 400}\n",
        "s.toml:4: [require] k: must be a finite number.",
    ),
    "weight": (age("weight = -1"), "s.toml:3: [attributes.age] weight: must be 0 or above; found -1."),
    "granularity": (
        age("granularity = 0"),
        "s.toml:3: [attributes.age] granularity: must be above 0; found 0.",
    ),
    "seed": (AGE + "[search]\nseed = -3\n", "s.toml:4: [search] seed: must be 0 or above; found -3."),
    "seed with a fraction": (
        AGE + "[search]\nseed = 1.5\n",
        "s.toml:4: [search] seed: must be a whole number; found a number with a fraction.",
    ),
    "time": (AGE + "[search]\ntime_limit = 0\n", "s.toml:4: [search] time_limit: must be above 0; found 0."),
    "separator": (
        '[data]\nseparator = ";;"\n' + AGE,
        "s.toml:2: [data] separator: must be one character, but not a quote or a line end.",
    ),
    "empty path": ('[data]\npath = ""\n' + AGE, "s.toml:2: [data] path: must not be empty."),
    "number for a path": (
        "[data]\npath = 5\n" + AGE,
        "s.toml:2: [data] path: must be text; found a whole number.",
    ),
    "date for a text": (
        "[data]\nperson = 2020-01-01\n" + AGE,
        "s.toml:2: [data] person: must be text; found a date or time.",
    ),
    "text for a list": (
        '[data]\nmissing = "?"\n' + AGE,
        "s.toml:2: [data] missing: must be a list; found text.",
    ),
    "number in a list of texts": (
        '[data]\nmissing = ["", 0]\n' + AGE,
        "s.toml:2: [data] missing, entry 2: must be text; found a whole number.",
    ),
    "text for a table": ('data = "a.csv"\n' + AGE, "s.toml:1: data: must be a table; found text."),
    "text for an attribute": (
        AGE + '[attributes]\njob = "sensitive"\n',
        "s.toml:4: [attributes.job]: must be a table; found text.",
    ),
    "list for the requirements": (
        "require = [5]\n" + AGE,
        "s.toml:1: [require]: must be a table; found a list.",
    ),
    "levels upside down": (
        age("levels = [3, 1]"),
        "s.toml:3: [attributes.age] levels: the lowest level, 3, is above the highest, 1.",
    ),
    "one level": (
        age("levels = [3]"),
        "s.toml:3: [attributes.age] levels: must hold the lowest and the highest level; found 1 entries.",
    ),
    "negative level": (
        age("levels = [-1, 2]"),
        "s.toml:3: [attributes.age] levels, entry 1: must be 0 or above; found -1.",
    ),
    "measure twice": (
        AGE + '[require]\n"t(age,ordered)" = 1\n"t(age, ordered)" = 2\n',
        's.toml:5: [require] "t(age, ordered)": this measure is named twice.',
    ),
    "shape of a measure": (
        AGE + '[objectives]\nminimize = ["t("]\n',
        "s.toml:4: [objectives] minimize, entry 1: a measure is written name, name(attribute) or "
        "name(attribute, option); a pair of parentheses is expected after the name.",
    ),
    "objective twice": (
        AGE + '[objectives]\nminimize = ["dm", "loss", "dm"]\n',
        "s.toml:4: [objectives] minimize, entry 3: repeats entry 1.",
    ),
    "objective in both directions": (
        AGE + '[objectives]\nmaximize = ["k"]\nminimize = ["loss", "k"]\n',
        "s.toml:5: [objectives] minimize, entry 2: is also listed under maximize.",
    ),
}

HIERARCHIES = {
    "no source": (
        age("hierarchy = { origin = 0 }"),
        "s.toml:3: [attributes.age] hierarchy: needs exactly one of intervals, mask, prefix, file, tree, "
        "dates, columns; found none.",
    ),
    "two sources": (
        age('hierarchy = { mask = 2, file = "a.csv" }'),
        "s.toml:3: [attributes.age] hierarchy: needs exactly one of intervals, mask, prefix, file, tree, "
        "dates, columns; found 'mask' and 'file'.",
    ),
    "prefixes that grow": (
        age("hierarchy = { prefix = [1, 3] }"),
        "s.toml:3: [attributes.age] hierarchy.prefix, entry 2: must be below 1, the length before; found 3.",
    ),
    "no prefix": (
        age("hierarchy = { prefix = [] }"),
        "s.toml:3: [attributes.age] hierarchy.prefix: needs at least one length.",
    ),
    "months of weeks": (
        age('hierarchy = { dates = ["week", "month"] }'),
        "s.toml:3: [attributes.age] hierarchy.dates, entry 2: weeks lie in two months: put 'year' after "
        "'week'.",
    ),
    "a format without a year": (
        age('format = "%d.%m"'),
        "s.toml:3: [attributes.age] format: is not a format of dates with a year, such as %d.%m.%Y: %Y year "
        "(%y its last two digits), %m month (%b, %B its name), %d day, %H %M %S time.",
    ),
    "a format of numbers": (
        age('format = "%d.%m.%Y"\nhierarchy = { mask = 2 }'),
        "s.toml:3: [attributes.age] format: needs dates, and no other hierarchy than dates.",
    ),
    "origin of a mask": (
        age("hierarchy = { mask = 2, origin = 0 }"),
        "s.toml:3: [attributes.age] hierarchy.origin: is only allowed with intervals.",
    ),
    "no width": (
        age("hierarchy = { intervals = [] }"),
        "s.toml:3: [attributes.age] hierarchy.intervals: needs at least one width.",
    ),
    "width of zero": (
        age("hierarchy = { intervals = [0, 5] }"),
        "s.toml:3: [attributes.age] hierarchy.intervals, entry 1: must be above 0; found 0.",
    ),
    "widths that shrink": (
        age("hierarchy = { intervals = [10, 5] }"),
        "s.toml:3: [attributes.age] hierarchy.intervals, entry 2: "
        "must be above 10, the width before; found 5.",
    ),
    "widths that do not nest": (
        age("hierarchy = { intervals = [5, 10, 25] }"),
        "s.toml:3: [attributes.age] hierarchy.intervals, entry 3: "
        "must be a multiple of 10, the width before; found 25.",
    ),
    "bottom above top": (
        age("hierarchy = { intervals = [5], bottom = 90, top = 15 }"),
        "s.toml:3: [attributes.age] hierarchy.top: must be above bottom, 90; found 15.",
    ),
    "mask of nothing": (
        age("hierarchy = { mask = 0 }"),
        "s.toml:3: [attributes.age] hierarchy.mask: must be 1 or above; found 0.",
    ),
    "no unit": (
        age("hierarchy = { dates = [] }"),
        "s.toml:3: [attributes.age] hierarchy.dates: needs at least one unit.",
    ),
    "unit twice": (
        age('hierarchy = { dates = ["year", "year"] }'),
        "s.toml:3: [attributes.age] hierarchy.dates, entry 2: repeats entry 1.",
    ),
    "units from coarse to fine": (
        age('hierarchy = { dates = ["year", "month"] }'),
        "s.toml:3: [attributes.age] hierarchy.dates, entry 2: 'month' is finer than 'year' before it.",
    ),
    "leaf twice": (
        tree('{ A = ["x", "1"], B = { C = [1] } }'),
        "s.toml:3: [attributes.age] hierarchy.tree.B.C, entry 1: this value occurs twice in the tree.",
    ),
    "empty node": (
        tree('{ A = ["x"], B = [] }'),
        "s.toml:3: [attributes.age] hierarchy.tree.B: must not be empty.",
    ),
    "text for a tree": (
        tree('"x"'),
        "s.toml:3: [attributes.age] hierarchy.tree: must be a table or a list of values; found text.",
    ),
    "time for a leaf": (
        tree("{ A = 07:32:00 }"),
        "s.toml:3: [attributes.age] hierarchy.tree.A: must be text; found a date or time.",
    ),
    "list within a list": (
        tree('{ A = ["x", ["y"]] }'),
        "s.toml:3: [attributes.age] hierarchy.tree.A, entry 2: "
        "is a list within a list; give the inner group a name.",
    ),
    "tree without end": (
        tree("{ A = " * 120 + "1" + " }" * 120),
        "s.toml:3: [attributes.age] hierarchy.tree.A: is nested deeper than 100 levels.",
    ),
}

CONTRADICTIONS = {
    "nothing": ("", "s.toml: [attributes]: this key is required."),
    "no attribute": (
        "[attributes]\n",
        "s.toml:1: [attributes]: no attribute has the role 'quasi-identifier'; at least one is needed.",
    ),
    "no quasi-identifier": (
        "\n" + JOB,
        "s.toml:2: [attributes]: no attribute has the role 'quasi-identifier'; at least one is needed.",
    ),
    "no role": ("[attributes.age]\nweight = 1\n", "s.toml:1: [attributes.age] role: this key is required."),
    "no weight": (
        age("weight = 0"),
        "s.toml:3: [attributes.age] weight: at least one quasi-identifier needs a weight above 0.",
    ),
    "order without ordinal": (
        age('order = ["low", "high"]'),
        's.toml:3: [attributes.age] order: needs kind = "ordinal".',
    ),
    "order with a repetition": (
        age('kind = "ordinal"\norder = ["1", 2, 1.0]'),
        "s.toml:4: [attributes.age] order, entry 3: repeats entry 1.",
    ),
    "order of dates": (
        age('kind = "ordinal"\norder = [2020-01-01]'),
        "s.toml:4: [attributes.age] order, entry 1: must be text or a number; found a date or time.",
    ),
    "empty order": (
        age('kind = "ordinal"\norder = []'),
        "s.toml:4: [attributes.age] order: must not be empty.",
    ),
    "granularity of categories": (
        age('kind = "category"\ngranularity = 5'),
        "s.toml:4: [attributes.age] granularity: needs numbers; the kind here is 'category'.",
    ),
    "intervals of dates": (
        age('kind = "date"\nhierarchy = { intervals = [5] }'),
        "s.toml:4: [attributes.age] hierarchy.intervals: needs numbers; the kind here is 'date'.",
    ),
    "dates of numbers": (
        age('kind = "number"\nhierarchy = { dates = ["year"] }'),
        "s.toml:4: [attributes.age] hierarchy.dates: needs dates; the kind here is 'number'.",
    ),
    "levels of a sensitive attribute": (
        AGE + JOB + "levels = [0, 1]\n",
        "s.toml:5: [attributes.job] levels: is only allowed for quasi-identifiers; the role here is "
        "'sensitive'.",
    ),
    "person as quasi-identifier": (
        '[data]\nperson = "age"\n' + AGE,
        "s.toml:4: [attributes.age] role: this is the person column of [data], so its role must be "
        "'identifier' or 'pseudonym'.",
    ),
    "several problems, the first in the file": (
        AGE + "levels = [2, 1]\n[suppression]\nlimit = 2\n[data]\npath = 1\n",
        "s.toml:3: [attributes.age] levels: the lowest level, 2, is above the highest, 1. (2 more problems)",
    ),
    "two problems on one line": (
        age("hierarchy = { mask = 0, file = 1 }"),
        "s.toml:3: [attributes.age] hierarchy.mask: must be 1 or above; found 0. (1 more problem)",
    ),
}

SYNTAX = {
    "no equals sign": (
        AGE + "levels 3\n",
        "s.toml:3:8: not valid TOML: expected '=' after a key in a key/value pair.",
    ),
    "key twice": (age('role = "other"'), "s.toml:3:15: not valid TOML: cannot overwrite a value."),
    "end inside a value": (
        AGE + "levels = ",
        "s.toml:3: not valid TOML: invalid value at the end of the file.",
    ),
    "not UTF-8": (
        b'[data]\npath = "\xe9.csv"\n',
        "s.toml:2: not UTF-8 text. Save the file with UTF-8 encoding.",
    ),
    "a number of many digits": (
        f"a = {'9' * 5000}\n",
        "s.toml: not valid TOML: a number is too long or lists are nested too deep.",
    ),
    "brackets without end": (
        "a = " + "[" * 5000,
        "s.toml: not valid TOML: a number is too long or lists are nested too deep.",
    ),
}

ALL = {
    f"{group}: {name}": case
    for group, cases in {
        "unknown": UNKNOWN,
        "scheme": SCHEMES,
        "value": VALUES,
        "hierarchy": HIERARCHIES,
        "contradiction": CONTRADICTIONS,
        "syntax": SYNTAX,
    }.items()
    for name, case in cases.items()
}


@pytest.mark.parametrize(("text", "expected"), ALL.values(), ids=ALL.keys())
def test_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | bytes, expected: str
) -> None:
    assert message(tmp_path, monkeypatch, text) == expected


def test_a_file_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SpecError) as caught:
        Spec.load("nowhere.toml")
    expected = "nowhere.toml: there is no such file. Check the path, or make one with `sfumato init`."
    assert str(caught.value) == expected


def test_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "specs").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SpecError) as caught:
        Spec.load("specs")
    assert str(caught.value) == "specs: this is a folder. Name the specification file in it."


def test_a_table_of_data_given_by_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.spec.toml_text.MAX_BYTES", 1 << 20)
    text = "a,b\n" * (1 << 19)
    expected = "s.toml: larger than 1 MB, so it is probably not a specification."
    assert message(tmp_path, monkeypatch, text) == expected


def test_a_path_that_no_system_has(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"cannot be read|no such file"):
        Spec.load(f"{tmp_path}/a\0b.toml")


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, "[attributes]: this key is required."),
        (
            {"attributes": {"age": {"role": "quasi-identifier"}}, "requires": {"k": 5}},
            "[requires]: unknown key. Did you mean 'require'?",
        ),
        (
            {"attributes": {"age": {"rolle": "other", "levels": [1, 0]}}},
            "[attributes.age] levels: the lowest level, 1, is above the highest, 0. (1 more problem)",
        ),
        (
            {"attributes": {1: {"role": "quasi-identifier"}}},
            "[attributes]: a name must be text; found a whole number.",
        ),
        (
            {"attributes": {"age": {1: "other", "role": "other"}}},
            "[attributes.age]: a name must be text; found a whole number.",
        ),
        (
            {"attributes": {"\ud800": {"role": "quasi-identifier"}}},
            "[attributes]: the name of an attribute contains a character that UTF-8 cannot encode.",
        ),
        (
            {"attributes": {"age": {"role": None}}},
            "[attributes.age] role: must be text; found nothing.",
        ),
        (
            {"attributes": {"age": {"role": {"other"}}}},
            "[attributes.age] role: must be text; found an object of type set.",
        ),
    ],
)
def test_a_specification_made_in_python(fields: dict[str, object], expected: str) -> None:
    with pytest.raises(SpecError) as caught:
        Spec(**fields)
    assert str(caught.value) == expected
    if "requires" not in fields:
        with pytest.raises(SpecError) as caught:
            Spec.from_dict(fields)
        assert str(caught.value) == expected


def test_from_dict_wants_a_table() -> None:
    with pytest.raises(SpecError) as caught:
        Spec.from_dict([1])  # type: ignore[arg-type]
    assert str(caught.value) == "must be a table; found a list."


def test_parts_complain_in_the_same_way() -> None:
    with pytest.raises(SpecError) as caught:
        HierarchySpec(mask=0)
    assert str(caught.value) == "mask: must be 1 or above; found 0."
    with pytest.raises(SpecError) as caught:
        AttributeSpec(role="quasi-identifier", hierarchy={"maks": 5})
    assert str(caught.value) == "hierarchy.maks: unknown key. Did you mean 'mask'?"


def test_no_value_of_the_data_stands_in_a_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in (
        tree('{ A = ["secret", "secret"] }'),
        age('kind = "ordinal"\norder = ["secret", "secret"]'),
        '[data]\nmissing = ["secret", 1]\n' + AGE,
    ):
        assert "secret" not in message(tmp_path, monkeypatch, text)
