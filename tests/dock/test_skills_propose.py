"""Writing skills by hand: from nothing, from what an entry or a session says, and over one that is there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from memory.models import AuditEntry, Entry, Project, SkillCandidate
from tests.dock.test_skills import make_skills, page_of, write_skill
from tests.makers import make_entry_text, make_project, make_tree

PROPOSE = "/dock/skills/propose/"
HTMX = {"HX-Request": "true", "HX-Target": "preview"}
DRAFT = {"name": "Fender check", "description": "Check the fenders", "body": "# Fender check\r\n\r\n1. Look.\r\n"}


def propose(browser: Client, **told: Any) -> Any:
    return browser.post(f"{PROPOSE}?project=harbor", {"act": "write"} | DRAFT | told)


def edit(browser: Client, slug: str, text: str, **told: Any) -> Any:
    content = SkillCandidate.objects.get(slug=slug).content_hash
    return browser.post(f"{page_of(slug)}edit/", {"act": "write", "text": text, "content_hash": content} | told)


def file(root: Path, slug: str) -> Path:
    return root / ".memsearch" / "skill-candidates" / slug / "SKILL.md"


@pytest.fixture
def harbor(tree: Path) -> Project:
    day = make_entry_text(body="- Pumped the bilge\n- Rang the bell") + make_entry_text("10:30", body="- Rang the bell")
    return make_project(make_tree(tree, {"2026-01-05": day}))


def test_proposes_a_skill_that_waits_for_a_review(browser: Client, tree: Path, harbor: Project) -> None:
    answer = propose(browser, source=".memsearch/memory/2026-01-05.md")
    assert answer["Location"] == page_of("fender-check")
    assert file(tree, "fender-check").read_text() == (
        '---\nname: fender-check\ndescription: "Check the fenders"\n---\n\n# Fender check\n\n1. Look.\n'
    )
    row = harbor.skills.get()
    assert (row.review, row.pending, row.sources) == ("pending", "new", [".memsearch/memory/2026-01-05.md"])
    assert "It waits for a review now." in browser.get(answer["Location"]).content.decode()


@pytest.mark.parametrize("field", ["name", "description", "body"])
def test_asks_for_what_is_missing_and_keeps_the_rest(browser: Client, tree: Path, harbor: Project, field: str) -> None:
    answer = propose(browser, **{field: " "})
    assert answer.status_code == 422
    assert "A skill needs" in answer.content.decode()
    assert all(value.split()[0] in answer.content.decode() for name, value in DRAFT.items() if name != field)
    assert not (tree / ".memsearch" / "skill-candidates").exists()


def test_writes_over_no_skill_of_the_same_name(browser: Client, tree: Path) -> None:
    make_skills(tree, "fender-check")
    before = file(tree, "fender-check").read_bytes()
    answer = propose(browser)
    assert answer.status_code == 422
    assert f'href="{page_of("fender-check")}">edit it' in answer.content.decode()
    assert file(tree, "fender-check").read_bytes() == before


def test_says_that_exactly_this_was_rejected(browser: Client, tree: Path, harbor: Project) -> None:
    propose(browser)
    row = harbor.skills.get()
    told = {"action": "reject", "content_hash": row.content_hash, "note": "No."}
    browser.post(f"{page_of('fender-check')}decide/", told)
    file(tree, "fender-check").unlink()
    (file(tree, "fender-check").parent / "meta.json").unlink()
    file(tree, "fender-check").parent.rmdir()
    harbor.skills.all().delete()
    answer = propose(browser)
    assert answer.status_code == 422
    assert "was rejected before" in answer.content.decode()


def test_previews_and_checks_a_draft_without_writing_it(browser: Client, tree: Path, harbor: Project) -> None:
    body = "# Check\n\n<script>alert(1)</script>\n\n`rm -rf \u202e/tmp`\n"
    answer = browser.post(f"{PROPOSE}?project=harbor", DRAFT | {"act": "preview", "body": body}, headers=HTMX)
    told = answer.content.decode()
    assert told.strip().startswith('<div class="stack" id="preview">')
    assert "<script>alert" not in told and "<html" not in told
    assert "skill-candidates/fender-check/SKILL.md" in told and "right-to-left override" in told
    whole = browser.post(f"{PROPOSE}?project=harbor", {"act": "preview"})
    assert (whole.status_code, "<html" in whole.content.decode()) == (200, True)
    assert not (tree / ".memsearch" / "skill-candidates").exists()


def test_begins_with_what_an_entry_says(browser: Client, harbor: Project) -> None:
    entry = Entry.objects.order_by("pk")[0]
    url = browser.get(reverse("dock:entry-detail", args=[entry.pk])).context["page"].propose_url
    draft = browser.get(url).context["page"].draft
    assert "1. Pumped the bilge\n2. Rang the bell\n" in draft.body
    assert draft.sources == (".memsearch/memory/2026-01-05.md",)


def test_begins_with_the_chosen_entries_of_a_session(browser: Client, harbor: Project) -> None:
    url = browser.get(reverse("dock:session-detail", args=["s1"])).context["page"].propose_url
    page = browser.get(url).context["page"]
    assert [source.is_chosen for source in page.sources] == [True, True]
    assert page.draft.body.count("Rang the bell") == 1

    last = Entry.objects.order_by("-pk")[0]
    page = browser.get(f"{url}&entry={last.pk}").context["page"]
    assert [source.is_chosen for source in page.sources] == [False, True]
    assert "Pumped" not in page.draft.body


def test_makes_nothing_of_an_entry_of_another_project(browser: Client, harbor: Project, tmp_path: Path) -> None:
    other = make_project(make_tree(tmp_path / "other", {"2026-01-06": make_entry_text(body="- Secret thing")}))
    foreign = other.entries.get().pk
    told = browser.get(f"{PROPOSE}?project=harbor&entry={foreign}&entry=x&entry=-1").content.decode()
    assert "Secret thing" not in told


def test_asks_for_the_project_where_none_is_named(browser: Client, harbor: Project) -> None:
    assert browser.get(PROPOSE).context["page"].projects == [("harbor", f"{PROPOSE}?project=harbor")]
    assert browser.get(PROPOSE, {"project": "nowhere"}).status_code == 404


def test_edits_a_skill_with_a_note(browser: Client, tree: Path) -> None:
    make_skills(tree, "tide")
    text = "---\r\nname: tide\r\ndescription: About tides\r\n---\r\n\r\n# Tide\r\n\r\nLook twice.\r\n"
    answer = edit(browser, "tide", text, note="One look is not enough")
    assert answer["Location"] == page_of("tide")
    assert file(tree, "tide").read_text() == text.replace("\r\n", "\n")
    assert AuditEntry.objects.get(action="skill.updated").detail["note"] == "One look is not enough"


def test_overwrites_nothing_that_it_was_not_made_from(browser: Client, tree: Path) -> None:
    make_skills(tree, "tide")
    write_skill(tree, "tide", body="# Somebody else\n")
    answer = edit(browser, "tide", "---\nname: tide\ndescription: Mine\n---\n\n# Mine & <b>only</b>\n")
    told = answer.content.decode()
    assert answer.status_code == 409
    assert "Not saved: SKILL.md changed" in told and "# Mine &amp; &lt;b&gt;only" in told
    assert "# Somebody else" in file(tree, "tide").read_text()


@pytest.mark.parametrize(
    "text", ["", "---\nname: other\ndescription: x\n---\n\n# B\n", "---\nname: tide\n---\n", "x" * 70_000]
)
def test_a_text_that_cannot_be_a_skill_is_refused(browser: Client, tree: Path, text: str) -> None:
    make_skills(tree, "tide")
    before = file(tree, "tide").read_bytes()
    assert edit(browser, "tide", text).status_code == 422
    assert file(tree, "tide").read_bytes() == before


def test_an_edit_lets_an_approval_lapse(browser: Client, tree: Path) -> None:
    make_skills(tree, "tide")
    row = SkillCandidate.objects.get()
    browser.post(f"{page_of('tide')}decide/", {"action": "approve", "content_hash": row.content_hash})
    edit(browser, "tide", "---\nname: tide\ndescription: Other\n---\n\n# Other\n")
    row.refresh_from_db()
    assert row.review == "pending"
