"""What the doctor says of artifacts."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.utils import timezone

from memory import doctor
from memory.artifacts import quota
from memory.doctor.check import Check
from memory.models import Artifact, Blob, Setting
from tests.memory.artifacts.parts import stored, take_files

pytestmark = pytest.mark.django_db


@pytest.fixture
def artifact(work: Path) -> Artifact:
    (work / "a.txt").write_text("tides")
    return stored(take_files(work, "a.txt")["artifacts"][0])


@pytest.fixture
def file(artifact: Artifact, data: Path) -> Path:
    assert artifact.blob
    return data / "artifacts" / "objects" / "sha256" / artifact.blob.digest[7:9] / artifact.blob.digest[9:]


def find(name: str, *, is_thorough: bool = True) -> Check:
    checks = doctor.examine(at=timezone.now(), is_thorough=is_thorough)
    return next(check for check in checks if check.name == name)


def test_finds_sound_files(artifact: Artifact) -> None:
    assert (find("artifact-files").state, find("artifact-files").text) == ("ok", "All 1 are sound.")


def test_finds_a_file_that_is_missing_or_damaged(file: Path) -> None:
    file.write_text("TIDES")
    assert find("artifact-files").state == "bad"
    assert "1 of 1 are not what they were: sha256:" in find("artifact-files").text
    assert find("artifact-files").text.endswith("is damaged.")
    file.unlink()
    assert find("artifact-files").text.endswith("is missing.")
    Blob.objects.update(unreferenced_at=timezone.now())
    assert find("artifact-files").state == "ok"


def test_counts_files_that_nobody_knows(artifact: Artifact, file: Path) -> None:
    (file.parent / ("0" * 62)).write_text("lost")
    assert find("artifact-files").text == "All 1 are sound. 1 files belong to none; they are removed within two days."


def test_a_quick_look_tells_how_much_room_is_taken(artifact: Artifact) -> None:
    assert find("artifacts", is_thorough=False).text == "They take 0.0 of 10,737 MB."
    Setting.objects.create(key=quota.TOTAL, value=0)
    assert find("artifacts", is_thorough=False).state == "warn"
