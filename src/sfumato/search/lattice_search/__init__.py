"""All most specific recodings that meet the requirements, over any orders of refinement."""

from sfumato.search.lattice_search.pruning import Pruning
from sfumato.search.lattice_search.space import LatticeSpace, Poset
from sfumato.search.lattice_search.walking import LatticeParameters, pruning_words, search_lattice

__all__ = ["LatticeParameters", "LatticeSpace", "Poset", "Pruning", "pruning_words", "search_lattice"]
