"""What measures have to know about the table they measure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sfumato.errors import ParameterError, nearest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sfumato._typing import FloatArray
    from sfumato.classes.properties import Levels
    from sfumato.domains import Confidential


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
                f"measure {name!r} is about confidential sentences, and there are none. Add [[confidential]]."
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
                f"measure {name!r} needs a sensitive attribute; {attribute!r} is none. {hint}"
            )
        return self.sensitive.index(attribute)

    def ordered_number(self, name: str, attribute: str) -> int:
        """Return the number of a sensitive attribute, for a measure that follows the order of its values."""
        number = self.sensitive_number(name, attribute)
        if attribute not in self.ordered:
            raise ParameterError(
                f"measure {name!r} needs an order of the values of {attribute!r}, and categories have none. "
                'Give it a hierarchy, whose leaves are in order, or kind = "ordinal" with an order.'
            )
        return number

    def tree(self, name: str, attribute: str) -> Levels:
        """Return the levels of a sensitive attribute, for a measure that needs them."""
        if attribute not in self.trees:
            raise ParameterError(
                f"measure {name!r} needs a hierarchy of {attribute!r}, and there is none. "
                "Add one to the attribute: hierarchy = { … }."
            )
        return self.trees[attribute]
