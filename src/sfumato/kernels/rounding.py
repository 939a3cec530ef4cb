"""Rounding of numbers that come from inexact sums."""

from __future__ import annotations

import math

import numpy as np

from sfumato.kernels._options import inner


@inner
def round_off(number: float) -> float:
    """Round to 13 significant digits, which hides the order in which something was summed."""
    if number == 0.0 or not math.isfinite(number):
        return number
    digits = 12 - math.floor(math.log10(abs(number)))
    if digits > 290 or digits < -290:
        return number
    scale = 10.0 ** abs(digits)
    if digits < 0:
        return float(np.rint(number / scale) * scale)
    return float(np.rint(number * scale) / scale)
