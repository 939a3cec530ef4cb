"""Everything that does not come from the browser that was let in is refused, whatever it asks for."""

from __future__ import annotations

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

pytest.importorskip("starlette", reason="the extra 'app' is not installed")

from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route, WebSocketRoute

from sfumato.app.guard import Guard
from tests.app.asking import HOME, PORT, Asker
from tests.app.conftest import serving

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.requests import Request
    from starlette.websockets import WebSocket

LIMIT = 1000


async def page(request: Request) -> PlainTextResponse:
    return PlainTextResponse(request.scope["state"]["visitor"])


async def take(request: Request) -> PlainTextResponse:
    return PlainTextResponse(str(len(await request.body())))


async def fail(request: Request) -> PlainTextResponse:
    raise ValueError("Mrs Miller, diagnosis HIV")


async def talk(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_text("hello")
    await socket.close()


def make_guard() -> Guard:
    inside = Starlette(
        routes=[
            Route("/", page),
            Route("/files/{name}", page),
            Route("/_nicegui/static/a.js", page),
            Route("/upload", take, methods=["POST"]),
            Route("/fail", fail),
            Mount("/_nicegui_ws", routes=[WebSocketRoute("/socket.io/", talk)]),
        ]
    )
    return Guard(inside, PORT, "secret-token", limit=LIMIT, owns=lambda visitor, found: found != "foreign")


@pytest.fixture
def guard() -> Guard:
    return make_guard()


@pytest.fixture
def outside(guard: Guard) -> Asker:
    return Asker(guard)


@pytest.fixture
def inside(outside: Asker) -> Asker:
    assert outside.get("/?token=secret-token").status == 200
    return outside


def test_token_is_exchanged_for_a_strict_cookie(outside: Asker) -> None:
    answer = outside.get("/?token=secret-token")
    assert answer.status == 200
    assert 'http-equiv="refresh" content="0;url=/"' in answer.text
    assert "secret-token" not in answer.text
    cookie = answer.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}
    assert "secret-token" not in cookie
    assert outside.get("/").status == 200


def test_two_browsers_get_different_secrets(guard: Guard) -> None:
    found = []
    for _ in range(2):
        client = Asker(guard)
        client.get("/?token=secret-token")
        found.append(client.get("/").text)
    assert found[0] != found[1]


def test_token_again_keeps_the_session(inside: Asker) -> None:
    before = inside.get("/").text
    inside.get("/?token=secret-token")
    assert inside.get("/").text == before


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/files/release.csv",
        "/_nicegui/static/a.js",
        "/?token=guess",
        "/nothing",
        "/files/x?token=secret-token",
    ],
)
def test_without_a_cookie_nothing_is_served(outside: Asker, path: str) -> None:
    answer = outside.get(path)
    assert answer.status == 403
    assert "set-cookie" not in answer.headers


def test_without_a_cookie_nothing_is_taken(outside: Asker) -> None:
    assert outside.post("/upload", b"x", headers={"origin": HOME}).status == 403


@pytest.mark.parametrize("cookie", ["", "guess", "secret-token", "\u00e4"])
def test_wrong_cookies_are_refused(outside: Asker, cookie: str) -> None:
    assert outside.get("/", headers={"cookie": f"sfumato-{PORT}={cookie}"}).status == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", f"127.0.0.1:{PORT + 1}", f"evil.example:{PORT}", "0.0.0.0:8123"]
)
def test_other_hosts_are_refused(inside: Asker, host: str) -> None:
    # A page of evil.example whose name resolves to this machine asks under its own name.
    assert inside.get("/", headers={"host": host}).status == 421
    assert inside.get("/?token=secret-token", headers={"host": host}).status == 421


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", f"https://127.0.0.1:{PORT}", "http://127.0.0.1:9"]
)
def test_other_origins_are_refused(inside: Asker, origin: str) -> None:
    assert inside.get("/", headers={"origin": origin}).status == 403
    assert inside.post("/upload", b"x", headers={"origin": origin}).status == 403
    assert inside.open_socket("/_nicegui_ws/socket.io/", headers={"origin": origin}).status == 403


def test_what_changes_something_names_its_origin(inside: Asker) -> None:
    assert inside.post("/upload", b"x").status == 403
    assert inside.post("/upload", b"x", headers={"origin": HOME}).text == "1"


def test_requests_that_other_pages_make_are_refused(inside: Asker) -> None:
    assert inside.get("/files/a", headers={"sec-fetch-site": "cross-site"}).status == 403
    assert inside.get("/files/a", headers={"sec-fetch-site": "same-site"}).status == 403
    assert inside.get("/files/a", headers={"sec-fetch-site": "same-origin"}).status == 200


def test_websocket_needs_cookie_origin_and_its_own_page(outside: Asker) -> None:
    where = "/_nicegui_ws/socket.io/?client_id="
    assert outside.open_socket(f"{where}own", headers={"origin": HOME}).status == 403
    outside.get("/?token=secret-token")
    assert outside.open_socket(f"{where}own", headers={"origin": HOME}).status == 101
    assert outside.open_socket(f"{where}foreign", headers={"origin": HOME}).status == 403
    assert outside.open_socket(f"{where}own").status == 403


@pytest.mark.parametrize(
    "path",
    [
        "/files/%2e%2e%2fsecret",
        "/files/..%2f..%2fetc/passwd",
        "/files/%2E%2E/x",
        "/files/a%5cb",
        "/files/a%00b",
        "/files/%252e%252e/x",
        "//evil.example/x",
    ],
)
def test_path_tricks_are_refused(inside: Asker, path: str) -> None:
    assert inside.get(path).status == 400


def test_uploads_beyond_the_limit_are_refused(inside: Asker) -> None:
    own = {"origin": HOME}
    assert inside.post("/upload", b"x" * LIMIT, headers=own).text == str(LIMIT)
    assert inside.post("/upload", b"x" * (LIMIT + 1), headers=own).status == 413


def test_uploads_that_hide_their_length_are_cut_off(inside: Asker) -> None:
    pieces = (b"x" * 300 for _ in range(10))
    assert inside.post("/upload", pieces, headers={"origin": HOME}).status == 413


def test_answers_carry_a_policy_without_other_hosts(inside: Asker) -> None:
    for path in ("/", "/files/a", "/nothing"):
        headers = inside.get(path).headers
        policy = dict(
            part.strip().partition(" ")[::2] for part in headers["content-security-policy"].split(";")
        )
        assert policy["default-src"] == "'none'"
        sources = {word for words in policy.values() for word in words.split()}
        outside_hosts = {word for word in sources if "." in word or "*" in word} - {f"ws://127.0.0.1:{PORT}"}
        assert outside_hosts == set()
        assert headers["cache-control"] == "no-store"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "no-referrer"


def test_errors_show_nothing_of_the_data(guard: Guard) -> None:
    client = Asker(guard)
    client.get("/?token=secret-token")
    answer = client.get("/fail")
    assert answer.status == 500
    assert "Miller" not in answer.text


def test_token_is_long_and_new_each_time() -> None:
    tokens = {Guard(make_guard(), PORT).token for _ in range(3)}
    assert len(tokens) == 3
    assert all(len(token) >= 40 for token in tokens)
    assert "secret-token" not in repr(make_guard())


def test_the_address_answers_as_soon_as_it_is_told(tmp_path: Path) -> None:
    """The browser that the command opens may be faster than the server's start."""
    with serving(str(tmp_path / "projects"), temporary=tmp_path) as server:
        told = urlsplit(server.address)
        socket.create_connection((told.hostname, told.port), timeout=5).close()


def test_file_that_is_replaced_while_it_is_sent_arrives_as_it_was(tmp_path: Path) -> None:
    from sfumato.app.serving import _send

    file, newer = tmp_path / "größe.toml", tmp_path / "newer"
    file.write_bytes(b"old" * 50_000)
    newer.write_bytes(b"another length")
    answer = _send(file)
    newer.replace(file)

    async def body() -> bytes:
        return b"".join([piece async for piece in answer.body_iterator])

    # In a thread of its own: that of the tests may be in the loop of a browser.
    with ThreadPoolExecutor(1) as thread:
        found = thread.submit(asyncio.run, body()).result()
    assert found == b"old" * 50_000
    assert answer.headers["content-length"] == str(len(found))
    assert "gr%C3%B6%C3%9Fe.toml" in answer.headers["content-disposition"]
