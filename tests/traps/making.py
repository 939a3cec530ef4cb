"""How tables with planted traps are made: columns from a seed, and the file that an office would export.

Nothing of the package is imported here.
"""

from __future__ import annotations

import datetime as dt
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path


def words(text: str) -> list[str]:
    return text.split()


FIRST = {
    "en": words(
        "Alice Brian Carol David Emma Frank Grace Henry Irene Jack Karen Liam Molly Nigel Olive Peter"
    ),
    "de": words(
        "Anna Bernd Clara Dieter Erika Fritz Greta Heinz Ilse Jürgen Käthe Lothar Monika Norbert Otto"
    ),
    "fr": words(
        "Amélie Benoît Chloé Didier Élodie François Gisèle Hervé Inès Jérôme Léa Mathieu Noémie Océane"
    ),
    "es": words("Adriana Benito Carmen Diego Elena Felipe Gloria Hugo Inés Javier Lucía Manuel Nuria Óscar"),
    "it": words("Alessia Bruno Chiara Dario Elisa Fabio Giulia Ivo Laura Marco Nadia Orlando Paola Renzo"),
    "pt": words("Amanda Bento Catarina Duarte Eva Filipe Graça Heitor Inês João Leonor Miguel Natália Rui"),
    "pl": words(
        "Agnieszka Bartosz Celina Dariusz Elżbieta Feliks Grażyna Henryk Iwona Jacek Łucja Marek Zofia"
    ),
    "nl": words(
        "Anneke Bram Cornelia Dirk Els Floris Geertje Hendrik Ineke Jeroen Kees Liesbeth Maarten Wouter"
    ),
}
LAST = {
    "en": words(
        "Ashworth Blackwood Carrington Dunmore Eastwick Fairfax Grimshaw Hartley Ingleby Jessop Kirkham"
    ),
    "de": words(
        "Achterberg Brückner Czerny Dornseif Eichendorff Fährmann Grünewald Hölscher Immendorf Köhler"
    ),
    "fr": words(
        "Aubertin Beaumont Charpentier Delacroix Escoffier Fontaine Garnier Hébrard Jourdain Lavigne"
    ),
    "es": words("Aguirre Ballesteros Cárdenas Delgado Echeverría Figueroa Garrido Hinojosa Ibáñez Jiménez"),
    "it": words(
        "Abbatelli Benedetti Caravaggi Donatelli Esposito Ferraioli Giordano Iacobucci Lombardi Marchetti"
    ),
    "pt": words("Albuquerque Barbosa Carvalho Dantas Esteves Figueira Gonçalves Henriques Junqueira Lacerda"),
    "pl": words(
        "Adamczyk Błaszczyk Chmielewski Dąbrowski Elsner Filipek Górecki Holewiński Iwański Jabłoński"
    ),
    "nl": words("Aertsen Bakkenes Cuypers Dekker Evertsen Franken Groeneveld Hoekstra Ijsseling Jansma"),
}
TOWNS = {
    "Northshire": ["Alderley", "Burnham", "Corfield"],
    "Midland": ["Denholme", "Eastleigh", "Foxton"],
    "Southmoor": ["Garforth", "Hadleigh", "Ilford"],
    "Westmere": ["Jarrow", "Keswick", "Lindale"],
}
WORDS = words(
    "patient came back after two weeks and felt better than before while pain in the left knee remained "
    "so we agreed on another visit next month and told the family about exercise sleep and diet"
)


@dataclass(frozen=True)
class Trap:
    """A table, the roles its columns may have, and the texts that no release of it may show."""

    name: str
    columns: Mapping[str, Sequence[str]]
    roles: Mapping[str, str]
    more_secrets: tuple[str, ...] = ()
    separator: str = ","
    encoding: str = "utf-8"
    options: tuple[str, ...] = field(default=())

    def write(self, path: Path) -> Path:
        """Write the table as its office would have exported it."""
        rows = [list(self.columns), *map(list, zip(*self.columns.values(), strict=True))]
        lines = [self.separator.join(self._quoted(cell) for cell in row) for row in rows]
        path.write_bytes(("\r\n".join(lines) + "\r\n").encode(self.encoding))
        return path

    def _quoted(self, cell: str) -> str:
        special = {self.separator, '"', "\n"}
        return '"' + cell.replace('"', '""') + '"' if special & set(cell) else cell

    @property
    def secrets(self) -> set[str]:
        """Texts that must not be published."""
        hidden = [name for name, letters in self.roles.items() if set(letters) <= {"i", "-"}]
        cells = {cell for name in hidden for cell in self.columns[name]}
        cells -= {cell for name, column in self.columns.items() if name not in hidden for cell in column}
        return {cell for cell in cells if len(cell) > 3} | set(self.more_secrets)


class Maker:
    """Columns of a table, drawn from one generator."""

    def __init__(self, seed: int, rows: int = 120) -> None:
        self.random = random.Random(seed)
        self.rows = rows

    def of(self, make: Callable[[], object]) -> list[str]:
        return [str(make()) for _ in range(self.rows)]

    def choice(self, *values: object) -> list[str]:
        return self.of(lambda: self.random.choice(values))

    def rarely(self, column: Sequence[str], share: float = 0.8) -> list[str]:
        """Blank most cells of a column."""
        return ["" if self.random.random() < share else cell for cell in column]

    def flag(self, word: str, share: float = 0.7) -> list[str]:
        return self.rarely([word] * self.rows, share)

    def age(self) -> list[str]:
        return self.of(lambda: min(95, max(0, int(self.random.gauss(45, 18)))))

    def sex(self) -> list[str]:
        return self.choice("f", "m")

    def zip(self) -> list[str]:
        return self.of(lambda: f"{self.random.randrange(10, 14)}{self.random.randrange(20):03d}")

    def first(self, language: str) -> list[str]:
        return self.choice(*FIRST[language])

    def last(self, language: str) -> list[str]:
        return self.choice(*LAST[language])

    def full(self, language: str) -> list[str]:
        return [
            f"{one} {other}" for one, other in zip(self.first(language), self.last(language), strict=True)
        ]

    def number(self, low: float, high: float, digits: int = 0) -> list[str]:
        return self.of(lambda: f"{self.random.uniform(low, high):.{digits}f}")

    def days(self, first: str = "1935-01-01", span: int = 25_000) -> list[dt.date]:
        begin = dt.date.fromisoformat(first)
        return [begin + dt.timedelta(days=self.random.randrange(span)) for _ in range(self.rows)]

    def dates(self, form: str = "%Y-%m-%d", first: str = "1935-01-01", span: int = 25_000) -> list[str]:
        return [day.strftime(form) for day in self.days(first, span)]

    def prose(self, least: int = 6, most: int = 14) -> list[str]:
        return self.of(lambda: " ".join(self.random.choices(WORDS, k=self.random.randint(least, most))))

    def repeated(self, make: Callable[[int], str], people: int) -> list[str]:
        """Draw the keys of people who have several rows."""
        return self.of(lambda: make(self.random.randrange(people)))

    def hexadecimal(self, length: int) -> list[str]:
        return self.of(lambda: "".join(self.random.choices("0123456789abcdef", k=length)))

    def town(self) -> tuple[list[str], list[str]]:
        """Draw towns, and the counties they lie in."""
        county = {town: name for name, towns in TOWNS.items() for town in towns}
        towns = self.choice(*county)
        return towns, [county[town] for town in towns]


def make_trap(
    name: str, columns: Mapping[str, tuple[Sequence[str], str]], *secrets: str, **how: object
) -> Trap:
    cells = {key: column for key, (column, _) in columns.items()}
    roles = {key: letters for key, (_, letters) in columns.items()}
    return Trap(name, cells, roles, secrets, **how)  # type: ignore[arg-type]
