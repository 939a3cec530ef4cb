"""Pictures of fronts, two solutions side by side, and the report about a release: pages that open offline."""

from sfumato.report.comparison import Comparison, make_comparison
from sfumato.report.comparison_text import comparison_text
from sfumato.report.document import report_html
from sfumato.report.figures import front_figure
from sfumato.report.page import front_html
from sfumato.report.terminal import front_text
from sfumato.report.words import front_sentence, front_title, measure_words
from sfumato.report.writing import read_release, write_report

__all__ = [
    "Comparison",
    "comparison_text",
    "front_figure",
    "front_html",
    "front_sentence",
    "front_text",
    "front_title",
    "make_comparison",
    "measure_words",
    "read_release",
    "report_html",
    "write_report",
]
