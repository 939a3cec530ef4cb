"""Schemes by their names."""

from __future__ import annotations

import pytest

from sfumato.domains import Ladder
from sfumato.errors import ParameterError
from sfumato.schemes import SCHEME_NAMES, Scheme, make_scheme
from tests.schemes.trees import WORK_CLASS, tree_of

TREE = tree_of(WORK_CLASS)


def test_names_are_those_of_the_specification() -> None:
    from sfumato.spec.choices import SCHEMES

    assert SCHEME_NAMES == SCHEMES


@pytest.mark.parametrize("name", SCHEME_NAMES)
def test_every_name_makes_its_scheme(name: str) -> None:
    partitions = list(make_scheme("cuts", tree=TREE).partitions())
    scheme = make_scheme(name, tree=TREE, partitions=partitions)
    assert isinstance(scheme, Scheme)
    assert (scheme.name, scheme.size) == (name, 8)


def test_what_a_scheme_is_made_from() -> None:
    ladder = Ladder(TREE.levels(), 0, 1)
    assert make_scheme("levels", ladder=ladder, tree=TREE).count() == 2
    assert make_scheme("ordered", ladder=ladder).count() == 128
    assert make_scheme("ordered", size=3, tree=TREE).count() == 4
    assert make_scheme("sets", size=4, missing=True).count() == 6


def test_missing_apart_in_guided_schemes() -> None:
    tree = tree_of(((0, 1), (2, 3), 4))
    assert make_scheme("guided-ordered", tree=tree).count() == 8
    assert make_scheme("guided-ordered", tree=tree, missing=True).count() == 6
    assert make_scheme("guided-sets", tree=tree).count() == 10
    assert make_scheme("guided-sets", tree=tree, missing=True).count() == 6
    with pytest.raises(ParameterError, match="directly under the root"):
        make_scheme("guided-sets", tree=TREE, missing=True)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("cuts", "scheme 'cuts' needs a tree"),
        ("guided-sets", "scheme 'guided-sets' needs a tree"),
        ("levels", "needs a ladder or a tree"),
        ("ordered", "needs a size, a tree or a ladder"),
        ("admissible", "needs partitions"),
        ("set", "there is no scheme 'set'. Did you mean 'sets'?"),
    ],
)
def test_what_lacks_is_said(name: str, message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        make_scheme(name)
    assert message in caught.value.message
