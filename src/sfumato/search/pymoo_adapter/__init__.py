"""pymoo's evolutionary algorithms over recodings of any schemes; nothing else imports pymoo."""

from sfumato.search.pymoo_adapter.genome import ALGORITHMS, EvolutionParameters
from sfumato.search.pymoo_adapter.search import compile_pymoo, search_pymoo

__all__ = ["ALGORITHMS", "EvolutionParameters", "compile_pymoo", "search_pymoo"]
