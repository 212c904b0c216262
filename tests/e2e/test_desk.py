"""The review desk under the hand of a reviewer who has a keyboard only, and the disk afterwards."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from tests.e2e.conftest import PATIENCE_MS, Dock
from tests.e2e.yards import VIOLATIONS, axe_script, make_yard

pytest.importorskip("playwright", reason="the group browser is not installed: no tests in a real Chromium")

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

SLUGS = ("anchor-watch", "berth-plan", "crane-check", "dock-radio", "engine-log")
THEMES: list[Literal["light", "dark"]] = ["light", "dark"]


def heading(page: Page, text: str) -> None:
    page.locator("h1").get_by_text(text, exact=True).wait_for()


def test_a_reviewer_goes_through_five_skills_with_the_keyboard(
    dock: Dock, context: BrowserContext, tmp_path: Path
) -> None:
    yard = make_yard(dock, tmp_path, "yard", *SLUGS)
    before = {slug: yard.skill(slug).read_bytes() for slug in SLUGS}
    page = context.new_page()
    keys = page.keyboard
    page.goto(dock.url("/dock/skills/?project=yard"))
    assert page.locator("#rows .row").count() == 5

    keys.press("j")
    keys.press("Enter")
    heading(page, "anchor-watch")
    keys.press("a")
    heading(page, "berth-plan")
    page.locator(".toast").get_by_text("“anchor-watch” is approved.").wait_for()

    keys.press("i")
    page.get_by_role("dialog").get_by_text("Install into which place?").wait_for()
    assert page.locator("#install :checked").evaluate_all("all => all.map((one) => one.value)") == [".claude/skills"]
    keys.press("Enter")
    heading(page, "crane-check")
    page.locator("#work").get_by_text(".claude/skills installed").wait_for()

    keys.press("r")
    assert page.evaluate("document.activeElement.id") == "note"
    assert page.locator("#note-error").is_visible()
    keys.type("Drops a table: use the runbook.")
    keys.press("Control+Enter")
    heading(page, "dock-radio")

    page.locator(".conn[data-state=live]").wait_for()
    yard.propose("dock-radio", "Call the port on channel 12.")
    page.locator("#news").get_by_text("SKILL.md changed on disk.").wait_for()
    assert page.locator("#text").get_by_text("Look at the dock-radio.").is_visible()
    assert page.get_by_text("channel 12").count() == 0
    keys.press("c")
    keys.type("Name the port.")
    keys.press("Control+Enter")
    page.get_by_text("Not decided: SKILL.md changed while you were reading.").wait_for()
    assert page.locator("#text").get_by_text("Call the port on channel 12.").is_visible()
    assert page.locator("#note").input_value() == "Name the port."
    keys.press("c")
    heading(page, "engine-log")

    keys.press("z")
    page.get_by_role("dialog").get_by_text("Put off until when?").wait_for()
    keys.press("Enter")
    page.get_by_text("Nothing waits").wait_for()
    page.close()

    assert yard.copies() == {".claude/skills/berth-plan/SKILL.md": before["berth-plan"].decode()}
    assert {slug: yard.record(slug)["status"] for slug in SLUGS} == dict.fromkeys(SLUGS, "candidate") | {
        "berth-plan": "installed"
    }
    assert {slug: yard.skill(slug).read_bytes() for slug in SLUGS if slug != "dock-radio"} == {
        slug: text for slug, text in before.items() if slug != "dock-radio"
    }
    told = json.loads(dock.command("skills", "list", "--project", "yard", "--json").stdout)
    assert {one["slug"]: one["review"] for one in told} == {
        "anchor-watch": "approved",
        "berth-plan": "approved",
        "crane-check": "rejected",
        "dock-radio": "changes_requested",
        "engine-log": "snoozed",
    }


def test_a_copy_that_was_edited_by_hand_is_found_and_replaced_only_when_let_go(
    dock: Dock, context: BrowserContext, tmp_path: Path
) -> None:
    yard = make_yard(dock, tmp_path, "quay", "berth-plan")
    page = context.new_page()
    page.goto(dock.url("/dock/skills/quay/berth-plan/"))
    page.keyboard.press("i")
    page.keyboard.press("Enter")
    page.locator("#work").get_by_text(".claude/skills installed").wait_for()
    copy = yard.root / ".claude" / "skills" / "berth-plan" / "SKILL.md"
    copy.write_text(copy.read_text().replace("2. Write it down.", "2. Tell the harbour master."))
    yard.propose("berth-plan", "Look at the tide first.")
    dock.command("sync", "quay")

    page.goto(dock.url("/dock/skills/?project=quay"))
    page.locator("#rows").get_by_text("installed copy edited by hand").wait_for()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    three = page.locator("table.desk-three")
    assert "Tell the harbour master." in three.inner_text()
    assert "Look at the tide first." in three.inner_text()

    page.keyboard.press("i")
    page.locator("#install").get_by_label(".claude/skills").check()
    page.locator("#install").get_by_role("button", name="Approve and install").click()
    page.get_by_text("There is another text in .claude/skills. Nothing was written.").first.wait_for()
    assert "Tell the harbour master." in copy.read_text()

    page.locator("#install").get_by_label("Replace it").check()
    page.locator("#install").get_by_role("button", name="Approve and install").click()
    page.locator("#work").get_by_text(".claude/skills installed").wait_for()
    assert copy.read_bytes() == yard.skill("berth-plan").read_bytes()

    page.goto(dock.url("/dock/skills/quay/berth-plan/"))
    page.get_by_role("button", name="Restore").first.click()
    page.locator("#copies .desk-last").get_by_text("restored").first.wait_for()
    assert "Tell the harbour master." in copy.read_text()
    page.close()


def test_many_are_approved_unread_only_when_somebody_says_so(dock: Dock, page: Page, tmp_path: Path) -> None:
    make_yard(dock, tmp_path, "pier", "anchor-watch", "berth-plan", "crane-check")
    page.goto(dock.url("/dock/skills/pier/anchor-watch/"))
    page.goto(dock.url("/dock/skills/?project=pier"))
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.keyboard.press("a")

    dialog = page.get_by_role("dialog")
    dialog.get_by_text("Approve 2 skills, 1 of them not opened?").wait_for()
    assert dialog.get_by_role("link", name="berth-plan").is_visible()
    dialog.get_by_role("button", name="Approve the 1 opened").click()
    page.locator(".toast").get_by_text("1 skill approved.").wait_for()
    assert page.locator("#rows .row-title").all_inner_texts() == ["berth-plan", "crane-check"]

    page.keyboard.press("j")
    page.keyboard.press("x")
    page.keyboard.press("a")
    dialog.get_by_role("button", name="Approve all 1 all the same").click()
    page.locator("#rows").get_by_text("without its changes opened").wait_for()


def test_a_decision_is_taken_back_with_u(dock: Dock, page: Page, tmp_path: Path) -> None:
    make_yard(dock, tmp_path, "ramp", "anchor-watch", "berth-plan")
    page.goto(dock.url("/dock/skills/ramp/anchor-watch/"))
    page.keyboard.press("a")
    heading(page, "berth-plan")
    page.keyboard.press("u")

    heading(page, "anchor-watch")
    page.locator(".toast").get_by_text("Taken back: it waits again.").wait_for()
    assert page.locator(".crumbs").get_by_text("1 of 2").is_visible()


def test_a_new_text_is_shown_when_it_is_wanted_and_the_note_stays(dock: Dock, page: Page, tmp_path: Path) -> None:
    yard = make_yard(dock, tmp_path, "lock", "anchor-watch")
    page.goto(dock.url("/dock/skills/lock/anchor-watch/"))
    page.locator(".conn[data-state=live]").wait_for()
    page.get_by_label("Note needed to reject").fill("Half a note")
    yard.propose("anchor-watch", "Look twice.")

    page.get_by_role("link", name="Show the new text").click()
    page.locator("#text").get_by_text("Look twice.").wait_for()
    assert page.locator("#news").inner_text() == ""
    assert page.locator("#note").input_value() == "Half a note"
    page.locator("h1").click()
    page.keyboard.press("r")
    page.get_by_text("Nothing waits").wait_for()


def test_everything_is_done_without_scripts(dock: Dock, chromium: Browser, signed_in: Any, tmp_path: Path) -> None:
    yard = make_yard(dock, tmp_path, "mole", "anchor-watch", "berth-plan", "crane-check")
    context = chromium.new_context(storage_state=signed_in, java_script_enabled=False)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto(dock.url("/dock/skills/?project=mole"))
    page.locator("#rows .row").nth(0).get_by_role("checkbox").check()
    page.get_by_role("button", name="Approve").click()
    page.get_by_text("Approve 1 skill, 1 of them not opened?").wait_for()
    page.get_by_role("button", name="Approve all 1 all the same").click()

    page.get_by_role("link", name="berth-plan").first.click()
    page.get_by_role("button", name="Reject").click()
    page.get_by_text("Say why").wait_for()
    page.get_by_label("Note needed to reject").fill("Too vague.")
    page.get_by_role("button", name="Reject").click()
    heading(page, "crane-check")
    page.get_by_role("button", name="Approve and install").click()
    page.locator("#install").get_by_role("button", name="Approve and install").click()
    page.get_by_text("“crane-check” is approved and being installed.").wait_for()

    page.goto(dock.url("/dock/skills/propose/?project=mole"))
    page.get_by_label("Name").fill("Fender check")
    page.get_by_label("Description").fill("Check the fenders before a ship comes in")
    page.get_by_role("button", name="Preview").click()
    page.locator("#preview").get_by_text("skill-candidates/fender-check/SKILL.md").wait_for()
    page.get_by_role("button", name="Propose").click()
    page.wait_for_url(re.compile("/dock/skills/mole/fender-check/"))
    context.close()
    assert "Check the fenders" in yard.skill("fender-check").read_text()


def test_a_draft_is_previewed_while_it_is_typed(dock: Dock, page: Page, tmp_path: Path) -> None:
    make_yard(dock, tmp_path, "basin", "anchor-watch")
    page.goto(dock.url("/dock/skills/basin/anchor-watch/edit/"))
    page.get_by_label("SKILL.md").press("Control+End")
    page.keyboard.type("\n3. Run `harborctl anchor --watch`.\n")

    page.locator("#preview .desk-runs").get_by_text("harborctl anchor --watch").wait_for()


def test_the_desk_is_accessible_and_fits_a_phone(dock: Dock, chromium: Browser, signed_in: Any, tmp_path: Path) -> None:
    make_yard(dock, tmp_path, "reef", "anchor-watch")
    paths = ("/dock/skills/reef/anchor-watch/", "/dock/skills/reef/anchor-watch/edit/", "/dock/skills/?project=reef")
    context = chromium.new_context(storage_state=signed_in, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    for path in (*paths, "/dock/skills/propose/?project=reef", "/dock/skills/reef/anchor-watch/?act=install"):
        page.goto(dock.url(path))
        page.evaluate(axe_script())
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            for width in (1280, 360):
                page.set_viewport_size({"width": width, "height": 800})
                assert page.evaluate(VIOLATIONS) == [], f"{path} {theme}, {width} px"
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
    context.close()
