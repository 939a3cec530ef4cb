"""Blocks of new data under the texts that a recipe recorded for them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Literal

import numpy as np

from sfumato.hierarchies.encode import UNKNOWN, encode
from sfumato.hierarchies.hierarchy import ROOT
from sfumato.hierarchies.rebuild import with_unknown_leaf

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sfumato.hierarchies.hierarchy import Hierarchy, Value


def relabel(
    hierarchy: Hierarchy,
    level: int,
    texts: Mapping[str, str],
    values: Sequence[Value],
    *,
    unknown: Literal["error", "*"],
) -> Hierarchy:
    """Write recorded texts, such as the means of blocks, for the labels of one level."""
    labels, block = hierarchy.labels[level], hierarchy.levels[level]
    has_text = np.array([label is None or label in texts for label in labels], dtype=np.bool_)
    codes = encode(hierarchy, values)
    codes = codes[codes != UNKNOWN]
    lacking = np.unique(block[codes])
    lacking = lacking[~has_text[lacking]]
    stays = ~np.isin(block, lacking)
    if "unknown" in hierarchy.definition:
        # What was unknown before has its leaf already, and its label is not recorded.
        stays |= np.array([value == "*" for value in hierarchy.values], dtype=np.bool_)
    kept = hierarchy if stays.all() else hierarchy.only(stays)
    written = [None if label is None else texts.get(label, label) for label in kept.labels[level]]
    if "unknown" in kept.definition and level < kept.height:
        # A recorded block may have the name that the leaf for unknown values has.
        written[int(kept.levels[level, kept.size - kept.has_missing - 1])] = ROOT
    named = (*kept.labels[:level], tuple(written), *kept.labels[level + 1 :])
    relabelled = dataclasses.replace(kept, labels=named)
    return relabelled if stays.all() else with_unknown_leaf(relabelled, values, unknown)
