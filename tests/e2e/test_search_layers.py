"""From a question to the conversation behind a hit and back, by keyboard; what the box completes; saved searches."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

import pytest

from tests.databases import own_database
from tests.e2e.conftest import Dock
from tests.memory.transcripts.homes import make
from tests.places import FIXTURES
from tests.servers import running

pytest.importorskip("playwright", reason="the group browser is not installed: no tests in a real Chromium")

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

type Theme = Literal["light", "dark"]

FOCUSED = "document.activeElement.id || document.activeElement.textContent.trim()"
QUESTION = "/dock/search/?q=pier+59"


@pytest.fixture(scope="module")
def dock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dock]:
    """A MemDock on a machine where five agents keep their conversations."""
    if not FIXTURES.is_dir():
        pytest.skip("the generator of conversations is not here")
    made = make(tmp_path_factory.mktemp("agents") / "out", "--bulk", "60")
    home = made.path
    agents = {
        "CLAUDE_CONFIG_DIR": home / ".claude",
        "CODEX_HOME": home / ".codex",
        "OPENCLAW_STATE_DIR": home / ".openclaw",
        "XDG_DATA_HOME": home / ".local/share",
        "DSH_HOME": home / ".dsh",
    }
    data = {"MEMDOCK_DATA_DIR": str(tmp_path_factory.mktemp("data"))} | {name: str(at) for name, at in agents.items()}
    with own_database() as database, running(**data, **database) as server:
        dock = Dock(server, data | database, made.folder / "project")
        dock.command("add", str(dock.project), "--name", "tidewatch")
        yield dock


@pytest.fixture(scope="module")
def signed_in(dock: Dock, chromium: Browser) -> Any:
    context = chromium.new_context()
    page = context.new_page()
    page.goto(dock.server.sign_in)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(dock.url("/dock/**"))
    state = context.storage_state()
    context.close()
    return state


def tab_to(page: Page, name: str, *, key: str = "Tab") -> None:
    """Move the focus on until it is on something with this text."""
    for _ in range(60):
        page.keyboard.press(key)
        if name in page.evaluate(FOCUSED):
            return
    raise AssertionError(f"{name} cannot be reached")


def told(page: Page, text: str) -> None:
    page.locator(".toast", has_text=text).wait_for()


def complete(page: Page, text: str) -> None:
    """Type at the end of the box, and wait for what it offers."""
    page.locator("#q").press_sequentially(text)
    page.locator("#q-options [role=option]").first.wait_for()


def test_the_way_to_a_conversation_and_back_goes_by_keyboard(dock: Dock, page: Page, context: BrowserContext) -> None:
    page.goto(dock.url("/dock/"))
    page.keyboard.press("/")
    page.keyboard.type("pier 59")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{QUESTION}")

    tab_to(page, "entry")  # of the facets
    page.keyboard.press("Enter")
    page.get_by_text("kind: entry").wait_for()
    asked = page.url
    page.keyboard.press("j")
    page.keyboard.press("e")
    page.locator("#hit-1-more .md").wait_for()
    tab_to(page, "Read the conversation")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/dock/entries/\d+/transcript/$"))

    assert page.locator("li[aria-current=true] .say").inner_text().endswith("what does pier 59 hold?")
    assert page.locator(".call:visible").count() == 0
    tab_to(page, "1 tool call")
    page.keyboard.press("Enter")
    assert page.locator(".call:visible").count() == 1
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.locator(".call[open] pre").count() == 2

    page.keyboard.press("[")
    page.wait_for_url("**skip=**")
    assert page.locator(".timeline > li").count() == 7
    page.keyboard.press("]")
    page.get_by_text("this entry").wait_for()
    for _ in range(3):
        page.go_back()
    page.wait_for_url(asked)
    page.locator("#hit-1").wait_for()
    assert page.locator("#q").input_value() == "pier 59"

    theirs = context.new_page()
    theirs.goto(asked)
    titles = "[...document.querySelectorAll('#results .row-title')].map((one) => one.textContent)"
    assert theirs.evaluate(titles) == page.evaluate(titles) != []


def test_the_box_completes_its_language(dock: Dock, page: Page) -> None:
    page.goto(dock.url("/dock/sessions/"))
    box = page.locator("#q")
    box.focus()
    complete(page, "pier pla")
    assert box.get_attribute("role") == "combobox"
    assert box.get_attribute("aria-expanded") == "true"
    page.keyboard.press("Tab")
    assert box.input_value() == "pier platform:"

    page.locator("#q-options [data-text='platform:codex']").wait_for()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowDown")
    first = page.locator("#q-options [aria-selected=true]")
    assert box.get_attribute("aria-activedescendant") == first.get_attribute("id") == "q-option-1"
    chosen = first.get_attribute("data-text")
    page.keyboard.press("Enter")
    assert box.input_value() == f"pier {chosen} "
    assert page.locator("#q-options").is_hidden()
    page.keyboard.press("Enter")
    page.wait_for_url("**/dock/search/?q=pier+platform**")
    assert page.locator("#results .row").count() > 1


def test_what_is_offered_is_never_forced(dock: Dock, page: Page) -> None:
    page.goto(dock.url("/dock/search/"))
    box = page.locator("#q")
    box.focus()
    complete(page, "pier is")
    page.keyboard.press("Escape")
    assert page.locator("#q-options").is_hidden()
    assert box.input_value() == "pier is"
    complete(page, " kind")
    page.get_by_role("heading", name="for “pier is kind”").wait_for()  # so that Enter leaves no request behind
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"q=pier(\+|%20)is(\+|%20)kind$"))
    assert page.locator("#q-options").is_hidden()
    assert box.input_value() == "pier is kind"
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.matches('#results .row-title')")


def test_a_value_is_chosen_by_hand_and_results_follow(dock: Dock, page: Page) -> None:
    page.goto(dock.url("/dock/search/?q=pier"))
    box = page.locator("#q")
    box.focus()
    page.keyboard.press("End")
    complete(page, " kind:")
    page.locator("#q-options [data-text='kind:session']").click()
    assert box.input_value() == "pier kind:session "
    assert page.evaluate("document.activeElement.id") == "q"
    page.wait_for_url(re.compile(r"q=pier(\+|%20)kind%3Asession"))
    page.get_by_role("navigation", name="Platform").wait_for()
    assert page.locator("#results .hit-meta:has-text('entry')").count() == 0


def test_a_search_is_saved_found_again_renamed_and_deleted(dock: Dock, page: Page) -> None:
    page.goto(dock.url(f"{QUESTION}&kind=entry"))
    page.locator(".saved > summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("Pier 59")
    page.keyboard.press("Enter")
    told(page, "Saved as Pier 59.")
    assert page.locator(".saved > summary").inner_text().endswith("Pier 59")

    page.goto(dock.url("/dock/"))
    page.keyboard.press("Control+k")
    page.get_by_role("option", name="Pier 59").wait_for()
    page.keyboard.type("pier 5")
    page.locator("#palette-all").wait_for()
    page.keyboard.press("Enter")
    page.wait_for_url("**kind=entry&q=pier+59")

    page.goto(dock.url("/dock/search/"))
    page.get_by_role("link", name="Rename or delete").click()
    page.locator(".saved-edit > summary").click()
    page.get_by_label("New name of Pier 59").fill("The pier")
    page.get_by_role("button", name="Rename").click()
    told(page, "Pier 59 is called The pier now.")
    page.locator(".saved-edit > summary").click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("heading", name="No saved searches").wait_for()


def test_pages_of_hits_go_both_ways_and_start_at_their_first_row(dock: Dock, page: Page) -> None:
    page.goto(dock.url("/dock/search/?q=pier"))
    first = page.locator("#results .row-title").first.inner_text()
    page.locator(".pager").scroll_into_view_if_needed()
    page.get_by_role("link", name="Next").click()
    page.get_by_text("21 to 40 of").wait_for()
    page.wait_for_function("document.activeElement === document.querySelector('#results .row-title')")
    assert page.evaluate("document.activeElement.getBoundingClientRect().top > 48")
    page.keyboard.press("[")
    page.get_by_text("1 to 20 of").wait_for()
    assert page.locator("#results .row-title").first.inner_text() == first
    assert "cursor" not in page.url


def test_the_search_index_is_rebuilt_while_one_looks(dock: Dock, page: Page) -> None:
    page.goto(dock.url("/dock/health/"))
    page.get_by_role("button", name="Rebuild the search index").click()
    told(page, "The search index is being rebuilt")
    page.locator("#search-index dt:has-text('Rebuilt')").wait_for(timeout=60_000)
    assert (
        page.locator("#search-index progress").count() == 0 or page.locator("#search-index [hx-trigger]").count() == 0
    )


def looks(page: Page, dock: Dock) -> Iterator[str]:
    """Lead a page through what is only there after a hand was laid on it; yield the name of each."""
    page.goto(dock.url(QUESTION))
    page.locator("#q").focus()
    page.keyboard.press("End")
    complete(page, " kind:")
    page.keyboard.press("ArrowDown")
    yield "completion"
    page.goto(dock.url(QUESTION))
    page.locator(".saved > summary").click()
    yield "menu"
    page.locator("#saved-name").fill("\u200b")
    page.locator("#saved-name").press("Enter")
    page.get_by_text("all of them printable").wait_for()
    yield "refused name"
    page.goto(dock.url(f"{QUESTION}&kind=entry"))
    page.locator("[data-expand]").first.click()
    page.locator("#hit-1-more .md").wait_for()
    yield "expanded"
    page.get_by_role("link", name="Read the conversation").click()
    page.locator(".timeline").wait_for()
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = one.closest('main') !== null))")
    yield "conversation"
    page.goto(dock.url("/dock/search/saved/"))
    yield "saved"


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_state_is_accessible_and_fits(dock: Dock, context: BrowserContext, theme: Theme, width: int) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = context.new_page()
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 800})
    for name in looks(page, dock):
        report = Axe().run(page, options={"resultTypes": ["violations"]})
        assert report.violations_count == 0, f"{name}: {report.generate_report()}"
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
