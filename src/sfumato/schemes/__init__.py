"""Schemes: the spaces of valid partitions of one domain, and the names of blocks."""

from sfumato.schemes.admissible import Admissible, LevelScheme
from sfumato.schemes.base import Scheme
from sfumato.schemes.block_labels import node_labels, partition_labels, range_writer
from sfumato.schemes.elements import Elements, elements_of
from sfumato.schemes.ordered import Cuts, GuidedOrdered, Ordered
from sfumato.schemes.scheme_names import SCHEME_NAMES, make_scheme
from sfumato.schemes.sets import GuidedSets, Sets
