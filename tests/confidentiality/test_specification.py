"""Sentences in specification files: kept, placed, refused with a caret, counted by `check`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import sfumato as sf
from sfumato.confidentiality import SentenceError
from sfumato.errors import DataError, SpecError
from sfumato.spec import ConfidentialSpec, Spec
from tests.cli.running import SPECIFICATION, run, write_people

if TYPE_CHECKING:
    from pathlib import Path

ATTRIBUTES = {"age": {"role": "quasi-identifier"}, "health": {"role": "sensitive"}}


def test_a_specification_keeps_its_sentences(tmp_path: Path) -> None:
    """Written and read again; in Python the condition has a name that Python allows."""
    listed = [
        {"sentence": "health == 2", "for": "age < 18", "damage": 2.5},
        ConfidentialSpec(sentence="health == 1", record=3),
        ConfidentialSpec(sentence="health == 0", holders="age > 3"),
    ]
    spec = Spec(attributes=ATTRIBUTES, confidential=listed)
    assert spec.confidential[0].holders == "age < 18"
    spec.save(tmp_path / "spec.toml")
    assert Spec.load(tmp_path / "spec.toml") == spec
    assert Spec.from_dict(spec.to_dict()) == spec
    assert spec.to_dict()["confidential"][0] == listed[0]


@pytest.mark.parametrize(
    ("confidential", "message"),
    [
        ({"sentence": "x"}, r"\[confidential\]: must be a list of tables: write \[\[confidential\]\]"),
        ("x", "must be a list of tables"),
        ([{"sentnce": "x"}], r"\[\[confidential\]\] entry 1, sentnce: unknown key. Did you mean 'sentence'"),
        ([{"sentence": "x"}, {"sentence": "y", "fr": "z"}], "entry 2, fr: unknown key. Did you mean 'for'"),
        ([{"sentence": "x", "for": "y", "record": 2}], "entry 1, record: cannot be combined with 'for'"),
        ([{"sentence": "x", "record": 0}], "entry 1, record: must be 1 or above"),
        ([{"sentence": "x", "damage": 0}], "entry 1, damage: must be above 0"),
        ([{"sentence": ""}], "entry 1, sentence: must not be empty"),
    ],
)
def test_what_a_specification_refuses(confidential: object, message: str) -> None:
    """One line with the place."""
    with pytest.raises(SpecError, match=message):
        Spec(attributes=ATTRIBUTES, confidential=confidential)


def _with(path: Path, text: str) -> Path:
    path.write_text(SPECIFICATION.replace("k = 3", "k = 3\nsecure = 1") + text, encoding="utf-8")
    return path


MISTAKES = {
    '[[confidential]]\nsentence = "disease == flu adn sex == f"': (
        "people.toml:33: [[confidential]] entry 1, sentence, column 16: 'and', 'or' or the end is expected",
        "disease == flu adn sex == f",
        15,
    ),
    '[[confidential]]\nsentence = "diseas == flu"': (
        "unknown attribute 'diseas'. Did you mean 'disease'",
        "diseas == flu",
        0,
    ),
    '[[confidential]]\nsentence = "not age == 3"': (
        "'age' has the role 'quasi-identifier'; sentences are about sensitive attributes",
        "not age == 3",
        4,
    ),
    '[[confidential]]\nsentence = "disease < flu"': ("have no order", "disease < flu", 0),
    '[[confidential]]\nsentence = "disease == flu"\nfor = "agee < 18"': (
        "people.toml:34: [[confidential]] entry 1, for, column 1: the data have no column 'agee'. "
        "Did you mean 'age'",
        "agee < 18",
        0,
    ),
    '[[confidential]]\nsentence = "disease == flu"\nfor = "age < old"': (
        "'age' is compared with a number",
        "age < old",
        6,
    ),
}


@pytest.mark.parametrize("text", MISTAKES)
def test_a_caret_stands_below_the_mistake(tmp_path: Path, text: str) -> None:
    """One line that names file, line and column, then the sentence with a caret; status 2."""
    message, sentence, place = MISTAKES[text]
    path = _with(write_people(tmp_path), text)
    ended = run("check", path)
    first, *picture = ended.err.splitlines()
    assert ended.status == 2
    assert message.replace("people.toml", str(path)) in first
    assert picture == [f"    {sentence}", "    " + " " * place + "^"]
    assert run("check", path, "--json").json["error"]["message"] in first


def test_check_says_how_many_people_each_sentence_protects(tmp_path: Path) -> None:
    """Counts, and what looks like a mistake; nothing of whom."""
    text = (
        '[[confidential]]\nsentence = "disease == flu"\n'
        '[[confidential]]\nsentence = "disease in {gout, cold}"\n'
        'for = "visit == 3"\n[[confidential]]\nsentence = "disease == plague"\nrecord = 60\n'
        '[[confidential]]\nsentence = "disease != missing"\nfor = "name == \'person-1\'"\n'
    )
    path = _with(write_people(tmp_path), text)
    found = run("check", path, "--json").json
    assert [item["people"] for item in found["confidential"]] == [60, 9, 1, 1]
    assert [item["for"] for item in found["confidential"]][:3] == ["everyone", "visit == 3", "record 60"]
    assert any("sentence 3 is true for no row" in text for text in found["warnings"])
    assert any("sentence 4 is true for every row" in text for text in found["warnings"])
    shown = run("check", path, columns=160).out
    assert "disease == flu protects 60 persons" in shown
    assert "person-1" not in shown


def test_a_record_that_is_not_there(tmp_path: Path) -> None:
    """The number of rows, and the place in the file."""
    path = _with(write_people(tmp_path), '[[confidential]]\nsentence = "disease == flu"\nrecord = 61\n')
    with pytest.raises(DataError, match="the data have 60 rows; there is no record 61") as caught:
        sf.check(Spec.load(path))
    assert caught.value.where.endswith("people.toml:34: [[confidential]] entry 1, record")


def test_sentences_are_read_before_the_data(tmp_path: Path) -> None:
    """A misspelt sentence is told at once."""
    spec = Spec.from_dict({"attributes": ATTRIBUTES, "confidential": [{"sentence": "health =="}]})
    pandas = pytest.importorskip("pandas")
    with pytest.raises(SentenceError):
        sf.check(pandas.DataFrame({"age": [1, 2], "health": [1, 2]}), spec)


def test_a_front_of_other_sentences_is_refused(tmp_path: Path) -> None:
    """The fingerprint covers for whom sentences are true and who holds them."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"age": [1, 2, 3, 4], "health": [1, 2, 1, 2]})
    found = []
    for sentence in ("health == 1", "health == 2", "health in {1, 2}"):
        spec = Spec.from_dict(
            {
                "attributes": ATTRIBUTES,
                "confidential": [{"sentence": sentence}],
                "objectives": {"minimize": ["exposed", "loss"]},
            }
        )
        found.append(sf.explore(frame, spec))
    assert len({front.run["fingerprint"] for front in found}) == 3
