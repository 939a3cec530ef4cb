"""Two releases of the same rows, row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sfumato.releases import Release


def compare(first: Release, second: Release, measures: Sequence[str] = ("k",)) -> dict[str, dict[str, float]]:
    """Compare two releases of the same data row by row, by the binary spread of properties.

    The spread of one release over another is the sum over the rows of what it has more of a property, and 0
    where it has less. It tells releases apart that have the same worst case. Rows that either of them
    suppresses do not count.

    Dewri, R., Ray, I., Ray, I., Whitley, D. (2010), On the identification of property based
    generalizations in microdata anonymization, section 4.1.

    Parameters
    ----------
    first, second
        Releases of the same rows with the same quasi-identifiers and sensitive attributes.
    measures
        Names of measures, see `Release.property_vector`.

    Returns
    -------
    dict
        For each measure: ``first`` and ``second``, the spread of each over the other; ``higher``, ``lower``
        and ``equal``, the rows in which the first has more, less and as much; ``compared``, all of these.

    Examples
    --------
    ``sf.compare(front[0].release(), front[1].release(), ["k", "spread_l(diagnosis)"])``
    """
    cubes = [release.fingerprint for release in (first, second)]
    if cubes[0] != cubes[1]:
        raise ParameterError("the two releases are not of the same rows, or not of the same attributes.")
    found = {}
    for name in measures:
        gain = first.property_vector(name) - second.property_vector(name)
        gain = gain[~np.isnan(gain)]
        found[name] = {
            "first": float(gain[gain > 0].sum()),
            "second": float(-gain[gain < 0].sum()),
            "higher": int((gain > 0).sum()),
            "lower": int((gain < 0).sum()),
            "equal": int((gain == 0).sum()),
            "compared": len(gain),
        }
    return found
