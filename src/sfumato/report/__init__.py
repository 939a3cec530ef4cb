"""Pictures of fronts, two solutions side by side, and the report about a release: pages that open offline."""

from sfumato.report.comparison import Comparison, comparison_text, make_comparison
from sfumato.report.document import read_release, report_html, write_report
from sfumato.report.page import front_figure, front_html
from sfumato.report.phrases import front_sentence, front_title, measure_words
from sfumato.report.terminal import front_text
