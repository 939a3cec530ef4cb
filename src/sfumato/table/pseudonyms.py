"""Keyed pseudonyms: one secret key gives one value the same pseudonym in every table and every year.

A plain hash of a name or number can be undone by hashing all names and numbers. An HMAC cannot, as long as
nobody has the key.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from typing import TYPE_CHECKING

from sfumato.errors import DataError, OutputError, SpecError
from sfumato.private import write_whole
from sfumato.table.arrow import text_array
from sfumato.table.keys import ColumnPlan
from sfumato.table.tally import tally
from sfumato.table.values import texts_of_array

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sfumato.spec import Spec
    from sfumato.table.libraries import pa
    from sfumato.table.sources import Source

KEY_BYTES = 32
LETTERS = 26  # of five bits each: 130 bits of the digest


def read_key(path: Path, *, make: bool = False) -> bytes:
    """Read a key file; make one that nobody else can read, if there is none and that is asked for."""
    where = str(path)
    try:
        if make and not path.exists():
            write_whole(path, secrets.token_bytes(KEY_BYTES), private=True)
        key = path.read_bytes()
    except FileNotFoundError:
        raise DataError("there is no such key file.", where=where) from None
    except OutputError:
        raise
    except OSError as error:
        raise OutputError(
            f"the key file cannot be read or made: {error.strerror or 'no permission'}.", where=where
        ) from None
    if len(key) < KEY_BYTES:
        raise DataError(
            f"a key file has at least {KEY_BYTES} random bytes; this one has {len(key)}. Name another file, "
            "and one is made.",
            where=where,
        )
    return key


def specified_key(spec: Spec, *, make: bool = True) -> bytes:
    """Read, or make, the key file that a specification names."""
    if spec.data.key is None:
        raise SpecError(
            "pseudonyms and ledgers need a key file. Add key to [data], or pass --key.",
            where=spec.where("attributes", *spec.pseudonyms[:1]) if spec.pseudonyms else None,
        )
    return read_key(spec.resolve(spec.data.key), make=make)


def pseudonym(key: bytes, text: str) -> str:
    """Return the pseudonym of a value: 26 letters and figures that tell nothing without the key."""
    digest = hmac.new(key, b"sfumato pseudonym\0" + spell_whole(text).encode(), hashlib.sha256).digest()
    return base64.b32encode(digest).decode().lower()[:LETTERS]


def ledger_token(key: bytes, text: str) -> str:
    """Return what stands for a person in a ledger: another digest, so that it is no published pseudonym."""
    digest = hmac.new(key, b"sfumato ledger\0" + spell_whole(text).encode(), hashlib.sha256).digest()
    return base64.b32encode(digest[:20]).decode().lower()


def spell_whole(text: str) -> str:
    """Write a whole number without a point, as it may have become one of a floating-point column."""
    head, point, tail = text.partition(".")
    is_whole = (
        point and tail and not tail.strip("0") and head.removeprefix("-").isdecimal() and head.isascii()
    )
    return head if is_whole else text


def find_pseudonyms(source: Source, spec: Spec) -> dict[str, pa.Array]:
    """Return the distinct values of each column that leaves as pseudonyms."""
    found = {}
    for name in spec.pseudonyms:
        counted = tally(source, (name,))
        column = counted.columns[name]
        repeated = int((column.count(counted.rows) > 1).sum())
        if repeated and name not in (spec.data.person, spec.data.household):
            raise DataError(
                f"{repeated:,} values of the pseudonym {name!r} occur in several rows, and a pseudonym links "
                "these. Name the column as person in [data], so that all rows of a person count as one.",
                where=spec.place("attributes", name) or name,
            )
        found[name] = column.values
    return found


def plan_pseudonym(spec: Spec, pseudonyms: Mapping[str, pa.Array], name: str, place: int) -> ColumnPlan:
    """Plan a column that leaves as pseudonyms; missing stays missing."""
    key = specified_key(spec)
    texts = [pseudonym(key, text) for text in texts_of_array(pseudonyms[name])]
    return ColumnPlan(name, place, False, "text", {"text": text_array(texts)}, pseudonyms[name])


def linkage_warnings(spec: Spec) -> list[str]:
    """Say what publishing pseudonyms risks."""
    return [
        f"the pseudonym {name!r} links the rows of a person in this release and in every other one made with "
        "the same key: whoever knows one of the rows finds the others. Publish it only if rows must be "
        "linked, and keep the key file secret."
        for name in spec.pseudonyms
    ]
