"""Schemes: the spaces of valid partitions of one domain, and the names of blocks."""

from sfumato.schemes.admissible import Admissible
from sfumato.schemes.base import Scheme
from sfumato.schemes.elements import Elements, elements_of
from sfumato.schemes.labels import block_label, node_labels, partition_labels
from sfumato.schemes.levels import Cuts, Levels
from sfumato.schemes.mixed import SCHEME_NAMES, Node, children, make_scheme, root, space, walk
from sfumato.schemes.ordered import GuidedOrdered, Ordered
from sfumato.schemes.sets import GuidedSets, Sets

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
