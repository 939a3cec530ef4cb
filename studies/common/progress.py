"""A line on standard error for every step of a long run."""

from __future__ import annotations

import sys


def say(text: str) -> None:
    """Print what is about to be done."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


__all__ = ["say"]
