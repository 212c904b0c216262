"""What agents write is on screen a moment later, from whatever process, without disturbing the reader."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING

import pytest

from tests.e2e.conftest import Dock
from tests.makers import make_entry_text
from tests.waiting import wait_until

pytest.importorskip("playwright", reason="the group browser is not installed: no tests in a real Chromium")

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route, WebSocketRoute

SESSION = "37b35626-639d-490e-acfe-cb93621f0837"
DAY = "2026-01-15"

turns: Iterator[int] = count(1000)


def append(dock: Dock, body: str, *, day: str = DAY, session: str = SESSION) -> None:
    """Append an entry as an agent's shell does."""
    with dock.journal(day).open("a") as file:
        file.write(make_entry_text("23:10", session=session, turn=str(next(turns)), body=body))


def open_live(page: Page, dock: Dock, path: str) -> None:
    page.goto(dock.url(path))
    page.locator(".conn[data-state=live]").wait_for()


def shows(page: Page, dock: Dock, path: str, text: str) -> bool:
    """Tell whether a page has the text when it is opened now."""
    response = page.goto(dock.url(path))
    return response is not None and text in response.text()


@pytest.mark.parametrize("path", ["/dock/", f"/dock/journals/{DAY}/", f"/dock/sessions/{SESSION}/", "/dock/sessions/"])
def test_an_entry_appended_by_a_shell_appears_without_a_reload(dock: Dock, page: Page, path: str) -> None:
    title = f"Told the berth map about tide {next(turns)}"
    session = SESSION if path != "/dock/sessions/" else f"new-{next(turns)}"
    open_live(page, dock, path)
    page.evaluate("window.loadedOnce = true")

    append(dock, f"- {title}", session=session)

    page.locator("main").get_by_text(title, exact=True).first.wait_for()
    assert page.evaluate("window.loadedOnce")


def test_a_change_made_by_another_command_appears_too(dock: Dock, page: Page) -> None:
    open_live(page, dock, "/dock/skills/?state=all")
    slug = f"learned-{next(turns)}"
    folder = dock.project / ".memsearch" / "skill-candidates" / slug
    folder.mkdir()
    (folder / "SKILL.md").write_text(f"---\nname: {slug}\ndescription: d\n---\n\n# Learned {slug}\n")
    (folder / "meta.json").write_text(f'{{"name": "{slug}", "status": "candidate"}}')

    dock.command("sync", "harbor-api")

    page.get_by_role("link", name=f"Learned {slug}").wait_for()


def test_a_change_made_in_the_dock_appears_in_another_tab(dock: Dock, page: Page) -> None:
    other = page.context.new_page()
    open_live(other, dock, "/dock/")
    day = f"2027-02-{next(turns) % 27 + 1:02d}"
    open_live(page, dock, "/dock/health/")

    dock.journal(day).write_text(make_entry_text(turn=str(next(turns)), body=f"- Read again on {day}"))
    page.get_by_role("button", name="Read again : harbor-api").click()

    other.get_by_text(f"Read again on {day}").first.wait_for()


def test_the_count_in_the_rail_follows(dock: Dock, page: Page) -> None:
    open_live(page, dock, "/dock/documents/")
    badge = page.locator("#nav-count-skill")
    before = int((badge.text_content() or "0").split()[0])
    slug = f"counted-{next(turns)}"
    folder = dock.project / ".memsearch" / "skill-candidates" / slug
    folder.mkdir()
    (folder / "meta.json").write_text(f'{{"name": "{slug}", "status": "candidate"}}')
    (folder / "SKILL.md").write_text(f"---\nname: {slug}\ndescription: d\n---\n\nbody\n")

    wait_until(lambda: int((badge.text_content() or "0").split()[0]) > before)


def test_a_reader_who_scrolled_is_not_disturbed(dock: Dock, page: Page) -> None:
    for number in range(30):
        append(dock, f"- Filler {number}", session=f"filler-{number}")
    wait_until(lambda: shows(page, dock, "/dock/sessions/", "Filler 29"))
    open_live(page, dock, "/dock/sessions/")
    page.evaluate("scrollTo({top: 600, behavior: 'instant'})")
    position = page.evaluate("scrollY")
    assert position > 300
    title = f"Arrived below the reader {next(turns)}"

    append(dock, f"- {title}", session=f"late-{next(turns)}", day="2026-01-14")

    page.locator("[data-pill]").filter(has_text="2 new").wait_for()  # the session, and its entry
    assert page.evaluate("scrollY") == position
    assert page.get_by_text(title).count() == 0
    page.locator("[data-pill]").click()
    page.get_by_text(title).wait_for()
    wait_until(lambda: page.evaluate("scrollY === 0"))


class Line:
    """The feed's line to the server, which can be cut and mended."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._is_cut = False
        self._open: list[WebSocketRoute] = []
        page.route_web_socket("**/ws/live?**", self._connect)

    def cut(self) -> None:
        self._is_cut = True
        for socket in self._open:
            socket.close()
        self._page.locator(".conn:not([data-state=live])").wait_for()

    def mend(self) -> None:
        self._is_cut = False
        self._page.evaluate("dispatchEvent(new Event('online'))")

    def _connect(self, socket: WebSocketRoute) -> None:
        if self._is_cut:
            socket.close()
        else:
            socket.connect_to_server()
            self._open.append(socket)


def test_changes_during_an_outage_are_caught_up(dock: Dock, page: Page) -> None:
    line = Line(page)
    path = f"/dock/journals/{DAY}/"
    open_live(page, dock, path)
    titles = [f"Written while away {next(turns)}" for _ in range(3)]

    line.cut()
    for title in titles:
        append(dock, f"- {title}")
    other = page.context.new_page()
    wait_until(lambda: shows(other, dock, path, titles[-1]))
    assert page.get_by_text("Written while away").count() == 0
    line.mend()

    for title in titles:
        page.get_by_text(title, exact=True).first.wait_for()


def test_what_could_not_be_fetched_is_fetched_after_the_next_connection(dock: Dock, page: Page) -> None:
    line, refused = Line(page), list[str]()
    open_live(page, dock, f"/dock/journals/{DAY}/")

    def refuse(route: Route) -> None:
        if "hx-request" not in route.request.headers:
            return route.fallback()
        refused.append(route.request.url)
        return route.fulfill(body="")

    page.route("**/dock/**", refuse)
    title = f"Written while nothing was answered {next(turns)}"
    append(dock, f"- {title}")
    wait_until(lambda: page.evaluate("true") and bool(refused))
    page.unroute("**/dock/**", refuse)
    assert page.get_by_text(title).count() == 0

    line.cut()
    line.mend()

    page.get_by_text(title, exact=True).first.wait_for()


def test_hostile_text_stays_text(dock: Dock, page: Page) -> None:
    number = next(turns)
    open_live(page, dock, "/dock/journals/2026-01-12/")

    append(
        dock,
        f"- <img src=x onerror=alert({number})> <script>alert({number})</script> [x](javascript:alert({number}))",
        day="2026-01-12",
        session=f'"><script>alert({number})</script>/../%2e%2e?',
    )

    title = page.locator(".row-title a", has_text=f"alert({number})")
    title.wait_for()
    assert page.locator("main img, main script, main a[href^=javascript]").count() == 0
    title.click()
    page.wait_for_url("**/dock/entries/**")
    page.get_by_text(f"<img src=x onerror=alert({number})>").first.wait_for()
    assert page.locator("main img, main script, main a[href^=javascript]").count() == 0
    page.locator("main a[href*='/dock/sessions/']").first.click()
    page.get_by_role("heading", level=1, name=f"alert({number})").wait_for()
