"""pymoo's evolutionary algorithms over recodings of any schemes; nothing else imports pymoo."""

from sfumato.search.pymoo_adapter.evolving import compile_pymoo, search_pymoo
from sfumato.search.pymoo_adapter.genome import ALGORITHMS, EvolutionParameters

__all__ = ["ALGORITHMS", "EvolutionParameters", "compile_pymoo", "search_pymoo"]
