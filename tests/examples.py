"""How many examples a property is tried on."""

from __future__ import annotations

from hypothesis import settings

FEW = 6


def examples(count: int) -> settings:
    """Try a property on ``count`` examples in a thorough run, and on a share of them in a short one.

    The share is the profile's own number, in percent: properties that say nothing are tried on as many.
    """
    assert settings.default is not None
    return settings(max_examples=max(min(count, FEW), count * settings.default.max_examples // 100))
