"""Deciding about skills in the admin: the same acts as in the dock."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from memory.models import SkillDecision
from memory.skills import review
from tests.memory.skills.desks import Desk, make_desk

pytestmark = pytest.mark.django_db

LIST = reverse("admin:memory_skillcandidate_changelist")


@pytest.fixture
def desk(tmp_path: Path, tree: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    found = make_desk(tree, tmp_path / "home")
    found.propose()
    return found


def _act(browser: Client, action: str, desk: Desk, note: str = "") -> str:
    chosen = {"action": action, "note": note, "_selected_action": desk.skill().pk}
    return browser.post(LIST, chosen, follow=True).content.decode()


def test_a_reason_is_asked_for_where_one_is_due(browser: Client, desk: Desk) -> None:
    assert "a note is needed" in _act(browser, "reject", desk)
    assert desk.skill().review == "pending"
    assert "1 skill is rejected." in _act(browser, "reject", desk, "Drops a table")
    decision = SkillDecision.objects.get()
    assert (decision.note, decision.actor_label) == ("Drops a table", "mira")


def test_only_opened_changes_are_approved(browser: Client, owner: User, desk: Desk) -> None:
    assert "open the changes in the dock first" in _act(browser, "approve", desk)
    skill = desk.skill()
    review.opened(skill_pk=skill.pk, person=owner, content_hash=skill.content_hash, at=timezone.now())
    assert "1 skill is approved." in _act(browser, "approve", desk)
    assert desk.skill().review == "approved"


@pytest.mark.parametrize(("action", "state"), [("snooze", "snoozed"), ("request_changes", "changes_requested")])
def test_a_decision_can_be_taken_back(browser: Client, desk: Desk, action: str, state: str) -> None:
    _act(browser, action, desk, "Name the port")
    assert desk.skill().review == state
    _act(browser, "reopen", desk)
    assert desk.skill().review == "pending"


def test_whoever_may_only_look_cannot_decide(client: Client, guest: User, desk: Desk) -> None:
    guest.is_staff = True
    guest.save()
    guest.user_permissions.add(Permission.objects.get(codename="view_skillcandidate"))
    client.force_login(guest)
    assert "Reject (needs a note)" not in client.get(LIST).content.decode()
    _act(client, "reject", desk, "No")
    assert not SkillDecision.objects.exists()
