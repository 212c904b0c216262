"""Files and images of an agent's update."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from django.utils import timezone

from memory import refs
from memory.artifacts import blobs, ingest
from memory.artifacts.errors import ArtifactError, Stopped
from memory.artifacts.staging import LARGEST
from memory.models import Artifact, Blob, Change, Project
from memory.service.types import Request
from tests.makers import make_project, make_tree
from tests.memory.artifacts.parts import TURN, image_block, png, request, resource, stored, take, take_files
from tests.memory.engram.makers import make_session

pytestmark = pytest.mark.django_db


@pytest.fixture
def harbor(tree: Path) -> Project:
    return make_project(make_tree(tree))


def kept(artifact: Artifact) -> bytes:
    assert artifact.blob
    with blobs.opened(artifact.blob.digest) as file:
        return bytes(file.read())


def told() -> list[tuple[str, str, str]]:
    return list(Change.objects.filter(kind__startswith="artifact.").order_by("pk").values_list("kind", "ref", "title"))


def test_keeps_a_file_byte_for_byte(harbor: Project) -> None:
    root, content = Path(harbor.root), bytes(range(256)) * 2500
    (root / "report.bin").write_bytes(content)
    session = make_session("s1", project="harbor")

    found = take(
        {"resources": [resource("report.bin", role="source", mediaType="Application/Zip", name="Tides.zip")]}, root
    )

    row = stored(found["artifacts"][0])
    digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
    assert found == {
        "artifacts": [
            {
                "ref": {"type": "artifact", "id": str(row.pk)},
                "version": digest,
                "role": "source",
                "source": {"kind": "workspace-file", "id": "report.bin"},
            }
        ],
        "errors": [],
    }
    assert kept(row) == content
    assert (row.project, row.session, row.scope, row.name) == (harbor, session, str(root), "Tides.zip")
    assert (row.media_type, row.state, row.native_id) == ("application/zip", "managed", "report.bin")
    assert told() == [("artifact.stored", refs.artifact(row), "Tides.zip")]


@pytest.mark.parametrize("role", ["source", "attachment", "reference", None])
def test_knows_three_roles(work: Path, role: str | None) -> None:
    (work / "a.txt").write_text("a")
    over = {"role": role} if role else {}
    [receipt] = take({"resources": [resource("a.txt", **over)]}, work)["artifacts"]
    assert receipt["role"] == stored(receipt).role == (role or "attachment")


def test_what_is_not_said_has_a_default(work: Path) -> None:
    (work / "deep").mkdir()
    (work / "deep" / "notes.md").write_text("# Tides")
    row = stored(take_files(work, work / "deep" / "notes.md")["artifacts"][0])
    assert (row.media_type, row.name, row.native_id) == ("application/octet-stream", "notes.md", "deep/notes.md")
    assert (row.project, row.session) == (None, None)


def test_the_same_file_in_the_same_content_is_the_same_artifact(work: Path) -> None:
    (work / "a.txt").write_text("one")
    first, again, other_way = (take_files(work, path)["artifacts"][0] for path in ("a.txt", "./a.txt", work / "a.txt"))
    assert first["ref"] == again["ref"] == other_way["ref"]
    assert first["version"] == again["version"]
    assert [again["source"]["id"], other_way["source"]["id"]] == ["./a.txt", str(work / "a.txt")]
    row = stored(first)
    assert row.seen_at > row.created_at
    assert len(told()) == Blob.objects.count() == 1

    (work / "a.txt").write_text("two")
    [changed] = take_files(work, "a.txt")["artifacts"]
    assert changed["ref"] != first["ref"]
    assert [kept(stored(one)) for one in (first, changed)] == [b"one", b"two"]


def test_equal_bytes_are_kept_once(work: Path) -> None:
    (work / "a.txt").write_text("same")
    (work / "b.txt").write_text("same")
    found = take_files(work, "a.txt", "b.txt")["artifacts"]
    assert len({one["ref"]["id"] for one in found}) == 2
    assert Blob.objects.count() == 1


def test_one_bad_item_never_spoils_the_others(work: Path) -> None:
    (work / "good.txt").write_text("good")
    (work.parent / "secret.txt").write_text("zanzibar")
    (work / "way").symlink_to("../secret.txt")
    os.mkfifo(work / "pipe")
    bad: list[Any] = [
        resource("../secret.txt"),
        resource("way"),
        resource("pipe"),
        resource("nothing.txt"),
        resource("good.txt", mediaType="text"),
        resource("good.txt", role="embedding"),
        resource("  "),
        resource("good.txt", name=" "),
        {"kind": "url", "path": "http://127.0.0.1/"},
        "good.txt",
    ]
    found = take({"resources": [*bad, resource(" good.txt ")]}, work)

    assert [one["source"]["id"] for one in found["artifacts"]] == ["good.txt"]
    assert [(one["index"], one["path"], one["error"]) for one in found["errors"]] == [
        (0, "../secret.txt", "this path is outside the session's workspace"),
        (1, "way", "This is a link; links are not followed."),
        (2, "pipe", "This is not a regular file."),
        (3, "nothing.txt", "There is no such file."),
        (4, "good.txt", "its media type is not of the form type/subtype"),
        (5, "good.txt", "its role is none of source, attachment, reference"),
        (6, "  ", "its path is no text that says anything"),
        (7, "good.txt", "its name is no text that says anything"),
        (8, "http://127.0.0.1/", "it is no resource of the kind workspace-file"),
        (9, "", "it is no resource of the kind workspace-file"),
    ]


def test_fails_as_a_whole_only_when_nothing_could_be_taken(work: Path) -> None:
    with pytest.raises(ArtifactError, match=r"\.\./secret\.txt: this path is outside the session's workspace"):
        take_files(work, "../secret.txt")
    empty: list[Any] = [{}, {"resources": []}, {"messages": [{"role": "user", "content": "hi"}]}, "text", None]
    for nothing in empty:
        assert take(nothing, work) == {"artifacts": [], "errors": []}
    with pytest.raises(ArtifactError, match="resources is no list"):
        take({"resources": "a.txt"}, work)


def test_refuses_what_is_too_large_without_reading_it(work: Path) -> None:
    with (work / "huge").open("wb") as file:
        file.truncate(LARGEST + 1)
    with (work / "large").open("wb") as file:
        file.truncate(LARGEST)
    found = take_files(work, "huge", "large")
    assert [one["error"] for one in found["errors"]] == ["it is larger than 33,554,432 bytes"]
    blob = stored(found["artifacts"][0]).blob
    assert blob
    assert blob.byte_length == LARGEST


def test_takes_a_hundred_items_at_once_and_no_more(work: Path) -> None:
    (work / "a.txt").write_text("a")
    found = take_files(work, *["a.txt"] * (ingest.MOST + 1))
    assert len(found["artifacts"]) == ingest.MOST
    assert [(one["index"], one["error"]) for one in found["errors"]] == [(100, "an update may have 100 items")]


def test_the_workspace_comes_from_the_session_alone(work: Path) -> None:
    (work / "a.txt").write_text("a")
    data = {
        "resources": [resource(work / "a.txt")],
        "workspaceRoot": str(work),
        "attributes": {"workspaceRoot": str(work)},
    }
    for nowhere in ("", None, 7, ["/"]):
        with pytest.raises(ArtifactError, match="the session has no workspace"):
            take(data, work, workspaceRoot=nowhere)


def test_a_workspace_of_another_scope_is_none(harbor: Project, work: Path) -> None:
    (Path(harbor.root) / "a.txt").write_text("a")
    (work / "a.txt").write_text("a")
    for scope in (harbor.name, harbor.root, str(Path(harbor.root).parent), "s1"):
        assert take_files(Path(harbor.root), "a.txt", scope=scope)["artifacts"]
    for scope in (harbor.name, harbor.root, "s2", str(work / "deeper")):
        with pytest.raises(ArtifactError, match="does not belong to the scope"):
            take_files(work, "a.txt", scope=scope)


def test_for_other_machines_only_the_directory_of_a_project_is_a_workspace(
    harbor: Project, work: Path, settings: Any
) -> None:
    settings.OPEN_TO_OTHERS = True
    deeper = Path(harbor.root) / "deeper"
    deeper.mkdir()
    (Path(harbor.root) / "way").symlink_to(work)
    for root in (Path(harbor.root), deeper, work):
        (root / "a.txt").write_text("a")
    for root in (Path(harbor.root), deeper):
        assert take_files(root, "a.txt")["artifacts"]
    for root in (work, Path(harbor.root).parent, Path(harbor.root) / "way"):
        with pytest.raises(ArtifactError, match="not the directory of a project here"):
            take_files(root, "a.txt")


def test_names_are_names_and_private_blocks_stay_private(work: Path) -> None:
    (work / "a.txt").write_text("a")
    for told_name, name in {
        "../../etc/passwd": "passwd",
        "C:\\temp\\x.txt": "x.txt",
        "a\r\nX: y": "a\ufffd\ufffdX: y",
        "<private>sam</private>.txt": "[REDACTED].txt",
        "n" * 500: "n" * 400,
    }.items():
        [receipt] = take({"resources": [resource("a.txt", name=told_name)]}, work)["artifacts"]
        assert stored(receipt).name == name


def test_stops_between_items_when_nobody_waits(work: Path) -> None:
    (work / "a.txt").write_text("a")
    stop = Event()
    stop.set()
    with pytest.raises(Stopped):
        ingest.take(Request.parse(request({"resources": [resource("a.txt")]}, work)), stop)
    assert not Artifact.objects.exists()


def turn(*events: Any, history: Any = None) -> dict[str, Any]:
    """Return the data of a turn that ended."""
    return {"session": {"header": {"id": "s1"}, "events": history}, "event": {}, "events": list(events)}


def test_images_come_from_the_events_of_the_turn_alone(work: Path) -> None:
    one, other = png(colour=1), png(colour=2)
    data = turn({"type": "prompt", "content": [image_block(one)]}, history=[image_block(other, "att-2")])
    data["agent"] = {"options": {"image": image_block(other, "att-3")}}
    [receipt] = take(data, work, point=TURN)["artifacts"]
    row = stored(receipt)
    assert receipt["source"] == {"kind": "image-attachment", "id": "att-1"}
    assert (kept(row), row.media_type, row.role, row.name) == (one, "image/png", "attachment", "")
    assert row.metadata["extensions"] == {"dsh.image": {"width": 2, "height": 1}}


def test_an_image_of_two_turns_is_one_artifact(work: Path) -> None:
    first, again = (take(turn(image_block(png(), name="tides.png")), work, point=TURN) for _ in range(2))
    assert first == again
    assert Artifact.objects.get().name == "tides.png"


def test_a_point_has_its_own_kind_of_items(work: Path) -> None:
    (work / "a.txt").write_text("a")
    data = turn(image_block(png())) | {"resources": [resource("a.txt")]}
    kinds = {point: take(data, work, point=point)["artifacts"] for point in (TURN, "tool/memory-update", "agent/error")}
    assert {point: [one["source"]["kind"] for one in found] for point, found in kinds.items()} == {
        TURN: ["image-attachment"],
        "tool/memory-update": ["workspace-file"],
        "agent/error": [],
    }


def test_says_of_each_image_why_it_cannot_be_taken(work: Path) -> None:
    good, html = png(), b"<html><script>"
    by_content = f"sha256:{hashlib.sha256(html).hexdigest()}"
    events = [
        image_block(good, "short", bytes=len(good) - 1),
        image_block(html, "page"),
        image_block(good, by_content),
        image_block(good, "elsewhere", is_inline=False),
        image_block(good, "odd") | {"data": "no base64!"},
        image_block(good, "huge", bytes=LARGEST + 1),
        image_block(good, "good"),
    ]
    found = take(turn(*events), work, point=TURN)
    assert [one["source"]["id"] for one in found["artifacts"]] == ["good"]
    assert {one["path"]: one["error"] for one in found["errors"]} == {
        "short": f"it has {len(good):,} bytes, not {len(good) - 1:,}",
        "page": "its bytes are no PNG, JPEG, WebP or GIF image",
        by_content: "its bytes are not those that its id names",
        "elsewhere": "its bytes are neither in the event nor in DSH's attachment store",
        "odd": "its data is no base64",
        "huge": "it is larger than 33,554,432 bytes",
    }


def test_a_disk_that_is_full_is_an_error_of_the_item(work: Path, data: Path) -> None:
    (work / "a.txt").write_text("a")
    (data / "artifacts").write_text("in the way")
    with pytest.raises(ArtifactError, match="could not be read or kept"):
        take_files(work, "a.txt")
    assert not Artifact.objects.exists()


def test_what_a_person_deleted_comes_back_when_it_is_handed_over_again(work: Path) -> None:
    (work / "a.txt").write_text("a")
    [receipt] = take_files(work, "a.txt")["artifacts"]
    Artifact.objects.update(deleted_at=timezone.now())
    [again] = take_files(work, "a.txt")["artifacts"]
    assert again["ref"] == receipt["ref"]
    assert stored(again).deleted_at is None
    assert [kind for kind, _, _ in told()] == ["artifact.stored"] * 2


def test_text_that_no_database_holds_is_no_reason_to_fail(work: Path) -> None:
    found = take(turn(image_block(png(), "a\0b", name="x\0y")), work, point=TURN)
    assert (stored(found["artifacts"][0]).native_id, stored(found["artifacts"][0]).name) == ("a\ufffdb", "x\ufffdy")
    with pytest.raises(ArtifactError, match="NUL"):
        take({}, work, scope="a\0b")
