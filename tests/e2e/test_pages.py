"""Every page, in a real browser: whole, in both themes, at 360 px, accessible, with and without scripts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

import pytest

from tests.e2e.complaints import complaints_of
from tests.e2e.conftest import PATIENCE_MS, Dock
from tests.e2e.pages import MISSING, PAGES

pytest.importorskip("playwright", reason="the group browser is not installed: no tests in a real Chromium")

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

LOOKS: list[tuple[Literal["light", "dark"], int, int]] = [("light", 1280, 900), ("dark", 360, 780)]
VIOLATIONS = "axe.run({resultTypes: ['violations']}).then((found) => found.violations)"


@pytest.fixture(scope="module")
def context(chromium: Browser, signed_in: Any) -> Iterator[BrowserContext]:
    """Somebody who only reads: one browser for all pages, which keeps style sheets and scripts."""
    context = chromium.new_context(storage_state=signed_in, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_MS)
    yield context
    context.close()


@contextmanager
def watched(context: BrowserContext) -> Iterator[Page]:
    """Open a page that must stay free of script errors and CSP violations; that it is not there is no such error."""
    with context.new_page() as page:
        complaints = complaints_of(page)
        yield page
    assert [one for one in complaints if "404 (Not Found)" not in one] == []


@pytest.fixture(scope="module")
def plain_context(chromium: Browser, signed_in: Any) -> Iterator[BrowserContext]:
    """The same without scripts."""
    context = chromium.new_context(storage_state=signed_in, java_script_enabled=False)
    context.set_default_timeout(PATIENCE_MS)
    yield context
    context.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_whole_accessible_and_fits_a_phone(dock: Dock, context: BrowserContext, name: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    with watched(context) as page:
        response = page.goto(dock.url(PAGES[name]))
        assert response
        assert response.status == (404 if name in MISSING else 200)
        assert "Traceback" not in response.text()
        assert page.get_by_role("heading", level=1).count() == 1
        if name not in MISSING:
            page.locator(".conn[data-state=live]").wait_for()
        page.evaluate(Axe().axe_script)
        for theme, width, height in LOOKS:
            page.emulate_media(color_scheme=theme)
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate(VIOLATIONS) == [], f"{theme}, {width} px"
            assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("name", [name for name in PAGES if name not in MISSING])
def test_a_page_says_the_same_without_scripts(dock: Dock, plain_context: BrowserContext, name: str) -> None:
    with plain_context.new_page() as page:
        page.goto(dock.url(PAGES[name]))

        assert page.locator("main h1").is_visible()
        assert page.locator(".js-only:visible").count() == 0
