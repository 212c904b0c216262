"""The plugin "artifacts" behind the service."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from memory.artifacts import blobs, garbage, ingest
from memory.facts import actions
from memory.facts.validate import checked
from memory.models import Artifact, Blob, Change, Project
from memory.models.fact import FactType
from memory.plugins.artifacts.plugin import ArtifactsPlugin
from memory.plugins.desk import desk
from memory.service.cursors import MemoryCursorStore
from memory.service.types import Failure, Outcome, Request, Success
from tests import loops
from tests.makers import make_project, make_tree
from tests.memory.artifacts.parts import TURN, image_block, png, request, resource, stored, take_files
from tests.memory.facts.parts import make_knowledge
from tests.memory.service.parts import Ear, Plugin, meta, serving, soon, until

pytestmark = pytest.mark.django_db(transaction=True)


def update(told: dict[str, Any], *others: Any) -> list[Outcome]:
    return loops.run(serving(ArtifactsPlugin(), *others).update(told))


def ask(data: Any, scope: str, *, source: str = "consumer") -> list[Outcome]:
    told = {"meta": {"source": {"type": source, "id": "tests"}, "scope": scope}, "data": data}
    return loops.run(serving(ArtifactsPlugin()).retrieve(told))


def answer(data: Any, scope: str) -> Any:
    [found] = ask(data, scope)
    assert isinstance(found, Success), found
    return found.value


def refusal(data: Any, scope: str = "s") -> str:
    [found] = ask(data, scope)
    assert isinstance(found, Failure)
    return found.error


def test_takes_files_and_images_from_an_agents_loop(work: Path) -> None:
    (work / "a.txt").write_text("tides")
    [files] = update(request({"resources": [resource("a.txt", role="reference")]}, work))
    [images] = update(request({"events": [image_block(png())]}, work, point=TURN))
    assert isinstance(files, Success)
    assert isinstance(images, Success)
    assert {row.origin: row.role for row in Artifact.objects.all()} == {
        "workspace-file": "reference",
        "image-attachment": "attachment",
    }


def test_a_path_outside_is_a_failure_with_clear_words(work: Path) -> None:
    other = Plugin("other")
    failed, fine = update(request({"resources": [resource("../secret.txt")]}, work), other)
    assert isinstance(failed, Failure)
    assert (failed.plugin_id, failed.code) == ("artifacts", "error")
    assert failed.error == "../secret.txt: this path is outside the session's workspace"
    assert fine.is_ok
    assert other.requests[0].data == {"resources": [resource("../secret.txt")]}


def test_is_told_of_nothing_else(work: Path) -> None:
    data = {"resources": [resource("a.txt")]}
    foreign = request(data, work)
    foreign["meta"]["source"]["type"] = "consumer"
    for told in (foreign, *(request(data, work, point=point) for point in ("agent/created", "tools/result", None))):
        assert update(told) == []
    assert ask("tides", "/work", source="agent-loop") == []
    assert [one.as_json()["value"] for one in ask("tides", "/work")] == [None]


def test_whoever_gives_up_stops_the_reading(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    began, ended = Event(), Event()

    def reading(_: Request, stop: Event) -> None:
        began.set()
        stop.wait()
        ended.set()

    monkeypatch.setattr(ingest, "take", reading)

    async def scene() -> None:
        call = asyncio.create_task(serving(ArtifactsPlugin()).update(request({}, work)))
        await until(began.is_set)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await soon(call)
        await until(ended.is_set)

    loops.run(scene())


def test_a_stored_artifact_is_one_in_patchoulis_words(tree: Path) -> None:
    make_project(make_tree(tree))
    (tree / "a.txt").write_text("tides")
    update(request({"resources": [resource("a.txt", mediaType="text/plain")]}, tree))
    update(request({"events": [image_block(png(), name="p.png")]}, tree, point=TURN))

    found = answer({"artifacts": {}}, str(tree))
    assert found["next"] is None
    for one in found["artifacts"]:
        assert checked(FactType.ARTIFACT, one["value"]) == one["value"]
    image, file = found["artifacts"]
    assert (file["version"], file["role"]) == (file["value"]["digest"], "attachment")
    assert file["value"]["metadata"]["core"]["origin"] == {
        "provider": "deepseek-harness",
        "binding": "artifacts",
        "native_type": "workspace-file",
        "native_id": "a.txt",
        "native_revision": file["version"],
    }
    assert file["value"]["metadata"]["extensions"] == {
        "dsh.file": {"requested_path": "a.txt", "version": file["version"]}
    }
    assert file["value"]["metadata"]["core"]["provenance"][0]["source"] == "dsh-fs:a.txt"
    assert image["value"]["name"] == "p.png"
    assert image["value"]["placement"] == {
        "kind": "managed",
        "provider": "memdock",
        "key": image["version"].replace(":", "/"),
    }


def test_a_consumer_reads_its_own_scope_alone(work: Path) -> None:
    for number in range(3):
        (work / f"{number}.txt").write_text(str(number))
    receipts = take_files(work, "0.txt", "1.txt", "2.txt")["artifacts"]
    scope, wanted = str(work), receipts[1]["ref"]["id"]
    assert [
        one["ref"]["id"] for one in answer({"artifacts": {"ids": [wanted, "x", "9" * 30]}}, scope)["artifacts"]
    ] == [wanted]
    assert answer({"artifacts": {"ids": []}}, scope)["artifacts"] == []
    for elsewhere in (str(work.parent), f"{scope}/", "s1"):
        assert answer({"artifacts": {"ids": [wanted]}}, elsewhere) == {"artifacts": [], "next": None}

    first = answer({"artifacts": {"limit": 2}}, scope)
    second = answer({"artifacts": {"limit": 2, "cursor": first["next"]}}, scope)
    seen = [one["ref"]["id"] for one in first["artifacts"] + second["artifacts"]]
    assert (seen, second["next"]) == ([one["ref"]["id"] for one in reversed(receipts)], None)

    Artifact.objects.filter(pk=wanted).update(deleted_at=timezone.now())
    assert answer({"artifacts": {"ids": [wanted]}}, scope)["artifacts"] == []


def test_a_consumer_reads_facts_with_all_of_their_heads() -> None:
    at, scope = timezone.now(), "/work/harbor"
    first = actions.create(scope=scope, type="knowledge", value=make_knowledge(), id="k1", at=at)
    for text in ("mine", "yours"):
        actions.update(
            scope=scope, type="knowledge", id="k1", value=make_knowledge(text), bases=[first.version], at=timezone.now()
        )
    [fact] = answer({"facts": {"types": ["knowledge"], "ids": ["k1"]}}, scope)["facts"]
    assert (fact["ref"], fact["state"]) == ({"type": "knowledge", "id": "k1"}, "conflicted")
    assert [one["value"]["content"]["text"] for one in fact["variants"]] == ["mine", "yours"]

    actions.delete(scope=scope, type="knowledge", id="k1", bases=[first.version], at=timezone.now())
    [fact] = answer({"facts": {}}, scope)["facts"]
    assert list(fact["variants"][2]) == ["version", "deleted"]
    assert answer({"facts": {}}, "/work") == {"facts": [], "next": None}


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"limit": 0}, "limit is a number"),
        ({"limit": True}, "limit is a number"),
        ({"limit": 101}, "limit is a number"),
        ({"ids": "k1"}, "ids is a list"),
        ({"ids": [1]}, "ids is a list"),
        ({"ids": ["a\0"]}, "ids is a list"),
        ({"ids": ["k"] * 101}, "ids is a list"),
        ({"cursor": 7}, "cursor is no text"),
        ({"cursor": "nonsense"}, "This cursor was not given out by this list."),
    ],
)
def test_says_what_is_wrong_with_a_question(asked: dict[str, Any], words: str) -> None:
    for noun in ("artifacts", "facts"):
        assert words in refusal({noun: asked})
    assert "type is none of" in refusal({"facts": {"types": ["note"]}})


def test_tells_followers_of_its_scope_what_changed(tree: Path, work: Path) -> None:
    make_project(make_tree(tree))
    (tree / "a.txt").write_text("a")
    (work / "b.txt").write_text("b")

    async def scene() -> None:
        ear, store = Ear(), MemoryCursorStore()
        service = serving(ArtifactsPlugin())
        subscription = service.subscribe(meta("harbor"), ear.handle, cursor_store=store)
        await until(lambda: store.cursors)
        for root, name in ((work, "b.txt"), (tree, "a.txt")):
            assert (await soon(service.update(request({"resources": [resource(name)]}, root))))[0].is_ok
        await desk.do(
            actions.create, scope="harbor", type="knowledge", value=make_knowledge(), id="k1", at=timezone.now()
        )
        await until(lambda: len(ear.changes) == 2)
        await soon(subscription.unsubscribe())
        assert [(change.metadata or {})["kind"] for change in ear.changes] == ["artifact.stored", "fact.created"]

    loops.run(scene())
    assert Change.objects.filter(kind="artifact.stored").count() == 2
    assert Project.objects.get().artifacts.count() == 1


def test_writers_of_the_same_file_make_one_artifact_while_garbage_is_collected(work: Path) -> None:
    (work / "a.txt").write_text("tides")

    def store(_: int) -> str:
        try:
            return str(take_files(work, "a.txt")["artifacts"][0]["ref"]["id"])
        finally:
            connections.close_all()

    def collect(_: int) -> None:
        try:
            garbage.collect(at=timezone.now() + 2 * garbage.GRACE)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(5) as pool:
        collecting = pool.map(collect, range(10))
        made = set(pool.map(store, range(20)))
        list(collecting)
    row = Artifact.objects.select_related("blob").get()
    assert made == {str(row.pk)}
    assert row.blob == Blob.objects.get()
    assert blobs.has(row.blob.digest, row.blob.byte_length)


def test_bytes_that_are_collected_at_the_worst_moment_are_written_again(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (work / "a.txt").write_text("tides")
    put, calls = blobs.put, []

    def put_and_lose(found: Any) -> None:
        put(found)
        calls.append(found.digest)
        if len(calls) == 1:
            blobs.delete(found.digest)

    monkeypatch.setattr(blobs, "put", put_and_lose)
    row = stored(take_files(work, "a.txt")["artifacts"][0])
    assert row.blob
    assert blobs.has(row.blob.digest, 5)
    assert len(calls) == 2
