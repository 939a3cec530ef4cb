"""``sfumato studies``: the experiments of the five papers, run again."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from sfumato.cli.options import argument, option
from sfumato.cli.output import Output
from sfumato.errors import DataError, OutputError, ParameterError, nearest


def studies(
    *,
    action: Literal["list", "run"] = argument("list|run", "What to do."),
    name: str | None = argument("[NAME]", "With run: the study, as 'list' names it.", None),
    quick: bool = option(
        "--quick", "A small part, within a minute or two; its numbers mean little.", default=False
    ),
    out: str | None = option("--out", "With run: a folder for results, README and figures.", "DIR"),
    output: Output,
) -> dict[str, object]:
    """List the studies of the papers, or run one: tables and figures beside those that the paper prints.

    Whole studies take minutes to hours. They need matplotlib: pip install "sfumato[studies]".
    """
    try:
        import_module("matplotlib")  # every study draws

        from studies.registry import MODULES, load_study
    except ModuleNotFoundError as error:
        raise ParameterError(
            f'the studies need {error.name}, which is not installed. Run: pip install "sfumato[studies]"'
        ) from None
    known = sorted(MODULES)
    if action == "list":
        if name is not None or quick or out is not None:
            raise ParameterError("'list' takes nothing else. To run one: sfumato studies run NAME --out DIR.")
        found = {key: load_study(key).title for key in known}
        output.table(["study", "what it runs again"], [[key, title] for key, title in found.items()])
        return {"studies": found}
    if name is None or name not in known:
        raise ParameterError(f"there is no study {name!r}. {nearest(str(name), known)}", where="NAME")
    if out is None:
        raise ParameterError("name a folder for what it writes: --out DIR.", where="--out")
    return _run(load_study(name), name, Path(out), output, quick=quick)


def _run(study: Any, name: str, folder: Path, output: Output, *, quick: bool) -> dict[str, object]:
    from studies.common.results import read_results, write_results

    if folder.exists() and any(folder.iterdir()):
        raise OutputError("the folder is not empty. Name a new one.", where=str(folder))
    folder.mkdir(parents=True, exist_ok=True)
    try:
        write_results(study.measure(quick), folder)
    except FileNotFoundError as error:
        raise DataError(f"the study needs data that are not part of sfumato: {error}") from None
    study.write(read_results(folder), folder)
    output.line(f"results.json, README.md and figures are in {folder}")
    return {"study": name, "folder": str(folder), "quick": quick}
