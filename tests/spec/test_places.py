"""The scanner finds the line of every key that the parser of the standard library finds."""

from __future__ import annotations

import tomllib
from typing import TypeAlias

import tomli_w
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.spec.places import find_places

Value: TypeAlias = "str | int | float | bool | list[Value] | dict[str, Value]"
KEYS = st.text(st.sampled_from("ab-_. \"'#=[]{}\\\n\té") | st.characters(codec="utf-8"), max_size=5)
TEXTS = st.text(st.sampled_from("ab\"'#[]{},=\\\n\r"), max_size=8)
SCALARS = TEXTS | st.integers() | st.floats(allow_nan=False) | st.booleans() | st.dates()
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)
DOCUMENTS = st.dictionaries(KEYS, VALUES, max_size=4)


def all_locations(value: object, location: tuple[str | int, ...] = ()) -> set[tuple[str | int, ...]]:
    """Walk through what the parser made, in the plainest way."""
    inner: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    found = {(*location, key) for key, _ in inner}
    for key, item in inner:
        found |= all_locations(item, (*location, key))
    return found


@settings(deadline=None)
@given(DOCUMENTS, st.booleans())
def test_every_key_has_a_place(document: dict[str, Value], multiline: bool) -> None:
    text = tomli_w.dumps(document, multiline_strings=multiline)
    assert set(find_places(text)) == all_locations(tomllib.loads(text))


TEXT = '''\
# a comment with [brackets] and key = value
title = """
[not.a.table]
quoted \\""" = 1 """"    # two quotes belong to the text
path = 'C:\\'

[attributes.age]
role = "quasi-identifier"
hierarchy = { intervals = [5, 10], origin = 0 } # } ]
levels = [
    0,   # lowest ]
    3,
]

[ attributes . "marital.status" ]
'role' = "sensitive"
hierarchy.tree = { Any = [ { "a b" = ["x"] }, "y" ] }
order = [\'\'\'
]\'\'\', """a\\
   b""", 1979-05-27 07:32:00]

[[confidential]]
sentence = "a"
[[confidential]]
for = "b"
[confidential.more]
damage = 1
'''


def test_headers_dots_quotes_and_inline_tables() -> None:
    places = find_places(TEXT)
    assert set(places) == all_locations(tomllib.loads(TEXT))
    lines = {location: line for location, (line, _) in places.items()}
    assert lines["title",] == 2
    assert lines["path",] == 5
    assert lines["attributes",] == lines["attributes", "age"] == 7
    assert places["attributes", "age", "hierarchy", "intervals"] == (9, 15)
    assert places["attributes", "age", "hierarchy", "intervals", 1] == (9, 31)
    assert places["attributes", "age", "hierarchy", "origin"] == (9, 36)
    assert lines["attributes", "age", "levels", 0] == 11
    assert lines["attributes", "age", "levels", 1] == 12
    assert lines["attributes", "marital.status"] == 15
    assert lines["attributes", "marital.status", "role"] == 16
    assert lines["attributes", "marital.status", "hierarchy"] == 17
    assert places["attributes", "marital.status", "hierarchy", "tree", "Any", 0, "a b"] == (17, 30)
    assert lines["attributes", "marital.status", "order", 1] == 19
    assert lines["attributes", "marital.status", "order", 2] == 20
    assert lines["confidential", 0, "sentence"] == 23
    assert lines["confidential", 1, "for"] == 25
    assert lines["confidential", 1, "more", "damage"] == 27


def test_line_ends_of_windows_count_once() -> None:
    assert find_places("a = 1\r\n\r\nb = 2\r\n")["b",] == (3, 1)
