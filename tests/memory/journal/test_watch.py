"""The watcher, on real folders, in a thread of its own."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connections
from django.utils import timezone

from memory.jobs import heartbeat
from memory.journal.places import Places
from memory.journal.watch import Watcher, is_followed
from memory.models import AuditEntry, Entry, Project
from tests.makers import make_entry_text, make_project, make_tree
from tests.waiting import wait_until

DAY = "2026-02-03"


@pytest.fixture
def watcher(transactional_db: None) -> Iterator[threading.Thread]:
    """A watcher that is not started yet; the test starts it when its files are ready."""
    stop = threading.Event()

    def run() -> None:
        try:
            Watcher(stop).run()
        finally:
            connections.close_all()

    thread = threading.Thread(target=run)
    yield thread
    stop.set()
    if thread.ident:
        thread.join(20)
    assert not thread.is_alive()


def register(root: Path, text: str = "") -> Project:
    """Register a project with one day file; its rows are made by the watcher or by the sync of the maker."""
    return make_project(make_tree(root, {DAY: text or make_entry_text()}))


def append(project_root: Path, text: str) -> None:
    with (project_root / ".memsearch" / "memory" / f"{DAY}.md").open("a") as file:
        file.write(text)


def bodies(project: Project) -> list[str]:
    return list(project.entries.order_by("ordinal").values_list("body", flat=True))


def has(project: Project, word: str) -> bool:
    return any(word in body for body in bodies(project))


def is_awake() -> bool:
    return heartbeat.last(heartbeat.WATCHER) is not None


def test_reads_at_the_start_what_was_written_while_it_did_not_run(watcher: threading.Thread, tree: Path) -> None:
    project = register(tree)
    append(tree, make_entry_text("10:00", turn="2", body="- Moored overnight"))
    watcher.start()
    wait_until(lambda: has(project, "overnight"))


def test_reads_what_is_appended_changed_and_removed(watcher: threading.Thread, tree: Path) -> None:
    project = register(tree)
    watcher.start()
    wait_until(is_awake)
    append(tree, make_entry_text("10:00", turn="2", body="- Moored"))
    wait_until(lambda: has(project, "Moored"))
    journal = tree / ".memsearch" / "memory" / f"{DAY}.md"
    journal.write_text(journal.read_text().replace("Moored", "Anchored"))
    wait_until(lambda: has(project, "Anchored"))
    journal.unlink()
    wait_until(lambda: not bodies(project))


def test_follows_documents_and_skills(watcher: threading.Thread, tree: Path) -> None:
    project = register(tree)
    watcher.start()
    wait_until(is_awake)
    make_tree(
        tree, {}, **{"PROJECT.md": "# Harbor\n", "skill-candidates/tide/SKILL.md": "---\nname: tide\n---\n# Tide\n"}
    )
    wait_until(lambda: project.documents.exists() and project.skills.exists())


def test_notices_a_project_that_is_added_later(watcher: threading.Thread, tmp_path: Path) -> None:
    watcher.start()
    wait_until(is_awake)
    project = register(tmp_path / "later")
    append(tmp_path / "later", make_entry_text("10:00", turn="2", body="- Moored"))
    wait_until(lambda: has(project, "Moored"))


def test_stops_following_a_project_that_is_removed(watcher: threading.Thread, tmp_path: Path) -> None:
    gone, kept = register(tmp_path / "gone"), register(tmp_path / "kept")
    watcher.start()
    wait_until(is_awake)
    gone.delete()
    append(tmp_path / "gone", make_entry_text("10:00", turn="2"))
    append(tmp_path / "kept", make_entry_text("10:00", turn="2", body="- Moored"))
    wait_until(lambda: has(kept, "Moored"))
    assert Entry.objects.exclude(project=kept).count() == 0


def test_picks_a_folder_up_again_that_was_deleted_and_made_anew(watcher: threading.Thread, tree: Path) -> None:
    project = register(tree)
    watcher.start()
    wait_until(is_awake)
    shutil.rmtree(tree / ".memsearch")
    make_tree(tree, {DAY: make_entry_text(body="- Made anew")})
    wait_until(lambda: has(project, "anew"))
    append(tree, make_entry_text("10:00", turn="2", body="- Moored"))
    wait_until(lambda: has(project, "Moored"))


def test_keeps_rows_while_a_folder_is_missing_and_reads_it_when_it_is_back(
    watcher: threading.Thread, tree: Path
) -> None:
    project = register(tree)
    watcher.start()
    wait_until(is_awake)
    (tree / ".memsearch").rename(tree / "aside")
    wait_until(lambda: Project.objects.get(pk=project.pk).problems)
    assert len(bodies(project)) == 1
    with (tree / "aside" / "memory" / f"{DAY}.md").open("a") as file:
        file.write(make_entry_text("10:00", turn="2", body="- Moored"))
    (tree / "aside").rename(tree / ".memsearch")
    wait_until(lambda: has(project, "Moored"))
    wait_until(lambda: not Project.objects.get(pk=project.pk).problems)


def test_follows_a_link_that_leads_elsewhere_now(watcher: threading.Thread, tmp_path: Path, tree: Path) -> None:
    for name in ("old", "new"):
        make_tree(tmp_path / name, {DAY: make_entry_text(body=f"- From the {name} place")})
    (tree / ".memsearch").symlink_to(tmp_path / "old" / ".memsearch")
    project = make_project(tree)
    watcher.start()
    wait_until(is_awake)
    (tree / ".memsearch").unlink()
    (tree / ".memsearch").symlink_to(tmp_path / "new" / ".memsearch")
    wait_until(lambda: has(project, "new place"))
    assert Project.objects.get(pk=project.pk).memory_dir == str((tmp_path / "new" / ".memsearch").resolve())
    assert AuditEntry.objects.filter(action="project.moved", target=project.name).exists()


def test_one_project_that_cannot_be_read_does_not_stop_the_others(watcher: threading.Thread, tmp_path: Path) -> None:
    broken, sound = register(tmp_path / "broken"), register(tmp_path / "sound")
    shutil.rmtree(tmp_path / "broken" / ".memsearch")
    (tmp_path / "broken" / ".memsearch").write_text("a file where a folder should be")
    watcher.start()
    wait_until(lambda: Project.objects.get(pk=broken.pk).problems)
    append(tmp_path / "sound", make_entry_text("10:00", turn="2", body="- Moored"))
    wait_until(lambda: has(sound, "Moored"))


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", True),
        ("memory", True),
        (f"memory/{DAY}.md", True),
        ("PROJECT.md", True),
        ("USER.md", True),
        ("skill-candidates/tide/SKILL.md", True),
        (".index-state.json", False),
        (".maintenance-dsh-distill.lock", False),
        ("memory/.2026-02-03.md.swp", False),
        ("memory/write.lock", False),
        ("skill-candidates/.git/HEAD", False),
        (".watch.pid", False),
        ("watch.pid", False),
        ("milvus.db", False),
    ],
)
def test_follows_what_is_read_and_no_state_of_other_tools(path: str, *, expected: bool) -> None:
    assert is_followed(path) is expected


def test_a_path_belongs_to_the_innermost_folder(db: None, tmp_path: Path) -> None:
    outer = register(tmp_path / "outer")
    inner = register(Path(outer.memory_dir) / "memory")
    places = Places()
    try:
        assert places.refresh(at=timezone.now())
        assert places.owner(f"{inner.memory_dir}/PROJECT.md") == (inner.pk, "PROJECT.md")
        assert places.owner(f"{outer.memory_dir}/PROJECT.md") == (outer.pk, "PROJECT.md")
        assert places.owner(f"{outer.memory_dir}-other/PROJECT.md") is None
        assert not places.refresh(at=timezone.now())
    finally:
        places.close()
