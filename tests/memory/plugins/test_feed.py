"""MemDock's change feed as the feed of our plugins."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from memory import changes
from memory.changes import Note
from memory.models import Project, ProjectAlias
from memory.plugins import feed, kinds
from memory.plugins.desk import desk
from memory.plugins.journal.plugin import JournalPlugin
from memory.plugins.observations.plugin import ObservationsPlugin
from memory.service.cursors import MemoryCursorStore
from memory.service.plugins import EVERYWHERE
from memory.service.service import MemoryService
from memory.service.types import MemoryChange
from tests import loops
from tests.memory.service.parts import Ear, meta, serving, soon, until

pytestmark = pytest.mark.django_db(transaction=True)


def append(*kinds: str, project: Project | None = None) -> None:
    with transaction.atomic():
        notes = [Note(kind, f"{kind.partition('.')[0]}:{number}", f"A {kind}") for number, kind in enumerate(kinds, 1)]
        changes.append(notes, project=project, at=timezone.now())


def ours() -> MemoryService:
    return serving(JournalPlugin(), ObservationsPlugin())


def play(scene: Coroutine[Any, Any, None]) -> None:
    loops.run(scene)


@pytest.fixture
def lighthouse(transactional_db: None) -> Project:
    return Project.objects.create(name="lighthouse")


def test_each_plugin_tells_the_kinds_that_are_its(harbor: Project) -> None:
    start = changes.latest()
    told = ["entry.added", "skill.updated", "observation.saved", "session.started", "prompt.saved", "document.changed"]
    told += ["capture.queued", "relation.judged", "maintenance.ran", "artifact.stored", "plugin.changed"]
    append(*told, project=harbor)

    async def scene() -> None:
        ear, store = Ear(), MemoryCursorStore({"journal": str(start), "observations": str(start)})
        subscription = ours().subscribe(meta("harbor"), ear.handle, cursor_store=store)
        await until(lambda: len(ear.changes) == 7)
        await soon(subscription.unsubscribe())
        by_plugin = {one: [c for c in ear.changes if c.plugin_id == one] for one in ("journal", "observations")}
        assert [_kind(change) for change in by_plugin["journal"]] == [
            *("entry.added", "session.started", "document.changed", "capture.queued"),
        ]
        assert [_kind(change) for change in by_plugin["observations"]] == [
            *("observation.saved", "prompt.saved", "relation.judged"),
        ]
        assert by_plugin["journal"][0] == MemoryChange(
            "journal",
            str(start + 1),
            "entry:1",
            {"kind": "entry.added", "project": "harbor", "title": "A entry.added"},
        )
        assert store.cursors == {"journal": str(start + 7), "observations": str(start + 8)}

    play(scene())


def test_what_is_committed_later_wakes_the_follower(harbor: Project) -> None:
    async def scene() -> None:
        ear, store = Ear(), MemoryCursorStore()
        subscription = ours().subscribe(meta(harbor.root), ear.handle, cursor_store=store)
        await until(lambda: len(store.cursors) == 2)
        await desk.do(append, "entry.added", project=harbor)
        await ear.hears("entry:1")
        await soon(subscription.unsubscribe())

    play(scene())


@pytest.mark.parametrize("scope", ["harbor", "lighthouse", EVERYWHERE])
def test_a_scope_is_told_of_its_project_alone_and_everywhere_of_all(
    harbor: Project, lighthouse: Project, scope: str
) -> None:
    start = changes.latest()
    owners: list[Project | None] = [harbor, lighthouse, None, lighthouse, harbor]
    for project in owners:
        append("entry.added", "prompt.saved", project=project)

    async def scene() -> None:
        ear, store = Ear(), MemoryCursorStore({"journal": str(start), "observations": str(start)})
        subscription = ours().subscribe(meta(scope), ear.handle, cursor_store=store)
        told = [owner for owner in owners if scope == EVERYWHERE or (owner and owner.name == scope)]
        # Told in order, so that whatever is told too much would come before the last one.
        await until(lambda: len(ear.changes) >= 2 * len(told))
        await soon(subscription.unsubscribe())
        for plugin_id in ("journal", "observations"):
            heard = [one.metadata for one in ear.changes if one.plugin_id == plugin_id and one.metadata]
            assert [one["project"] for one in heard] == [owner.name if owner else None for owner in told]

    play(scene())


def test_a_scope_that_becomes_a_project_is_followed_from_then_on(harbor: Project) -> None:
    async def scene() -> None:
        ear, store = Ear(), MemoryCursorStore()
        subscription = ours().subscribe(meta("port"), ear.handle, cursor_store=store)
        await until(lambda: len(store.cursors) == 2)
        await desk.do(append, "entry.added")
        await desk.do(ProjectAlias.objects.create, project=harbor, name="port")
        await desk.do(append, "project.changed", "session.started", project=harbor)
        await ear.hears("session:2")
        await soon(subscription.unsubscribe())

    play(scene())


@pytest.mark.parametrize("cursor", ["", "x", "-1", "٣", "9" * 19, "999999"])
def test_a_cursor_that_the_feed_did_not_give_needs_a_new_start(harbor: Project, cursor: str) -> None:
    async def scene() -> None:
        ear = Ear()
        store = MemoryCursorStore({"journal": cursor})
        subscription = serving(JournalPlugin()).subscribe(meta("harbor"), ear.handle, cursor_store=store)
        await soon(subscription.closed())
        assert subscription.failures[0].reset_required

    play(scene())


def test_a_cursor_that_was_trimmed_away_needs_a_new_start(harbor: Project) -> None:
    append(*["entry.added"] * 10, project=harbor)
    changes.trim(before=timezone.now() + timedelta(seconds=1), keep=3)

    async def scene() -> None:
        ear = Ear()
        old, kept = changes_floor - 1, changes_floor
        for cursor, is_lost in ((old, True), (kept, False)):
            store = MemoryCursorStore({"journal": str(cursor)})
            subscription = serving(JournalPlugin()).subscribe(meta("harbor"), ear.handle, cursor_store=store)
            if is_lost:
                await soon(subscription.closed())
                assert [one.reset_required for one in subscription.failures] == [True]
                assert store.cursors == {"journal": str(cursor)}
            else:
                await until(lambda: len(ear.heard) == 3)
                await soon(subscription.unsubscribe())

    changes_floor = changes.floor()
    play(scene())


def test_a_feed_of_few_changes_keeps_up_with_the_log(harbor: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "SKIPPED", 5)

    async def scene() -> None:
        ear, store = Ear(), MemoryCursorStore({"observations": str(start)})
        subscription = serving(ObservationsPlugin()).subscribe(meta("harbor"), ear.handle, cursor_store=store)
        await until(lambda: store.cursors["observations"] == str(start + 7))
        await soon(subscription.unsubscribe())
        assert ear.heard == []

    start = changes.latest()
    append(*["entry.added"] * 7, project=harbor)
    play(scene())


def test_our_own_plugins_are_not_followed_by_who_carries_changes_into_the_feed(harbor: Project) -> None:
    async def scene() -> None:
        subscription = ours().subscribe(
            meta(EVERYWHERE, **{feed.RELAY: True}), Ear().handle, cursor_store=MemoryCursorStore()
        )
        assert subscription.plugin_ids == []
        await asyncio.sleep(0)
        await soon(subscription.unsubscribe())

    play(scene())


@pytest.mark.parametrize("plugin_id", ["notes", "acme/notes", "a%2Fb", "été ☂"])
@pytest.mark.parametrize("memory_id", ["n1", "a/b", "", "plugin:x/y"])
def test_a_ref_of_a_foreign_memory_can_be_taken_apart(plugin_id: str, memory_id: str) -> None:
    ref = kinds.foreign_ref(plugin_id, memory_id)

    assert kinds.memory(kinds.FOREIGN, ref) == kinds.Memory(plugin_id, memory_id)


def _kind(change: MemoryChange) -> object:
    assert change.metadata is not None
    return change.metadata["kind"]
