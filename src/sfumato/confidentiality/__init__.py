"""Confidentiality as logic: sentences that must stay unknown, read, written, and judged row by row."""

from sfumato.confidentiality.grammar import (
    Junction,
    Membership,
    Negation,
    Relation,
    Sentence,
    SentenceError,
    format_sentence,
    names_of,
    parse_sentence,
)
from sfumato.confidentiality.statements import (
    Statement,
    compile_statements,
    count_protected,
    find_warnings,
    read_statements,
    refuse_unknown_columns,
)
from sfumato.confidentiality.truth import SentenceColumn, evaluate, plain_form, without_orders
