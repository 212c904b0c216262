"""The capsule: one session's project and no other, framed by the named origins alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from memory.models import SkillCandidate, SkillDecision, SkillReading
from memory.skills import jobs
from tests.dock.test_skills import write_skill
from tests.makers import make_entry_text, make_project, make_tree

CAPSULE = "/dock/capsule/"
FRAMED = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
ORIGIN = "https://agents.example.com"


@pytest.fixture
def yard(tree: Path) -> Path:
    make_tree(tree, {"2026-01-05": make_entry_text(session="s/1 %?")})
    for slug in ("berth", "tide"):
        write_skill(tree, slug)
    make_project(tree)
    return tree


def show(browser: Client, **query: str) -> Any:
    return browser.get(CAPSULE, {"session": "s/1 %?"} | query)


def decide(browser: Client, slug: str, action: str, **told: Any) -> Any:
    told = {"slug": slug, "action": action, "content_hash": SkillCandidate.objects.get(slug=slug).content_hash} | told
    return browser.post(f"{CAPSULE}decide/?session=s%2F1%20%25%3F", told)


def test_counts_what_waits_in_the_project_of_the_session(browser: Client, yard: Path, tmp_path: Path) -> None:
    write_skill(make_tree(tmp_path / "secret"), "hidden-thing")
    make_project(tmp_path / "secret")
    answer = show(browser, open="1")
    page, told = answer.context["page"], answer.content.decode()
    assert (page.project, page.waiting, [row.slug for row in page.rows]) == ("harbor", 2, ["berth", "tide"])
    assert "hidden-thing" not in told and "secret" not in told
    assert 'data-live-project="harbor"' in told


@pytest.mark.parametrize("session", ["", "nobody", "\0", '"><script>alert(1)</script>'])
def test_an_unknown_session_is_said_and_nothing_else_is_shown(browser: Client, yard: Path, session: str) -> None:
    answer = browser.get(CAPSULE, {"session": session})
    told = answer.content.decode()
    assert answer.status_code == 404
    assert "No such session" in told
    assert "harbor" not in told and "<script>alert" not in told


def test_a_skill_is_approved_here_once_it_was_read_here(browser: Client, yard: Path) -> None:
    assert [row.is_read for row in show(browser).context["page"].rows] == [False, False]
    read = show(browser, read="tide")
    assert "Look." in read.content.decode()
    assert SkillReading.objects.get().skill.slug == "tide"
    assert [row.is_read for row in show(browser).context["page"].rows] == [False, True]

    answer = decide(browser, "tide", "approve")
    told = browser.get(answer["Location"])
    assert told.context["page"].waiting == 1
    assert "Approved." in told.content.decode() and 'value="reopen"' in told.content.decode()
    decide(browser, "tide", "reopen")
    assert show(browser).context["page"].waiting == 2


def test_a_skill_is_installed_from_here(browser: Client, yard: Path) -> None:
    decide(browser, "tide", "install", target=".claude/skills")
    jobs.run_due(at=timezone.now())
    assert (yard / ".claude" / "skills" / "tide" / "SKILL.md").exists()


def test_a_text_that_changed_is_shown_instead_of_decided(browser: Client, yard: Path) -> None:
    answer = decide(browser, "tide", "approve", content_hash="gitblob:other")
    told = browser.get(answer["Location"])
    assert told.context["page"].reading.skill.slug == "tide"
    assert "Not decided: SKILL.md changed." in told.content.decode()
    assert not SkillDecision.objects.exists()


def test_the_text_that_is_read_stays_when_another_one_comes(browser: Client, yard: Path) -> None:
    src = show(browser, read="tide").context["page"].reading.src
    write_skill(yard, "tide", body="# Other\n")
    make_project(yard)
    told = browser.get(src, headers={"HX-Request": "true", "HX-Target": "capsule-news"}).content.decode()
    assert told.strip().startswith('<div id="capsule-news"')
    assert "SKILL.md changed on disk." in told and "# Other" not in told


@pytest.mark.parametrize("action", ["reject", "uninstall", "burn", ""])
def test_what_is_not_offered_here_is_not_done_here(browser: Client, yard: Path, action: str) -> None:
    assert decide(browser, "tide", action, note="x").status_code == 404
    assert not SkillDecision.objects.exists()


def test_the_agent_of_the_session_is_asked(browser: Client, yard: Path) -> None:
    told = browser.get(decide(browser, "tide", "queue_review", session="s/1 %?")["Location"]).content.decode()
    assert "waits for the next one that starts" in told


def test_the_tree_comes_when_it_is_asked_for(browser: Client, yard: Path) -> None:
    assert show(browser).context["page"].tree is None
    tree = show(browser, tab="files").context["page"].tree
    assert {node.name for node in tree.nodes} >= {"memory", "skill-candidates"}


@pytest.mark.parametrize(("target", "root"), [("capsule-panel", '<div id="capsule-panel"'), ("capsule-bar", "<span ")])
def test_parts_come_alone(browser: Client, yard: Path, target: str, root: str) -> None:
    told = browser.get(CAPSULE, {"session": "s/1 %?"}, headers={"HX-Request": "true", "HX-Target": target})
    assert told.content.decode().strip().startswith(root)
    assert "<html" not in told.content.decode()


def test_nobody_frames_it_where_no_origin_is_named(browser: Client, yard: Path) -> None:
    assert show(browser)["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in show(browser)["Content-Security-Policy"]
    assert browser.get(CAPSULE, {"session": "s/1 %?"}, headers=FRAMED).status_code == 403


def test_the_named_origins_frame_the_capsule_and_no_other_page(browser: Client, yard: Path, settings: Any) -> None:
    settings.EMBED_ORIGINS = [ORIGIN]
    for answer in (
        browser.get(CAPSULE, {"session": "s/1 %?"}, headers=FRAMED),
        browser.get(CAPSULE, {"session": "nobody"}, headers=FRAMED),
        decide(browser, "tide", "approve"),
    ):
        assert answer.status_code != 403
        assert f"frame-ancestors 'self' {ORIGIN};" in answer["Content-Security-Policy"] + ";"
        assert "X-Frame-Options" not in answer

    assert browser.get("/dock/", headers=FRAMED).status_code == 403
    assert browser.get("/dock/skills/", headers=FRAMED).status_code == 403
    assert "frame-ancestors 'none'" in browser.get("/dock/skills/")["Content-Security-Policy"]


@pytest.mark.parametrize(
    "headers",
    [
        FRAMED | {"Sec-Fetch-Dest": "empty", "Sec-Fetch-Mode": "cors"},
        FRAMED | {"Sec-Fetch-Dest": "object"},
        FRAMED | {"Origin": "https://evil.example.com", "Sec-Fetch-Mode": "cors"},
    ],
)
def test_pages_of_others_read_nothing_of_it(
    browser: Client, yard: Path, settings: Any, headers: dict[str, str]
) -> None:
    settings.EMBED_ORIGINS = [ORIGIN]
    assert browser.get(CAPSULE, {"session": "s/1 %?"}, headers=headers).status_code == 403
    post = browser.post(f"{CAPSULE}decide/?session=s%2F1%20%25%3F", {"slug": "tide"}, headers=FRAMED)
    assert post.status_code == 403


def test_a_stranger_in_a_frame_is_told_to_sign_in_elsewhere(client: Client, db: None, settings: Any) -> None:
    settings.EMBED_ORIGINS = [ORIGIN]
    answer = client.get(CAPSULE, {"session": "s1"}, headers=FRAMED)
    assert answer.status_code == 401
    assert "Sign in to MemDock" in answer.content.decode()
    assert client.get(CAPSULE, {"session": "s1"})["Location"].startswith("/dock/sign-in/")
