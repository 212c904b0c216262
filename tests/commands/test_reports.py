"""What single commands report."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from memory.api import tokens
from memory.jobs import heartbeat
from memory.models import Project
from tests.makers import make_entry_text, make_project, make_tree

pytestmark = pytest.mark.django_db

DAY = "2026-02-03"


def run(*arguments: str) -> tuple[str, str]:
    """Run a command; return what it wrote to stdout and to stderr."""
    out, err = io.StringIO(), io.StringIO()
    call_command(*arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def report(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json")[0])


def test_add_takes_another_name(tree: Path) -> None:
    assert report("add", str(make_tree(tree)), "--name", "Pilot Station")["project"] == "pilot station"


def test_adding_twice_says_so_and_reads_again(tree: Path) -> None:
    make_tree(tree, {DAY: make_entry_text()})
    run("add", str(tree))
    make_tree(tree, {DAY: make_entry_text() + make_entry_text("10:00", turn="2")})
    out, err = run("add", str(tree), "--json")
    assert (json.loads(out)["entries"], err) == (2, "harbor was registered already.\n")


def test_add_says_that_a_project_lies_inside_another(tree: Path) -> None:
    make_project(make_tree(tree))
    _, err = run("add", str(make_tree(tree / "pilot")))
    assert "lies inside harbor" in err


def test_sync_reports_all_projects_or_one(tmp_path: Path) -> None:
    for name in ("harbor", "pilot"):
        make_project(make_tree(tmp_path / name, {DAY: make_entry_text()}))
    assert [one["project"] for one in report("sync")] == ["harbor", "pilot"]
    assert [one["project"] for one in report("sync", "PILOT")] == ["pilot"]


def test_sync_reports_problems(tree: Path) -> None:
    make_project(make_tree(tree))
    (tree / ".memsearch" / "memory" / f"{DAY}.md").symlink_to("/etc/hostname")
    [found] = report("sync")
    assert [problem["path"] for problem in found["problems"]] == [f"memory/{DAY}.md"]


def test_sync_of_nothing_is_an_empty_list() -> None:
    assert report("sync") == []


def test_a_token_is_shown_once() -> None:
    made = report("token", "create", "ci", "--scope", "read")
    found = tokens.find(made["token"])
    assert found
    assert (found.name, found.scope) == ("ci", "read")
    [listed] = report("token", "list")
    assert (listed["name"], listed["prefix"]) == ("ci", made["prefix"])
    assert made["token"] not in json.dumps(listed)


def test_a_revoked_token_works_no_more() -> None:
    made = report("token", "create", "ci", "--scope", "admin")
    assert report("token", "revoke", "ci")["revoked_at"]
    assert tokens.find(made["token"]) is None
    with pytest.raises(CommandError, match="choose another name"):
        run("token", "create", "ci", "--scope", "read")


def test_a_sign_in_link_is_for_the_owner_or_whom_one_names(owner: User, guest: User) -> None:
    assert report("sign_in_link")["user"] == "mira"
    made = report("sign_in_link", "noor")
    assert (made["user"], "/dock/sign-in/" in made["url"]) == ("noor", True)
    with pytest.raises(CommandError, match="no active user zoe"):
        run("sign_in_link", "zoe")


def test_doctor_says_what_it_found(tree: Path) -> None:
    make_project(make_tree(tree))
    found = report("doctor")
    assert found["ok"] is True
    assert {"name", "title", "state", "text", "hint"} == set(found["checks"][0])
    assert heartbeat.last(heartbeat.WATCHER) is None
    assert next(check["state"] for check in found["checks"] if check["name"] == "watcher") == "warn"


def test_doctor_fails_when_something_is_broken(tree: Path) -> None:
    project = make_project(make_tree(tree))
    Project.objects.filter(pk=project.pk).update(memory_dir=str(tree / "gone"))
    with pytest.raises(SystemExit) as exit_:
        run("doctor", "--project", "harbor")
    assert exit_.value.code == 1
