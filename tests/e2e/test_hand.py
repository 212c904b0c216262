"""The dock under the hand: keys, tree, heat map, theme, signing in and out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.e2e.conftest import Dock

pytest.importorskip("playwright", reason="the group browser is not installed: no tests in a real Chromium")

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

FOCUSED = "document.activeElement.textContent.trim()"


def test_keys_lead_through_the_dock(dock: Dock, page: Page) -> None:
    page.goto(dock.url("/dock/"))

    page.keyboard.press("?")
    page.get_by_role("dialog").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("s")
    page.wait_for_url("**/dock/sessions/*")
    page.keyboard.press("j")
    first = page.evaluate(FOCUSED)
    page.keyboard.press("j")
    second = page.evaluate(FOCUSED)
    page.keyboard.press("k")
    assert page.evaluate(FOCUSED) == first != second
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/dock/sessions/[^/?]+/"))


@pytest.mark.parametrize(("key", "box"), [("/", "#q"), ("f", "[data-filter]")])
def test_a_slash_goes_to_the_search_box_f_to_the_filter_and_typing_is_left_alone(
    dock: Dock, page: Page, key: str, box: str
) -> None:
    page.goto(dock.url("/dock/sessions/"))

    page.keyboard.press(key)
    page.keyboard.type("g j ? / f lease")

    assert page.locator(box).input_value() == "g j ? / f lease"
    assert page.get_by_role("dialog").count() == 0


def test_a_filter_is_part_of_the_address(dock: Dock, page: Page) -> None:
    page.goto(dock.url("/dock/sessions/"))
    page.locator("[data-filter]").fill("nothing-has-this-name")
    page.locator("[data-filter]").press("Enter")

    page.wait_for_url("**q=nothing-has-this-name**")
    page.reload()
    assert page.locator("[data-filter]").input_value() == "nothing-has-this-name"


def test_brackets_turn_the_pages_of_the_journal(dock: Dock, page: Page) -> None:
    page.goto(dock.url("/dock/journals/2026-01-13/"))

    page.keyboard.press("[")
    page.wait_for_url("**/dock/journals/2026-01-12/**")
    page.keyboard.press("]")
    page.wait_for_url("**/dock/journals/2026-01-13/**")


def test_the_tree_opens_folders_and_files_by_keyboard(dock: Dock, page: Page) -> None:
    page.goto(dock.url("/dock/files/harbor-api/"))
    page.get_by_role("tree").get_by_role("treeitem").first.focus()

    page.keyboard.press("ArrowRight")
    page.get_by_role("treeitem", name="2026-01-05.md").wait_for()
    page.keyboard.press("End")
    assert "USER.md" in page.evaluate(FOCUSED)
    page.keyboard.press("Enter")
    page.wait_for_url("**path=USER.md**")
    assert page.get_by_role("treeitem", selected=True).count() == 1


def test_the_heat_map_is_one_stop_with_arrows_inside(dock: Dock, page: Page) -> None:
    page.goto(dock.url("/dock/journals/2026-01-13/?project=harbor-api"))
    page.locator(".heat a[tabindex='0']").focus()

    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")

    page.wait_for_url("**/dock/journals/2026-01-12/**")


def test_the_theme_is_chosen_and_kept(dock: Dock, page: Page) -> None:
    page.emulate_media(color_scheme="light")
    page.goto(dock.url("/dock/"))
    page.locator("summary[aria-label=Theme]").click()
    page.get_by_role("button", name="Dark").click()

    page.goto(dock.url("/dock/journals/"))

    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"


def test_a_project_that_cannot_be_added_is_said_at_its_field(dock: Dock, context: BrowserContext) -> None:
    page = context.new_page()
    page.goto(dock.url("/dock/projects/add/"))
    page.get_by_label("Directory").fill("/no/such/place")
    with page.expect_response(lambda response: response.status == 422):
        page.get_by_role("button", name="Add the project").click()

    page.get_by_text("/no/such/place does not exist.").wait_for()
    assert page.get_by_label("Directory").get_attribute("aria-invalid") == "true"


def test_a_sign_in_link_works_once(dock: Dock, chromium: Browser) -> None:
    link = dock.command("sign-in-link").stdout.strip()
    first, second = chromium.new_context().new_page(), chromium.new_context().new_page()

    first.goto(link)
    first.get_by_role("button", name="Sign in").click()
    first.wait_for_url("**/dock/")
    answer = second.goto(link)

    assert answer
    assert answer.status == 410
    first.locator("summary[aria-label^=Account]").click()
    first.get_by_role("button", name="Sign out").click()
    first.wait_for_url("**/dock/sign-in/**")
    first.goto(dock.url("/dock/journals/"))
    assert "/dock/sign-in/" in first.url
