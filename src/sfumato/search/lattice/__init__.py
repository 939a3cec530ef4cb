"""All most specific recodings that meet the requirements, over any orders of refinement."""

from sfumato.search.lattice.pruning import Pruning
from sfumato.search.lattice.search import LatticeParameters, pruning_words, search_lattice
from sfumato.search.lattice.space import Poset, Space

__all__ = ["LatticeParameters", "Poset", "Pruning", "Space", "pruning_words", "search_lattice"]
