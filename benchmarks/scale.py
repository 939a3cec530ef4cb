"""How time, memory and disk grow: ``python -m benchmarks.scale 1e5 1e6 1e7 --folder DIR``.

Adult is resampled with noise on age and hours, so that nine quasi-identifiers and a sensitive attribute make
up to some million distinct tuples. Cube, explore, release and verify run in processes of their own with
``--memory``; DuckDB's bare group-by and its bare copy with the same joins and order run in the same way, with
the same memory and threads. Each line is one process: seconds on the clock and of processors, which do not
depend on what else the machine does, the largest resident memory, and the most that its temporary folder
held; the start of Python is part of all. The search ends after
``--time-limit`` seconds. With ``--spark 1,2``, cube and release are made on a local Spark with one and with
two threads too, which say what Spark itself takes of processors. All files are removed at the end.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import workloads
from benchmarks.memory import peak_memory_mb

if TYPE_CHECKING:
    from collections.abc import Sequence

COLUMNS = (
    *("age", "hours-per-week", "sex", "race", "marital-status", "education", "native-country", "workclass"),
    "occupation",
)
SENSITIVE = "salary-class"
NOISE = 4  # years and hours, up or down


def make_rows(folder: Path, rows: int) -> Path:
    """Write the table as Parquet, the same every time."""
    path = folder / "rows.parquet"
    others = ", ".join(f'"{name}"' for name in (*COLUMNS[2:], SENSITIVE))
    noise = "least({most}, greatest({least}, {name} + (hash(i, {seed}) % {width})::INTEGER - {half}))"
    span = {"width": 2 * NOISE + 1, "half": NOISE}
    age = noise.format(name="age", least=17, most=90, seed=1, **span)
    hours = noise.format(name='"hours-per-week"', least=1, most=99, seed=2, **span)
    with _engine(folder) as connection:
        connection.execute(
            f"CREATE TABLE adult AS SELECT row_number() OVER () - 1 AS place, * FROM read_csv("
            f"'{workloads.complete_adult()}')"
        )
        many = connection.execute("SELECT count(*) FROM adult").fetchall()[0][0]
        connection.execute(
            f'COPY (SELECT ({age})::INTEGER AS age, ({hours})::INTEGER AS "hours-per-week", {others} '
            f"FROM range({rows}) AS t(i) JOIN adult ON place = (hash(i, 3) % {many})::BIGINT) "
            f"TO '{path}' (FORMAT parquet)"
        )
    return path


def make_spec(path: Path, attributes: int = len(COLUMNS)) -> Path:
    """Write the specification of the first columns as quasi-identifiers."""
    spec = workloads.adult_spec(0.01, require={"k": 5}).to_dict()
    files = spec["attributes"]
    assert isinstance(files, dict)
    asked: dict[str, dict[str, object]] = {
        "age": {"hierarchy": {"intervals": [5, 10, 20, 40], "bottom": 17, "top": 91}},
        "hours-per-week": {"hierarchy": {"intervals": [5, 10, 20, 40], "bottom": 1, "top": 100}},
        **{name: {"hierarchy": files[name]["hierarchy"]} for name in COLUMNS[2:]},
    }
    chosen = {name: {"role": "quasi-identifier", **asked[name]} for name in COLUMNS[:attributes]}
    target = path.with_name("rows.toml")
    workloads.Spec.from_dict(
        {
            **spec,
            "data": {"path": str(path)},
            "attributes": {**chosen, SENSITIVE: {"role": "sensitive"}},
            "objectives": {"maximize": ["k"], "minimize": ["loss"]},
        }
    ).save(target)
    return target


def _engine(folder: Path, memory: str = "4GB") -> object:
    import duckdb

    connection = duckdb.connect(config={"temp_directory": str(folder / "spill")})
    connection.execute("SET enable_progress_bar = false")
    connection.execute(f"SET memory_limit = '{memory}'")
    return connection


def bare(what: str, folder: Path, memory: str, attributes: int) -> None:
    """Group the rows, or join every column with its labels and copy them in order, by DuckDB alone."""
    connection = _engine(Path(tempfile.gettempdir()), memory)
    names = [f'"{name}"' for name in COLUMNS[:attributes]]
    rows, out = folder / "rows.parquet", folder / "bare.parquet"
    if what == "group":
        listed = ", ".join([*names, f'"{SENSITIVE}"'])
        connection.execute(
            f"CREATE TEMP TABLE cube AS SELECT {listed}, count(*) FROM '{rows}' GROUP BY {listed}"
        )
        return
    joins, columns = [], []
    for place, name in enumerate(names):
        # As many labels as the values have first letters: what is joined is as small as in a release.
        connection.execute(
            f"CREATE TEMP TABLE m{place} AS SELECT DISTINCT {name} AS v, left({name}::VARCHAR, 1) AS label "
            f"FROM '{rows}'"
        )
        joins.append(f"LEFT JOIN m{place} ON r.{name} = m{place}.v")
        columns.append(f"m{place}.label AS {name}")
    query = f"SELECT {', '.join(columns)}, r.\"{SENSITIVE}\" FROM '{rows}' AS r {' '.join(joins)}"
    connection.execute(f"COPY ({query} ORDER BY ALL) TO '{out}' (FORMAT parquet, COMPRESSION zstd)")


def cube(spec: str) -> None:
    """Count the cube and code it, as every command does first; print how many tuples there are."""
    from sfumato.preparing import load

    found = load(None, workloads.Spec.load(spec)).cube
    Path(spec).with_name("tuples").write_text(str(len(found.rows)), encoding="utf-8")


def spark(folder: Path, spec: str, threads: int) -> None:
    """Count the cube and write the release on a local Spark; note what each takes."""
    from pyspark.sql import SparkSession

    from sfumato.preparing import load
    from sfumato.results import Front

    settings = {"spark.ui.enabled": "false", "spark.driver.memory": "4g", "spark.local.dir": str(folder)}
    settings |= dict.fromkeys(("spark.driver.host", "spark.driver.bindAddress"), "127.0.0.1")
    builder = SparkSession.builder.master(f"local[{threads}]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    people, asked = session.read.parquet(str(folder / "rows.parquet")), workloads.Spec.load(spec)
    people.limit(10).count()
    machine = Path(f"/proc/{session.sparkContext._gateway.proc.pid}/stat")

    def now() -> tuple[float, float]:
        ticks = machine.read_text().rpartition(")")[2].split()[11:13]
        return time.perf_counter(), time.process_time() + sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")

    times = [now()]
    load(people, asked)
    times.append(now())
    release = Front.load(folder / "front").attach(people, asked).pick("k >= 5").release()
    times.append(now())
    release.write(folder / f"spark-{threads}.parquet")
    times.append(now())
    for what, before, after in (("cube", *times[:2]), ("write and recount", *times[2:])):
        clock, used = (end - begin for begin, end in zip(before, after, strict=True))
        with (folder / "spark").open("a", encoding="utf-8") as said:
            said.write(f"  local[{threads}] {what}: {clock:.1f} s, {used:.1f} s of processors\n")
    session.stop()


def measure(name: str, folder: Path, words: Sequence[str]) -> None:
    """Run one process and print its line."""
    temporary = folder / "temporary"
    temporary.mkdir()
    most, ended = [0], threading.Event()

    def watch() -> None:
        while not ended.wait(0.2):
            sizes = (file.stat().st_size for file in temporary.rglob("*") if file.is_file())
            try:
                most[0] = max(most[0], sum(sizes))
            except FileNotFoundError:  # removed while it was looked at
                continue

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    begin, before = time.perf_counter(), os.times()
    peak = peak_memory_mb(*words)
    seconds, after = time.perf_counter() - begin, os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    ended.set()
    watcher.join()
    shutil.rmtree(temporary)
    print(
        f"  {name:<16} {seconds:8.1f} s {used:8.1f} s of processors {peak:8.0f} MB "
        f"{most[0] / 1e6:8.0f} MB on disk",
        flush=True,
    )


def run(rows: int, options: argparse.Namespace) -> None:
    """Measure everything for one number of rows."""
    folder = Path(tempfile.mkdtemp(prefix="scale-", dir=options.folder))
    os.environ["TMPDIR"], os.environ["SFUMATO_MEMORY"] = str(folder / "temporary"), options.memory
    try:
        path = make_rows(folder, rows)
        spec = str(make_spec(path, options.attributes))
        print(
            f"{rows:,} rows, {options.attributes} attributes; {path.stat().st_size / 1e6:.1f} MB as Parquet"
        )
        root = Path(__file__).resolve().parents[1]
        code = f"import sys; sys.path.insert(0, {str(root)!r}); from benchmarks.scale import main; main()"
        own = ("-c", code)
        sfumato = ("-m", "sfumato")
        settings = ("--folder", str(folder), "--memory", options.memory)
        asked = (*settings, "--attributes", str(options.attributes))
        threads = ("--threads", str(options.threads)) if options.threads else ()
        measure("bare group-by", folder, (*own, "--step", "group", *asked))
        measure("cube", folder, (*own, "--step", "cube", "--spec", spec, *settings))
        print(f"  {int((folder / 'tuples').read_text()):,} tuples")
        front, out = str(folder / "front"), str(folder / "released.parquet")
        searching = (*threads, "--time-limit", str(options.time_limit))
        measure("explore", folder, (*sfumato, "explore", spec, "--out", front, *searching))
        measure("bare copy", folder, (*own, "--step", "copy", *asked))
        picked = ("--front", front, "--pick", "k >= 5", "--out", out)
        measure("release", folder, (*sfumato, "release", spec, *picked))
        measure("verify", folder, (*sfumato, "verify", out))
        for threads in options.spark.split(",") if options.spark else ():
            words = ("--step", "spark", "--spec", spec, "--threads", threads, *settings)
            measure(f"spark local[{threads}]", folder, (*own, *words))
        if options.spark:
            print((folder / "spark").read_text(), end="", flush=True)
        used = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
        print(f"  all files at the end: {used / 1e6:.0f} MB", flush=True)
    finally:
        shutil.rmtree(folder)


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", type=lambda text: int(float(text)))
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--memory", default="4GB")
    parser.add_argument("--attributes", type=int, default=len(COLUMNS))
    parser.add_argument("--threads", type=int)
    parser.add_argument("--time-limit", type=float, default=30.0)
    parser.add_argument("--spark", help="the same on a local Spark with so many threads, as in 1,2")
    parser.add_argument("--step", choices=("group", "copy", "cube", "spark"))
    parser.add_argument("--spec")
    options = parser.parse_args()
    if options.step == "cube":
        cube(options.spec)
    elif options.step == "spark":
        spark(options.folder, options.spec, options.threads)
    elif options.step:
        bare(options.step, options.folder, options.memory, options.attributes)
    for rows in options.rows:
        run(rows, options)


if __name__ == "__main__":
    main()
