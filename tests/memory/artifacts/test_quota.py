"""How much room artifacts may take."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.utils import timezone

from memory.artifacts import blobs, quota
from memory.artifacts.errors import ArtifactError
from memory.models import Artifact, Blob, Project, Setting
from tests.makers import make_project, make_tree
from tests.memory.artifacts.parts import take_files

pytestmark = pytest.mark.django_db

MB = 1024 * 1024


def make_files(root: Path, *sizes: int) -> list[str]:
    """Write files of these sizes, each of other bytes."""
    names = []
    for number, size in enumerate(sizes):
        names.append(f"{number}.bin")
        (root / names[-1]).write_bytes(bytes([number]) * size)
    return names


def allow(key: str, value: int, project: Project | None = None) -> None:
    Setting.objects.create(key=key, value=value, project=project)


def test_a_project_has_its_own_room(tree: Path, work: Path) -> None:
    project = make_project(make_tree(tree))
    allow(quota.PROJECT, 1, project)
    names = make_files(tree, MB - 10, 11, 10, 1)
    found = take_files(tree, *names)
    assert [one["source"]["id"] for one in found["artifacts"]] == ["0.bin", "2.bin"]
    assert [(one["path"], one["error"]) for one in found["errors"]] == [
        (name, "the room of the project harbor, 1 MB, is used up (artifacts.project_quota_mb)")
        for name in ("1.bin", "3.bin")
    ]
    assert len(list(blobs.digests())) == Blob.objects.count() == 2

    (work / "x.bin").write_bytes(b"x")
    assert take_files(work, "x.bin")["artifacts"]


def test_what_is_there_already_takes_no_more_room(tree: Path) -> None:
    project = make_project(make_tree(tree))
    allow(quota.PROJECT, 1, project)
    [name] = make_files(tree, MB)
    (tree / "copy.bin").write_bytes((tree / name).read_bytes())
    assert len(take_files(tree, name, name, "copy.bin")["artifacts"]) == 3


def test_all_projects_share_one_room(tree: Path, work: Path) -> None:
    project = make_project(make_tree(tree))
    allow(quota.TOTAL, 1)
    allow(quota.TOTAL, 100, project)
    names = make_files(tree, MB, 1)
    (work / "same.bin").write_bytes((tree / names[0]).read_bytes())
    (work / "other.bin").write_bytes(b"other")
    assert len(take_files(tree, names[0])["artifacts"]) == len(take_files(work, "same.bin")["artifacts"]) == 1
    for root, name in ((tree, names[1]), (work, "other.bin")):
        with pytest.raises(
            ArtifactError, match=r"the room of all artifacts, 1 MB, is used up \(artifacts.total_quota_mb\)"
        ):
            take_files(root, name)


def test_deleted_artifacts_take_room_in_all_and_none_in_their_project(tree: Path) -> None:
    project = make_project(make_tree(tree))
    allow(quota.PROJECT, 1, project)
    names = make_files(tree, MB, MB - 1)
    take_files(tree, names[0])
    Artifact.objects.update(deleted_at=timezone.now())
    assert take_files(tree, names[1])["artifacts"]
    assert quota.total() == 2 * MB - 1


def test_there_is_room_where_nobody_says_otherwise(db: None) -> None:
    assert (quota.limit(), quota.limit_of(None)) == (10 * 1024 * MB, 1024 * MB)
