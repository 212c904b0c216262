"""What becomes of artifacts and bytes that nobody needs."""

from __future__ import annotations

from datetime import datetime, timedelta
from io import BytesIO
from pathlib import Path
from threading import Event

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from memory import audit, refs
from memory.artifacts import actions, blobs, garbage
from memory.artifacts.errors import Gone
from memory.artifacts.staging import staged
from memory.audit import COMMAND
from memory.models import Artifact, AuditEntry, Blob, Change, Project
from tests.makers import make_project, make_tree
from tests.memory.artifacts.parts import stored, take_files

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


@pytest.fixture
def artifact(work: Path) -> Artifact:
    (work / "a.txt").write_text("a")
    return stored(take_files(work, "a.txt")["artifacts"][0])


def later(hours: float, *, since: datetime | None = None) -> datetime:
    return (since or timezone.now()) + hours * HOUR


def is_kept(row: Artifact) -> bool:
    assert row.blob
    return blobs.has(row.blob.digest, row.blob.byte_length)


def delete(row: Artifact, at: datetime | None = None) -> None:
    actions.delete(pk=row.pk, actor=COMMAND, at=at or timezone.now())


def test_leaves_what_somebody_needs(artifact: Artifact) -> None:
    for hours in (0, 30, 1000):
        assert garbage.collect(at=later(hours)) == garbage.Collected(0, 0, 0)
    assert is_kept(artifact)


def test_removes_deleted_bytes_after_a_day_and_says_how_many(artifact: Artifact) -> None:
    delete(artifact)
    for hours in (0, 1, 23):
        assert garbage.collect(at=later(hours)).blobs == 0
    assert Artifact.objects.exists()
    assert garbage.collect(at=later(25)) == garbage.Collected(artifacts=1, blobs=1, size=1)
    assert not is_kept(artifact)
    assert not Blob.objects.exists()


def test_an_artifact_can_be_brought_back_for_a_day(artifact: Artifact, owner: User) -> None:
    person = audit.person(owner)
    actions.delete(pk=artifact.pk, actor=person, at=timezone.now())
    with pytest.raises(Gone):
        actions.delete(pk=artifact.pk, actor=person, at=timezone.now())
    garbage.collect(at=later(23))
    for _ in range(2):
        actions.restore(pk=artifact.pk, actor=person, at=timezone.now())
    assert garbage.collect(at=later(100)).blobs == 0
    assert is_kept(artifact)
    assert list(AuditEntry.objects.order_by("pk").values_list("action", "target", "actor")) == [
        ("artifact.deleted", refs.artifact(artifact), owner.pk),
        ("artifact.restored", refs.artifact(artifact), owner.pk),
    ]
    kinds = ["artifact.stored", "artifact.deleted", "artifact.restored"]
    assert list(Change.objects.order_by("pk").values_list("kind", flat=True)) == kinds

    delete(artifact)
    garbage.collect(at=later(0))
    garbage.collect(at=later(25))
    with pytest.raises(Gone, match="for good"):
        actions.restore(pk=artifact.pk, actor=person, at=timezone.now())


def test_bytes_stay_while_any_artifact_needs_them(work: Path, artifact: Artifact) -> None:
    (work / "b.txt").write_text("a")
    other = stored(take_files(work, "b.txt")["artifacts"][0])
    delete(artifact)
    garbage.collect(at=later(0))
    assert garbage.collect(at=later(25)) == garbage.Collected(artifacts=1, blobs=0, size=0)
    assert is_kept(other)


def test_finds_the_bytes_of_a_project_that_went_away(tree: Path) -> None:
    project = make_project(make_tree(tree))
    (tree / "a.txt").write_text("a")
    row = stored(take_files(tree, "a.txt")["artifacts"][0])
    Project.objects.filter(pk=project.pk).delete()
    garbage.collect(at=later(0))
    assert garbage.collect(at=later(25)).blobs == 1
    assert not is_kept(row)


def test_bytes_that_are_stored_again_meanwhile_stay(work: Path, artifact: Artifact) -> None:
    delete(artifact)
    garbage.collect(at=later(0))
    take_files(work, "a.txt")
    assert garbage.collect(at=later(25)).blobs == 0
    assert is_kept(artifact)


def test_a_file_that_nobody_knows_goes_unless_it_becomes_somebodys(work: Path) -> None:
    for data in (b"lost", b"found"):
        with staged(BytesIO(data), stop=Event()) as found:
            blobs.put(found)
    garbage.collect(at=later(0))
    (work / "a.txt").write_bytes(b"found")
    row = stored(take_files(work, "a.txt")["artifacts"][0])
    assert garbage.collect(at=later(23)).blobs == 0
    assert garbage.collect(at=later(25)) == garbage.Collected(artifacts=0, blobs=1, size=4)
    assert is_kept(row)
    assert [size for _, size in blobs.digests()] == [5]


def test_a_crash_after_the_file_is_gone_does_no_harm(work: Path, artifact: Artifact) -> None:
    delete(artifact)
    garbage.collect(at=later(0))
    assert artifact.blob
    blobs.delete(artifact.blob.digest)
    take_files(work, "a.txt")
    assert is_kept(artifact)

    delete(artifact)
    garbage.collect(at=later(0))
    blobs.delete(artifact.blob.digest)
    assert garbage.collect(at=later(25)).blobs == 1
    assert not Blob.objects.exists()


def test_what_cannot_be_removed_is_tried_again(artifact: Artifact, data: Path) -> None:
    delete(artifact)
    garbage.collect(at=later(0))
    assert artifact.blob
    file = data / "artifacts" / "objects" / "sha256" / artifact.blob.digest[7:9] / artifact.blob.digest[9:]
    file.unlink()
    (file / "in the way").mkdir(parents=True)
    assert garbage.collect(at=later(25)).blobs == 0
    assert Blob.objects.exists()
    (file / "in the way").rmdir()
    assert garbage.collect(at=later(26)).blobs == 1
