"""Memories under the hand: ticking rows, taking back, editing against somebody else, with and without scripts."""

from __future__ import annotations

import json
import re
from itertools import count
from typing import TYPE_CHECKING, Any
from urllib.request import Request, urlopen

import pytest

from tests.e2e.conftest import PATIENCE_MS, Dock
from tests.waiting import wait_until

pytest.importorskip("playwright", reason="the group browser is not installed: no tests in a real Chromium")

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, BrowserContext, Page

numbers: Iterator[int] = count(1)
VIOLATIONS = "axe.run({resultTypes: ['violations']}).then((found) => found.violations)"


def post(dock: Dock, path: str, body: dict[str, Any], method: str = "POST") -> dict[str, Any]:
    """Ask as an agent does."""
    request = Request(dock.url(path), json.dumps(body).encode(), {"Content-Type": "application/json"}, method=method)
    with urlopen(request, timeout=60) as answer:
        found: dict[str, Any] = json.load(answer)
        return found


def save(dock: Dock, project: str, title: str, content: str = "As we decided.", kind: str = "decision") -> int:
    session = f"session-of-{project}"
    post(dock, "/sessions", {"id": session, "project": project})
    told = {"session_id": session, "project": project, "title": title, "content": content, "type": kind}
    return int(post(dock, "/observations", told)["id"])


@pytest.fixture
def shelf(dock: Dock) -> str:
    """A project of its own with six memories, Rule 1 the oldest."""
    project = f"quay-{next(numbers)}"
    for number in range(1, 7):
        save(dock, project, f"Rule {number} of {project}", f"Rule {number} is kept.")
    return project


@pytest.fixture
def plain(chromium: Browser, signed_in: Any) -> Iterator[Page]:
    """A page without scripts."""
    context = chromium.new_context(storage_state=signed_in, java_script_enabled=False)
    context.set_default_timeout(PATIENCE_MS)
    yield context.new_page()
    context.close()


def ticked(page: Page) -> int:
    return page.locator("input[name=pk]:checked").count()


def titles(page: Page) -> list[str]:
    return [text.strip() for text in page.locator("#rows .row-title").all_text_contents()]


def test_shift_ticks_a_range_and_the_box_of_the_page_all(dock: Dock, page: Page, shelf: str) -> None:
    page.goto(dock.url(f"/dock/memories/?project={shelf}"))
    acts = page.get_by_role("button", name="Move to trash")
    assert acts.is_hidden()

    ticks = page.locator(".row .tick")
    ticks.nth(1).click()
    ticks.nth(4).click(modifiers=["Shift"])

    assert ticked(page) == 4
    assert page.get_by_text("4 selected").is_visible()
    whole = page.get_by_label("Select all on this page")
    assert whole.evaluate("box => box.indeterminate")
    whole.check()
    assert ticked(page) == 6
    whole.uncheck()
    assert ticked(page) == 0
    assert acts.is_hidden()


def test_x_ticks_the_row_with_the_focus_and_keeps_it_there(dock: Dock, page: Page, shelf: str) -> None:
    page.goto(dock.url(f"/dock/memories/?project={shelf}"))
    for key in ("j", "x", "j", "j", "Shift+X"):
        page.keyboard.press(key)
    assert ticked(page) == 3
    page.locator("[data-filter]").focus()
    page.keyboard.type("xx")
    assert page.locator("[data-filter]").input_value() == "xx"


def test_enter_on_a_box_does_nothing(dock: Dock, page: Page, plain: Page, shelf: str) -> None:
    page.goto(dock.url(f"/dock/memories/?project={shelf}"))
    page.locator("input[name=pk]").first.check()
    page.locator("input[name=pk]").first.press("Enter")
    assert ticked(page) == 1
    plain.goto(page.url)
    plain.locator("input[name=pk]").first.check()
    plain.locator("input[name=pk]").first.press("Enter")
    plain.wait_for_function("!document.querySelector('input[name=pk]:checked')")
    assert plain.locator(".row").get_by_title("Pinned").count() == 0


def test_what_was_moved_to_the_trash_comes_back_by_undo(dock: Dock, page: Page, shelf: str) -> None:
    page.goto(dock.url(f"/dock/memories/?project={shelf}"))
    for index in (0, 2):
        page.locator(".row .tick").nth(index).click()
    page.get_by_role("button", name="Move to trash").click()

    page.get_by_text("2 memories are in the trash.").first.wait_for()
    assert titles(page) == [f"Rule {number} of {shelf}" for number in (5, 3, 2, 1)]
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("2 memories are back.").first.wait_for()
    assert len(titles(page)) == 6


def test_all_of_it_works_without_scripts(dock: Dock, plain: Page, shelf: str) -> None:
    plain.goto(dock.url(f"/dock/memories/?project={shelf}"))
    plain.get_by_label(f"Select Rule 6 of {shelf}").check()
    plain.get_by_role("button", name="Move to trash").click()
    plain.get_by_role("button", name="Undo").click()
    plain.get_by_role("heading", level=1, name=f"Rule 6 of {shelf}").wait_for()

    plain.locator("summary[aria-label='Move to trash']").click()
    plain.get_by_label("Why").fill("Old.")
    plain.get_by_role("button", name="Move to trash").click()
    plain.get_by_role("link", name="Trash").click()
    plain.get_by_label(f"Select Rule 6 of {shelf}").check()
    plain.get_by_role("button", name="Remove for good").click()
    plain.get_by_label("Why").fill("It held a key.")
    plain.get_by_label("How many memories").fill("1")
    plain.get_by_role("button", name="Remove for good").click()
    plain.get_by_text("1 memory removed for good.").wait_for()
    assert "The trash is empty" in plain.content()


def test_two_editors_do_not_overwrite_each_other(dock: Dock, context: BrowserContext, shelf: str) -> None:
    pk = save(dock, shelf, "Lease times", "Leases last 30 s.")
    page, other = context.new_page(), context.new_page()
    page.goto(dock.url(f"/dock/memories/{pk}/edit/"))
    other.goto(dock.url(f"/dock/memories/{pk}/edit/"))
    other.get_by_label("Text").fill("Leases last 60 s.")
    other.get_by_role("button", name="Save").click()
    other.get_by_text("Saved.").first.wait_for()

    page.get_by_label("Text").fill("Leases last 90 s.")
    with page.expect_response(lambda answer: answer.status == 409):
        page.get_by_role("button", name="Save").click()
    assert page.locator("del").first.text_content() == "60"
    assert page.get_by_label("Text").input_value() == "Leases last 90 s."
    page.get_by_role("button", name="Save mine instead").click()
    page.get_by_text("Leases last 90 s.").first.wait_for()
    assert page.get_by_role("link", name="Versions 3").count() == 1


def test_an_agents_memory_appears_and_ticked_rows_stay_ticked(dock: Dock, page: Page, shelf: str) -> None:
    page.goto(dock.url(f"/dock/memories/?project={shelf}"))
    page.locator(".conn[data-state=live]").wait_for()
    page.locator(".row .tick").nth(1).click()
    page.evaluate("document.activeElement.blur()")

    save(dock, shelf, "Saved meanwhile")

    page.get_by_role("link", name="Saved meanwhile").wait_for()
    assert ticked(page) == 1
    assert page.get_by_text("1 selected").is_visible()
    assert page.get_by_label(f"Select Rule 5 of {shelf}").is_checked()


def test_a_memory_that_is_read_follows_what_agents_make_of_it(dock: Dock, page: Page, shelf: str) -> None:
    pk = save(dock, shelf, "Lease times", "Leases last 30 s.")
    page.goto(dock.url(f"/dock/memories/{pk}/"))
    page.locator(".conn[data-state=live]").wait_for()
    post(dock, f"/observations/{pk}", {"content": "Leases last 45 s."}, "PATCH")
    page.get_by_text("Leases last 45 s.").wait_for()


def test_keys_edit_pin_and_turn_the_pages(dock: Dock, page: Page, shelf: str) -> None:
    page.goto(dock.url(f"/dock/memories/?project={shelf}"))
    page.locator(".row-title").nth(2).click()
    page.get_by_role("heading", level=1, name=f"Rule 4 of {shelf}").wait_for()
    page.keyboard.press("p")
    page.get_by_role("button", name="Unpin").wait_for()
    page.keyboard.press("]")
    page.get_by_role("heading", level=1, name=f"Rule 3 of {shelf}").wait_for()
    page.keyboard.press("e")
    page.wait_for_url(re.compile("/edit/$"))


def test_a_filter_keeps_what_is_typed_in_the_address(dock: Dock, page: Page, shelf: str) -> None:
    save(dock, shelf, "Cranes", kind="bugfix")
    page.goto(dock.url(f"/dock/memories/?project={shelf}"))
    page.get_by_label("Type", exact=True).select_option("bugfix")
    page.wait_for_url("**type=bugfix**")
    wait_until(lambda: titles(page) == ["Cranes"])
    page.reload()
    assert titles(page) == ["Cranes"]


def test_every_page_is_accessible_and_fits_a_phone(dock: Dock, page: Page, shelf: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    first, second = (save(dock, shelf, f"Lease clock of the {one}", f"The {one}.") for one in ("node", "database"))
    post(dock, f"/observations/{first}", {"content": "The node of its own.\n\n" + "x" * 300}, "PATCH")
    gone = save(dock, shelf, "Gone " + "y" * 200)
    post(dock, f"/observations/{gone}", {}, "DELETE")
    paths = [
        f"?project={shelf}",
        f"?project={shelf}&state=deleted",
        f"?project={shelf}&q=nothing+fits",
        f"{first}/",
        f"{first}/?view=versions",
        f"{first}/?view=json",
        f"{first}/edit/",
        f"{gone}/",
        f"merge/?pk={first}&pk={second}",
        f"purge/?pk={gone}",
    ]
    for path in paths:
        page.goto(dock.url(f"/dock/memories/{path}"))
        page.evaluate(Axe().axe_script)
        if page.locator(".row .tick").count():
            page.locator(".row .tick").first.click()
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            for width, height in ((1280, 900), (360, 780)):
                page.set_viewport_size({"width": width, "height": height})
                assert page.evaluate(VIOLATIONS) == [], f"{path}, {theme}, {width} px"
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
