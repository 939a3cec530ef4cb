"""Words in the names of columns that hint at their role, in English, German, French and Spanish.

All are written as :func:`split_name` gives them: lower case, without accents.
"""

from __future__ import annotations

import re
import unicodedata


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


IDENTIFIER_WORDS = _words(
    """
    id ids uid uuid guid pid ssn nhs nino mrn imei iban bic vin isin ean rut dni nif nie curp siret cedula
    email mail phone telephone mobile fax tel telefon telefono movil correo courriel
    address adresse anschrift direccion street strasse rue calle url website ip mac login
    firstname lastname surname forename fullname givenname middlename maidenname patient client
    vorname nachname rufname prenom nom nombre apellido apellidos
    passport pasaporte passeport ausweis account konto compte cuenta card karte carte tarjeta
    identifier kennung kennzeichen matricule matricula signature unterschrift
    """
)
"""A word of the name that makes an identifier."""

IDENTIFIER_STEMS = (
    "name", "email", "telefon", "telephone", "passport", "identif", "versichertennummer", "personalnummer",
    "patientennummer", "kundennummer", "sozialversicherung", "socialsecurity", "hausnummer", "apellid",
)  # fmt: skip
"""A part of a word that makes an identifier."""

SENSITIVE_WORDS = _words(
    """
    salary income wage wages earnings pay gain loss debt credit score balance tax
    gehalt einkommen lohn verdienst schulden steuer salaire revenu dette impot salario ingreso ingresos sueldo
    deuda impuesto
    diagnosis diagnoses disease illness symptom condition treatment therapy drug drugs medication icd hiv
    disability surgery outcome lab result results
    diagnose krankheit befund therapie behandlung medikament behinderung maladie diagnostic traitement
    medicament handicap enfermedad diagnostico tratamiento medicamento discapacidad
    religion faith konfession croyance creencia politics party partei parti partido union gewerkschaft
    syndicat sindicato orientation crime offence offense verdict straftat delit delito sentence
    """
)
"""A word of the name that makes a sensitive attribute."""

SENSITIVE_STEMS = (
    "diagnos", "krank", "disease", "salary", "einkomm", "gehalt", "income", "medika", "medica", "enferm",
)  # fmt: skip
"""A part of a word that makes a sensitive attribute."""

QUASI_IDENTIFIER_WORDS = _words(
    """
    age sex gender race ethnicity ethnic birth birthday birthdate dob yob born death admission discharge
    zip zipcode postcode postal city town village county state province region district country nation
    nationality citizenship native language marital married civil family children household education school
    degree occupation job profession employer workclass work industry rank height weight date year
    alter geschlecht geburt geboren plz postleitzahl ort stadt wohnort kreis land bundesland staat
    nationalitat nationalitaet staatsangehorigkeit staatsangehoerigkeit sprache familienstand kinder
    haushalt bildung schule abschluss beruf arbeitgeber branche grosse groesse gewicht datum jahr
    sexe genre naissance ne nee cp ville commune departement pays nationalite langue matrimonial
    enfants menage etudes diplome metier emploi taille poids annee
    edad sexo genero raza nacimiento ciudad municipio provincia pais nacionalidad idioma estado hijos hogar
    educacion estudios ocupacion profesion oficio altura estatura peso fecha ano
    """
)
"""A word of the name that makes a quasi-identifier."""

QUASI_IDENTIFIER_STEMS = (
    "birth", "geburt", "naiss", "nacimi", "postleit", "postcode", "zipcode", "codepostal", "codigopostal",
    "geschlecht", "gender", "ethnic", "marital", "familienstand", "nationalit", "occupation", "education",
)  # fmt: skip
"""A part of a word that makes a quasi-identifier."""

POSTAL_WORDS = _words("zip zipcode postcode postal plz postleitzahl cp codepostal codigopostal")
"""A word of the name that makes a postal code."""

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")


def split_name(name: str) -> list[str]:
    """Split the name of a column into words: lower case, without accents and digits.

    Examples
    --------
    >>> split_name("dateOfBirth"), split_name("PLZ_Straße2"), split_name("prénom")
    (['date', 'of', 'birth'], ['plz', 'strasse'], ['prenom'])
    """
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return [word.casefold() for word in _PARTS.findall(letters)]


def hints_at(name: str, words: frozenset[str], stems: tuple[str, ...] = ()) -> bool:
    """Tell whether the name of a column holds one of the words, or a word with one of the stems.

    Examples
    --------
    >>> hints_at("age_at_entry", QUASI_IDENTIFIER_WORDS), hints_at("package", QUASI_IDENTIFIER_WORDS)
    (True, False)
    """
    parts = split_name(name)
    joined = "".join(parts)
    if joined in words or not words.isdisjoint(parts):
        return True
    return any(stem in joined for stem in stems)
