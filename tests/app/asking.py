"""A browser without a window: asks an ASGI application, keeps its cookie, follows nothing."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PORT = 8123
HOME = f"http://127.0.0.1:{PORT}"


@dataclass(frozen=True)
class Heard:
    """What came back."""

    status: int  # 101 where a websocket was accepted
    headers: Mapping[str, str] = field(default_factory=dict)
    text: str = ""


@dataclass
class Asker:
    """One browser."""

    app: Any
    cookie: str = ""

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> Heard:
        return self.ask("GET", path, headers)

    def post(
        self, path: str, content: bytes | Iterable[bytes], headers: Mapping[str, str] | None = None
    ) -> Heard:
        pieces = [content] if isinstance(content, bytes) else list(content)
        stated = {"content-length": str(len(content))} if isinstance(content, bytes) else {}
        return self.ask("POST", path, {**stated, **(headers or {})}, pieces)

    def open_socket(self, path: str, headers: Mapping[str, str] | None = None) -> Heard:
        return self.ask("", path, headers)

    def ask(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] | None = None,
        pieces: Iterable[bytes] = (b"",),
    ) -> Heard:
        raw, _, query = path.encode().partition(b"?")
        given = {
            "host": f"127.0.0.1:{PORT}",
            **({"cookie": self.cookie} if self.cookie else {}),
            **(headers or {}),
        }
        scope: dict[str, Any] = {
            "type": "http" if method else "websocket",
            "method": method,
            "path": unquote_to_bytes(raw).decode("utf-8", "replace"),
            "raw_path": raw,
            "query_string": query,
            "headers": [(key.encode(), value.encode("latin-1")) for key, value in given.items()],
            "scheme": "http",
            "server": ("127.0.0.1", PORT),
            "root_path": "",
            "http_version": "1.1",
        }
        sent: list[dict[str, Any]] = []
        left = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]
        left[-1]["more_body"] = False
        left = left if method else [{"type": "websocket.connect"}]

        async def receive() -> dict[str, Any]:
            return left.pop(0) if left else {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        # In a thread of its own: that of the tests may be in the loop of a browser.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, self.app(scope, receive, send)).result()
        return self._hear(sent)

    def _hear(self, sent: list[dict[str, Any]]) -> Heard:
        first = sent[0]
        if first["type"].startswith("websocket"):
            return Heard(101 if first["type"] == "websocket.accept" else 403)
        found = {key.decode(): value.decode() for key, value in first["headers"]}
        if "set-cookie" in found:
            self.cookie = found["set-cookie"].partition(";")[0]
        body = b"".join(message.get("body", b"") for message in sent[1:])
        return Heard(first["status"], found, body.decode("utf-8", "replace"))
