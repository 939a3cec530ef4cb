"""Schemes: the spaces of valid partitions of one domain, and the names of blocks."""

from sfumato.schemes.admissible import Admissible
from sfumato.schemes.base import Scheme
from sfumato.schemes.cuts import Cuts
from sfumato.schemes.elements import Elements, elements_of
from sfumato.schemes.guided_ordered import GuidedOrdered
from sfumato.schemes.guided_sets import GuidedSets
from sfumato.schemes.labels import block_label, node_labels, partition_labels
from sfumato.schemes.levels import Levels
from sfumato.schemes.mixed import Node, children, root, space, walk
from sfumato.schemes.ordered import Ordered
from sfumato.schemes.registry import SCHEME_NAMES, make_scheme
from sfumato.schemes.sets import Sets

__all__ = [
    "SCHEME_NAMES",
    "Admissible",
    "Cuts",
    "Elements",
    "GuidedOrdered",
    "GuidedSets",
    "Levels",
    "Node",
    "Ordered",
    "Scheme",
    "Sets",
    "block_label",
    "children",
    "elements_of",
    "make_scheme",
    "node_labels",
    "partition_labels",
    "root",
    "space",
    "walk",
]
