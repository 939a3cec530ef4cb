"""All measures by name: how each is made for a table, and the facts about it that others show to people.

A fact about a measure is in its row of ``measures.toml``, or on its class (direction, monotony, limits), and
nowhere else.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING

from sfumato.errors import ParameterError, nearest
from sfumato.measures import losses, privacy
from sfumato.spec import format_measure_name, parse_measure_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from sfumato._typing import FloatArray
    from sfumato.classes.properties import Levels
    from sfumato.domains import Confidential
    from sfumato.measures.contract import Measure


@dataclass(frozen=True, eq=False)
class Setting:
    """Names, weights, orders and trees of the attributes of a cube."""

    # names in the order of the cube
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    weights: FloatArray  # one weight for each quasi-identifier
    # the sensitive attributes whose codes follow an order that means something
    ordered: frozenset[str] = frozenset()
    # sensitive attribute → the levels of its hierarchy, where it has one
    trees: Mapping[str, Levels] = field(default_factory=dict)
    confidential: Confidential | None = None  # the confidential sentences of the cube, or None

    @property
    def hidden(self) -> int:
        """The number of the hidden attribute that codes for whom sentences are true and who holds them."""
        return len(self.sensitive)

    def sensitive_number(self, name: str, attribute: str) -> int:
        """Return the number of a sensitive attribute that a measure names."""
        if attribute not in self.sensitive:
            hint = nearest(attribute, self.sensitive) if self.sensitive else "The table has none."
            raise ParameterError(
                f"measure {name!r} needs a sensitive attribute; {attribute!r} is not sensitive. {hint}"
            )
        return self.sensitive.index(attribute)


@dataclass(frozen=True)
class MeasureFacts:
    """One measure: its class, and what people read about it."""

    # from the full name, and what `takes` says, to the measure
    make: Callable[..., Measure]
    words: str | None = None  # the measure in words; None if only its name says what it is
    meaning: str | None = None  # what its number says about a table as it is, if `words` do not
    # besides its name it is made from: "nothing", the "weights" of the quasi-identifiers, a sensitive
    # "attribute", or the confidential "sentences"
    takes: str = "nothing"
    # what of the table before it was recoded it compares with: its "rows", or its "domains", all of whose
    # values count, whether they occur or not
    compares: str | None = None
    # only stated if asked for: nobody can recount it from a release alone, or another measure says the same
    on_request: bool = False


_TABLE = tomllib.loads(files(__package__).joinpath("measures.toml").read_text(encoding="utf-8"))
_CLASSES = {**vars(losses), **vars(privacy)}
MEASURES = {name: MeasureFacts(_CLASSES[row.pop("class")], **row) for name, row in _TABLE.items()}
"""Every measure by its bare name."""

OF_DOMAINS = frozenset(name for name, facts in MEASURES.items() if facts.compares == "domains")
OF_SENTENCES = frozenset(name for name, facts in MEASURES.items() if facts.takes == "sentences")

DISTANCES = ("ordered", "hierarchical")  # the distances of t besides the equal one
DEFAULT_FACTOR = "3"  # the c of `recursive_l` where all measures are listed


def measure_facts(name: str) -> MeasureFacts:
    """Return the row of a measure by its name, with arguments or without."""
    return MEASURES[parse_measure_name(name)[0]]


def measure_names(setting: Setting) -> tuple[str, ...]:
    """Return every measure's full name for a table, in a fixed order; ``recursive_l`` with c = 3."""
    taken = ("nothing", "weights") if setting.confidential is None else ("nothing", "weights", "sentences")
    of_table = (name for name, facts in MEASURES.items() if facts.takes in taken)
    return (*of_table, *(name for attribute in setting.sensitive for name in _names(attribute, setting)))


def _names(attribute: str, setting: Setting) -> Iterator[str]:
    for name, facts in MEASURES.items():
        if facts.takes == "attribute":
            factor = (DEFAULT_FACTOR,) if name == "recursive_l" else ()
            yield format_measure_name(name, (attribute, *factor))
    for distance, known in zip(DISTANCES, (setting.ordered, setting.trees), strict=True):
        if attribute in known:
            yield format_measure_name("t", (attribute, distance))


def make_measure(text: str, setting: Setting) -> Measure:
    """Return the measure that a name such as ``t(occupation)`` stands for."""
    name, arguments = parse_measure_name(text)
    if name not in MEASURES:
        raise ParameterError(f"there is no measure {name!r}. {nearest(name, MEASURES)}")
    facts = MEASURES[name]
    if facts.takes == "attribute":
        return _of_attribute(text, name, arguments, setting)
    if arguments:
        raise ParameterError(f"measure {name!r} takes no attribute; write just {name!r}.")
    if facts.takes == "sentences":
        own = setting.confidential
        if own is None:
            raise ParameterError(
                f"measure {text!r} needs confidential sentences, but there are none. Add [[confidential]]."
            )
        if name == "sf":
            return privacy.SF(text, setting.hidden, own.count)
        # Unions with any class keep `secure` only where everyone holds every sentence.
        is_for_some = name == "secure" and not own.held.all()
        return (privacy.SecureForSome if is_for_some else facts.make)(text, setting.hidden)
    return facts.make(text, setting.weights) if facts.takes == "weights" else facts.make(text)


def _of_attribute(text: str, name: str, arguments: tuple[str, ...], setting: Setting) -> Measure:
    if name == "t" and len(arguments) == 2:
        return _with_distance(text, *arguments, setting)
    if len(arguments) != (2 if name == "recursive_l" else 1):
        what = "a sensitive attribute and c" if name == "recursive_l" else "one sensitive attribute"
        example = "diagnosis, 3" if name == "recursive_l" else "diagnosis"
        raise ParameterError(f"measure {name!r} takes {what}, as in '{name}({example})'.")
    number = setting.sensitive_number(text, arguments[0])
    if name == "recursive_l":
        return privacy.RecursiveL(text, number, factor=privacy.read_factor(text, arguments[1]))
    return MEASURES[name].make(text, number)


def _with_distance(text: str, attribute: str, distance: str, setting: Setting) -> Measure:
    """Return t with another distance than the equal one."""
    if distance not in DISTANCES:
        raise ParameterError(f"t knows no distance {distance!r}. {nearest(distance, DISTANCES)}")
    number = setting.sensitive_number(text, attribute)
    if distance == "ordered":
        if attribute not in setting.ordered:
            raise ParameterError(
                f"measure {text!r} needs an order of the values of {attribute!r}, but categories have none. "
                'Give it a hierarchy, whose leaves are in order, or kind = "ordinal" with an order.'
            )
        return privacy.TOrdered(text, number)
    if attribute not in setting.trees:
        raise ParameterError(
            f"measure {text!r} needs a hierarchy of {attribute!r}, but there is none. "
            "Add one to the attribute: hierarchy = { … }."
        )
    return privacy.THierarchical(text, number, levels=setting.trees[attribute])
