"""All most specific recodings that meet the requirements, over any orders of refinement."""

from sfumato.search.lattice.pruning import Pruning
from sfumato.search.lattice.search import LatticeParameters, pruning_words, search_lattice
from sfumato.search.lattice.space import LatticeSpace, Poset

__all__ = ["LatticeParameters", "LatticeSpace", "Poset", "Pruning", "pruning_words", "search_lattice"]
