"""The commands of CI, one by one: `nox -s lint`, `nox -s tests`, …"""

from __future__ import annotations

import nox

nox.options.default_venv_backend = "venv"
nox.options.sessions = ["lint", "tests"]
nox.options.reuse_existing_virtualenvs = True

PACKAGE = ".[dev]"


@nox.session
def lint(session: nox.Session) -> None:
    """Style, types and the direction of imports."""
    session.install(PACKAGE)
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")
    session.run("lint-imports", "--no-cache")


@nox.session
def tests(session: nox.Session) -> None:
    """The tests, with compiled kernels; `nox -s tests -- --thorough` for all of them."""
    session.install(PACKAGE)
    session.run("pytest", *session.posargs)


@nox.session
def nojit(session: nox.Session) -> None:
    """The tests with the kernels as plain Python: slower, and coverage sees inside them."""
    session.install(PACKAGE)
    session.run("pytest", "--cov", "--cov-report=term", *session.posargs, env={"NUMBA_DISABLE_JIT": "1"})


@nox.session
def deep(session: nox.Session) -> None:
    """All tests with every index of every kernel checked."""
    session.install(PACKAGE)
    # The cache does not know about bounds checks: a folder of its own keeps the two kinds apart.
    cache = str(session.create_tmp())
    environment = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": cache}
    session.run("pytest", "--thorough", *session.posargs, env=environment)


@nox.session
def bench(session: nox.Session) -> None:
    """Each benchmark once, in this environment; pass asv's own options after `--`."""
    session.install(PACKAGE)
    session.run("asv", "machine", "--yes")
    session.run("asv", "run", "--python=same", "--quick", "--show-stderr", *session.posargs)


@nox.session
def peers(session: nox.Session) -> None:
    """Other software's numbers for the tests to compare with; it pins old libraries, so it is apart."""
    session.install("pycanon>=1.3,<2", "pyarrow")
    session.run("python", "tests/peers/run_pycanon.py")


@nox.session
def attackers(session: nox.Session) -> None:
    """The same for attacks; these libraries ask for other versions than the peers above."""
    session.install("anonymeter>=1.1,<2", "pyarrow")
    session.run("python", "tests/peers/run_anonymeter.py")
