"""Engram's own checks and their report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from memory.engram import checks, naming
from memory.models import Project, Session
from tests.memory.engram.makers import make_observation, make_session
from tests.memory.projects.git import git, make_repository

pytestmark = pytest.mark.django_db

NAMES = [
    "invalid_session_identity",
    "manual_session_name_project_mismatch",
    "orphaned_observation_session",
    "session_project_directory_mismatch",
    "sqlite_lock_contention",
    "sync_mutation_required_fields",
    "unowned_session_project",
]
NOW = timezone.now()


def only(report: dict[str, Any]) -> dict[str, Any]:
    (check,) = report["checks"]
    found: dict[str, Any] = check
    return found


def test_all_is_well_in_a_memory_without_faults() -> None:
    make_observation()
    harbor = Project.objects.get(name="harbor")

    report = checks.report(harbor)
    assert (report["status"], report["project"]) == ("ok", "harbor")
    assert report["summary"] == {"total": 7, "ok": 7, "warnings": 0, "blocked": 0, "errors": 0}
    assert [check["check_id"] for check in report["checks"]] == NAMES
    assert all(
        (check["result"], check["severity"], check["safe_next_step"]) == ("ok", "info", "No action required.")
        and not check["requires_confirmation"]
        and not {"message", "why"} & check.keys()
        for check in report["checks"]
    )
    assert checks.report(None)["project"] == ""


@pytest.mark.parametrize("name", NAMES)
def test_runs_one_check_alone(name: str) -> None:
    report = checks.report(None, name)

    assert (only(report)["check_id"], report["summary"]["total"], report["status"]) == (name, 1, "ok")


def test_a_check_that_does_not_exist_is_an_error() -> None:
    report = checks.report(None, "<script>")

    assert report["status"] == "error"
    assert report["summary"] == {"total": 1, "ok": 0, "warnings": 0, "blocked": 0, "errors": 1}
    assert (only(report)["reason_code"], only(report)["severity"]) == ("unknown_check", "error")
    assert only(report)["evidence"] == {"known_checks": NAMES}


def make_row(project: str, external_id: str, **over: Any) -> Session:
    values: dict[str, Any] = {"key": f"row {external_id}", "started_at": NOW, "last_activity_at": NOW}
    return Session.objects.create(**values | {"project": naming.project_of(project), "external_id": external_id} | over)


def test_sessions_without_an_id_block() -> None:
    make_row("harbor", "")

    report = checks.report(None)
    assert (report["status"], report["summary"]["blocked"]) == ("blocked", 1)
    assert report["checks"][0]["severity"] == "blocking"
    assert checks.report(naming.project_of("pier"))["status"] == "ok"


def test_finds_manual_sessions_of_another_project() -> None:
    make_row("harbor", "manual-save-harbor")
    make_row("harbor", "manual-save-Pier")
    make_row("harbor", "manual-save-nobody")
    naming.project_of("pier")

    check = only(checks.report(None, "manual_session_name_project_mismatch"))
    assert (check["result"], check["severity"]) == ("warning", "warning")
    assert check["evidence"] == {
        "count": 1,
        "rows": [{"session_id": "manual-save-Pier", "named": "pier", "project": "harbor"}],
    }
    assert (check["message"], check["requires_confirmation"]) == (
        "1 manual sessions carry the name of another project.",
        True,
    )


def test_finds_memories_whose_session_was_never_recorded() -> None:
    make_observation(session_id="s1")
    make_row("harbor", "lost-2", is_stub=True)
    Session.objects.filter(key="s1").update(is_stub=True)

    check = only(checks.report(None, "orphaned_observation_session"))
    assert check["evidence"] == {"count": 1, "rows": [{"session_id": "s1", "observations": 1}]}


def test_finds_sessions_of_another_project_than_their_repository(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "checkout", origin="/srv/pier.git")
    make_session("s1", project="harbor", directory=str(repo))
    make_session("s2", project="pier", directory=str(repo))
    make_session("s3", project="harbor", directory="C:\\work\\other")

    check = only(checks.report(None, "session_project_directory_mismatch"))
    assert check["evidence"] == {
        "count": 1,
        "rows": [{"directory": str(repo), "project": "harbor", "detected_project": "pier"}],
    }
    git(repo, "remote", "set-url", "origin", "/srv/harbor.git")
    harbor = Project.objects.get(name="harbor")
    assert checks.report(harbor, "session_project_directory_mismatch")["status"] == "ok"


def test_finds_sessions_without_a_project_when_all_are_asked() -> None:
    make_row("", "s1")

    check = only(checks.report(None, "unowned_session_project"))
    assert (check["result"], check["evidence"]) == ("warning", {"count": 1, "rows": [{"session_id": "s1"}]})
    assert checks.report(naming.project_of(""), "unowned_session_project")["status"] == "ok"


def test_names_a_few_rows_and_counts_all() -> None:
    for number in range(25):
        make_row("", f"s{number}")

    evidence = only(checks.report(None, "unowned_session_project"))["evidence"]
    assert (evidence["count"], len(evidence["rows"])) == (25, 20)


@pytest.mark.django_db(transaction=True)
def test_sees_whether_writers_wait_for_one_another() -> None:
    assert checks.report(None, "sqlite_lock_contention")["status"] == "ok"
    if connection.vendor != "sqlite":
        return
    with connection.cursor() as cursor:
        wait_ms = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
        cursor.execute("PRAGMA busy_timeout = 0")
    try:
        check = only(checks.report(None, "sqlite_lock_contention"))
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA busy_timeout = {wait_ms}")
    assert (check["result"], check["reason_code"]) == ("warning", "no_busy_timeout")
