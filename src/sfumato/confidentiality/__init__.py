"""Confidentiality as logic: sentences that must stay unknown, read, written, and judged row by row."""

from sfumato.confidentiality.compiling import compile_statements
from sfumato.confidentiality.counting import Protected, count_protected, find_warnings
from sfumato.confidentiality.errors import SentenceError
from sfumato.confidentiality.reading import parse_sentence
from sfumato.confidentiality.sentence import (
    Comparison,
    Junction,
    Membership,
    Negation,
    Sentence,
    atoms_of,
    names_of,
)
from sfumato.confidentiality.statements import Statement, read_statements, refuse_unknown_columns
from sfumato.confidentiality.truth import Column, evaluate, plain_form, without_orders
from sfumato.confidentiality.writing import format_sentence

__all__ = [
    "Column",
    "Comparison",
    "Junction",
    "Membership",
    "Negation",
    "Protected",
    "Sentence",
    "SentenceError",
    "Statement",
    "atoms_of",
    "compile_statements",
    "count_protected",
    "evaluate",
    "find_warnings",
    "format_sentence",
    "names_of",
    "parse_sentence",
    "plain_form",
    "read_statements",
    "refuse_unknown_columns",
    "without_orders",
]
