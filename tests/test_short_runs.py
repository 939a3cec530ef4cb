"""What a short run leaves out of a test with many cases."""

from __future__ import annotations

import pytest


@pytest.mark.some(3)
@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("letter", ["a", "b", "c"])
def test_the_few_cases_have_values_of_every_parameter(
    letter: str, number: int, request: pytest.FixtureRequest
) -> None:
    """One as often as the other; whoever asks for a single case, or for all, gets it."""
    name = request.node.originalname
    alone = sum(getattr(item, "originalname", "") == name for item in request.session.items) == 1
    is_thorough = request.config.getoption("thorough")
    assert (letter, number) in {("a", 1), ("b", 2), ("c", 1)} or alone or is_thorough
