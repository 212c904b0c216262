"""Every page, in a real browser: whole, in both themes, at 360 px, accessible, with and without scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import pytest

from tests.e2e.conftest import Dock
from tests.e2e.pages import MISSING, PAGES

pytest.importorskip("playwright", reason="the group browser is not installed: no tests in a real Chromium")

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

type Theme = Literal["light", "dark"]


@pytest.mark.parametrize("name", [name for name in PAGES if name not in MISSING])
def test_a_page_opens_without_complaints(dock: Dock, page: Page, name: str) -> None:
    response = page.goto(dock.url(PAGES[name]))

    assert response
    assert response.status == 200
    assert page.get_by_role("heading", level=1).count() == 1
    page.locator(".conn[data-state=live]").wait_for()


@pytest.mark.parametrize("name", sorted(MISSING))
def test_what_is_not_there_is_said_in_words(dock: Dock, context: BrowserContext, name: str) -> None:
    response = context.new_page().goto(dock.url(PAGES[name]))

    assert response
    assert response.status == 404
    assert "Traceback" not in response.text()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_accessible_and_fits_a_phone(dock: Dock, context: BrowserContext, name: str, theme: Theme) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = context.new_page()
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.goto(dock.url(PAGES[name]))
    for width, height in ((1280, 900), (360, 780)):
        page.set_viewport_size({"width": width, "height": height})
        report = Axe().run(page, options={"resultTypes": ["violations"]})
        assert report.violations_count == 0, report.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("name", [name for name in PAGES if name not in MISSING])
def test_a_page_says_the_same_without_scripts(dock: Dock, chromium: Browser, signed_in: Any, name: str) -> None:
    context = chromium.new_context(storage_state=signed_in, java_script_enabled=False)
    page = context.new_page()

    page.goto(dock.url(PAGES[name]))

    assert page.locator("main h1").is_visible()
    assert page.locator(".js-only:visible").count() == 0
    context.close()
