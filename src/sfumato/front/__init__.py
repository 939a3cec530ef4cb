"""Fronts: dominance, picks, knees, flat regions, questions, suggestions, files."""

from sfumato.front.boxes import BoxArchive, box_of, size_bound
from sfumato.front.class_sizes import ClassSizes
from sfumato.front.dominance import non_dominated
from sfumato.front.files import (
    count_text,
    front_csv,
    load_front,
    number_text,
    run_json,
    whole_numbers,
    whole_text,
)
from sfumato.front.flat_regions import FlatRegion, find_flat_regions
from sfumato.front.front import Front, Objective, Partition, Solution
from sfumato.front.indicators import convergence_error, hypervolume, representation_ratio, scaled_fronts
from sfumato.front.knees import find_knee
from sfumato.front.picks import parse_pick, pick_solution
from sfumato.front.questions import Point, find_better, find_trades
from sfumato.front.suggestions import Suggestion, make_suggestions

__all__ = [
    "BoxArchive",
    "ClassSizes",
    "FlatRegion",
    "Front",
    "Objective",
    "Partition",
    "Point",
    "Solution",
    "Suggestion",
    "box_of",
    "convergence_error",
    "count_text",
    "find_better",
    "find_flat_regions",
    "find_knee",
    "find_trades",
    "front_csv",
    "hypervolume",
    "load_front",
    "make_suggestions",
    "non_dominated",
    "number_text",
    "parse_pick",
    "pick_solution",
    "representation_ratio",
    "run_json",
    "scaled_fronts",
    "size_bound",
    "whole_numbers",
    "whole_text",
]
