"""What fronts, measures and verdicts say, in words that a data steward knows.

Names of attributes and labels of levels are other people's text: they may hold anything. Here they
are only made printable; each picture escapes them for where it puts them.
"""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from sfumato.errors import ParameterError, SpecError
from sfumato.front import FAR, Partition, PlainFront, certainty_words
from sfumato.front.picks import find_knee
from sfumato.measures import MEASURES
from sfumato.spec import parse_measure_name
from sfumato.verifier.checks import split_name
from sfumato.verifier.counting import larger_is_better
from sfumato.words import count_words, huge_words, list_words, number_words, percent_words, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.assess.utility import ModelUtility

_TEXT = files(__package__).joinpath("words.toml").read_text(encoding="utf-8")
WORDS: dict[str, dict[str, Any]] = tomllib.loads(_TEXT)
SAID, SCORES = WORDS["said"], WORDS["scores"]
BLOCKS_WIDTH = 160  # letters that the blocks of one attribute may take


def measure_words(name: str, *, short: bool = True) -> str:
    """Return a measure in words, followed by its short name unless that is not wanted."""
    try:
        bare, arguments = parse_measure_name(name)
    except SpecError:
        return printable(name)
    words = MEASURES[bare].words if bare in MEASURES else None
    # Arguments beyond the attribute name a variant that only the full name shows.
    if words is None or len(arguments) != words.count("{"):
        return printable(name)
    text = words.replace("{attribute}", printable("".join(arguments)))
    return f"{text} ({bare})" if short and bare != "suppressed" else text


def partition_words(partition: Partition, label: str | None = None) -> str:
    """Return what happens to one attribute: its level, or its number of blocks."""
    if isinstance(partition, dict):
        return f"{percent_words(partition_size(partition))} lost, labels: {partition['labels']}"
    text = f"level {partition}" if isinstance(partition, int) else count_words(len(partition), "block")
    return f"{text}: {printable(label)}" if label else text


def partition_size(partition: list[object] | dict[str, object]) -> float:
    """Return how many blocks there are; of a local recoding what the attribute loses."""
    return float(str(partition["loss"])) if isinstance(partition, dict) else len(partition)


def example(labels: Sequence[object], level: int) -> str:
    """Return what a recoded column looks like: a label from the middle of its level."""
    if level == 0:
        return "unchanged"
    texts = [str(label) for label in labels if label is not None]
    return texts[len(texts) // 2] if texts else ""


def block_words(labels: Sequence[object], most: int = BLOCKS_WIDTH) -> str:
    """Return the labels of blocks side by side, as many as there is room for."""
    # Missing, which stays what it is, is left out.
    texts = [printable(str(label)) for label in labels if label is not None]
    shown = " | ".join(texts)
    if len(shown) <= most:
        return shown
    while len(texts) > 1 and len(" | ".join(texts)) > most - 2:
        texts.pop()
    return f"{' | '.join(texts)[: most - 2]} …"


def recoding_rows(release: Any) -> list[list[str]]:
    """List the quasi-identifiers of a release with level and height, or blocks, and what they look like."""
    rows, done = [], release.recipe.attributes
    for item in release.groupings:
        labels = [] if item.keep else [item.labels[number] for number in item.shown]
        # To new data, blocks of a recipe are a level of their own.
        if done[item.name].level is None:
            word = "label" if release.recipe.is_local else "block"
            shown = "unchanged" if item.keep and release.recipe.is_local else block_words(labels)
            rows.append([item.name, count_words(len(item.shown), word), shown])
        else:
            level = item.level or 0
            rows.append([item.name, f"{level} of {item.hierarchy.height}", example(labels, level)])
    return rows


def suppressed_words(front: PlainFront, suppressed: int) -> str:
    """Return a number of suppressed rows, with its share if the run says how many rows there are."""
    rows = _whole(front.run.get("rows"))
    return f"{suppressed:,} ({100 * suppressed / rows:.2f} %)" if rows else f"{suppressed:,}"


def knee_number(front: PlainFront) -> int | None:
    """Return the number of the knee; a front of one or two solutions has none."""
    return front[find_knee(front)].number if len(front) > 2 else None


def check_picked(front: PlainFront, picked: int | None) -> None:
    """Raise ParameterError unless ``picked`` is None or the number of a solution."""
    if picked is not None and not any(item.number == picked for item in front):
        raise ParameterError(
            f"picked must be the number of a solution, 1 to {len(front)}; got {picked}. See front.csv."
        )


def front_title(front: PlainFront) -> str:
    """Return in words what a picture of the front shows."""
    if not len(front):
        none = "No solution: no recoding meets the requirements"
        return none if front.complete else "No solution was found"
    count = "The one solution" if len(front) == 1 else f"{len(front):,} solutions"
    names = [measure_words(item.name, short=False) for item in front.objectives]
    shown = list_words(names, "against" if len(names) == 2 else "and")
    if front.is_local:
        count = "One local recoding" if len(front) == 1 else f"{len(front):,} local recodings"
        return f"{count}, each the best found for its requirement: {shown}"
    if front.run.get("method") == "lattice":
        # The most specific ones, of which one may beat another in all objectives.
        return f"{count} that meet the requirements and have no finer one: {shown}"
    return f"{count} that no other beats: {shown}"


def front_sentence(front: PlainFront) -> str:
    """Return in words how completely the front is known and how it was found."""
    # What the run does not say is left out.
    space, evaluated = _digits(front.run.get("space")), _whole(front.run.get("evaluated"))
    rows, seconds = _whole(front.run.get("rows")), front.run.get("seconds")
    facts = [
        f"method {printable(str(front.run['method']))}" if front.run.get("method") else None,
        count_words(rows, "row") if rows else None,
        f"{seconds:.1f} seconds" if isinstance(seconds, int | float) else None,
    ]
    known = ", ".join(fact for fact in facts if fact)
    return _completeness(front, space, evaluated) + (f" ({known})." if known else ".")


def _completeness(front: PlainFront, space: str | None, evaluated: int | None) -> str:
    if front.is_local:
        gaps = [item.gap for item in front if item.gap is not None]
        known = len(gaps) == len(front) > 0 and max(gaps) <= FAR
        least = certainty_words(max(gaps) if known else None)
        return f"Not proven optimal: {f'each solution is {least}' if known else least}"
    if space is None or evaluated is None:
        return "Complete: no recoding can add a solution" if front.complete else _OPEN
    if not front.complete:
        return f"{_OPEN}; {evaluated:,} of {huge_words(space, times=True)} recodings were evaluated"
    if str(evaluated) == space:
        return f"Complete: all {huge_words(space, times=True)} recodings were evaluated"
    others = "decided without" if front.run.get("method") == "lattice" else "proven no better"
    proven = f"{evaluated:,} were evaluated and the others {others}"
    return f"Complete: of {huge_words(space, times=True)} recodings {proven}"


_OPEN = "Not complete: there may be more and better solutions"


def _digits(value: object) -> str | None:
    """Return the digits of a whole number of ``run.json``; there may be more than Python converts."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    is_written = isinstance(value, str) and value.isdecimal() and value.isascii()
    return (str(value).lstrip("0") or "0") if is_written else None


def _whole(value: object) -> int | None:
    digits = _digits(value)
    return None if digits is None else int(digits)


def model_sentence(model: ModelUtility) -> str:
    """Return in one sentence what a model trained on the release loses."""
    name = next((score for score in SCORES if score in model.original and score in model.release), None)
    if name is None:
        return ""
    before, after = score_words(name, model.original[name]), score_words(name, model.release[name])
    guess = f"; guessing reaches {score_words(name, model.baseline[name])}" if name in model.baseline else ""
    return (
        f"A model that predicts {printable(model.target)} has {SCORES[name]} {after} "
        f"when it learns from the release, {before} from the original{guess}."
    )


def score_words(name: str, value: float) -> str:
    """Return a score as people read it: shares in percent, errors in their own unit."""
    return number_words(value) if name == "mae" else percent_words(value)


def told_words(name: str) -> str:
    """Return a measure in words, also one that is taken over some columns alone."""
    bare, columns = split_name(name)
    if bare == "k" and columns:
        return f"smallest class over {printable(', '.join(columns))} (k)"
    return measure_words(name)


def limit_words(name: str, limit: float) -> str:
    """Return what is required of a measure."""
    return f"{'at least' if larger_is_better(name) else 'at most'} {number_words(limit)}"
