"""Where the bytes of artifacts lie."""

from __future__ import annotations

import hashlib
import os
import stat
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from django.utils import timezone

from memory.artifacts import blobs
from memory.artifacts.staging import staged

DATA = b"The tide gauge reports in millimetres"
DIGEST = f"sha256:{hashlib.sha256(DATA).hexdigest()}"
NAME = f"objects/sha256/{DIGEST[7:9]}/{DIGEST[9:]}"


@pytest.fixture(params=["own", "configured"])
def place(request: pytest.FixtureRequest, data: Path, tmp_path: Path, settings: Any) -> Path:
    """The folder behind the storage: our own, or that of a storage that somebody configured."""
    if request.param == "own":
        return data / "artifacts"
    options = {"location": str(tmp_path / "elsewhere")}
    storage = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": options}
    settings.STORAGES = settings.STORAGES | {"artifacts": storage}
    return tmp_path / "elsewhere"


def put(data: bytes = DATA) -> None:
    with staged(BytesIO(data), stop=Event()) as found:
        blobs.put(found)


def test_keeps_bytes_under_their_digest(place: Path) -> None:
    assert not blobs.has(DIGEST, len(DATA))
    put()
    put()
    assert (place / NAME).read_bytes() == DATA
    assert blobs.has(DIGEST, len(DATA))
    assert not blobs.has(DIGEST, len(DATA) + 1)
    with blobs.opened(DIGEST) as file:
        assert file.read() == DATA
    assert list(blobs.digests()) == [(DIGEST, len(DATA))]
    assert [path for path in place.rglob("*") if path.is_file()] == [place / NAME]


def test_removes_bytes_any_number_of_times(place: Path) -> None:
    assert list(blobs.digests()) == []
    put()
    blobs.delete(DIGEST)
    blobs.delete(DIGEST)
    assert not blobs.has(DIGEST, len(DATA))
    assert list(blobs.digests()) == []


def test_leaves_names_that_are_no_digest_alone(place: Path) -> None:
    put()
    (place / "objects" / "sha256" / "zz").mkdir()
    (place / "objects" / "sha256" / "zz" / "note").write_text("mine")
    assert list(blobs.digests()) == [(DIGEST, len(DATA))]


def test_nobody_else_may_look_whatever_the_umask_is(data: Path) -> None:
    before = os.umask(0)
    try:
        put()
    finally:
        os.umask(before)
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (data / "artifacts", *(data / "artifacts").rglob("*"))}
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o600}


def test_mends_a_damaged_file(data: Path) -> None:
    put()
    (data / "artifacts" / NAME).write_bytes(b"X" * len(DATA))
    put()
    assert (data / "artifacts" / NAME).read_bytes() == DATA


def test_what_was_written_half_has_no_name_and_goes(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(os, "fsync", refuse)
        with pytest.raises(OSError, match="No space"):
            put()
    assert not blobs.has(DIGEST, len(DATA))
    put()
    parts = data / "artifacts" / "uploads"
    assert list(parts.iterdir()) == []
    for name, age in (("old", 2), ("new", 0)):
        (parts / f"{name}.part").touch()
        then = (timezone.now() - timedelta(days=age)).timestamp()
        os.utime(parts / f"{name}.part", (then, then))
    blobs.sweep(before=timezone.now() - timedelta(days=1))
    assert [part.name for part in parts.iterdir()] == ["new.part"]
