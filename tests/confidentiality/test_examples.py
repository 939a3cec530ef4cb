"""Small functions of this room, each by an example."""

from __future__ import annotations

from sfumato.confidentiality.grammar import format_sentence, parse_sentence


def test_parse_sentence() -> None:
    assert parse_sentence("health == 2").name == "health"


def test_format_sentence() -> None:
    assert (
        format_sentence(parse_sentence("'marital status'=='single' and (a<1 or not b in{2 ,missing})"))
        == '"marital status" == single and (a < 1 or not b in {2, missing})'
    )
