"""Fronts: dominance, picks, knees, files."""

from sfumato.front.boxes import BoxArchive, box_of, size_bound
from sfumato.front.dominance import non_dominated
from sfumato.front.files import count_text, front_csv, load_front, number_text, run_json, whole_text
from sfumato.front.front import Front, Objective, Partition, Solution
from sfumato.front.indicators import convergence_error, hypervolume, representation_ratio, scaled_fronts
from sfumato.front.knees import find_knee
from sfumato.front.picks import parse_pick, pick_solution

__all__ = [
    "BoxArchive",
    "Front",
    "Objective",
    "Partition",
    "Solution",
    "box_of",
    "convergence_error",
    "count_text",
    "find_knee",
    "front_csv",
    "hypervolume",
    "load_front",
    "non_dominated",
    "number_text",
    "parse_pick",
    "pick_solution",
    "representation_ratio",
    "run_json",
    "scaled_fronts",
    "size_bound",
    "whole_text",
]
