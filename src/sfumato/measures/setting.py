"""What measures have to know about the table they measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sfumato.errors import ParameterError, nearest

if TYPE_CHECKING:
    from sfumato._typing import FloatArray


@dataclass(frozen=True, eq=False)
class Setting:
    """Names and weights of the attributes of a cube.

    Parameters
    ----------
    quasi_identifiers, sensitive
        Names in the order of the cube.
    weights
        One weight for each quasi-identifier.
    """

    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    weights: FloatArray

    def sensitive_number(self, name: str, attribute: str) -> int:
        """Return the number of a sensitive attribute that a measure names."""
        if attribute not in self.sensitive:
            hint = nearest(attribute, self.sensitive) if self.sensitive else "The table has none."
            raise ParameterError(
                f"measure {name!r} needs a sensitive attribute; {attribute!r} is none. {hint}"
            )
        return self.sensitive.index(attribute)


__all__ = ["Setting"]
