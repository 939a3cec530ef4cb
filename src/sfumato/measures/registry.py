"""All measures by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.errors import ParameterError, nearest
from sfumato.measures.privacy.distinct_l import DistinctL
from sfumato.measures.privacy.k import K
from sfumato.measures.privacy.mean_k import MeanK
from sfumato.measures.privacy.spread_k import SpreadK
from sfumato.measures.privacy.spread_l import SpreadL
from sfumato.measures.privacy.t import TEqual
from sfumato.measures.utility.average_class import AverageClass
from sfumato.measures.utility.cm import CM
from sfumato.measures.utility.dm import DM
from sfumato.measures.utility.gl import GL
from sfumato.measures.utility.glm import GLM
from sfumato.measures.utility.hdm import HDM
from sfumato.measures.utility.loss import Loss
from sfumato.measures.utility.precision import Precision
from sfumato.measures.utility.sl import SL
from sfumato.measures.utility.suppressed import Suppressed
from sfumato.spec import parse_measure_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from sfumato.measures.measure import Measure
    from sfumato.measures.setting import Setting

_OF_TABLE: dict[str, Callable[[str, Setting], Measure]] = {
    "k": lambda name, _: K(name),
    "mean_k": lambda name, _: MeanK(name),
    "spread_k": lambda name, _: SpreadK(name),
    "loss": lambda name, setting: Loss(name, setting.weights),
    "glm": lambda name, setting: GLM(name, setting.weights),
    "gl": lambda name, setting: GL(name, setting.weights),
    "sl": lambda name, _: SL(name),
    "dm": lambda name, _: DM(name),
    "hdm": lambda name, setting: HDM(name, setting.weights),
    "average_class": lambda name, _: AverageClass(name),
    "precision": lambda name, _: Precision(name),
    "suppressed": lambda name, _: Suppressed(name),
}
_OF_ATTRIBUTE: dict[str, Callable[[str, int], Measure]] = {
    "distinct_l": DistinctL,
    "spread_l": SpreadL,
    "t": TEqual,
    "cm": CM,
}


def measure_names(setting: Setting) -> tuple[str, ...]:
    """Return every measure's full name for a table, in a fixed order."""
    from sfumato.spec import format_measure_name

    of_attribute = [format_measure_name(name, (a,)) for a in setting.sensitive for name in _OF_ATTRIBUTE]
    return (*_OF_TABLE, *of_attribute)


def make_measure(text: str, setting: Setting) -> Measure:
    """Return the measure that a name such as ``t(occupation)`` stands for.

    Raises
    ------
    ParameterError
        If there is no such measure, or it names an attribute that is not sensitive.
    """
    name, arguments = parse_measure_name(text)
    if name in _OF_TABLE:
        if arguments:
            raise ParameterError(f"measure {name!r} takes no attribute; write it as {name!r} alone.")
        return _OF_TABLE[name](text, setting)
    if name in _OF_ATTRIBUTE:
        if len(arguments) != 1:
            raise ParameterError(
                f"measure {name!r} takes one sensitive attribute, as in '{name}(diagnosis)'."
            )
        return _OF_ATTRIBUTE[name](text, setting.sensitive_number(text, arguments[0]))
    raise ParameterError(f"there is no measure {name!r}. {nearest(name, [*_OF_TABLE, *_OF_ATTRIBUTE])}")


__all__ = ["make_measure", "measure_names"]
