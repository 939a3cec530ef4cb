"""What a person does in a tab, in one word each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import re
    from pathlib import Path

    from tests.app.conftest import Server

SLOW = 400_000  # milliseconds that a search may take on a busy machine where nothing is compiled yet


@dataclass
class Tab:
    """A page of a browser context, with everything that it asked for."""

    page: Any
    home: str
    asked: list[str] = field(default_factory=list)

    @classmethod
    def open(cls, browser: Any, server: Server, **options: Any) -> Tab:
        """Open a new session by the printed address."""
        context = browser.new_context(viewport={"width": 1280, "height": 720}, **options)
        context.set_default_timeout(SLOW)  # of all its tabs
        tab = cls(context.new_page(), server.home)
        tab.page.on("request", lambda request: tab.asked.append(request.url))
        tab.page.on("websocket", lambda socket: tab.asked.append(socket.url))
        tab.page.goto(server.address)
        tab.ready()
        return tab

    def second(self) -> Tab:
        """Open another tab of the same session."""
        tab = Tab(self.page.context.new_page(), self.home)
        tab.go("/")
        return tab

    def go(self, path: str) -> None:
        self.page.goto(f"{self.home}{path}")
        self.ready()

    def ready(self) -> None:
        """Wait until clicks reach the server, faster than any person is."""
        self.page.wait_for_function("window.did_handshake === true")

    def see(self, words: str) -> Any:
        """Wait until words are seen."""
        found = self.page.get_by_text(words).first
        found.wait_for(state="visible")
        return found

    def read(self, expression: str) -> Any:
        """Wait until a script has an answer that is not empty, and return it: what is drawn comes late."""
        # A part of it may be missing while the page is put together, which is no answer either.
        script = f"() => {{ try {{ return {expression} }} catch {{ return null }} }}"
        return self.page.wait_for_function(script).json_value()

    def has(self, place: str, words: str | re.Pattern[str]) -> None:
        """Wait until there is an element of a kind with these words."""
        self.page.locator(place, has_text=words).first.wait_for(state="attached")

    def press(self, words: str) -> None:
        self.page.get_by_role("button", name=words).first.click()

    def choose(self, label: str, words: str) -> None:
        self.page.get_by_label(label, exact=True).select_option(label=words)

    def write(self, label: str, text: str) -> None:
        found = self.page.get_by_label(label, exact=True)
        found.fill(text)
        found.press("Enter")

    def kept(self, words: str) -> None:
        """Wait until the specification says something, as any person does who looks before going on."""
        for _ in range(SLOW // 100):
            if words in self.page.request.get(f"{self.home}/files/specification.toml").text():
                break
            self.page.wait_for_timeout(100)
        else:
            raise AssertionError(f"the specification does not say {words}")
        # Until it was counted and shown anew: nobody clicks within a tenth of a second.
        self.page.wait_for_timeout(500)
        self.page.locator(".progress").wait_for(state="hidden")
        self.page.wait_for_timeout(500)

    def upload(self, file: Path) -> None:
        self.page.locator("input[type=file]").first.set_input_files(str(file))

    def census(self) -> None:
        """Open the example, and wait until it is read."""
        self.press("Open the census example")
        self.page.wait_for_url("**/data")
        self.ready()
        self.see("The first rows")

    def search(self) -> None:
        self.go("/tradeoffs")
        self.press("Search")
        self.see("Worth a look")

    def download(self, words: str, folder: Path) -> Path:
        with self.page.expect_download() as found:
            self.page.get_by_role("link", name=words, exact=True).click()
        target = folder / found.value.suggested_filename
        found.value.save_as(target)
        return target
