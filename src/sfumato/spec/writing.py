"""Writing the file, whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.errors import OutputError
from sfumato.private import write_whole

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping


def write_document(values: Mapping[str, object], path: str | os.PathLike[str]) -> None:
    """Write tables as a TOML file that appears under its name only when complete."""
    import tomli_w

    content = tomli_w.dumps(values).encode("utf-8")
    try:
        write_whole(Path(path), content)
    except (OSError, ValueError) as error:  # ValueError: a path that no system has
        reason = getattr(error, "strerror", None) or "the system refuses"
        raise OutputError(f"cannot be written: {reason}.", where=str(path)) from None
