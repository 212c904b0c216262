from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from memory import changes, locks
from memory.changes import Note
from memory.jobs import indexing
from memory.models import Change, Entry, Marker, Project, SearchDocument
from memory.projects import sync
from memory.search import backends, hints, index, items, query
from memory.search.backends.base import NOWHERE
from memory.search.query import search
from tests.databases import another_writer
from tests.makers import make_entry_text, make_project, make_tree
from tests.memory.engram.makers import make_observation

pytestmark = pytest.mark.django_db


def titles(query: str) -> list[str]:
    return [hit.title for hit in search(query).items]


def contents() -> list[tuple[object, ...]]:
    """Everything that the index holds, without primary keys."""
    places = backends.current().places(
        SearchDocument.objects.values_list("pk", flat=True), frozenset({"leas", "berth", "tide", "harbor"})
    )
    rows = SearchDocument.objects.order_by("key")
    facts = ("key", "ref", "kind", "project_id", "session", "type", "platform", "when", "length", "title", "text")
    return [(*(getattr(row, fact) for fact in facts), places.get(row.pk, NOWHERE)) for row in rows]


def write_day(tree: Path, *bodies: str) -> None:
    text = "".join(make_entry_text(f"09:{n:02}", turn=str(n), body=f"- {body}") for n, body in enumerate(bodies))
    make_tree(tree, {"2026-03-14": text})


def read_again(project: Project) -> None:
    sync.sync(project, at=timezone.now())


def test_finds_an_entry_as_soon_as_it_is_written(tree: Path) -> None:
    write_day(tree, "Fixed the lease manager")
    project = make_project(tree)
    assert titles("lease") == ["Fixed the lease manager", "Fixed the lease manager"]  # the entry and its session
    write_day(tree, "Fixed the lease manager", "Moved the crane")
    read_again(project)
    assert titles("crane") == ["Moved the crane"]


def test_forgets_what_was_edited_away(tree: Path) -> None:
    write_day(tree, "Fixed the lease manager")
    project = make_project(tree)
    assert titles("lease")
    write_day(tree, "Fixed the berth planner")
    read_again(project)
    assert titles("lease") == []
    assert titles("berth")


def test_forgets_what_was_removed(tree: Path) -> None:
    write_day(tree, "Fixed the lease manager")
    project = make_project(tree)
    assert titles("lease")
    (tree / ".memsearch/memory/2026-03-14.md").unlink()
    read_again(project)
    assert titles("lease") == []
    assert not SearchDocument.objects.exists()
    assert not backends.current().document_ids()


def test_finds_documents_by_section_and_skills(tree: Path) -> None:
    make_tree(
        tree,
        {},
        **{
            "PROJECT.md": "# Harbor\nThe gate service.\n\n## Ports\nThe lease manager listens on 4242.\n",
            "skill-candidates/rotate-keys/SKILL.md": "---\nname: rotate-keys\ndescription: Rotate signing keys\n---\nBody.",
        },
    )
    make_project(tree)
    ports = search("lease manager").items
    assert [(hit.ref, hit.kind, hit.title) for hit in ports] == [
        ("file:harbor/PROJECT.md", "document", "PROJECT.md: Ports")
    ]
    skills = search("rotate signing keys").items
    assert [(hit.ref, hit.kind) for hit in skills] == [("skill:harbor/rotate-keys", "skill")]


def test_forgets_a_section_that_is_gone(tree: Path) -> None:
    project = make_project(make_tree(tree, {}, **{"PROJECT.md": "# Harbor\nGate\n\n## Ports\nLease manager\n"}))
    assert titles("lease")
    make_tree(tree, {}, **{"PROJECT.md": "# Harbor\nGate\n"})
    read_again(project)
    assert titles("lease") == []
    assert titles("gate") == ["PROJECT.md: Harbor"]


def test_goes_on_where_a_crash_left_it(tree: Path) -> None:
    write_day(tree, *[f"Lease number{n}" for n in range(30)])
    make_project(tree)
    assert index.follow(limit=10) == 10
    assert index.lag() == Change.objects.count() - 10
    assert indexing.step() == Change.objects.count() - 10
    assert index.drift() == index.Drift([], [])
    assert indexing.step() == 0


@pytest.mark.django_db(transaction=True)
def test_a_commit_does_not_wait_until_another_writer_lets_it_index(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_project(make_tree(tree))
    index.follow()
    Marker.objects.filter(name=index.CURSOR).update(value=F("value") - 1)
    monkeypatch.setattr(index, "_last_kept", 0.0)
    with another_writer("memory_marker"):
        index.keep_up()
    assert index.lag() == 1
    index.keep_up()
    assert index.lag() == 0


def test_of_two_searches_at_once_one_brings_the_index_up_to_date(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_project(make_tree(tree, {"2026-01-15": make_entry_text(body="- Fixed the lease manager")}))
    monkeypatch.setattr(query, "PATIENCE", 0)
    with query._catching_up:
        assert (search("lease").items, search("lease").hint) == ([], hints.BEHIND)
    assert search("lease").items


def write_many(tree: Path) -> None:
    """Read more at once than a search takes up, and leave the index as it is."""
    hour = "".join(make_entry_text(f"09:{n:02}", turn=str(n), body=f"- Crane {n}") for n in range(60))
    make_project(make_tree(tree, {f"2026-03-{day:02}": hour for day in range(1, 7)}))
    assert index.lag() > query.FOLLOWED


def test_what_came_alone_goes_ahead_of_a_long_queue(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_many(tree)
    make_observation("Leases are kept in Redis")
    known = []

    def look() -> None:
        known.append(set(SearchDocument.objects.values_list("kind", flat=True)))

    with monkeypatch.context() as watched:
        watched.setattr(locks, "give_way", look)
        index.follow()
    assert "observation" in known[0]
    assert index.drift() == index.Drift([], [])
    followed = contents()
    index.rebuild(at=timezone.now())
    assert contents() == followed


def test_beside_a_worker_a_search_does_not_take_up_a_long_queue(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_many(tree)
    monkeypatch.setattr(index, "_has_worker", True)
    assert (search("crane").items, search("crane").hint) == ([], hints.BEHIND)
    assert not SearchDocument.objects.exists()


def test_loses_a_batch_with_its_cursor_or_keeps_both(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_day(tree, "Fixed the lease manager")
    make_project(tree)

    def fail(*_: object) -> None:
        raise OSError("killed")

    with monkeypatch.context() as broken:
        broken.setattr(backends.current().__class__, "write", fail)
        with pytest.raises(OSError, match="killed"):
            index.follow()
    assert not SearchDocument.objects.exists()
    assert titles("lease")


def test_leaves_a_batch_to_the_process_that_took_it(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_day(tree, "Fixed the lease manager")
    make_project(tree)
    prepare = index._prepare

    def outrun(refs: Any) -> Any:
        prepared = prepare(refs)
        monkeypatch.undo()
        index.follow()  # the other process is first
        return prepared

    monkeypatch.setattr(index, "_prepare", outrun)
    assert index.follow() == 0
    assert index.drift() == index.Drift([], [])


def test_takes_up_a_small_commit_in_the_process_that_made_it(
    tree: Path, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "_last_kept", -1000.0)
    write_day(tree, "Fixed the lease manager")
    with django_capture_on_commit_callbacks(execute=True):
        make_project(tree)
    assert SearchDocument.objects.filter(kind="entry").exists()


def test_leaves_a_large_commit_to_others(
    tree: Path, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "_last_kept", -1000.0)
    write_day(tree, *[f"Lease number{n % 60}" for n in range(59)])
    project = make_project(tree)
    with django_capture_on_commit_callbacks(execute=True), transaction.atomic():
        changes.append([Note("project.changed", "project:harbor")], project=project, at=timezone.now())
    assert not SearchDocument.objects.exists()


def test_rebuilds_what_following_made(sample: Project) -> None:
    index.follow()
    followed = contents()
    index.rebuild(at=timezone.now())
    assert contents() == followed
    assert index.follow() == 0


def test_puts_right_what_drifted(sample: Project) -> None:
    index.follow()
    sound = contents()
    lost = SearchDocument.objects.filter(kind="entry").first()
    assert lost
    backends.current().remove([lost.pk])
    lost.delete()
    stray = SearchDocument.objects.create(
        key="entry:999999", ref="entry:999999", kind="entry", project=sample, when=timezone.now()
    )
    assert index.drift() == index.Drift(missing=[lost.key], left_over=[stray.key])
    index.rebuild(at=timezone.now())
    assert index.drift() == index.Drift([], [])
    assert contents() == sound


def test_starts_anew_where_the_feed_was_trimmed(sample: Project) -> None:
    changes.trim(before=timezone.now() + timedelta(days=1), keep=1)
    index.follow()
    assert index.drift() == index.Drift([], [])


def test_does_not_start_anew_while_somebody_waits(sample: Project) -> None:
    changes.trim(before=timezone.now() + timedelta(days=1), keep=1)
    assert "taking up" in search("lease").hint
    assert not SearchDocument.objects.exists()


def test_follows_entries_into_the_project_that_they_were_merged_into(tree: Path, tmp_path: Path) -> None:
    write_day(tree, "Fixed the lease manager")
    project = make_project(tree)
    assert search("lease").facets["project"] == {"harbor": 2}
    into = Project.objects.create(name="port")
    with transaction.atomic():
        for rows in (project.entries, project.journals, project.sessions):
            rows.update(project=into)
        changes.append([Note("project.merged", "project:port")], project=into, at=timezone.now())
    assert search("lease").facets["project"] == {"port": 2}
    assert search("lease", filters=None).total == 2


def test_says_nothing_of_an_unavailable_summary_but_keeps_the_entry(tree: Path) -> None:
    note = "Memory summary unavailable: summarization timed out; use the transcript anchor"
    write_day(tree, note, "Read the transcript of the storm")
    make_project(tree)
    assert titles("transcript kind:entry") == ["Read the transcript of the storm"]
    assert len(search("kind:entry").items) == Entry.objects.count() == 2


def test_who_waits_is_not_held_by_what_others_take_up(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_day(tree, *[f"Lease number{n}" for n in range(30)])
    make_project(tree)
    prepare, rounds = index._prepare, 0

    def outrun(refs: Any) -> Any:
        nonlocal rounds
        rounds += 1
        prepared = prepare(refs)
        Marker.objects.filter(name=index.CURSOR).update(value=F("value") + 1)  # another process, each time
        return prepared

    index.follow(limit=1)
    monkeypatch.setattr(index, "_prepare", outrun)
    assert index.follow(limit=4) == 0
    assert rounds == 1


@pytest.mark.django_db(transaction=True)
def test_others_may_write_while_it_is_made_anew(tree: Path) -> None:
    text = "".join(make_entry_text(f"{n // 60:02}:{n % 60:02}", turn=str(n)) for n in range(1300))
    make_project(make_tree(tree, {"2026-03-14": text, "2026-03-15": text}))
    refs = items.every_ref()
    next(refs)

    def write() -> None:
        Marker.objects.create(name="another")
        connection.close()

    other = Thread(target=write)
    other.start()
    other.join()
    with transaction.atomic():
        Marker.objects.create(name="own")
    assert len(list(refs)) == 2600  # all but the first, and their session


def test_command_makes_the_index_anew(sample: Project) -> None:
    out = StringIO()
    call_command("reindex", as_json=True, stdout=out)
    report = json.loads(out.getvalue())
    assert report["documents"] == SearchDocument.objects.count() > 0
    assert report["drift"] == {"missing": [], "left_over": []}
    assert Marker.objects.get(name=index.CURSOR).value == changes.latest()
