"""`memdock skills`: the review from a terminal."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memory.models import AuditEntry, ReplacedCopy, SkillDecision, SkillJob
from memory.skills import store
from tests.memory.skills.desks import BODY, CLAUDE, Desk, make_desk

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk(tmp_path: Path, tree: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tree)
    found = make_desk(tree, tmp_path / "home")
    found.propose()
    return found


def run(*arguments: str) -> tuple[str, str]:
    """Run `memdock skills …`; return what it wrote to stdout and to stderr."""
    out, err = io.StringIO(), io.StringIO()
    call_command("skills", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def report(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json")[0])


def test_lists_and_shows(desk: Desk) -> None:
    assert run("list")[0] == "tide  [pending, candidate, new to install]  Import tide tables\n"
    assert [one["slug"] for one in report("list", "--state", "waiting")] == ["tide"]
    assert report("list", "--state", "rejected") == []
    found = report("show", "tide")
    assert (found["slug"], found["review"], found["targets"][0]["name"]) == ("tide", "pending", CLAUDE)
    assert run("show", "tide")[0].endswith(f"{BODY}\n")


def test_reads_what_changed_on_disk_before_anything_else(desk: Desk) -> None:
    (desk.store / "tide" / "SKILL.md").write_text("# Changed\n")
    assert report("show", "tide")["content_hash"] == store.blob_hash(b"# Changed\n")


def test_decides(desk: Desk) -> None:
    assert report("approve", "tide")["review"] == "approved"
    assert report("request-changes", "tide", "--note", "Name the port")["review"] == "changes_requested"
    assert report("snooze", "tide", "--until", "7d")["review"] == "snoozed"
    assert report("reopen", "tide")["review"] == "pending"
    assert report("reject", "tide", "--note", "No")["decisions"][0]["note"] == "No"
    out, err = run("ask", "tide")
    assert out.startswith("tide  [rejected")
    assert "waits" in err
    assert AuditEntry.objects.filter(actor_label="command line", action="skill.reject").exists()


@pytest.mark.parametrize("until", ["yesterday", "2020-01-01", "99999999d", "0d"])
def test_snoozes_until_a_time_to_come(desk: Desk, until: str) -> None:
    with pytest.raises(CommandError):
        run("snooze", "tide", "--until", until)
    assert not SkillDecision.objects.exists()


def test_decides_about_the_content_that_was_read(desk: Desk) -> None:
    seen = desk.skill().content_hash
    desk.propose(body="# Another")
    with pytest.raises(CommandError, match="changed"):
        run("approve", "tide", "--hash", seen)


def test_installs_uninstalls_and_restores(desk: Desk) -> None:
    found = report("install", "tide", "--target", CLAUDE)
    assert (found["state"], found["results"][0]["outcome"]) == ("done", "installed")
    desk.copy().write_text("# Mine\n")
    desk.propose(body="# Evolved")
    with pytest.raises(CommandError, match="--overwrite") as refusal:
        run("install", "tide", "--target", CLAUDE)
    let_go = f"{CLAUDE}={store.blob_hash(b'# Mine' + bytes([10]))}"
    assert let_go in str(refusal.value)
    assert run("install", "tide", "--target", CLAUDE, "--overwrite", let_go)[0].startswith(f"{CLAUDE}: installed")
    assert ReplacedCopy.objects.count() == 1
    run("restore", "tide", "--target", CLAUDE)
    assert desk.copy().read_text() == "# Mine\n"
    run("uninstall", "tide", "--overwrite", let_go)
    assert not desk.copy().exists()


def test_says_that_a_job_failed(desk: Desk) -> None:
    (desk.home / ".memsearch").mkdir()
    (desk.home / ".memsearch" / "config.toml").write_text('[plugins.dsh.memory_to_skill]\npaths = ["/sys/skills"]\n')
    with pytest.raises(CommandError, match="read-only"):
        run("install", "tide", "--target", "/sys/skills")
    assert SkillJob.objects.get().state == "failed"


def test_proposes_from_a_file_and_from_the_standard_input(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    (desk.home / "body.md").write_text("# Trace\n")
    arguments = ("propose", "Trace it", "--description", "Trace", "--body-file")
    assert report(*arguments, str(desk.home / "body.md"))["outcome"] == "created"
    monkeypatch.setattr(sys, "stdin", io.StringIO("# Trace twice\n"))
    assert run(*arguments, "-")[0] == "trace-it: updated\n"
    assert desk.text("trace-it").endswith(b"# Trace twice\n")
    with pytest.raises(CommandError, match="cannot be read"):
        run(*arguments, str(desk.home / "none.md"))


def test_says_what_it_does_not_find(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CommandError, match="no skill nothing"):
        run("show", "nothing")
    with pytest.raises(CommandError, match="no project none"):
        run("list", "--project", "none")
    other = desk.home / "other"
    other.mkdir()
    make_desk(other, desk.home)
    monkeypatch.chdir(desk.home)
    with pytest.raises(CommandError, match="--project"):
        run("list")
    assert run("list", "--project", "other")[0] == "There are no skills here.\n"
