"""What may differ between two runs that do the same, and what stands in its place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

MASKS = (
    # How long something took, in JSON and in sentences.
    (r'("seconds(?:_\w+)?": )[-+.\de]+', r"\1<seconds>"),
    (r"\b\d+(?:\.\d+)? (s|seconds)\b", r"<seconds> \1"),
    (r"(dt: seconds[^\n]*\ndd: )[.\d]+", r"\1<seconds>"),
    # The manifest's seal covers the versions of libraries.
    (r'("seal": )"[0-9a-f]{64}"', r'\1"<seal>"'),
    (r'("date": )"\d{4}-\d\d-\d\d"', r'\1"<today>"'),
    (r"(dt: released on\ndd: )\d{4}-\d\d-\d\d", r"\1<today>"),
    (r"(Made by Sfumato )\S+ on \d{4}-\d\d-\d\d", r"\1<version> on <today>"),
    (r"(tr: \| [\w-]+ \| )\d+\.\d+\.\d+\S*", r"\1<version>"),
    (r"(?m)^(sfumato )\d+\.\d+\.\d+$", r"\1<version>"),
    # Style sheets and plotly's library.
    (r"sha256-[A-Za-z0-9+/=]{44}", "sha256-<digest>"),
)
VERSIONS = re.compile(r'("versions": \{)([^}]*)(\})')
NUMBER = re.compile(r"(?<![\w.])-?\d+\.\d+(?:e[-+]?\d+)?(?![\w.])")
DIGITS = 12


def mask(text: str, digests: Mapping[str, str]) -> str:
    """Replace what depends on the moment or on versions, and digests of files whose bytes do.

    Parameters
    ----------
    text
        An output.
    digests
        sha256 of such a file, which is there → its suffix.
    """
    for pattern, place in MASKS:
        text = re.sub(pattern, place, text)
    text = VERSIONS.sub(_hide_versions, text)
    for digest, suffix in digests.items():
        text = text.replace(digest, f"<sha256 of a {suffix}>").replace(digest[:12], f"<begin of {suffix}'s>")
    return text.replace("\r", "<CR>")


def _hide_versions(found: re.Match[str]) -> str:
    return found[1] + re.sub(r': "[^"]*"', ': "<version>"', found[2]) + found[3]


def round_numbers(text: str) -> str:
    """Write numbers of more than twelve digits with twelve: the others depend on the processor.

    Examples
    --------
    >>> round_numbers("loss 0.8290935672514620 of 2.5, 0.30000000000000004 or 0.3")
    'loss 0.829093567251 of 2.5, 0.3 or 0.3'
    """
    return NUMBER.sub(_round, text)


def _round(found: re.Match[str]) -> str:
    digits = re.sub(r"e.*", "", found[0]).replace(".", "").lstrip("-0")
    if len(digits) <= DIGITS:
        return found[0]
    short = f"{float(found[0]):.{DIGITS}g}"
    return short if "." in short or "e" in short else f"{short}.0"
