"""Domains, their partitions and trees, and the cube: integers, no strings."""

from sfumato.domains.confidential import Confidential
from sfumato.domains.cube import Cube
from sfumato.domains.ladder import Ladder
from sfumato.domains.lattice import Lattice
from sfumato.domains.partition import Partition
from sfumato.domains.tree import Tree

__all__ = ["Confidential", "Cube", "Ladder", "Lattice", "Partition", "Tree"]
