"""All measures by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.errors import ParameterError, nearest
from sfumato.measures.losses import (
    CM,
    DM,
    GL,
    GLM,
    HDM,
    QL,
    SL,
    AverageClass,
    Loss,
    Precision,
    Suppressed,
    Usefulness,
)
from sfumato.measures.privacy import (
    SF,
    DistinctL,
    EntropyL,
    Exposed,
    K,
    MeanK,
    Protection,
    RecursiveL,
    Secure,
    SecureForSome,
    ShareL,
    SpreadK,
    SpreadL,
    TEqual,
    THierarchical,
    TOrdered,
)
from sfumato.spec import parse_measure_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sfumato.measures.measure import Measure
    from sfumato.measures.setting import Setting

_OF_TABLE: dict[str, Callable[[str, Setting], Measure]] = {
    "k": lambda name, _: K(name),
    "mean_k": lambda name, _: MeanK(name),
    "spread_k": lambda name, _: SpreadK(name),
    "protection": lambda name, setting: Protection(name, setting.weights),
    "loss": lambda name, setting: Loss(name, setting.weights),
    "glm": lambda name, setting: GLM(name, setting.weights),
    "gl": lambda name, setting: GL(name, setting.weights),
    "sl": lambda name, _: SL(name),
    "dm": lambda name, _: DM(name),
    "hdm": lambda name, setting: HDM(name, setting.weights),
    "average_class": lambda name, _: AverageClass(name),
    "precision": lambda name, _: Precision(name),
    "ql": lambda name, setting: QL(name, setting.weights),
    "usefulness": lambda name, setting: Usefulness(name, setting.weights),
    "suppressed": lambda name, _: Suppressed(name),
}
_OF_SENTENCES: dict[str, Callable[[str, Setting], Measure]] = {
    "secure": lambda name, setting: _make_secure(name, setting),
    "exposed": lambda name, setting: Exposed(name, setting.hidden),
    "sf": lambda name, setting: SF(name, setting.hidden, setting.sentences(name).count),
}
_OF_ATTRIBUTE: dict[str, Callable[[str, int], Measure]] = {
    "distinct_l": DistinctL,
    "entropy_l": EntropyL,
    "share_l": ShareL,
    "spread_l": SpreadL,
    "t": TEqual,
    "cm": CM,
}
_DISTANCES = ("ordered", "hierarchical")
DEFAULT_FACTOR = "3"
"""The c of ``recursive_l`` where all measures are listed."""


def measure_names(setting: Setting) -> tuple[str, ...]:
    """Return every measure's full name for a table, in a fixed order; ``recursive_l`` with c = 3."""
    of_sentences = () if setting.confidential is None else tuple(_OF_SENTENCES)
    of_attributes = (name for attribute in setting.sensitive for name in _names(attribute, setting))
    return (*_OF_TABLE, *of_sentences, *of_attributes)


def _names(attribute: str, setting: Setting) -> Iterator[str]:
    from sfumato.spec import format_measure_name

    for name in _OF_ATTRIBUTE:
        yield format_measure_name(name, (attribute,))
        if name == "entropy_l":
            yield format_measure_name("recursive_l", (attribute, DEFAULT_FACTOR))
    for distance, known in zip(_DISTANCES, (setting.ordered, setting.trees), strict=True):
        if attribute in known:
            yield format_measure_name("t", (attribute, distance))


def make_measure(text: str, setting: Setting) -> Measure:
    """Return the measure that a name such as ``t(occupation)`` stands for."""
    name, arguments = parse_measure_name(text)
    if name in _OF_TABLE or name in _OF_SENTENCES:
        if arguments:
            raise ParameterError(f"measure {name!r} takes no attribute; write it as {name!r} alone.")
        if name in _OF_SENTENCES:
            setting.sentences(text)  # there must be some
        return (_OF_TABLE | _OF_SENTENCES)[name](text, setting)
    if name == "recursive_l":
        if len(arguments) != 2:
            raise ParameterError(
                "measure 'recursive_l' takes a sensitive attribute and c, as in 'recursive_l(diagnosis, 3)'."
            )
        return RecursiveL(text, setting.sensitive_number(text, arguments[0]), arguments[1])
    if name == "t" and len(arguments) == 2:
        return _make_distance(text, *arguments, setting)
    if name in _OF_ATTRIBUTE:
        if len(arguments) != 1:
            raise ParameterError(
                f"measure {name!r} takes one sensitive attribute, as in '{name}(diagnosis)'."
            )
        return _OF_ATTRIBUTE[name](text, setting.sensitive_number(text, arguments[0]))
    known = [*_OF_TABLE, *_OF_SENTENCES, *_OF_ATTRIBUTE, "recursive_l"]
    raise ParameterError(f"there is no measure {name!r}. {nearest(name, known)}")


def _make_secure(text: str, setting: Setting) -> Measure:
    """Return ``secure``; unions with any class keep it only where everyone holds every sentence."""
    kind = Secure if setting.sentences(text).held.all() else SecureForSome
    return kind(text, setting.hidden)


def _make_distance(text: str, attribute: str, distance: str, setting: Setting) -> Measure:
    """Return t with another distance than the equal one."""
    if distance == "ordered":
        return TOrdered(text, setting.ordered_number(text, attribute))
    if distance == "hierarchical":
        return THierarchical(text, setting.sensitive_number(text, attribute), setting.tree(text, attribute))
    raise ParameterError(f"t knows no distance {distance!r}. {nearest(distance, _DISTANCES)}")
