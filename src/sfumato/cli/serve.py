"""``sfumato serve``: the web app on this machine."""

from __future__ import annotations

from pathlib import Path

from sfumato.cli.options import argument, option
from sfumato.cli.output import Output, Terminated
from sfumato.errors import OutputError, ParameterError


def serve(
    *,
    folder: str | None = argument("[FOLDER]", "Where projects are kept; without it nothing is.", None),
    port: int = option("--port", "The port; a free one if 0.", "N", 0, min=0, max=65535),
    browser: bool = option("--browser/--no-browser", "Open the app in a browser.", default=True),
    output: Output,
) -> dict[str, object]:
    """Open the whole way in a browser, on this machine and for you alone.

    The server listens on 127.0.0.1 only, and lets in browsers that show the token of the printed address.
    Ctrl-C ends it. Without a folder, everything is removed then.
    """
    try:
        from sfumato.app.serving import serve as serve_app
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.partition(".")[0] == "sfumato":
            raise
        raise ParameterError(
            f'the web app needs {error.name}, which is not installed. Run: pip install "sfumato[app]"'
        ) from None
    home = None if folder is None else Path(folder).absolute()
    if home is not None and home.exists() and not home.is_dir():
        raise OutputError("a file has this name; name a folder.", where=str(folder))

    def tell(address: str) -> None:
        output.line(f"open     {address}")
        output.line("         (keep it to yourself: it lets a browser in)")
        output.line("end      Ctrl-C")

    try:
        serve_app(home, port, show=browser, tell=tell)
    except (KeyboardInterrupt, Terminated):
        output.line("ended")
    except OSError as error:
        raise OutputError(
            f"port {port} cannot be used: {error.strerror}. Choose another.", where="--port"
        ) from None
    return {"served": True}
