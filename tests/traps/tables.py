"""Tables with planted traps; each says which roles its columns may be given.

Roles are letters: ``i`` identifier, ``q`` quasi-identifier, ``s`` sensitive and ``-`` left out; where several
are right, all are listed. The cells of columns that must not be published in any form are secrets, and so are
the texts that a trap lists as such.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.traps.line_list import line_list
from tests.traps.listed import listed_traps
from tests.traps.making import FIRST, LAST, Maker, make_trap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.traps.making import Trap


def _flags() -> Iterator[Trap]:
    m = Maker(1)
    yield make_trap(
        "flags set or blank",
        {
            "age": (m.age(), "q"),
            "sex": (m.sex(), "q"),
            "hiv": (m.flag("positive"), "s"),
            "pregnant": (m.flag("x"), "s"),
            "died": (m.flag("1", 0.9), "s"),
            "dialysis": (m.flag("yes"), "s"),
            "telephone": (m.choice("yes", "no"), "qs"),
            "email consent": (m.choice("Y", "N", ""), "qs"),
        },
    )
    m = Maker(2)
    yield make_trap(
        "flags in words",
        {
            "age": (m.age(), "q"),
            "telephone": (m.choice("none", "yes, registered under the customer's name"), "qs"),
            "foreign_worker": (m.choice("yes", "no"), "qs"),
            "card_holder": (m.choice("J", "N"), "qs"),
            "credit_risk": (m.choice("good", "bad"), "s"),
        },
    )
    m = Maker(3)
    yield make_trap(
        "two families",
        {
            "Nachname": (m.choice("Quittenbaum", "Rosendahl"), "i"),
            "Alter": (m.age(), "q"),
            "Geschlecht": (m.choice("w", "m", "d"), "q"),
            "Impfung erfolgt": (m.choice("ja", "nein"), "qs"),
        },
    )


NAMES = {
    "en": ("First name", "Surname", "Sex", "Town", "Date of birth"),
    "de": ("Vorname", "Nachname", "Geschlecht", "Wohnort", "Geburtsdatum"),
    "fr": ("Prénom", "Nom de famille", "Sexe", "Ville", "Date de naissance"),
    "es": ("Nombre", "Primer apellido", "Sexo", "Municipio", "Fecha de nacimiento"),
    "it": ("Nome", "Cognome", "Sesso", "Comune", "Data di nascita"),
    "pt": ("Nome próprio", "Apelido", "Género", "Concelho", "Data de nascimento"),
    "pl": ("Imię", "Nazwisko", "Płeć", "Miejscowość", "Data urodzenia"),
    "nl": ("Voornaam", "Achternaam", "Geslacht", "Woonplaats", "Geboortedatum"),
}


def _names() -> Iterator[Trap]:
    for seed, (language, heads) in enumerate(NAMES.items(), start=10):
        m = Maker(seed)
        first, last, sex, town, born = heads
        yield make_trap(
            f"names and headers in {language}",
            {
                first: (m.first(language), "i"),
                last: (m.last(language), "i"),
                sex: (m.sex(), "q"),
                town: (m.town()[0], "q"),
                born: (m.dates(), "q"),
            },
        )
    m = Maker(20)
    yield make_trap(
        "names under headers that say nothing",
        {
            "age": (m.age(), "q"),
            "sex": (m.sex(), "q"),
            "Betreuer": (m.full("de"), "i"),
            "A": (
                [
                    f"{name.upper()}, {letter}."
                    for name, letter in zip(m.last("en"), m.choice(*"ABCDEFGH"), strict=True)
                ],
                "i",
            ),
            "responsable": (m.full("fr"), "i"),
        },
    )
    m = Maker(23)
    yield make_trap(
        "names that several rows share",
        {
            "Schüler": (m.repeated(lambda n: f"{FIRST['de'][n % 15]} {LAST['de'][n % 7]}", 30), "i"),
            "Klassenleitung": (m.choice("Hr. Fährmann", "Fr. Grünewald", "Herr Dornseif"), "i"),
            "Klasse": (m.choice("5a", "5b", "6a"), "q"),
            "Alter": (m.choice(10, 11, 12, 13), "q"),
            "Förderung": (m.flag("ja"), "s"),
        },
    )
    m = Maker(21)
    yield make_trap(
        "upper case and camel case",
        {
            "PATIENT NAME": (m.full("en"), "i"),
            "DATE OF BIRTH": (m.dates(), "q"),
            "motherMaidenName": (m.last("en"), "i"),
            "homePhone": (
                m.of(lambda: f"555-{m.random.randrange(10**3):03d}-{m.random.randrange(10**4):04d}"),
                "i",
            ),
            "SEX": (m.choice("F", "M"), "q"),
            "zipCode": (m.zip(), "q"),
            "DIAGNOSIS": (m.choice("flu", "gout", "asthma"), "s"),
        },
    )
    m = Maker(22)
    yield make_trap(
        "typing errors in cells",
        {
            "sex": (m.choice("f", "f", "f", "m", "m", "m", "F", "femal"), "q"),
            "age": ([*m.age()[:-1], "35109"], "q"),
            "city": (m.choice("Berlin", "Berlin", "Hamburg", "Hamburg", "Berlni"), "q"),
            "surname": (m.last("en"), "i"),
            "result": (m.choice("positive", "negative", "postive"), "s"),
        },
    )


def _keys() -> Iterator[Trap]:
    m = Maker(30)
    yield make_trap(
        "several visits of a patient",
        {
            "patient_id": (m.repeated(lambda n: str(70_000 + 37 * n), 40), "i"),
            "visit": (m.choice(1, 2, 3, 4), "q-"),
            "visit date": (m.dates(first="2023-01-01", span=300), "q"),
            "age": (m.age(), "q"),
            "sex": (m.sex(), "q"),
            "result": (m.choice("normal", "high", "low"), "s"),
        },
    )
    m = Maker(31)
    yield make_trap(
        "numbers of cases in German",
        {
            "Fallnummer": (m.repeated(lambda n: f"F{n:07d}", 50), "i"),
            "Versichertennr.": (m.repeated(lambda n: f"A{123456789 + 977 * n}", 60), "i"),
            "PLZ": (m.zip(), "q"),
            "Alter": (m.age(), "q"),
            "Station": (m.choice("A1", "A2", "B1"), "q"),
        },
    )
    m = Maker(32)
    yield make_trap(
        "keys under headers that say nothing",
        {
            "x1": (m.repeated(lambda n: f"KX-{n * 7919 % 100_000:05d}-{n % 10}", 40), "i"),
            "x2": (m.of(lambda: m.random.randrange(10**8, 10**9)), "i"),
            "grp": (m.choice("a", "b", "c"), "q"),
            "age": (m.age(), "q"),
        },
    )
    m = Maker(33)
    yield make_trap(
        "households",
        {
            "household_id": (m.repeated(lambda n: f"H{n + 2000}", 45), "i"),
            "person_no": (m.choice(1, 2, 3, 4), "q-i"),
            "relation": (m.choice("head", "spouse", "child"), "q"),
            "age": (m.age(), "q"),
            "income": (m.number(8000, 90000), "s"),
            "number of cars": (m.choice(0, 1, 2, 3), "q"),
        },
    )
    m = Maker(34)
    yield make_trap(
        "contacts",
        {
            "E-Mail": (m.of(lambda: f"p{m.random.randrange(10**6)}@mail.example"), "i"),
            "Telefon": (m.of(lambda: f"0{m.random.randrange(10**9, 10**10)}"), "i"),
            "website": (m.of(lambda: f"https://example.org/~u{m.random.randrange(10**6)}"), "i"),
            "Straße": (m.of(lambda: f"Hauptstr. {m.random.randrange(400)}"), "i"),
            "Ort": (m.town()[0], "q"),
            "Geschlecht": (m.sex(), "q"),
        },
    )
    m = Maker(35)
    mails = m.of(lambda: f"u{m.random.randrange(60)}@mail.example")
    yield make_trap(
        "contacts under headers that say nothing",
        {
            "c1": (mails, "i"),
            "c2": (m.of(lambda: f"+49 30 {m.random.randrange(10**5, 10**6)}"), "i"),
            "c3": (m.of(lambda: f"www.example.org/{m.random.randrange(50)}/profile"), "i"),
            "c4": (m.of(lambda: f"DE{m.random.randrange(10, 99)}{m.random.randrange(10**17, 10**18)}"), "i"),
            "c5": (m.repeated(lambda n: f"{n:08x}-1111-4222-8333-{n * 7:012x}", 30), "i"),
            "c6": (m.hexadecimal(32), "i"),
            "c7": (m.of(lambda: f"10.0.{m.random.randrange(3)}.{m.random.randrange(200)}"), "i"),
            "age": (m.age(), "q"),
            "sex": (m.sex(), "q"),
        },
    )
    m = Maker(36)
    yield make_trap(
        "keys with sensitive words",
        {
            "lab_id": (m.repeated(lambda n: f"L{n + 400}", 50), "i"),
            "credit card": (m.of(lambda: m.random.randrange(4 * 10**15, 5 * 10**15)), "i"),
            "test_kit_number": (m.of(lambda: f"TK{m.random.randrange(10**6):06d}"), "i"),
            "test result": (m.choice("positive", "negative"), "s"),
            "Platelet_Count": (m.number(90, 450), "sq"),
            "age": (m.age(), "q"),
        },
    )
    m = Maker(37)
    keys = m.repeated(lambda n: f"S{n * 17 % 1000:03d}", 40)
    yield make_trap(
        "a second name for a key",
        {
            "subject_id": (keys, "i"),
            "slot": ([f"slot {int(text[1:]) * 3 + 1}" for text in keys], "i-"),
            "sex": (m.sex(), "q"),
            "age": (m.age(), "q"),
        },
    )
    m = Maker(38)
    yield make_trap(
        "staff of a hospital",
        {
            "treating_physician": (m.choice(*[f"Dr. {name}" for name in LAST["en"]]), "i"),
            "ward": (m.choice("surgery", "medicine", "icu"), "q"),
            "admission": (m.dates(first="2024-01-01", span=90), "q"),
            "discharge": (m.dates(first="2024-04-01", span=90), "q"),
            "procedure_outcome": (m.choice("cured", "improved", "died"), "s"),
            "sex": (m.sex(), "q"),
        },
    )


def _times() -> Iterator[Trap]:
    m = Maker(40)
    forms = ("%d.%m.%Y", "%d.%m.%y", "%m/%d/%Y", "%d/%m/%Y", "%Y/%m/%d", "%Y%m%d")
    forms = (*forms, "%d %b %Y", "%B %d, %Y", "%d-%b-%Y", "%Y-%m")
    yield make_trap(
        "dates in ten formats",
        {
            "sex": (m.sex(), "q"),
            **{f"d{place}": (m.dates(form), "q") for place, form in enumerate(forms)},
        },
    )
    m = Maker(41)
    yield make_trap(
        "times of day",
        {
            "recorded": (
                [
                    f"{day} {hour:0>2}:{minute:0>2}:07"
                    for day, hour, minute in zip(
                        m.dates(first="2024-01-01", span=60),
                        m.choice(*range(24)),
                        m.choice(*range(60)),
                        strict=True,
                    )
                ],
                "q",
            ),
            "age": (m.age(), "q"),
            "sex": (m.sex(), "q"),
        },
    )
    m = Maker(42)
    born = m.days()
    yield make_trap(
        "a birth date and what follows from it",
        {
            "birth_date": ([str(day) for day in born], "q"),
            "year_of_birth": ([str(day.year) for day in born], "q-"),
            "sex": (m.sex(), "q"),
            "diagnosis_date": (m.dates(first="2023-01-01", span=200), "q"),
        },
    )
    m = Maker(43)
    yield make_trap(
        "dates with sensitive words",
        {
            "date of death": (m.rarely(m.dates("%d.%m.%Y", "2024-01-01", 300)), "q"),
            "hiv test date": (m.dates("%d/%m/%Y", "2024-01-01", 300), "q"),
            "sex": (m.sex(), "q"),
            "age": (m.age(), "q"),
        },
    )
    m = Maker(44)
    yield make_trap(
        "ages as bands",
        {
            "age_group": (m.choice("0-4", "5-14", "15-24", "25-64", "65+"), "q"),
            "Age": (m.of(lambda: f"{m.random.randrange(90):02d}"), "q"),
            "Leeftijd": ([*m.age()[:-2], "90+", "90+"], "q"),
            "sex": (m.sex(), "q"),
        },
    )


def _texts() -> Iterator[Trap]:
    m = Maker(50)
    notes = m.prose()
    notes[17] = "patient Quentin Ravenscroft came back after two weeks"
    yield make_trap(
        "free text with a name inside",
        {"age": (m.age(), "q"), "sex": (m.sex(), "q"), "notes": (notes, "i-")},
        "Quentin Ravenscroft",
        "Ravenscroft",
    )
    m = Maker(51)
    yield make_trap(
        "free text that is mostly blank",
        {
            "Alter": (m.age(), "q"),
            "Geschlecht": (m.sex(), "q"),
            "Bemerkung": (m.rarely(m.prose(3, 9), 0.85), "i-"),
            "V17": (m.rarely(m.prose(5, 12), 0.6), "i-"),
        },
    )
    m = Maker(52)
    notes = m.choice("ok", "see file", "called back")
    notes[40] = "wants mail to u.ferncastle@mail.example"
    yield make_trap(
        "an address in a short note",
        {"age": (m.age(), "q"), "sex": (m.sex(), "q"), "status": (notes, "i-")},
        "u.ferncastle@mail.example",
        "ferncastle",
    )
    m = Maker(53)
    yield make_trap(
        "comments in other languages",
        {
            "Observaciones": (m.prose(4, 8), "i-"),
            "Commentaires": (m.prose(4, 8), "i-"),
            "Uwagi": (m.rarely(m.prose(2, 5), 0.5), "i-"),
            "edad": (m.age(), "q"),
            "sexo": (m.sex(), "q"),
        },
    )
    m = Maker(54)
    yield make_trap(
        "diagnoses as free text",
        {
            "diagnosis": (m.prose(), "i-"),
            "icd": (m.choice("J45", "I10", "E11", "M54"), "s"),
            "age": (m.age(), "q"),
        },
    )


def _places() -> Iterator[Trap]:
    for seed, heads in enumerate(
        [("lat", "lon"), ("Breitengrad", "Längengrad"), ("LATITUD", "LONGITUD"), ("x1", "x2")], start=60
    ):
        m = Maker(seed)
        spots = [(m.random.uniform(47, 54), m.random.uniform(7, 14)) for _ in range(70)]
        drawn = [m.random.choice(spots) for _ in range(m.rows)]
        yield make_trap(
            f"coordinates as {heads[0]}",
            {
                heads[0]: ([f"{north:.5f}" for north, _ in drawn], "i-"),
                heads[1]: ([f"{east:.5f}" for _, east in drawn], "i-"),
                "age": (m.age(), "q"),
                "sex": (m.sex(), "q"),
            },
        )
    m = Maker(66)
    yield make_trap(
        "coordinates in one column",
        {
            "place": (m.of(lambda: f"{m.random.uniform(47, 54):.5f}, {m.random.uniform(7, 14):.5f}"), "i-"),
            "gps_position": (
                m.of(lambda: f"POINT({m.random.uniform(7, 14):.6f} {m.random.uniform(7, 14):.6f})"),
                "i-",
            ),
            "age": (m.age(), "q"),
        },
    )
    m = Maker(67)
    town, county = m.town()
    yield make_trap(
        "towns within counties",
        {
            "Town_living": (town, "q"),
            "County_living": (county, "q-"),
            "country": (["X"] * m.rows, "q-"),
            "age": (m.age(), "q"),
            "sex": (m.sex(), "q"),
        },
    )
    m = Maker(68)
    town, _ = m.town()
    numbers = {name: str(100 + place) for place, name in enumerate(sorted(set(town)))}
    sick = m.choice("flu", "gout", "asthma", "angina")
    yield make_trap(
        "twins",
        {
            "town": (town, "q-"),
            "c_town": ([numbers[name] for name in town], "q-"),
            "disease": (sick, "s"),
            "v3": ([{"flu": "11", "gout": "17", "asthma": "23", "angina": "9"}[name] for name in sick], "-s"),
            "sex": (m.sex(), "q"),
        },
    )


def _codes() -> Iterator[Trap]:
    m = Maker(70)
    yield make_trap(
        "codes with prefixes",
        {
            "ICD-10": (
                m.of(
                    lambda: m.random.choice("JIEM") + f"{m.random.randrange(10, 40)}.{m.random.randrange(3)}"
                ),
                "s",
            ),
            "ATC code": (m.choice("N02BE01", "N02BA01", "C09AA05", "A10BA02"), "s"),
            "NUTS3": (m.choice("DE212", "DE213", "DE111", "DE300"), "q"),
            "NACE": (m.choice("10.11", "10.12", "47.11", "85.20"), "q"),
            "age": (m.age(), "q"),
        },
    )
    m = Maker(71)
    yield make_trap(
        "weights of a survey",
        {
            "fnlwgt": (m.number(12_000, 400_000), "-i"),
            "weight": (m.number(200, 4000, 4), "-i"),
            "Gewichtungsfaktor": (m.number(0.2, 4, 5), "-i"),
            "poids": (m.number(0.1, 3, 6), "-i"),
            "age": (m.age(), "q"),
            "sex": (m.sex(), "q"),
            "region": (m.choice("N", "S", "E", "W"), "q"),
        },
    )
    m = Maker(72)
    yield make_trap(
        "headers with spaces and units",
        {
            "Age (years)": (m.age(), "q"),
            "Height (cm)": (m.number(150, 200), "q"),
            "Weight [kg]": (m.number(45, 120, 1), "q"),
            "Blood glucose [mg/dl]": (m.number(70, 200), "s"),
            "Systolic BP (mmHg)": (m.number(95, 180), "s"),
            "Sex ": (m.sex(), "q"),
        },
    )
    m = Maker(73)
    yield make_trap(
        "values of a laboratory",
        {
            "HbA1c": (m.number(4, 12, 1), "s"),
            "CRP mg/l": (m.number(0, 60, 1), "s"),
            "creatinine": (m.number(0.4, 3, 2), "s"),
            "Thrombozyten": (m.number(90, 450), "s"),
            "Leukozyten": (m.number(3, 15, 1), "s"),
            "age": (m.age(), "q"),
            "sex": (m.sex(), "q"),
        },
    )
    m = Maker(74)
    yield make_trap(
        "constant columns",
        {
            "site": (["Clinic 4"] * m.rows, "-"),
            "study": (["A"] * m.rows, "-"),
            "empty": ([""] * m.rows, "-"),
            "age": (m.age(), "q"),
            "sex": (m.sex(), "q"),
        },
    )


def _secrets() -> Iterator[Trap]:
    m = Maker(80)
    yield make_trap(
        "what nobody should learn",
        {
            "religion": (m.choice("a", "b", "c", "none"), "s"),
            "ethnicity": (m.choice("u", "v", "w"), "s"),
            "sexual orientation": (m.choice("p", "q", "r"), "s"),
            "offence": (m.choice("theft", "fraud", "none"), "s"),
            "sentence_months": (m.choice(0, 3, 6, 12), "s"),
            "housing benefit": (m.choice("0", "1"), "s"),
            "credit_score": (m.number(300, 850), "s"),
            "age": (m.age(), "q"),
            "race": (m.choice("A", "B", "C"), "qs"),
        },
    )
    heads = {
        "German": "Konfession Nettoeinkommen Diagnose Schwerbehinderung Alter Familienstand",
        "French": "religion revenu diagnostic handicap âge_sexe nationalité",
        "Spanish": "religión ingresos diagnóstico discapacidad edad estado_civil",
        "Italian": "religione reddito diagnosi gravidanza età stato_civile_sesso",
        "Portuguese": "religião rendimento diagnóstico deficiência idade escolaridade",
        "Polish": "wyznanie dochód rozpoznanie niepełnosprawność wiek wykształcenie",
        "Dutch": "geloof inkomen diagnose zwanger leeftijd opleiding",
    }
    for seed, (language, text) in enumerate(heads.items(), start=81):
        m = Maker(seed)
        faith, money, sick, state, age, other = text.split()
        yield make_trap(
            f"headers in {language}",
            {
                faith: (m.choice("k", "e", "i", "o"), "s"),
                money: (m.number(900, 6000), "s"),
                sick: (m.choice("J45", "I10", "E11"), "s"),
                state: (m.choice("1", "0", ""), "s"),
                age: (m.age(), "q"),
                other: (m.choice("A", "B", "C", "D"), "q"),
            },
        )


def _offices() -> Iterator[Trap]:
    m = Maker(90)
    yield make_trap(
        "an export of an office",
        {
            "Größe (cm)": (m.number(150, 200), "q"),
            "Straße": (m.of(lambda: f"Königsweg {m.random.randrange(300)}"), "i"),
            "Nachname": (m.last("de"), "i"),
            "Geburtsdatum": (m.dates("%d.%m.%Y"), "q"),
            "Krankenkasse": (m.choice("AB", "BC", "CD"), "qs"),
            "Behinderung": (m.choice("ja", ""), "s"),
        },
        separator=";",
        encoding="cp1252",
        options=("--encoding", "cp1252"),
    )
    m = Maker(91)
    yield make_trap(
        "an export with a byte order mark",
        {
            "nom": (m.last("fr"), "i"),
            "prénom": (m.first("fr"), "i"),
            "code postal": (m.zip(), "q"),
            "né le": (m.dates("%d/%m/%Y"), "q"),
            "résultat du test": (m.choice("positif", "négatif"), "s"),
        },
        separator=";",
        encoding="utf-8-sig",
    )


def _wide() -> Iterator[Trap]:
    m = Maker(95, 80)
    yield make_trap(
        "a wide table",
        {
            "age": (m.age(), "q"),
            "sex": (m.sex(), "q"),
            "county": (m.town()[1], "q"),
            "birth year": (m.of(lambda: m.random.randrange(1940, 2005)), "q"),
            "hiv": (m.choice("pos", "neg", ""), "s"),
            **{f"item{place}": (m.choice("low", "high", "none"), "q-") for place in range(40)},
            **{f"box{place}": (m.flag("x"), "-") for place in range(15)},
        },
    )


def all_traps() -> list[Trap]:
    """Return all of them, in a fixed order."""
    makers = (_flags, _names, _keys, _times, _texts, _places, _codes, _secrets, _offices, _wide)
    return [*(trap for maker in makers for trap in maker()), *listed_traps(), line_list()]
