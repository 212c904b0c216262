"""Settings in a real browser: saved for the next turn, tried without a reload, and a token shown once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.conftest import PATIENCE_MS, Dock

pytest.importorskip("playwright", reason="the group browser is not installed: no tests in a real Chromium")

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SUMMARIZERS = "/dock/settings/summarizers/?project=harbor-api"


def choose(page: Page, label: str) -> None:
    page.get_by_role("radio", name=label).check()
    page.get_by_role("button", name="Save for harbor-api").click()
    page.locator(".toast").get_by_text(re.compile("Saved|Nothing was changed")).wait_for()


def test_a_summarizer_is_chosen_and_tried_in_place(dock: Dock, page: Page) -> None:
    page.goto(dock.url(SUMMARIZERS))
    choose(page, "Without a model")

    page.get_by_role("button", name=re.compile("Try it.*Codex")).click()
    page.locator("#tried").get_by_text("User asked: Why does the importer skip").wait_for()

    assert page.url == dock.url(SUMMARIZERS)
    assert page.get_by_role("radio", name="Without a model").is_checked()
    choose(page, "Automatic")


def test_settings_are_saved_and_tried_without_scripts(dock: Dock, chromium: Browser, signed_in: Any) -> None:
    context = chromium.new_context(storage_state=signed_in, java_script_enabled=False)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto(dock.url(SUMMARIZERS))
    choose(page, "Without a model")

    page.get_by_role("button", name=re.compile("Try it.*Codex")).click()
    page.locator("#tried").get_by_text("User asked: Why does the importer skip").wait_for()
    page.goto(dock.url(SUMMARIZERS))
    choose(page, "Automatic")
    context.close()


def test_a_token_is_copied_once_and_revoked(dock: Dock, page: Page) -> None:
    page.goto(dock.url("/dock/settings/tokens/"))
    page.get_by_label("Name").fill("browser")
    page.get_by_role("button", name="Make the token").click()
    text = page.locator(".notice pre").inner_text()
    assert re.fullmatch(r"mdk_r_[\w-]{43}", text)

    page.goto(dock.url("/dock/settings/tokens/"))
    assert page.get_by_text(text).count() == 0
    row = page.get_by_role("row", name=re.compile("browser"))
    row.locator("summary").click()
    row.get_by_role("button", name="Revoke it for good").click()
    page.locator(".toast").get_by_text("The token browser is refused from now on.").wait_for()
