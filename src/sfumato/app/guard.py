"""Who may speak to the server: one check in front of every page, file, upload and websocket."""

from __future__ import annotations

import hmac
import logging
import re
import secrets
from dataclasses import dataclass, field
from html import escape
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import parse_qs

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, MutableMapping

    Message: TypeAlias = MutableMapping[str, Any]
    Scope: TypeAlias = MutableMapping[str, Any]
    Receive: TypeAlias = Callable[[], Awaitable[Message]]
    Send: TypeAlias = Callable[[Message], Awaitable[None]]
    AsgiApp: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

ADDRESS = "127.0.0.1"
UPLOAD_LIMIT = 4 * 1024**3  # bytes of one request; larger files are opened by their path
_TRICKS = re.compile(rb"(?:^|[/\\])\.\.(?:[/\\]|$)|//|\\|\x00")
_ESCAPED = re.compile(rb"%(?:2e|2f|5c|00|25)", re.IGNORECASE)
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
_HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Sfumato</title>
<style>
body {{ font: 1rem/1.5 Helvetica, Arial, sans-serif; margin: 4rem auto; max-width: 36rem; padding: 0 1rem; }}
</style>
<h1>{title}</h1><p>{words}</p></html>"""
_ENTRY = """<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/">
<title>Sfumato</title><a href="/">Open Sfumato</a></html>"""
_NO_ENTRY = (
    "This page belongs to a running <code>sfumato serve</code>. Open the address that it printed in the "
    "terminal: it lets this browser in. After a restart there is a new one."
)

_TOO_LARGE = "The file is too large to be uploaded. Open it by its path instead."


@dataclass(frozen=True, eq=False)
class Guard:
    """Lets those in who once showed the token, and refuses everything that comes from elsewhere."""

    app: AsgiApp  # what is guarded
    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    limit: int = UPLOAD_LIMIT  # bytes that one request may bring
    # whether a page, by the id that its websocket names, belongs to a visitor
    owns: Callable[[str, str], bool] = lambda visitor, page: True
    visitors: set[str] = field(default_factory=set, repr=False)  # the secrets in the cookies given out

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names under which the server may be addressed."""
        return f"{ADDRESS}:{self.port}", f"localhost:{self.port}"

    @property
    def cookie(self) -> str:
        """The name of the cookie; browsers do not keep cookies of different ports apart."""
        return f"sfumato-{self.port}"

    @property
    def address(self) -> str:
        """The first address, which lets a browser in."""
        return f"http://{self.hosts[0]}/?token={self.token}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, and hand it on with the visitor's secret in its scope."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        answer = _Answer(scope, send, self._policy())
        headers = {key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]}
        refused = self._foreign(scope, headers)
        if refused:
            await answer.refuse(*refused)
            return
        visitor = self._visitor(headers)
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        if "token" in query and scope["type"] == "http" and scope["path"] == "/":
            await self._let_in(query["token"][0], visitor, answer)
        elif visitor is None:
            await answer.refuse(403, _NO_ENTRY)
        elif scope["type"] == "websocket" and not self.owns(visitor, "".join(query.get("client_id", [""]))):
            await answer.refuse(403, "This page belongs to another browser session.")
        else:
            scope.setdefault("state", {})["visitor"] = visitor
            await self._pass_on(scope, receive, answer, headers)

    def _foreign(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | None:
        """Say what is wrong with where a request goes or comes from; None if nothing is."""
        if headers.get("host") not in self.hosts:
            return 421, "The server is not known by this name. Use the address that it printed."
        origin, allowed = headers.get("origin"), [f"http://{host}" for host in self.hosts]
        is_asking = scope["type"] == "http" and scope["method"] in _SAFE_METHODS
        if origin not in allowed and not (origin is None and is_asking):
            return 403, "Requests from other pages are refused."
        # What is in the address bar comes from nowhere; only the first address may be a link elsewhere.
        is_first = scope["path"] == "/" and b"token=" in scope.get("query_string", b"")
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and not is_first:
            return 403, "Requests from other pages are refused."
        raw = scope.get("raw_path") or scope["path"].encode()
        raw = raw.partition(b"?")[0]
        if _TRICKS.search(raw) or _TRICKS.search(scope["path"].encode()) or _ESCAPED.search(raw):
            return 400, "There is no such page."
        return None

    def _visitor(self, headers: dict[str, str]) -> str | None:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return None
        if found is None:
            return None
        # Compared one by one, so that the time it takes tells nothing.
        known = [item for item in self.visitors if hmac.compare_digest(item.encode(), found.value.encode())]
        return known[0] if known else None

    async def _let_in(self, token: str, visitor: str | None, answer: _Answer) -> None:
        """Exchange the token for a cookie; the address without it is where the browser goes next."""
        # By a page of our own: what another program opened counts as foreign over all redirects, and a
        # strict cookie would not be sent.
        if not hmac.compare_digest(token.encode(), self.token.encode()):
            await answer.refuse(403, _NO_ENTRY)
            return
        extra = []
        if visitor is None:
            visitor = secrets.token_urlsafe(32)
            self.visitors.add(visitor)
            extra.append(("set-cookie", f"{self.cookie}={visitor}; Path=/; HttpOnly; SameSite=Strict"))
        await answer.say(200, _ENTRY, extra)

    async def _pass_on(
        self, scope: Scope, receive: Receive, answer: _Answer, headers: dict[str, str]
    ) -> None:
        if scope["type"] == "websocket":
            await self.app(scope, receive, answer.send)
            return
        stated = headers.get("content-length", "0")
        if not stated.isdigit() or int(stated) > self.limit:
            await answer.refuse(413, _TOO_LARGE)
            return
        brought = 0

        async def receive_limited() -> Message:
            nonlocal brought
            message = await receive()
            brought += len(message.get("body", b""))
            return message if brought <= self.limit else {"type": "http.disconnect"}

        async def send_fitting(message: Message) -> None:
            if brought <= self.limit:  # else whatever read the body complains that it ended
                await answer.send_safely(message)

        try:
            await self.app(scope, receive_limited, send_fitting)
        except Exception as error:
            # The text of an error may hold data, so that nobody else gets to see or to log it.
            logging.getLogger("sfumato.app").error("a request failed: %s", type(error).__name__)
        if not answer.has_begun:
            status = 413 if brought > self.limit else 500
            await answer.refuse(status, _TOO_LARGE if status == 413 else "Load the page again.")

    def _policy(self) -> str:
        """Return what pages may load: nothing that is not from here."""
        # NiceGUI's pages hold scripts and styles, and Vue compiles templates in the browser.
        sockets = " ".join(f"ws://{host}" for host in self.hosts)
        return (
            "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' "
            "'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
            f"connect-src 'self' {sockets}; "
            "worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )


class _Answer:
    """What goes back for one request, with the headers that everything gets."""

    def __init__(self, scope: Scope, send: Send, policy: str) -> None:
        self.scope, self.send, self.has_begun = scope, send, False
        self._headers = {**_HEADERS, "content-security-policy": policy}

    async def send_safely(self, message: Message) -> None:
        """Send with the common headers; only the app's own assets may be kept by a cache."""
        if message["type"] == "http.response.start":
            self.has_begun = True
            own = {key.encode() for key in self._headers}
            given = [(key, value) for key, value in message["headers"] if key.lower() not in own]
            if not self.scope["path"].startswith("/_nicegui/"):
                given = [(key, value) for key, value in given if key.lower() != b"cache-control"]
                given.append((b"cache-control", b"no-store"))
            added = [(key.encode(), value.encode()) for key, value in self._headers.items()]
            message = {**message, "headers": [*given, *added]}
        await self.send(message)

    async def refuse(self, status: int, words: str) -> None:
        """Say no, in words."""
        if self.scope["type"] == "websocket":
            await self.send({"type": "websocket.close", "code": 1008})
            return
        title = "The app did not let this in" if status in (403, 421) else "That did not work"
        await self.say(status, _PAGE.format(title=escape(title), words=words), [])

    async def say(self, status: int, page: str, extra: list[tuple[str, str]]) -> None:
        """Answer with a whole page."""
        body = page.encode()
        headers = [("content-type", "text/html; charset=utf-8"), ("content-length", str(len(body))), *extra]
        plain = [(key.encode(), value.encode()) for key, value in headers]
        await self.send_safely({"type": "http.response.start", "status": status, "headers": plain})
        await self.send({"type": "http.response.body", "body": body})
