"""Fronts: dominance, picks, knees, files."""

from sfumato.front.dominance import non_dominated
from sfumato.front.files import front_csv, load_front, number_text, run_json
from sfumato.front.front import Front, Objective, Partition, Solution
from sfumato.front.knees import find_knee
from sfumato.front.picks import parse_pick, pick_solution

__all__ = [
    "Front",
    "Objective",
    "Partition",
    "Solution",
    "find_knee",
    "front_csv",
    "load_front",
    "non_dominated",
    "number_text",
    "parse_pick",
    "pick_solution",
    "run_json",
]
