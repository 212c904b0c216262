"""Decisions about skills over the API."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import timezone

from memory.models import ApiToken, AuditEntry, Project, SkillCandidate, SkillDecision, SkillJob
from memory.models.token import Scope
from memory.skills import jobs, store
from tests.makers import make_project, make_tree
from tests.memory.api.callers import ROOT, Response, make_browser, make_program, read, refused
from tests.memory.skills.trees import RECORD, SKILL

pytestmark = pytest.mark.django_db

PATH = "/projects/harbor/skills/tide"
CLAUDE = ".claude/skills"
HASH = store.blob_hash(SKILL)


@pytest.fixture
def root(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    write(tree)
    make_project(tree)
    return tree


def write(root: Path, slug: str = "tide") -> None:
    files: dict[str, str | bytes] = {
        f"skill-candidates/{slug}/SKILL.md": SKILL,
        f"skill-candidates/{slug}/meta.json": json.dumps(RECORD | {"name": slug}),
    }
    make_tree(root, None, **files)


def decide(action: str, client: Client | None = None, *, path: str = PATH, **over: Any) -> Response:
    body = {"action": action, "content_hash": HASH} | over
    asked = client or make_program(Scope.ADMIN, name=f"program {ApiToken.objects.count()}")
    return asked.post(f"{ROOT}{path}/decisions", json.dumps(body, default=str), content_type="application/json")


def test_a_decision_is_answered_with_the_skill(root: Path) -> None:
    response = decide("request_changes", make_program(Scope.ADMIN, name="desk"), note="Name the port.")
    assert response.status_code == 200
    found = response.json()
    assert found == read(make_program(), PATH)
    assert found["review"] == "changes_requested"
    decision = found["decisions"][0]
    assert decision.pop("at").endswith("Z")
    assert decision == {
        "action": "request_changes",
        "content_hash": HASH,
        "note": "Name the port.",
        "targets": [],
        "until": None,
        "by": "token desk",
        "message": "",
        "job": None,
    }
    assert AuditEntry.objects.get(action="skill.request_changes").actor_label == "token desk"


def test_installing_is_answered_with_a_job_and_done_by_the_worker(root: Path) -> None:
    response = decide("install", targets=[CLAUDE])
    assert response.status_code == 202
    job = response.json()["job"]
    assert (job["state"], [one["outcome"] for one in job["results"]]) == ("queued", ["waiting"])
    assert not (root / CLAUDE).exists()
    jobs.run_due(at=timezone.now())
    found = read(make_program(), PATH)
    assert found["decisions"][0]["job"]["state"] == "done"
    assert found["decisions"][0]["job"]["id"] == job["id"]
    assert (found["status"], found["pending"], found["installed_hash"]) == ("installed", None, HASH)
    assert found["installed_paths"] == [str(root / CLAUDE / "tide/SKILL.md")]
    assert found["targets"][0]["copy_state"] == "equal"
    assert decide("uninstall").status_code == 202


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"action": "reject"}, "note"),
        ({"action": "request_changes", "note": " "}, "note"),
        ({"action": "reject", "note": "a\0b"}, "note"),
        ({"action": "snooze"}, "until"),
        ({"action": "snooze", "until": "2020-01-01T00:00:00Z"}, "until"),
        ({"action": "snooze", "until": "2999-01-01T00:00:00"}, "until"),
        ({"action": "snooze", "until": "9999-12-31T23:59:59-12:00"}, "until"),
        ({"action": "delete"}, "action"),
        ({"action": "install"}, "targets"),
        ({"action": "install", "targets": ["/etc"]}, "targets"),
        ({"action": "install", "targets": ["../../x"]}, "targets"),
        ({"action": "install", "targets": ["\0"]}, "targets"),
        ({"action": "uninstall"}, "targets"),
        ({"action": "install", "targets": CLAUDE}, "targets"),
    ],
)
def test_an_incomplete_decision_is_refused_with_the_field(root: Path, body: dict[str, Any], field: str) -> None:
    refused(decide(**body), 422, "invalid", field=field)
    assert not SkillDecision.objects.exists()


def test_a_decision_about_another_content_is_a_conflict(root: Path) -> None:
    (root / ".memsearch/skill-candidates/tide/SKILL.md").write_text("# Changed\n")
    refused(decide("approve"), 409, "content_changed", field="content_hash")
    now_hash = read(make_program(), PATH)["content_hash"]
    assert now_hash == store.blob_hash(b"# Changed\n")
    assert decide("approve", content_hash=now_hash).status_code == 200


def test_a_copy_in_the_way_is_a_conflict_until_it_is_let_go(root: Path) -> None:
    copy = root / CLAUDE / "tide/SKILL.md"
    copy.parent.mkdir(parents=True)
    copy.write_text("# Mine\n")
    message = refused(decide("install", targets=[CLAUDE]), 409, "copy_differs", field="overwrite")
    assert CLAUDE in message
    target = read(make_program(), PATH)["targets"][0]
    assert (target["copy_state"], target["asks"]) == ("foreign", True)
    assert decide("install", targets=[CLAUDE], overwrite={CLAUDE: target["copy_hash"]}).status_code == 202
    jobs.run_due(at=timezone.now())
    assert copy.read_bytes() == SKILL
    assert decide("restore", targets=[CLAUDE]).status_code == 202
    jobs.run_due(at=timezone.now())
    assert copy.read_text() == "# Mine\n"


def test_a_rejected_skill_is_installed_only_after_it_was_opened_again(root: Path) -> None:
    assert decide("reject", note="No").status_code == 200
    refused(decide("install", targets=[CLAUDE]), 409, "conflict")
    assert decide("reopen").json()["review"] == "pending"
    assert decide("snooze", until=timezone.now() + timedelta(days=1)).json()["review"] == "snoozed"


def test_a_review_that_nobody_can_do_now_waits_and_says_so(root: Path) -> None:
    found = decide("queue_review").json()
    assert "waits" in found["decisions"][0]["message"]


def test_an_agent_cannot_decide_about_what_it_proposed(root: Path) -> None:
    for scope in (Scope.READ, Scope.WRITE):
        refused(decide("approve", make_program(scope)), 403, "forbidden")
    assert SkillCandidate.objects.get().review == "pending"


def test_another_site_cannot_install_with_the_cookie(root: Path, owner: User) -> None:
    """Case B70."""
    browser = make_browser(owner)
    body = json.dumps({"action": "install", "content_hash": HASH, "targets": [CLAUDE]})
    refused(browser.post(f"{ROOT}{PATH}/decisions", body, content_type="text/plain"), 415)
    refused(browser.post(f"{ROOT}{PATH}/decisions", body, content_type="application/json"), 403, "csrf_failed")
    headers = {"Origin": "https://evil.example"}
    refused(browser.post(f"{ROOT}{PATH}/decisions", body, content_type="application/json", headers=headers), 403)
    assert not SkillJob.objects.exists()


def test_a_colleague_needs_the_permission(root: Path, guest: User) -> None:
    browser = make_browser(guest)
    browser.cookies[settings.CSRF_COOKIE_NAME] = secret = "a" * 32
    body = json.dumps({"action": "approve", "content_hash": HASH})

    def ask() -> Response:
        return browser.post(
            f"{ROOT}{PATH}/decisions", body, content_type="application/json", headers={"X-CSRFToken": secret}
        )

    refused(ask(), 403, "forbidden")
    guest.user_permissions.add(Permission.objects.get(codename="change_skillcandidate"))
    assert ask().json()["decisions"][0]["by"] == "noor"


@pytest.mark.parametrize(
    "path", ["/projects/none/skills/x", "/projects/harbor/skills/none", "/projects/harbor/skills/%2E%2E"]
)
def test_says_that_there_is_no_such_skill(root: Path, path: str) -> None:
    refused(decide("approve", path=path), 404, "not_found")


def test_a_list_costs_as_many_queries_for_twenty_as_for_two(root: Path, django_assert_max_num_queries: Any) -> None:
    program = make_program()
    for number in range(20):
        write(root, f"s{number}")
    make_project(root)
    assert Project.objects.count() == 1
    with django_assert_max_num_queries(12):
        assert len(read(program, "/projects/harbor/skills")["items"]) == 21
