"""Everything that a release publishes, in a form that two worlds can be compared in."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
from typing import TYPE_CHECKING
from unittest import mock

import duckdb
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

from tests.worlds.frames import describe_frame, serialised

if TYPE_CHECKING:
    from pathlib import Path

    from sfumato.releases import Release

MASKED = ("versions", "created", "time", "times", "date", "written", "seconds", "seconds_total")
"""Keys of a manifest that may differ between two runs."""

one_day = mock.patch.dict(os.environ, SOURCE_DATE_EPOCH="0")
"""Both worlds are published on one day, even at midnight: the seal covers the date."""

Published = dict[str, bytes]
"""Name of a part → its bytes, such as ``FILE``, ``FILE.json/measures`` or ``frame/types``."""

_CLOCK = re.compile(
    r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?|\b\d[\d.,]* ?(s|ms)\b"
)


def publish(release: Release, folder: Path, suffix: str, *, with_report: bool = False) -> Published:
    """Write a release and return all that leaves: file, manifest, recipe, frame, and perhaps the report."""
    folder.mkdir(exist_ok=True)
    path = folder / f"shared.{suffix}"
    release.write(path, force=True)
    found = read_published(path)
    found["recipe"] = json.dumps(release.recipe.to_dict(), indent=1, default=str).encode()
    for name, text in describe_frame(release.frame).items():
        found[f"frame/{name}"] = text.encode()
    found[bytes_part(release.frame)] = serialised(release.frame)
    if with_report:
        report = folder / "report.html"
        release.report(report, force=True)
        found["report"] = without_clock(report)
    return found


def bytes_part(frame: object) -> str:
    """Name a frame's bytes; a relation has none of its own, only those of whatever it is turned into."""
    return "frame/arrow" if isinstance(frame, duckdb.DuckDBPyRelation) else "frame/bytes"


def without_clock(report: Path) -> bytes:
    """Return a report without times and durations."""
    return _CLOCK.sub("TIME", report.read_text(encoding="utf-8")).encode()


def read_published(path: Path) -> Published:
    """Return what a released file and its manifest hold."""
    content = path.read_bytes()
    found = {"FILE": content, **{f"FILE/{name}": part for name, part in _inside(path, content).items()}}
    manifest = json.loads(path.with_name(path.name + ".json").read_bytes())
    found["FILE.json"] = json.dumps(masked(manifest), indent=1, ensure_ascii=False).encode()
    return found


def masked(value: object) -> object:
    """Return a manifest without what belongs to the run, not to the data."""
    if isinstance(value, dict):
        return {key: "masked" if key in MASKED else masked(item) for key, item in value.items()}
    return [masked(item) for item in value] if isinstance(value, list) else value


def _inside(path: Path, content: bytes) -> dict[str, bytes]:
    """Open what is packed: rows, types, metadata, statistics and dictionaries."""
    if path.name.endswith(".gz"):
        return {"rows": gzip.decompress(content)}
    if path.suffix == ".parquet":
        file = pq.ParquetFile(io.BytesIO(content))
        table = pq.read_table(io.BytesIO(content))
        parts = (file.metadata.metadata, _statistics(file), file.schema.to_arrow_schema())
        found = {"footer": "\n".join(map(str, parts)).encode()}
    elif path.suffix == ".arrow":
        table, found = pa.ipc.open_file(io.BytesIO(content)).read_all(), {}
    else:
        return {"rows": content}
    described = describe_frame(table)
    found["rows"] = described.pop("rows").encode()
    return found | {name: part.encode() for name, part in described.items()}


def _statistics(file: pq.ParquetFile) -> str:
    lines = []
    for group in range(file.metadata.num_row_groups):
        for place in range(file.metadata.num_columns):
            column = file.metadata.row_group(group).column(place)
            known = column.statistics
            held = None if known is None else (known.min, known.max, known.null_count, known.distinct_count)
            lines.append(f"{column.path_in_schema} {column.encodings} {held}")
    return "\n".join(lines)
