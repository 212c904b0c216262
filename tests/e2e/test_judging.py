"""Judging pairs of memories with one key each, and without scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.e2e.conftest import PATIENCE_MS, Dock

pytest.importorskip("playwright", reason="the group browser is not installed: no tests in a real Chromium")

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SUBJECTS = ("Anchor chain", "Ballast tank", "Capstan drum")


def save_pairs(dock: Dock, project: str, count: int) -> None:
    """Let an agent save memories that speak of the same things two by two."""
    with httpx.Client(base_url=dock.server.url) as agent:
        agent.post("/sessions", json={"id": f"{project}-1", "project": project}).raise_for_status()
        for subject in SUBJECTS[:count]:
            for said in ("lasts", "ended"):
                memory = {"session_id": f"{project}-1", "title": f"{subject} {said}", "project": project}
                agent.post("/observations", json=memory | {"content": f"The {subject} {said}."}).raise_for_status()


def shown(page: Page) -> str:
    """Return the title of the memory on the right of the pair that is shown."""
    return page.locator(".pair-side h3 a").nth(1).inner_text()


def test_a_key_judges_a_pair_and_shows_the_next_one(dock: Dock, page: Page) -> None:
    save_pairs(dock, "judging", 3)
    page.goto(dock.url("/dock/conflicts/?project=judging"))
    assert shown(page) == "Capstan drum ended"

    for key, following in (("1", "Ballast tank ended"), ("6", "Anchor chain ended")):
        page.keyboard.press(key)
        page.locator(".pair-side").get_by_text(following).wait_for()
    page.keyboard.press("5")
    page.get_by_text("Nothing to judge").wait_for()

    page.keyboard.press("u")
    page.wait_for_url("**status=judged**")
    assert shown(page) == "Anchor chain ended"
    page.keyboard.press("2")
    page.locator("#pair-title").get_by_text("Compatible").wait_for()


def test_a_digit_in_the_reason_is_a_digit_and_the_sheet_names_the_keys(dock: Dock, page: Page) -> None:
    save_pairs(dock, "reasoning", 1)
    page.goto(dock.url("/dock/conflicts/?project=reasoning"))

    page.get_by_label("Reason, optional").fill("")
    page.get_by_label("Reason, optional").press_sequentially("since 1 May")
    assert page.locator(".pair-side").count() == 2
    page.keyboard.press("Escape")
    page.locator("h1").click()
    page.keyboard.press("?")
    assert page.get_by_role("dialog").get_by_text("Judging a pair").is_visible()
    page.keyboard.press("1")
    page.keyboard.press("Escape")
    page.keyboard.press("3")
    page.get_by_text("Nothing to judge").wait_for()

    page.get_by_role("link", name="Judge again").click()
    page.get_by_text("since 1 May").wait_for()


def test_a_pair_is_judged_without_scripts(dock: Dock, chromium: Browser, signed_in: Any) -> None:
    save_pairs(dock, "plain", 2)
    context = chromium.new_context(storage_state=signed_in, java_script_enabled=False)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto(dock.url("/dock/conflicts/?project=plain"))

    page.get_by_role("button", name="Scoped").click()
    page.locator(".judged").get_by_text("scoped").wait_for()
    assert shown(page) == "Anchor chain ended"
    context.close()
