"""What one step of generalization or specialization gains and costs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.classes.properties import Property, PropertyKind
from sfumato.errors import ParameterError

if TYPE_CHECKING:
    from sfumato.classes import Classes


@dataclass(frozen=True, slots=True)
class Step:
    """The step between two recodings, one finer than the other."""

    # what the finer one tells more about an attribute: the difference of its conditional entropies, in bits
    gain: float
    loss: int  # what the finer one protects less: the difference of k

    @property
    def ratio(self) -> float:
        """Gain for each unit of loss; the gain itself where nothing is lost."""
        return self.gain / self.loss if self.loss else self.gain


def gain_per_loss(finer: Classes, coarser: Classes, attribute: int) -> Step:
    """Measure a step by the information it gains for each unit of anonymity that it loses.

    With the entropy H_c of the attribute in a class of n_c of n remaining rows, a recoding leaves
    Σ_c n_c·H_c / n undetermined; the gain is what is less undetermined in the finer one.
    Anonymity is k, the size of the smallest remaining class, in persons where persons are named.
    Missing and unknown values do not count: H_c is the entropy of the known ones, 0 where there are none.

    Fung, B. C. M., Wang, K., Yu, P. S. (2005), Top-down specialization for information and privacy
    preservation, section 3.2, doi:10.1109/ICDE.2005.143; Wang, K., Yu, P. S., Chakraborty, S.
    (2004), Bottom-up generalization, section 3.2, doi:10.1109/ICDM.2004.10110.
    """
    wanted = Property(PropertyKind.ENTROPY, attribute)
    gain = _undetermined(coarser, wanted) - _undetermined(finer, wanted)
    return Step(max(gain, 0.0), _anonymity(coarser) - _anonymity(finer))


def _undetermined(classes: Classes, wanted: Property) -> float:
    """Return the mean entropy of a row's class, in bits."""
    if wanted not in classes.properties or classes.suppressed.all():
        raise ParameterError("a step needs classes with rows and the entropy of the attribute.")
    stays = ~classes.suppressed
    rows = classes.rows[stays]
    entropies = np.log2(classes.values[classes.properties.index(wanted)][stays])
    return math.fsum(rows * entropies) / int(rows.sum())


def _anonymity(classes: Classes) -> int:
    return int(classes.sizes[~classes.suppressed].min())
