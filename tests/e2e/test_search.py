"""Searching with the hands: results that follow the typing, hits by keyboard, the palette over every page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.e2e.conftest import Dock

pytest.importorskip("playwright", reason="the group browser is not installed: no tests in a real Chromium")

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

FOCUSED = "document.activeElement.id || document.activeElement.textContent.trim()"
SCRIPT = '"><script>alert(1)</script>'


def asked(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def follow(page: Page, text: str) -> None:
    """Wait until the results are those of `text`."""
    page.locator(f"#results h1:has-text('for “{text}”')").wait_for()


def test_results_follow_what_is_typed_without_a_reload(dock: Dock, page: Page) -> None:
    page.goto(dock.url("/dock/search/"))
    page.evaluate("window.sameDocument = true")

    page.locator("#q").press_sequentially("lease race")
    follow(page, "lease race")

    assert page.locator("#results .row").count() > 1
    assert page.locator("#results mark").count() > 0
    assert asked(page) == {"q": ["lease race"]}
    assert page.title() == "lease race · Search · MemDock"
    assert page.evaluate("window.sameDocument && document.activeElement.id") == "q"


def test_a_facet_narrows_and_back_widens_again(dock: Dock, page: Page) -> None:
    page.goto(dock.url("/dock/search/?q=lease"))
    page.get_by_role("navigation", name="Kind").get_by_role("link", name="skill").click()
    page.get_by_text("kind: skill").wait_for()
    assert asked(page) == {"q": ["lease"], "kind": ["skill"]}

    page.locator("#q").fill("race")
    follow(page, "race")
    assert asked(page) == {"q": ["race"], "kind": ["skill"]}  # what narrows stays while one types

    page.locator(".chip", has_text="kind: skill").click()
    page.get_by_text("kind: skill").wait_for(state="detached")
    page.go_back()
    page.get_by_text("kind: skill").wait_for()
    assert page.locator("#q").input_value() == "race"


def test_everything_goes_by_keyboard_and_back_keeps_the_question(dock: Dock, page: Page) -> None:
    page.goto(dock.url("/dock/journals/"))
    page.keyboard.press("/")
    page.keyboard.type("lease race")
    page.keyboard.press("Enter")
    page.wait_for_url("**/dock/search/?q=lease+race")
    page.keyboard.press("/")
    page.keyboard.press("Escape")
    assert page.locator("#q").input_value() == "lease race"
    page.keyboard.press("/")
    page.keyboard.press("ArrowDown")
    first = page.evaluate(FOCUSED)
    page.keyboard.press("j")
    second = page.evaluate(FOCUSED)
    page.keyboard.press("k")
    assert page.evaluate(FOCUSED) == first != second

    page.keyboard.press("e")
    page.locator("#hit-1-more .md").wait_for()
    page.keyboard.press("e")
    page.locator("#hit-1-more").wait_for(state="hidden")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/dock/(entries|skills|sessions|documents)/"))

    page.go_back()
    page.wait_for_url("**/dock/search/?q=lease+race")
    assert page.locator("#q").input_value() == "lease race"


def test_an_address_shows_the_same_to_somebody_else(dock: Dock, context: BrowserContext) -> None:
    mine, theirs = context.new_page(), context.new_page()
    mine.goto(dock.url("/dock/search/"))
    mine.locator("#q").press_sequentially("lease")
    follow(mine, "lease")
    mine.get_by_role("link", name="Newest").click()
    mine.wait_for_url("**sort=time**")

    theirs.goto(mine.url)

    titles = "[...document.querySelectorAll('#results .row-title')].map((one) => one.textContent)"
    assert mine.evaluate(titles) == theirs.evaluate(titles) != []


def test_days_narrow_by_their_form(dock: Dock, page: Page) -> None:
    page.goto(dock.url("/dock/search/?q=lease"))
    page.get_by_label("From").fill("2026-01-14")
    page.get_by_role("button", name="Apply").click()

    page.get_by_text("since: 2026-01-14").wait_for()
    assert asked(page) == {"q": ["lease"], "since": ["2026-01-14"]}


def test_the_palette_goes_to_hits_pages_and_projects(dock: Dock, page: Page) -> None:
    page.goto(dock.url("/dock/sessions/"))
    page.locator("[data-filter]").focus()

    page.keyboard.press("Control+k")
    page.keyboard.type("trace a lease race")
    page.get_by_role("option", name=re.compile("^Trace a lease race")).first.wait_for()
    page.keyboard.press("Escape")
    assert page.evaluate(FOCUSED) == "filter-q"

    page.keyboard.press("Control+k")
    page.keyboard.type("lease")
    page.get_by_role("option", name="Search for “lease”").wait_for()
    page.keyboard.press("ArrowDown")
    chosen = page.locator("#palette [aria-selected=true]")
    assert page.locator("#palette-q").get_attribute("aria-activedescendant") == chosen.get_attribute("id")
    target = chosen.get_attribute("href")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{target}")

    page.keyboard.press("Control+k")
    page.keyboard.type("harbor-api")
    page.keyboard.press("Enter")
    page.wait_for_url("**project=harbor-api")

    page.keyboard.press("Control+k")
    page.keyboard.type("health")
    page.keyboard.press("Enter")
    page.wait_for_url("**/dock/health/?project=harbor-api")


def test_the_palette_is_accessible(dock: Dock, page: Page) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page.goto(dock.url("/dock/"))
    page.keyboard.press("Control+k")
    page.keyboard.type("lease")
    page.locator("#palette-hits [role=option]").first.wait_for()

    report = Axe().run(page, options={"resultTypes": ["violations"]})

    assert report.violations_count == 0, report.generate_report()


def test_a_hostile_question_stays_text(dock: Dock, page: Page) -> None:
    page.goto(dock.url("/dock/search/"))
    page.locator("#q").fill(SCRIPT)
    page.wait_for_url("**alert**")  # the instant results are there, so that Enter leaves no request behind
    with page.expect_navigation():
        page.locator("#q").press("Enter")
    assert page.locator("#q").input_value() == SCRIPT
    assert page.locator("#results script").count() == 0

    page.keyboard.press("Control+k")
    page.keyboard.type(SCRIPT)
    with page.expect_navigation():
        page.get_by_role("option", name=f"Search for “{SCRIPT}”").click()
    assert page.locator("#results script").count() == 0


def test_a_hit_opens_in_place_and_closes(dock: Dock, page: Page) -> None:
    page.goto(dock.url("/dock/search/?q=lease+kind:entry"))
    opener = page.locator("[data-expand]").first
    opener.click()
    page.locator("#hit-1-more .md").wait_for()
    assert opener.get_attribute("aria-expanded") == "true"
    assert "/dock/entries/" in (opener.get_attribute("href") or "")
    opener.click()
    assert opener.get_attribute("aria-expanded") == "false"
    assert page.locator("#hit-1-more").is_hidden()
