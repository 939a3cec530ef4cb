"""Words in the names of columns that hint at their role, in eight languages.

English, German, French, Spanish, Italian, Portuguese, Polish and Dutch. All are written as :func:`split_name`
gives them: lower case, without accents. Words match whole words of a name, and pairs of words that stand side
by side; stems match the beginning or the end of a word, long ones any part of it.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise


def split_words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


PERSON_WORDS = split_words(
    """
    firstname lastname surname forename fullname givenname middlename maidenname familyname username initials
    vorname vornamen nachname nachnamen rufname geburtsname familienname prenom prenoms apellido apellidos
    cognome cognomi sobrenome apelido imie imiona nazwisko voornaam achternaam roepnaam tussenvoegsel
    physician arzt
    """
)
"""A word of the name that makes the name of a person, whatever else the name says."""

ID_WORDS = split_words(
    """
    id ids uid uuid guid pid ssn nhs nino mrn imei iban bic vin isin rut dni nif nie curp siret cedula pesel
    bsn cpf nis nir codicefiscale cnp svnr ahv oid hash token pseudonym pseudonyme pseudonimo ik kvnr
    identifier kennung kennzeichen matricule matricula fallnummer fallnr passport pasaporte passeport
    passaporto passaporte paszport paspoort ausweis
    """
)
"""A word of the name that makes a key."""

IDENTIFIER_WORDS = ID_WORDS | split_words(
    """
    email mail phone telephone mobile cellphone fax tel telefon telefono telefone telefoon movil celular
    cellulare handy correo courriel poczta komorka address addr adresse anschrift direccion indirizzo endereco
    adres street strasse rue calle ulica straat rua hausnr hausnummer url website homepage ip ipv mac login
    signature unterschrift
    """
)
"""A word of the name that makes an identifier."""

NAME_WORDS = split_words("nom nombre nome naam name names nazwa")
"""A word of the name that makes an identifier, unless it is the name of a place or the like."""

KEY_WORDS = split_words(
    """
    patient patients client customer person people employee member case visit encounter episode record serial
    index account card konto karte compte cuenta conto conta rekening tarjeta carte carta number no nr nummer
    numero numer key schlussel schluessel klucz sleutel clave cle chiave chave paciente paziente pacjent kunde
    klient cliente dossier fall sample specimen barcode license licence plate ref reference seqn
    """
)
"""A word of the name that makes an identifier if it has many values."""

HOUSEHOLD_WORDS = split_words(
    """
    household households hh hhid hhold haushalt haushalts haushaltsid haushaltsnummer menage foyer hogar
    family familie familia famiglia huishouden agregado gospodarstwo dwelling
    """
)
"""A word of the name of a key that makes it that of a household."""

COUNT_WORDS = split_words("of count counts total anzahl liczba aantal")
"""A word of the name that makes a number of things rather than the number of a thing."""

IDENTIFIER_STEMS = (
    "email", "telefon", "telephone", "telefoon", "passport", "identif", "nummer", "apellid", "strasse",
    "socialsecurity", "sozialversicherung", "pseudonym", "anschrift",
)  # fmt: skip
"""A part of a word that makes an identifier."""

COORDINATE_WORDS = split_words(
    """
    lat latitude lon lng longitude latitud longitud latitudine longitudine breitengrad laengengrad langengrad
    szerokosc dlugosc breedtegraad lengtegraad gps coord coords coordinate coordinates koordinate koordinaten
    coordonnees coordenadas wspolrzedne easting northing rechtswert hochwert utm geom geometry wkt geohash
    geolocation
    """
)
"""A word of the name that makes a place on the map."""

SURVEY_WEIGHT_WORDS = split_words(
    """
    wgt wght fnlwgt finalweight pweight pwgt perwt hhwt hwt sampleweight samplingweight surveyweight
    designweight personweight expansion ponderation pond ponderacion ponderador ponderazione ponderacao
    hochrechnung hochrechnungsfaktor gewichtung gewichtungsfaktor wegingsfactor factorexp
    """
)
"""A word of the name that makes a survey weight."""

AMBIGUOUS_WEIGHT_WORDS = split_words("weight weights wt gewicht poids peso waga pesos")
"""A word of the name that makes a survey weight or the weight of a body."""

BODY_WORDS = split_words(
    "kg lb lbs body birth height cm groesse grosse korper koerper taille altura estatura bmi geburt"
)
"""A word of the name that makes the weight of a body."""

FREE_TEXT_WORDS = split_words(
    """
    note notes comment comments remark remarks description narrative memo freetext notiz notizen bemerkung
    bemerkungen kommentar anmerkung anmerkungen freitext beschreibung commentaire commentaires remarque
    remarques observation observations observaciones observacion comentario comentarios notas osservazioni
    commenti observacoes uwagi komentarz opis opmerking opmerkingen toelichting
    """
)
"""A word of the name that makes free text."""

SENSITIVE_WORDS = split_words(
    """
    salary income wage wages earnings pay gain loss debt credit score scores balance tax wealth rent benefit
    benefits welfare gehalt einkommen lohn verdienst schulden steuer miete sozialhilfe burgergeld buergergeld
    salaire revenu revenus dette impot loyer allocation allocations salario ingreso ingresos renta sueldo
    deuda impuesto subsidio reddito stipendio imposta debito sussidio renda rendimento rendimentos divida
    beneficio dochod dochody zarobki pensja placa dlug zasilek inkomen salaris loon schuld uitkering bijstand
    diagnosis diagnoses disease illness symptom symptoms condition treatment therapy drug drugs medication
    medicine icd atc hiv aids std hepatitis tuberculosis tb cancer tumor tumour covid sars pcr dengue malaria
    igg igm allergy disability ill sick surgery outcome lab result results test tests tested serotype serology
    genotype pathogen pregnant pregnancy died dead death deceased mortality survived suicide abortion
    depression anxiety psychiatric smoker smoking alcohol blood platelet platelets hemoglobin haemoglobin hb
    hba hematocrit glucose cholesterol creatinine crp ldl hdl triglycerides leukocytes wbc rbc alt ast viral
    titer titre bp systolic diastolic health severity hospitalized hospitalised icu krankheit befund therapie
    behandlung medikament behinderung schwanger schwangerschaft tod verstorben gestorben ergebnis testergebnis
    labor blutdruck blutzucker raucher alkohol gesundheit maladie diagnostic traitement medicament handicap
    enceinte grossesse deces decede mort resultat sante tabac enfermedad diagnostico tratamiento medicamento
    discapacidad embarazo embarazada muerte fallecido resultado salud malattia diagnosi trattamento farmaco
    gravidanza incinta morte deceduto esito risultato salute doenca tratamento gravidez gravida obito falecido
    saude deficiencia choroba rozpoznanie leczenie lek ciaza zgon wynik zdrowie niepelnosprawnosc ziekte
    behandeling medicatie zwanger overleden overlijden uitslag gezondheid religion religious faith konfession
    croyance creencia religione religiao religia wyznanie godsdienst geloof politics political politique
    politica politik loan loans default credits rating party partei parti partido partito partia partij union
    gewerkschaft syndicat sindicato sindacato vakbond vote voted orientation sexuality gay lesbian ethnicity
    ethnic ethnie etnia etnicidad etniczne etniciteit herkunft migrationshintergrund herkomst crime crimes
    offence offences offense offenses verdict conviction convictions convicted arrest arrested prison sentence
    straftat straftaten delikt delit condamnation delito condena reato condanna crimen crimine przestepstwo
    wyrok misdrijf veroordeling vorstrafe vorstrafen
    """
)
"""A word of the name that makes a sensitive attribute."""

SENSITIVE_STEMS = (
    "diagnos", "krank", "disease", "salary", "einkomm", "gehalt", "income", "medika", "medica", "enferm",
    "pregnan", "schwanger", "symptom", "hepatit", "tubercul", "tuberkul", "religi", "behinder", "glucos",
    "glukos", "kreatinin", "cholest", "haemoglob", "hemoglob", "hamoglob", "leuko", "thrombo", "antibod",
    "antikorper", "biops", "psychi", "plaquet", "serotip", "serotyp", "hospitali", "leuco", "linfocit",
)  # fmt: skip
"""A part of a word that makes a sensitive attribute."""

PLACE_WORDS = split_words(
    """
    zip zipcode postcode postal city town village county state province region district country nation
    municipality area zone zona residence geoid insee fips tract nuts neighborhood neighbourhood parish ward
    township plz postleitzahl ort stadt wohnort kreis landkreis land bundesland staat gemeinde bezirk
    stadtteil cp codepostal ville commune departement pays codigopostal ciudad municipio provincia pais barrio
    localidad cap comune citta regione paese cep cidade concelho distrito freguesia bairro kodpocztowy miasto
    miejscowosc gmina powiat wojewodztwo kraj woonplaats gemeente provincie plaats wijk
    """
)
"""A word of the name that makes a place."""

TIME_WORDS = split_words(
    """
    age birth birthday birthdate dob yob born date year month admission discharge onset notification alter
    geburt geburtsdatum geboren datum jahr monat aufnahme entlassung geburtsjahr naissance ne nee annee mois
    edad nacimiento fecha ano mes eta nascita anno idade nascimento wiek urodzenia rok leeftijd geboortedatum
    geboorte geboortejaar jaar
    """
)
"""A word of the name that makes an age or a date."""

QUASI_IDENTIFIER_WORDS = (
    PLACE_WORDS
    | TIME_WORDS
    | split_words(
        """
        sex gender race nationality citizenship native language marital married civil family children
        household education school degree occupation job profession employer workclass work industry rank
        height weight geschlecht nationalitat nationalitaet staatsangehorigkeit staatsangehoerigkeit sprache
        familienstand kinder haushalt bildung schule abschluss beruf arbeitgeber branche grosse groesse
        gewicht sexe genre nationalite langue matrimonial enfants menage etudes diplome metier emploi taille
        poids sexo genero raza nacionalidad idioma estado hijos hogar educacion estudios ocupacion profesion
        oficio altura estatura peso sesso genere nazionalita cittadinanza istruzione professione lavoro figli
        nacionalidade profissao escolaridade raca filhos plec obywatelstwo narodowosc zawod wyksztalcenie
        cywilny dzieci geslacht nationaliteit beroep opleiding burgerlijke kinderen
        """
    )
)
"""A word of the name that makes a quasi-identifier."""

QUASI_IDENTIFIER_STEMS = (
    "birth", "geburt", "naiss", "nacimi", "postleit", "postcode", "zipcode", "codepostal", "codigopostal",
    "geschlecht", "gender", "marital", "familienstand", "nationalit", "occupation", "education", "datum",
)  # fmt: skip
"""A part of a word that makes a quasi-identifier."""

TIME_STEMS = ("birth", "geburt", "naiss", "nacimi", "datum")
"""A part of a word that makes an age or a date."""

POSTAL_WORDS = split_words(
    "zip zipcode postcode postal plz postleitzahl cp codepostal codigopostal cep kodpocztowy"
)
"""A word of the name that makes a postal code."""

LONG_STEM = 7
"""Letters from which on a stem in the middle of a word is no accident."""

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")


# Letters that are not a plain letter with an accent.
_LETTERS = str.maketrans({"ß": "ss", "ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "æ": "ae", "œ": "oe", "đ": "d"})


def split_name(name: str) -> list[str]:
    """Split the name of a column into words: lower case, without accents and digits."""
    plain = unicodedata.normalize("NFKD", name.translate(_LETTERS))
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return [word.casefold() for word in _PARTS.findall(letters)]


def hints_at(name: str, words: frozenset[str], stems: tuple[str, ...] = ()) -> bool:
    """Tell whether the name of a column holds one of the words, or a word with one of the stems."""
    parts = split_name(name)
    if not words.isdisjoint((*parts, "".join(parts), *map("".join, pairwise(parts)))):
        return True
    return any(
        part.startswith(stem) or part.endswith(stem) or (len(stem) >= LONG_STEM and stem in part)
        for part in parts
        for stem in stems
    )
