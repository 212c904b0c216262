"""Candidates that MemDock writes: MemSearch's bytes, whole or not at all."""

from __future__ import annotations

import json
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.utils import timezone

from memory.audit import COMMAND
from memory.models import AuditEntry, Change, SkillRevision
from memory.skills import jobs, store, writing
from memory.skills.errors import CannotWrite, ContentChanged, InvalidText, NoSuchSkill
from tests import untouched
from tests.memory.skills.desks import BODY, CLAUDE, Desk, outcomes

pytestmark = pytest.mark.django_db

AT = datetime(2026, 1, 5, 18, 20, 7, 120450, tzinfo=UTC)


def _git(desk: Desk, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=desk.store, check=True, capture_output=True, text=True)
    return done.stdout


@contextmanager
def full_disk(size: int) -> Iterator[None]:
    """Let no file grow beyond this many bytes, which a disk says as it says that it is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_writes_the_bytes_of_memsearch(desk: Desk) -> None:
    written = desk.propose("Trace a Lease!", "\n# Trace\n\nText \n\n", description=' When "leases" clash 租约 ', at=AT)
    assert (written.slug, written.outcome, written.problems) == ("trace-a-lease", "created", ())
    text = '---\nname: trace-a-lease\ndescription: "When \\"leases\\" clash 租约"\n---\n\n# Trace\n\nText\n'
    assert desk.text("trace-a-lease").decode() == text
    assert (desk.store / "trace-a-lease" / "meta.json").read_text() == (
        "{\n"
        '  "name": "trace-a-lease",\n'
        '  "status": "candidate",\n'
        '  "description": "When \\"leases\\" clash 租约",\n'
        f'  "content_hash": "{store.blob_hash(text.encode())}",\n'
        '  "occurrences": null,\n'
        '  "sources": [],\n'
        '  "reason": "manual",\n'
        '  "installed_paths": [],\n'
        '  "created_at": "2026-01-05T18:20:07.120450Z",\n'
        '  "updated_at": "2026-01-05T18:20:07.120450Z"\n'
        "}\n"
    )
    assert desk.skill("trace-a-lease").problems == []


def test_commits_with_the_messages_of_memsearch(desk: Desk) -> None:
    desk.propose(body="# Another")
    desk.propose(body="# Distilled", platform="dsh", occurrences=3, sources=["b.md", "a.md"], reason="Seen")
    desk.propose("new one", platform="codex")
    desk.propose(body="# Distilled", platform="dsh", occurrences=5, sources=["c.md"])
    desk.install()
    desk.act("uninstall")
    assert _git(desk, "log", "--reverse", "--format=%an <%ae> %s").splitlines() == [
        f"memsearch <memsearch@localhost> {message}"
        for message in (
            "add: created candidate skill tide (manual)",
            "add: updated candidate skill tide (manual)",
            "distill: evolve 1 candidate skill(s) [dsh]",
            "distill: add 1 candidate skill(s) [codex]",
            "distill: refresh candidate metadata [dsh]",
            "install: tide -> 1 path(s)",
            "uninstall: tide -> 1 path(s)",
        )
    ]
    assert _git(desk, "status", "--porcelain") == ""


def test_a_candidate_evolves_as_in_memsearch(desk: Desk) -> None:
    first = desk.meta()
    written = desk.propose(body="# Other", occurrences=4, sources=["b.md", "a.md"], reason="Seen", platform="dsh")
    desk.propose(body="# Other", occurrences=2, sources=["c.md"], platform="dsh")
    meta = desk.meta()
    assert list(meta) == list(first)
    assert (meta["occurrences"], meta["sources"], meta["reason"]) == (4, ["a.md", "b.md", "c.md"], "manual")
    assert (meta["created_at"], meta["content_hash"]) == (first["created_at"], written.content_hash)
    assert [row.content_hash for row in SkillRevision.objects.order_by("number")] == [
        first["content_hash"],
        written.content_hash,
    ]


def test_the_same_text_again_writes_nothing(desk: Desk) -> None:
    before = untouched.facts(desk.store / "tide" / "meta.json")
    assert desk.propose().outcome == "same"
    assert untouched.facts(desk.store / "tide" / "meta.json") == before


@pytest.mark.parametrize(
    "over", [{"body": " \n"}, {"description": "\t"}, {"description": "", "body": ""}, {"body": "x" * 2**20}]
)
def test_a_skill_needs_a_description_and_a_body_of_some_length(desk: Desk, over: dict[str, str]) -> None:
    with pytest.raises(InvalidText):
        desk.propose("empty", **over)
    assert not (desk.store / "empty").exists()


def test_a_text_that_was_rejected_is_not_written_again(desk: Desk) -> None:
    desk.decide("reject", note="No")
    assert desk.propose().outcome == "rejected"
    desk.propose(body="# Better")
    before = desk.text()
    assert desk.propose().outcome == "rejected"
    assert desk.text() == before


def test_edits_the_whole_text_and_keeps_front_matter_of_others(desk: Desk) -> None:
    text = "---\r\nname: tide\r\ndescription: New words\r\nallowed-tools: Bash\r\n---\r\n\r\n# Edited\r\n"
    row = desk.skill()
    written = writing.edit(
        desk.project, "tide", text=text, expected_hash=row.content_hash, actor=COMMAND, at=timezone.now()
    )
    assert written.outcome == "updated"
    assert desk.text() == b"---\nname: tide\ndescription: New words\nallowed-tools: Bash\n---\n\n# Edited\n"
    assert desk.meta()["description"] == "New words"
    assert AuditEntry.objects.filter(action="skill.updated", target="skill:harbor/tide").exists()


def test_an_edit_never_doubles_the_front_matter(desk: Desk) -> None:
    """Case B10: a byte order mark and carriage returns hide the front matter from other tools."""
    odd = b'\xef\xbb\xbf---\r\nname: tide\r\ndescription: "d"\r\n---\r\n\r\nbody\r\n'
    (desk.store / "tide" / "SKILL.md").write_bytes(odd)
    desk.sync()
    row = desk.skill()
    assert (row.text, row.body) == ('---\nname: tide\ndescription: "d"\n---\n\nbody\n', "body\n")
    edited = row.text.replace("body", "another body")
    writing.edit(desk.project, "tide", text="\ufeff" + edited, expected_hash=store.blob_hash(odd), at=timezone.now())
    assert desk.text() == b'---\nname: tide\ndescription: "d"\n---\n\nanother body\n'


def test_a_text_without_front_matter_is_the_body(desk: Desk) -> None:
    writing.edit(desk.project, "tide", text="# Plain", expected_hash=desk.skill().content_hash, at=timezone.now())
    assert desk.text() == b'---\nname: tide\ndescription: "Import tide tables"\n---\n\n# Plain\n'


def test_an_edit_of_another_text_than_the_person_saw_is_refused(desk: Desk) -> None:
    seen = desk.skill().content_hash
    (desk.store / "tide" / "SKILL.md").write_text("# Somebody was faster\n")
    with pytest.raises(ContentChanged) as refusal:
        writing.edit(desk.project, "tide", text="# Mine", expected_hash=seen, at=timezone.now())
    assert refusal.value.now_hash == store.blob_hash(desk.text())
    assert desk.text() == b"# Somebody was faster\n"


@pytest.mark.parametrize("slug", ["nothing", "../../x", ".git", "", "a/b", "x\0"])
def test_edits_only_candidates(desk: Desk, slug: str) -> None:
    with pytest.raises(NoSuchSkill):
        writing.edit(desk.project, slug, text="# x", expected_hash="", at=timezone.now())


def test_the_name_in_the_front_matter_stays(desk: Desk) -> None:
    text = "---\nname: ../../x\ndescription: d\n---\n\n# x\n"
    with pytest.raises(InvalidText):
        writing.edit(desk.project, "tide", text=text, expected_hash=desk.skill().content_hash, at=timezone.now())


@pytest.mark.parametrize("record", [b"{", b"[]", b'{"status": "archived"}', b"\xff"])
def test_a_record_that_cannot_be_kept_is_left_alone(desk: Desk, record: bytes) -> None:
    (desk.store / "tide" / "meta.json").write_bytes(record)
    before = desk.text()
    with pytest.raises(CannotWrite, match=r"meta\.json"):
        desk.propose(body="# Another")
    assert (desk.text(), (desk.store / "tide" / "meta.json").read_bytes()) == (before, record)


@pytest.mark.parametrize("name", ["SKILL.md", "meta.json", ""])
def test_writes_through_no_link(desk: Desk, name: str) -> None:
    outside = desk.home / "outside"
    path = desk.store / "tide" / name if name else desk.store / "tide"
    path.rename(outside)
    before = outside.read_bytes() if name else b""
    path.symlink_to(outside)
    with pytest.raises(CannotWrite, match="link"):
        desk.propose(body="# Another")
    assert path.is_symlink()
    assert not name or outside.read_bytes() == before


def test_a_full_disk_leaves_everything_as_it_was(desk: Desk) -> None:
    before = desk.text(), desk.meta()
    with full_disk(100_000), pytest.raises(CannotWrite, match="disk is full"):
        desk.propose(body="x" * 200_000)
    assert (desk.text(), desk.meta()) == before
    assert sorted(one.name for one in (desk.store / "tide").iterdir()) == ["SKILL.md", "meta.json"]
    desk.propose(body="x" * 200_000)
    job = desk.decide("install", targets=[CLAUDE]).job
    with full_disk(100_000):
        jobs.run_due(at=timezone.now())
    job.refresh_from_db()
    assert (job.state, outcomes(job), desk.copy().parent.exists()) == ("failed", ["failed"], False)
    assert "disk is full" in job.error
    assert desk.meta()["status"] == "candidate"


def test_a_draft_that_a_crash_left_behind_is_cleared(desk: Desk) -> None:
    stale = desk.store / "tide" / ".SKILL.md.0123456789ab.memdock"
    stale.write_text("half a te")
    desk.propose(body="# Another")
    assert not stale.exists()


def test_says_that_git_is_missing_and_loses_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    written = desk.propose(body="# Another")
    assert written.outcome == "updated"
    assert written.problems == ("The files are written, but not committed: git is not installed.",)
    assert desk.text().endswith(b"# Another\n")


@pytest.mark.parametrize(
    ("section", "told"),
    [
        ('[core]\n\tfsmonitor = "touch {}"\n', "core.fsmonitor"),
        ('[filter "x"]\n\tclean = "touch {}"\n', "filter.x.clean"),
        ("[include]\n\tpath = {}\n", "include.path"),
        ("[core\n", "git says"),
    ],
)
def test_runs_nothing_that_the_configuration_of_a_store_names(desk: Desk, section: str, told: str) -> None:
    mark = desk.home / "was-run"
    with (desk.store / ".git" / "config").open("a") as file:
        file.write(section.format(mark))
    (desk.store / ".gitattributes").write_text("* filter=x\n")
    written = desk.propose(body="# Another")
    assert told in written.problems[0]
    assert not mark.exists()
    assert desk.text().endswith(b"# Another\n")


def test_runs_no_hook_of_a_store(desk: Desk) -> None:
    mark = desk.home / "was-run"
    for name in ("pre-commit", "post-commit", "commit-msg", "post-index-change", "reference-transaction"):
        hook = desk.store / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
        hook.chmod(0o755)
    assert desk.propose(body="# Another").problems == ()
    assert not mark.exists()


def test_a_git_folder_that_is_a_link_is_not_used(desk: Desk) -> None:
    (desk.store / ".git").rename(desk.home / "git")
    (desk.store / ".git").symlink_to(desk.home / "git")
    head = (desk.home / "git" / "logs" / "HEAD").read_text()
    assert "link" in desk.propose(body="# Another").problems[0]
    assert (desk.home / "git" / "logs" / "HEAD").read_text() == head


def test_a_store_without_git_is_not_committed_into_the_project(tree: Path, desk: Desk) -> None:
    subprocess.run(["git", "init", "-q", str(tree)], check=True)
    subprocess.run(["rm", "-r", str(desk.store / ".git")], check=True)
    desk.install()
    found = subprocess.run(["git", "log"], cwd=tree, capture_output=True, text=True, check=False)
    assert found.returncode
    assert not (desk.store / ".git").exists()


def test_each_written_text_is_one_change(desk: Desk) -> None:
    desk.propose(body="# Another")
    kinds = Change.objects.filter(ref="skill:harbor/tide").order_by("pk").values_list("kind", flat=True)
    assert [*kinds] == ["skill.proposed", "skill.updated"]


def test_the_body_of_the_fixture_is_as_it_was_written(desk: Desk) -> None:
    assert json.dumps(desk.skill().body) == json.dumps(BODY + "\n")
