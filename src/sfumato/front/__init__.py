"""Fronts: dominance, picks, knees, flat regions, questions, suggestions, files."""

from sfumato.front.front_files import (
    BESIDE,
    CLASSES,
    front_csv,
    load_front,
    local_files,
    number_text,
    run_json,
    whole_numbers,
    whole_text,
)
from sfumato.front.indicators import (
    BoxArchive,
    box_of,
    convergence_error,
    hypervolume,
    non_dominated,
    representation_ratio,
    scaled_fronts,
)
from sfumato.front.picks import FlatRegion, find_flat_regions, find_knee, parse_pick, pick_solution
from sfumato.front.plain import (
    EQUAL,
    FAR,
    ClassSizes,
    Objective,
    Partition,
    PlainFront,
    PlainSolution,
    certainty_words,
)
from sfumato.front.questions import GRANULATION, Point, Suggestion, find_better, find_trades, make_suggestions
from sfumato.words import huge_words as count_text
