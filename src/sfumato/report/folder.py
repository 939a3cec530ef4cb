"""What a folder holds: a release, its specification, the front it was picked from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.assess.gather import Origin, file_name
from sfumato.assess.published import Lack
from sfumato.errors import DataError, ParameterError
from sfumato.front import PlainFront, load_front
from sfumato.release import manifest_path

if TYPE_CHECKING:
    from pathlib import Path

    from sfumato.spec import Spec


def find_release(folder: Path, given: str | None = None) -> Path:
    """Return the release that a folder holds: a file with its ``FILE.json`` next to it."""
    if not folder.is_dir():
        raise DataError(
            "there is no such folder. Name one that 'sfumato demo' or 'sfumato release' wrote into.",
            where=str(folder),
        )
    if given is not None:
        return _named_release(folder, given)
    found = sorted(
        path.with_suffix("")
        for path in folder.glob("*.json")
        if path.is_file() and path.with_suffix("").is_file()
    )
    if not found:
        raise DataError(
            "there is no release here: no file with its FILE.json next to it. Write one with "
            "'sfumato release', or name it with --release FILE.",
            where=str(folder),
        )
    return _only(found, "releases", "--release FILE", folder)


def _only(found: list[Path], what: str, option: str, folder: Path) -> Path:
    if len(found) > 1:
        names = ", ".join(path.name for path in found)
        raise ParameterError(
            f"several {what} are here: {names}. Choose one with {option}.", where=str(folder)
        )
    return found[0]


def _named_release(folder: Path, given: str) -> Path:
    inside = folder / given  # a path from the root stays what it is
    path = inside if inside.is_file() else type(folder)(given)
    if not path.is_file():
        raise DataError("there is no such file.", where=given)
    if not manifest_path(path).is_file():
        raise DataError(
            f"there is no {manifest_path(path).name} next to it, so nothing is promised.", where=given
        )
    return path


def find_specification(folder: Path) -> Path | None:
    """Return the specification that a folder holds; None if there is none."""
    found = sorted(path for path in folder.glob("*.toml") if path.is_file())
    return _only(found, "specifications", "--spec SPEC", folder) if found else None


def find_origin(spec: Spec | None, lacks: list[Lack]) -> Origin | None:
    """Return the original that a specification names; if there is none, note what is missing."""
    if spec is None:
        why, remedy = "there is no specification next to the release.", "Name it with --spec SPEC."
        lacks.append(Lack("specification", why, remedy))
    elif spec.data.path is None:
        why, remedy = "the specification names no data.", "Add path under [data], and make the report again."
    elif not spec.resolve(spec.data.path).exists():
        name = file_name(spec.data.path)
        why = f"the original data, {name}, are not where the specification says."
        remedy = "Put them back, and make the report again."
    else:
        return Origin(spec.resolve(spec.data.path), spec)
    lacks += [
        Lack(part, f"only the original shows what was before, and {why}", remedy)
        for part in ("sizes", "risk")
    ]
    lacks.append(Lack("utility", f"it compares with the original, and {why}", remedy))
    return None


def find_front(folder: Path, lacks: list[Lack]) -> PlainFront | None:
    """Return the front in a folder or in one of its folders; if there is none, note what is missing."""
    found = [
        path
        for path in (folder, *sorted(folder.iterdir()))
        if (path / "front.csv").is_file() and (path / "run.json").is_file()
    ]
    if found and (found[0] == folder or len(found) == 1):
        return load_front(found[0])
    why = "there is no front.csv with run.json in the folder of the release, nor in a folder in it."
    remedy = "Run 'sfumato explore' to see the alternatives, or put its files there."
    if found:
        names = ", ".join(path.name for path in found)
        why, remedy = f"several folders hold a front: {names}.", "Put the right one next to the release."
    lacks.append(Lack("front", why, remedy))
    return None
