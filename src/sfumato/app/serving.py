"""The server: loopback alone, one guard in front of everything, private files, quiet logs."""

from __future__ import annotations

import gc
import logging
import os
import socket
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO
from urllib.parse import quote, unquote

import uvicorn
from fastapi import FastAPI
from nicegui import Client, ui
from nicegui import app as nicegui_app
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse

from sfumato.app import data_page, front_page, goals_page, hierarchy_page, release_page, start_page, tools
from sfumato.app.framing import CHOICES, Page, add_styles, register
from sfumato.app.guard import ADDRESS, UPLOAD_LIMIT, Guard
from sfumato.app.projects import RELEASES, Desk, clean_name
from sfumato.private import create, process_folder, remove, write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from starlette.requests import Request

PIECE = 2**16  # bytes of a file that are sent at a time

_SHOWN = {
    "/": start_page.show,
    "/data": data_page.show,
    "/hierarchies": hierarchy_page.show,
    "/goals": goals_page.show,
    "/tradeoffs": front_page.show,
    "/release": release_page.show,
    "/measure": tools.show_measure,
    "/risk": tools.show_risk,
    "/verify": tools.show_verify,
    "/apply": tools.show_apply,
    "/microaggregate": tools.show_microaggregate,
}
PAGES = [Page(path, show=_SHOWN[path], **told) for path, told in CHOICES["pages"].items()]


def make_guard(desk: Desk, port: int, *, limit: int = UPLOAD_LIMIT) -> Guard:
    """Put pages, uploads and downloads behind the guard."""
    web = FastAPI(openapi_url=None)
    web.add_route("/upload", _upload(desk), methods=["POST"])
    web.add_route("/files/{name}", _download(desk), methods=["GET"])
    add_styles()
    for page in PAGES:
        register(page, PAGES, desk)
    ui.run_with(
        web,
        title="Sfumato",
        favicon="🌫",
        language="en-US",
        tailwind=False,
        show_welcome_message=False,
        reconnect_timeout=20,
        binding_refresh_interval=None,
    )
    nicegui_app.on_exception(_note)

    def owns(visitor: str, page: str) -> bool:
        client = Client.instances.get(page)
        return client is None or client.request.state.visitor == visitor

    return Guard(web, port, limit=limit, owns=owns)


def _note(error: Exception) -> None:
    """Log that something failed, without the text of the error, which may hold data."""
    logging.getLogger("sfumato.app").error("a page failed: %s", type(error).__name__)


def _upload(desk: Desk) -> Callable[[Request], Any]:
    async def take(request: Request) -> Response:
        """Stream a file into the private folder; it is removed if it does not arrive whole."""
        visit = desk.visit(request.state.visitor)
        folder = desk.private_folder()
        path = folder / clean_name(unquote(request.headers.get("x-file-name", "table.csv")))
        create(path)
        try:
            with path.open("wb") as file:
                async for piece in request.stream():
                    file.write(piece)
        except (ClientDisconnect, OSError):
            remove(folder)
            return PlainTextResponse("The file did not arrive.", status_code=400)
        visit.uploads[request.query_params.get("page", "")] = path
        return JSONResponse({"taken": True})

    return take


def _download(desk: Desk) -> Callable[[Request], Any]:
    async def give(request: Request) -> Response:
        """Hand out a file that the visitor's own project made, and no other."""
        home, name = desk.visit(request.state.visitor).bench.folder, str(request.path_params["name"])
        for folder in (home, home / RELEASES):
            path = folder / name
            if Path(name).name == name and path.is_file() and not path.is_symlink():
                return _send(path)
        return PlainTextResponse("There is no such file.", status_code=404)

    return give


def _send(path: Path) -> Response:
    """Send a file as it is now: opened once, it stays the same when another one takes its name meanwhile."""
    file = path.open("rb")
    headers = {
        "content-length": str(os.fstat(file.fileno()).st_size),
        "content-disposition": f"attachment; filename*=utf-8''{quote(path.name)}",
    }
    return StreamingResponse(_pieces(file), media_type="application/octet-stream", headers=headers)


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while piece := file.read(PIECE):
            yield piece


def serve(home: Path | None, port: int, *, show: bool, tell: Callable[[str], None]) -> None:
    """Serve until Ctrl-C; tell the address once the port is taken."""
    for name in ("nicegui", "uvicorn", "uvicorn.error", "uvicorn.access", "asyncio", "socketio", "engineio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    # Searches are Python in places: pages must not wait long until they give way.
    sys.setswitchinterval(0.001)
    # What was imported stays: without it, pages and figures that are gone are found sooner.
    gc.freeze()
    desk = Desk(home)
    taken = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if os.name != "nt":  # there it would let another program take the port too
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((ADDRESS, port))
        taken.listen()  # a browser that is faster than the server waits instead of being refused
    except OSError:
        taken.close()
        raise
    guard = make_guard(desk, taken.getsockname()[1])
    config = uvicorn.Config(
        guard,
        log_config=None,
        access_log=False,
        server_header=False,
        ws_max_size=2**24,
        timeout_graceful_shutdown=2,
    )
    tell(guard.address)
    if show:
        _open_browser(guard.address)
    sys.stdout.flush()
    try:
        uvicorn.Server(config).run(sockets=[taken])
    finally:
        gc.unfreeze()  # or libraries complain at the end about what was left


def _open_browser(address: str) -> None:
    """Open the address by a private file: other users can see what a command line says."""
    page = process_folder() / "open.html"
    html = f'<!doctype html><meta http-equiv="refresh" content="0;url={address}"><title>Sfumato</title>'
    write_whole(page, html.encode(), private=True)
    webbrowser.open(page.as_uri())
