"""Pictures of fronts: figures, a page that opens offline, text for a terminal."""

from sfumato.report.figures import front_figure
from sfumato.report.page import front_html
from sfumato.report.terminal import front_text
from sfumato.report.words import front_sentence, front_title, measure_words

__all__ = ["front_figure", "front_html", "front_sentence", "front_text", "front_title", "measure_words"]
