"""Domains, their partitions and trees, and the cube: integers, no strings."""

from sfumato.domains.cube import Confidential, Cube
from sfumato.domains.lattice import Ladder, Lattice, Partition
from sfumato.domains.tree import Tree
