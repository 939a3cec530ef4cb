"""Errors that point at a place within a sentence."""

from __future__ import annotations

from sfumato.errors import SpecError


class SentenceError(SpecError):
    """A sentence cannot be read, or does not fit the table.

    ``where`` ends with the column, counted from 1; :attr:`picture` shows the line with a caret below the
    place. Both speak of the sentence alone, never of the data.
    """

    def __init__(self, message: str, text: str, position: int, *, where: str | None = None) -> None:
        self.text_of_sentence = text
        self.position = min(max(position, 0), len(text))
        begin = text.rfind("\n", 0, self.position) + 1
        self.column = self.position - begin + 1
        place = f"column {self.column}"
        if "\n" in text:
            place = f"line {text.count(chr(10), 0, self.position) + 1}, {place}"
        super().__init__(message, where=f"{where}, {place}" if where else place)

    def located(self, where: str) -> SentenceError:
        """Return the same error with the place of the sentence before the column."""
        return SentenceError(self.message, self.text_of_sentence, self.position, where=where)

    @property
    def picture(self) -> tuple[str, str]:
        """The line of the sentence in which it goes wrong, and a line with a caret below the place."""
        begin = self.text_of_sentence.rfind("\n", 0, self.position) + 1
        line = self.text_of_sentence[begin:].partition("\n")[0].replace("\t", " ")
        return line, " " * (self.column - 1) + "^"
