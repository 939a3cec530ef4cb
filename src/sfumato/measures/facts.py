"""All measures by name: how each is made for a table, and the facts about it that others show to people.

A fact about a measure is in its row here, or on its class (direction, monotony, limits), and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
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

    def sentences(self, name: str) -> Confidential:
        """Return the confidential sentences, for a measure that is about them."""
        if self.confidential is None:
            raise ParameterError(
                f"measure {name!r} needs confidential sentences, but there are none. Add [[confidential]]."
            )
        return self.confidential

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

    def ordered_number(self, name: str, attribute: str) -> int:
        """Return the number of a sensitive attribute, for a measure that follows the order of its values."""
        number = self.sensitive_number(name, attribute)
        if attribute not in self.ordered:
            raise ParameterError(
                f"measure {name!r} needs an order of the values of {attribute!r}, but categories have none. "
                'Give it a hierarchy, whose leaves are in order, or kind = "ordinal" with an order.'
            )
        return number

    def tree(self, name: str, attribute: str) -> Levels:
        """Return the levels of a sensitive attribute, for a measure that needs them."""
        if attribute not in self.trees:
            raise ParameterError(
                f"measure {name!r} needs a hierarchy of {attribute!r}, but there is none. "
                "Add one to the attribute: hierarchy = { … }."
            )
        return self.trees[attribute]


@dataclass(frozen=True)
class MeasureFacts:
    """One measure: its class, and what people read about it.

    In texts ``{attribute}`` stands for the sensitive attribute, ``{c}`` for the factor of `recursive_l`, and
    ``{unit}`` for what classes are counted in, row or person.
    """

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
    on_request: bool = False  # nobody can recount it from a release alone, so it is only stated if asked for


def _secure(name: str, setting: Setting) -> Measure:
    """Return ``secure``; unions with any class keep it only where everyone holds every sentence."""
    kind = privacy.Secure if setting.sentences(name).held.all() else privacy.SecureForSome
    return kind(name, setting.hidden)


MEASURES: dict[str, MeasureFacts] = {
    "k": MeasureFacts(privacy.K, "smallest class"),
    "mean_k": MeasureFacts(
        privacy.MeanK, "mean class size over rows", "{unit}s in the class of a row, on average over the rows"
    ),
    "spread_k": MeasureFacts(
        privacy.SpreadK, "class size summed over rows", "class sizes, summed over the rows"
    ),
    "protection": MeasureFacts(
        privacy.Protection, "distance of the values that a row may have", takes="weights", compares="domains"
    ),
    "loss": MeasureFacts(losses.Loss, "share of detail lost", takes="weights", compares="domains"),
    "glm": MeasureFacts(losses.GLM, "detail lost, in cells", takes="weights", compares="domains"),
    "gl": MeasureFacts(
        losses.GL, "detail lost in the rows that remain, in cells", takes="weights", compares="domains"
    ),
    "sl": MeasureFacts(losses.SL, "cells lost with suppressed rows", compares="rows"),
    "dm": MeasureFacts(
        losses.DM,
        "pairs of rows that cannot be told apart",
        "ordered pairs of rows that cannot be told apart",
    ),
    "hdm": MeasureFacts(
        losses.HDM,
        "detail lost by how common values are, in rows",
        takes="weights",
        compares="rows",
        on_request=True,
    ),
    "average_class": MeasureFacts(
        losses.AverageClass, "average class size", "rows in a class, on average over the classes"
    ),
    "precision": MeasureFacts(losses.Precision, "share of hierarchy levels kept", compares="domains"),
    "ql": MeasureFacts(
        losses.QL, "detail left in the groups of values", takes="weights", compares="domains", on_request=True
    ),
    "usefulness": MeasureFacts(
        losses.Usefulness, "nearness of the values that a row may have", takes="weights", compares="domains"
    ),
    "suppressed": MeasureFacts(losses.Suppressed, "suppressed rows", compares="rows"),
    "secure": MeasureFacts(_secure, "whether nothing confidential is disclosed", takes="sentences"),
    "exposed": MeasureFacts(
        lambda name, setting: privacy.Exposed(name, setting.hidden),
        "people about whom something confidential is disclosed",
        takes="sentences",
    ),
    "sf": MeasureFacts(
        lambda name, setting: privacy.SF(name, setting.hidden, setting.sentences(name).count),
        "how little is learnt of what is confidential",
        takes="sentences",
        on_request=True,
    ),
    "distinct_l": MeasureFacts(
        privacy.DistinctL, "fewest different values of {attribute} in a class", takes="attribute"
    ),
    "entropy_l": MeasureFacts(
        privacy.EntropyL,
        "effective number of equally frequent values of {attribute} in a class",
        "every class mixes its values of {attribute} at least as well as this many equally frequent ones",
        takes="attribute",
    ),
    "recursive_l": MeasureFacts(
        privacy.RecursiveL,
        meaning="(c, ℓ)-diversity of {attribute} holds for c = {c} and ℓ up to this",
        takes="attribute",
    ),
    "share_l": MeasureFacts(
        privacy.ShareL,
        "one over the largest share of a value of {attribute} in a class",
        "one over the largest share that a value of {attribute} has in a class",
        takes="attribute",
    ),
    "spread_l": MeasureFacts(
        privacy.SpreadL,
        "own value of {attribute} in the class, summed over rows",
        "rows of the class with the row's own value of {attribute}, summed over the rows",
        takes="attribute",
    ),
    "t": MeasureFacts(
        privacy.TEqual,
        "largest distance of a class from all rows in {attribute}",
        "the most special class is this far from the whole table in {attribute} (0 to 1)",
        takes="attribute",
        on_request=True,
    ),
    "cm": MeasureFacts(
        losses.CM,
        meaning="rows whose {attribute} is not the most frequent one of their class",
        takes="attribute",
    ),
}
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
        setting.sentences(text)  # there must be some
        return facts.make(text, setting)
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
    if distance == "ordered":
        return privacy.TOrdered(text, setting.ordered_number(text, attribute))
    if distance == "hierarchical":
        number = setting.sensitive_number(text, attribute)
        return privacy.THierarchical(text, number, levels=setting.tree(text, attribute))
    raise ParameterError(f"t knows no distance {distance!r}. {nearest(distance, DISTANCES)}")
