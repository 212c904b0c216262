"""Consumers: followed until stopped, begun anew where a plugin forgot them, seen by people."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import override_settings
from django.utils import timezone

from memory import changes, consumers, locks
from memory.changes import Note
from memory.consumers import knowledge_index, plugin_feed, search_index
from memory.engram import observations, sessions
from memory.models import Change, Marker, Project, SearchDocument, SubscriptionCursor
from memory.plugins import kinds
from memory.plugins.desk import desk
from memory.plugins.journal.plugin import JournalPlugin
from memory.plugins.observations.plugin import ObservationsPlugin
from memory.search import index
from memory.service import consumers as service_consumers
from memory.service import overview
from memory.service.consumers import Consumer, alone, registered, run
from memory.service.plugins import PluginChange
from memory.service.service import MemoryService
from memory.service.types import MemoryChange
from tests import loops
from tests.memory.service.parts import Ear, Log, in_database, serving, soon, until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _own_directory(tmp_path: Path) -> Iterator[None]:
    consumers.load()
    with override_settings(DATA_DIR=tmp_path):
        yield


async def following(consumer: Consumer, service: MemoryService, stop: asyncio.Event) -> asyncio.Task[Any]:
    """Run a consumer until it follows everything that it can."""
    task = asyncio.create_task(run(consumer, service, stop=stop))
    count = sum(row.is_followable for row in service.registry)
    await in_database(lambda: task.done() or _saved(consumer.name) == count)
    return task


def _saved(name: str) -> int:
    return SubscriptionCursor.objects.filter(consumer_id=name).exclude(cursor="").count()


def save(title: str, *, session: str = "s1", at: Any = None) -> str:
    at = at or timezone.now()
    sessions.register(id=session, project="harbor", directory="", at=at)
    saved = observations.save(session_id=session, title=title, content=f"About {title}", at=at).observation
    return f"observation:{saved.pk}"


def test_a_consumer_goes_on_where_it_was_stopped() -> None:
    log, ear = Log("notes"), Ear()

    async def life(*ids: str) -> None:
        stop = asyncio.Event()
        task = await following(Consumer("tests", ear.handle), serving(log), stop)
        await ear.hears(*ids)
        stop.set()
        assert await soon(task) == []

    loops.run(life())
    log.tell("a", "b")
    loops.run(life("a", "b"))
    log.tell("c")
    loops.run(life("a", "b", "c"))


def test_a_consumer_ends_when_nothing_can_be_followed_any_more() -> None:
    async def scene() -> None:
        log = Log("notes")
        log.fail(ValueError("a bug"))
        [failure] = await soon(run(Consumer("tests", Ear().handle), serving(log), stop=asyncio.Event()))
        assert failure.error == "a bug"

    loops.run(scene())


def test_what_a_plugin_forgot_is_read_anew_and_then_followed_without_a_gap() -> None:
    log, ear, read = Log("notes"), Ear(), list[str]()

    async def resync(plugin_id: str) -> None:
        read.extend(change.memory_id for change in log.changes)
        log.tell("meanwhile")

    async def scene() -> None:
        consumer, stop = Consumer("tests", ear.handle, resync=resync), asyncio.Event()
        await consumer.store().save("notes", "99")
        log.tell("a", "b")
        task = asyncio.create_task(run(consumer, serving(log), stop=stop))
        await ear.hears("meanwhile")
        stop.set()
        assert await soon(task) == []
        assert read == ["a", "b"]
        assert await consumer.store().load("notes") == "3"

    loops.run(scene())


def test_a_resync_that_fails_is_tried_again_by_the_next_process() -> None:
    async def fails(_plugin_id: str) -> None:
        raise OSError("disk full")

    async def scene() -> None:
        consumer = Consumer("tests", Ear().handle, resync=fails)
        await consumer.store().save("notes", "99")
        with pytest.raises(OSError, match="disk full"):
            await soon(run(consumer, serving(Log("notes")), stop=asyncio.Event()))
        assert await consumer.store().load("notes") == "99"

    loops.run(scene())


def test_one_process_of_a_data_directory_runs_a_consumer() -> None:
    with alone("tests"), alone("others"), pytest.raises(locks.Taken), alone("tests"):
        pass


def test_a_name_is_taken_once() -> None:
    with pytest.raises(ValueError, match="a name of its own"):
        service_consumers.consumer("search-index")(Ear().handle)


def test_the_search_index_takes_up_all_at_once_and_nothing_twice() -> None:
    Marker.objects.filter(name=index.CURSOR).delete()
    Project.objects.create(name="harbor")
    refs = [save(f"Memory {number}") for number in range(3)]
    SearchDocument.objects.all().delete()
    Marker.objects.update_or_create(name=index.CURSOR, defaults={"value": 0})

    async def scene() -> None:
        for _ in range(2):
            await search_index.handle(MemoryChange("observations", str(changes_latest), refs[0]))

    changes_latest = changes.latest()
    loops.run(scene())
    assert index.lag() == 0
    assert set(SearchDocument.objects.filter(kind="observation").values_list("ref", flat=True)) == set(refs)


def test_the_knowledge_index_says_how_memories_are_now_however_often_it_is_told() -> None:
    Project.objects.create(name="harbor")

    async def scene() -> None:
        stop = asyncio.Event()
        service = serving(JournalPlugin(), ObservationsPlugin())
        task = await following(registered["knowledge-index"], service, stop)
        one, other = [await desk.do(save, title) for title in ("Metres", "Knots")]
        await until(lambda: set(knowledge_index.read()) == {one, other})
        await desk.do(observations.delete, pk=int(one.partition(":")[2]), at=timezone.now())
        await until(lambda: set(knowledge_index.read()) == {other})
        stop.set()
        await soon(task)
        before = knowledge_index.path().read_bytes()
        for ref in (one, other):
            await knowledge_index.handle(MemoryChange("observations", "1", ref))
        assert knowledge_index.path().read_bytes() == before
        assert knowledge_index.read()[other] | {"at": ""} == {
            "project": "harbor",
            "type": "manual",
            "title": "Knots",
            "at": "",
        }
        assert [path.name for path in knowledge_index.path().parent.glob("*knowledge*")] == ["knowledge.json"]

    loops.run(scene())


def test_the_knowledge_index_is_made_anew_from_all_memories() -> None:
    Project.objects.create(name="harbor")
    refs = {save("Metres"), save("Knots")}

    loops.run(knowledge_index.resync("observations"))

    assert set(knowledge_index.read()) == refs


def test_changes_of_other_plugins_are_carried_into_the_feed() -> None:
    Project.objects.create(name="harbor")
    log = Log("acme/notes")

    async def scene() -> None:
        stop = asyncio.Event()
        service = serving(JournalPlugin(), ObservationsPlugin(), log)
        task = asyncio.create_task(run(registered[plugin_feed.NAME], service, stop=stop))
        await in_database(lambda: _saved(plugin_feed.NAME))
        log.changes += [
            PluginChange("1", "n1", {"title": "A <private>secret</private> note", "scope": "harbor"}),
            PluginChange("2", "n/2\0", {"scope": "/nowhere", "title": 3}),
            PluginChange("3"),
        ]
        log.tell()
        await in_database(lambda: Change.objects.filter(kind=kinds.FOREIGN).count() == 3)
        stop.set()
        assert await soon(task) == []

    loops.run(scene())
    rows = Change.objects.filter(kind=kinds.FOREIGN).order_by("pk").select_related("project")
    assert [(row.ref, row.title, row.project and row.project.name) for row in rows] == [
        ("plugin:acme%2Fnotes/n1", "A [REDACTED] note", "harbor"),
        ("plugin:acme%2Fnotes/n/2\ufffd", "acme/notes", None),
        ("plugin:acme%2Fnotes/", "acme/notes", None),
    ]
    assert list(SubscriptionCursor.objects.values_list("plugin_id", "cursor")) == [("acme/notes", "3")]


def test_people_see_how_far_a_consumer_is(capsys: pytest.CaptureFixture[str]) -> None:
    harbor = Project.objects.create(name="harbor")

    async def scene() -> None:
        store = registered["knowledge-index"].store()
        await store.save("observations", str(start))
        await store.save("notes", "seven")
        await store.report("notes", "the disk is full", is_stopped=True)

    start = changes.latest()
    with transaction.atomic():
        notes = [Note(kind, "x:1") for kind in ("observation.saved", "entry.added", "prompt.saved")]
        changes.append(notes, project=harbor, at=timezone.now())
    loops.run(scene())

    told = [(row.plugin_id, row.lag, row.is_stopped) for row in overview.following()]
    assert told == [("notes", None, True), ("observations", 2, False)]
    call_command("consume", "--list", "--json")
    rows = {row["name"]: row["follows"] for row in json.loads(capsys.readouterr().out)}
    assert set(rows) >= {"knowledge-index", "plugin-feed", "search-index"}
    assert [row["lag"] for row in rows["knowledge-index"]] == [None, 2]
    call_command("consume", "--list")
    lines = capsys.readouterr().out
    assert "notes: stopped: the disk is full" in lines
    assert "observations: 2 changes behind; last saved" in lines


@pytest.mark.parametrize(
    ("arguments", "message"), [([], "Name a consumer"), (["nobody"], "There is no consumer 'nobody'")]
)
def test_a_consumer_has_to_be_named(arguments: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message) as refused:
        call_command("consume", *arguments)
    assert refused.value.returncode == 2


def test_a_consumer_that_runs_already_is_one_clear_line() -> None:
    with alone("knowledge-index"), pytest.raises(CommandError, match="knowledge-index is running already"):
        call_command("consume", "knowledge-index")
