"""Reviewing skills in the dock: reading, deciding, going on, being overtaken."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memory import audit
from memory.models import Project, SkillCandidate, SkillDecision, SkillReading
from memory.projects import sync
from memory.skills import jobs, review
from tests.dock.test_skills import install, make_skills, page_of, write_skill

LIST = "/dock/skills/"
HTMX = {"HX-Request": "true"}


def skill(slug: str) -> SkillCandidate:
    return SkillCandidate.objects.get(slug=slug)


def decide(browser: Client, slug: str, action: str, **told: Any) -> Any:
    told = {"content_hash": skill(slug).content_hash} | told
    return browser.post(f"{page_of(slug)}decide/", {"action": action} | told)


def evolve(tree: Path, slug: str, body: str) -> None:
    record = {"status": "candidate"}
    write_skill(tree, slug, body=body, **record)
    sync.sync(Project.objects.get(), at=timezone.now())


def decided(owner: User, slug: str, action: str, **told: Any) -> SkillDecision:
    row, actor = skill(slug), audit.person(owner)
    return review.decide(
        skill_pk=row.pk, action=action, content_hash=row.content_hash, actor=actor, at=timezone.now(), **told
    )


def test_opening_the_changes_is_noted_once_a_person_and_content(browser: Client, owner: User, tree: Path) -> None:
    make_skills(tree, "tide")
    browser.head(page_of("tide"))
    browser.get(page_of("tide"), {"view": "rendered"})
    browser.get(page_of("tide"), headers=HTMX | {"HX-Target": "copies"})
    assert not SkillReading.objects.exists()

    browser.get(page_of("tide"))
    browser.get(page_of("tide"))
    assert [(one.person, one.content_hash) for one in SkillReading.objects.all()] == [
        (owner, skill("tide").content_hash)
    ]
    assert not browser.get(LIST).context["page"].rows[0].is_unread


def test_a_decision_leads_to_the_next_skill_with_an_undo(browser: Client, tree: Path) -> None:
    make_skills(tree, "a", "b", "c")
    answer = decide(browser, "b", "approve")
    assert answer["Location"] == page_of("c")
    told = browser.get(answer["Location"]).content.decode()
    assert "is approved." in told and "/dock/skills/harbor/b/reopen/?content_hash=gitblob" in told
    assert decide(browser, "c", "reject", note="No.")["Location"] == page_of("a")
    assert decide(browser, "a", "approve")["Location"] == f"{LIST}?project=harbor&state=waiting"


def test_a_decision_is_taken_back(browser: Client, tree: Path) -> None:
    make_skills(tree, "tide")
    decide(browser, "tide", "approve")
    content = skill("tide").content_hash
    for _ in range(2):
        answer = browser.post(f"{page_of('tide')}reopen/?content_hash={content}")
        assert answer["Location"] == page_of("tide")
    assert skill("tide").review == "pending"


@pytest.mark.parametrize("action", ["reject", "request_changes"])
def test_what_needs_a_note_says_so(browser: Client, tree: Path, action: str) -> None:
    make_skills(tree, "tide")
    answer = decide(browser, "tide", action, note="  ")
    assert answer.status_code == 422
    assert "Say why" in answer.content.decode()
    assert not SkillDecision.objects.exists()


def test_a_content_that_changed_is_shown_beside_the_one_that_was_read(browser: Client, tree: Path) -> None:
    make_skills(tree, "tide")
    read = skill("tide").content_hash
    evolve(tree, "tide", "# Read tides\n\nLook twice.\n")
    answer = decide(browser, "tide", "reject", content_hash=read, note="Too <short>")
    page, told = answer.context["page"], answer.content.decode()
    assert answer.status_code == 409
    assert page.text.changes.before == "What you read"
    assert "twice" in told and "Too &lt;short&gt;" in told
    assert f'name="content_hash" value="{skill("tide").content_hash}"' in told
    assert not SkillDecision.objects.exists()


def test_a_day_that_is_over_snoozes_nothing(browser: Client, tree: Path) -> None:
    make_skills(tree, "tide")
    answer = decide(browser, "tide", "snooze", delay="date", date="2020-01-01")
    assert answer.status_code == 422
    assert "Choose a day that is still to come." in answer.content.decode()
    assert decide(browser, "tide", "snooze", delay="month").status_code == 302
    until = skill("tide").snoozed_until
    assert until
    assert (timezone.localtime(until).date() - timezone.localdate()).days == 30


def test_an_installation_is_told_on_the_next_page(browser: Client, tree: Path) -> None:
    make_skills(tree, "a", "b")
    answer = decide(browser, "a", "install", target=".claude/skills")
    page = browser.get(answer["Location"]).context["page"]
    assert (page.slug, page.work.words, page.work.is_busy) == ("b", "installing", True)

    jobs.run_due(at=timezone.now())
    fragment = browser.get(answer["Location"], headers=HTMX | {"HX-Target": "work"})
    assert fragment.content.decode().strip().startswith('<div id="work"')
    assert "installed" in fragment.content.decode()
    assert (tree / ".claude" / "skills" / "a" / "SKILL.md").read_text() == skill("a").text


def test_a_target_that_was_not_offered_is_refused(browser: Client, tree: Path) -> None:
    make_skills(tree, "tide")
    answer = decide(browser, "tide", "install", target="/etc")
    assert answer.status_code == 422
    assert "This place is not offered as a target." in answer.content.decode()
    assert answer.context["page"].act == "install"


def test_a_copy_of_somebody_else_is_replaced_only_when_let_go(browser: Client, tree: Path) -> None:
    make_skills(tree, "tide")
    copy = tree / ".claude" / "skills" / "tide" / "SKILL.md"
    copy.parent.mkdir(parents=True)
    copy.write_text("mine\n")
    answer = decide(browser, "tide", "install", target=".claude/skills")
    [place] = [one for one in answer.context["page"].install.targets if one.is_ticked]
    assert (answer.status_code, copy.read_text()) == (409, "mine\n")

    overwrite = f"{place.overwrite} .claude/skills"
    assert decide(browser, "tide", "install", target=".claude/skills", overwrite=overwrite).status_code == 302
    jobs.run_due(at=timezone.now())
    assert copy.read_text() == skill("tide").text

    page = browser.get(page_of("tide")).context["page"]
    assert [one.can_restore for one in page.copies.replaced] == [True]
    decide(
        browser,
        "tide",
        "restore",
        target=".claude/skills",
        overwrite=f"{page.copies.places[0].copy_hash} .claude/skills",
    )
    jobs.run_due(at=timezone.now())
    assert copy.read_text() == "mine\n"


def test_a_copy_that_was_edited_is_compared_three_ways(browser: Client, owner: User, tree: Path) -> None:
    make_skills(tree, "tide")
    decided(owner, "tide", "install", targets=[".claude/skills"])
    jobs.run_due(at=timezone.now())
    copy = tree / ".claude" / "skills" / "tide" / "SKILL.md"
    copy.write_text(copy.read_text().replace("Look.", "Look <b>up</b>."))
    sync.sync(Project.objects.get(), at=timezone.now())

    answer = browser.get(page_of("tide"))
    page, told = answer.context["page"], answer.content.decode()
    assert page.text.changes.three is not None
    assert "installed copy edited by hand" in told and "Look &lt;b&gt;up&lt;/b&gt;." in told
    assert [row.slug for row in browser.get(LIST, {"state": "edited"}).context["page"].rows] == ["tide"]


def test_an_agent_that_is_not_live_is_said_to_be_none(browser: Client, tree: Path) -> None:
    make_skills(tree, "tide")
    assert "No agent is live in harbor now" in browser.get(page_of("tide")).content.decode()
    answer = decide(browser, "tide", "queue_review")
    assert "No agent is live" in browser.get(answer["Location"]).content.decode()


def test_news_of_an_open_page_never_brings_the_new_text(browser: Client, owner: User, tree: Path) -> None:
    make_skills(tree, "tide")
    src = browser.get(page_of("tide")).context["page"].news.src
    target = HTMX | {"HX-Target": "news"}
    assert "role=" not in browser.get(src, headers=target).content.decode()

    decided(owner, "tide", "reject", note="No, <i>never</i>.")
    told = browser.get(src, headers=target).content.decode()
    assert "mira decided at" in told and "&lt;i&gt;never" in told

    evolve(tree, "tide", "# Read tides\n\nLook twice.\n")
    told = browser.get(src, headers=target).content.decode()
    assert "SKILL.md changed on disk." in told and "Look twice" not in told
    assert told.strip().startswith('<div id="news"')

    Project.objects.get().skills.all().delete()
    assert "taken away on disk" in browser.get(src, headers=target).content.decode()


def test_what_is_new_in_what_it_would_run_is_marked(browser: Client, owner: User, tree: Path) -> None:
    make_skills(tree, "tide")
    decided(owner, "tide", "approve")
    evolve(tree, "tide", "# Read tides\n\nRun `tides --all` and see https://tides.example.com\n")
    runs = browser.get(page_of("tide")).context["page"].runs
    assert [(item.text, item.is_new) for item in runs.groups[0].items] == [("tides --all", True)]
    assert runs.new == 2
    [row] = browser.get(LIST).context["page"].rows
    assert row.change == "+1 \N{MINUS SIGN}1 lines since it was reviewed"


@pytest.mark.parametrize(("act", "approved"), [("opened", {"a"}), ("override", {"a", "b"})])
def test_many_are_approved_as_far_as_they_were_opened(
    browser: Client, tree: Path, act: str, approved: set[str]
) -> None:
    make_skills(tree, "a", "b", "c")
    browser.get(page_of("a"))
    ticked = [f"{skill(slug).pk}:{skill(slug).content_hash}" for slug in ("a", "b")]
    asked = browser.post(f"{LIST}bulk/", {"pk": ticked, "act": "approve"})
    assert "Approve 2 skills, 1 of them not opened?" in asked.content.decode()
    assert not SkillDecision.objects.exists()

    browser.post(f"{LIST}bulk/", {"pk": ticked, "act": act})
    assert set(SkillCandidate.objects.filter(review="approved").values_list("slug", flat=True)) == approved
    assert set(SkillDecision.objects.filter(is_override=True).values_list("slug", flat=True)) == approved - {"a"}


@pytest.mark.parametrize("pk", ["", "x", "1", "99999999999999999999:gitblob:1", "-1:a"])
def test_ticks_that_mean_nothing_do_nothing(browser: Client, tree: Path, pk: str) -> None:
    make_skills(tree, "tide")
    assert browser.post(f"{LIST}bulk/", {"pk": [pk], "act": "approve"}).status_code in {200, 302}
    assert not SkillDecision.objects.exists()


def test_a_guest_reads_and_decides_nothing(client: Client, guest: User, tree: Path) -> None:
    make_skills(tree, "tide")
    client.force_login(guest)
    told = client.get(page_of("tide")).content.decode()
    assert 'id="decide"' not in told and "Take away" not in told
    assert decide(client, "tide", "approve").status_code == 403
    assert client.post(f"{LIST}bulk/", {"pk": ["1:x"], "act": "override"}).status_code == 403
    assert client.get(f"{LIST}propose/").status_code == 403
    assert client.get(f"{page_of('tide')}edit/").status_code == 403

    guest.user_permissions.add(Permission.objects.get(codename="change_skillcandidate"))
    assert decide(client, "tide", "approve").status_code == 302


@pytest.mark.parametrize("action", ["", "burn", "approve"])
def test_an_odd_decision_is_no_error_of_ours(browser: Client, tree: Path, action: str) -> None:
    make_skills(tree, "tide")
    assert decide(browser, "tide", action, content_hash="\0nonsense").status_code in {409, 422}
    assert browser.post("/dock/skills/harbor/nothing/decide/", {"action": "approve"}).status_code == 404


def test_asks_the_database_the_same_whatever_a_skill_holds(browser: Client, tree: Path) -> None:
    make_skills(tree, "a")
    write_skill(tree, "b", sources=[f".memsearch/memory/2026-01-{day:02}.md" for day in range(1, 20)])
    install(tree, "c")
    sync.sync(Project.objects.get(), at=timezone.now())
    counts = []
    for slug in ("a", "b", "c"):
        browser.get(page_of(slug))
        with CaptureQueriesContext(connection) as told:
            browser.get(page_of(slug))
        counts.append(len(told))
    assert max(counts) < 35  # what a skill cites, and where it is installed, is looked up where there is any
