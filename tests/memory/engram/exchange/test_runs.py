"""Imports that a person looks at first; the worker does them."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from memory.audit import COMMAND
from memory.engram.exchange import importing, runs
from memory.engram.exchange.errors import CannotImport
from memory.models import AuditEntry, ImportRun, Observation
from tests.memory.engram.exchange import rows
from tests.memory.engram.exchange.sources import write

pytestmark = pytest.mark.django_db

DOCUMENT = {
    "version": "0.2.0",
    "sessions": [rows.session()],
    "observations": [rows.observation(f"obs-{number}") for number in range(5)],
}


def look(source: str | io.BytesIO, name: str = "") -> ImportRun:
    return runs.preview(source, name=name, actor=COMMAND, at=timezone.now())


def uploads() -> list[Path]:
    return list((Path(settings.DATA_DIR) / runs.UPLOADS).glob("*"))


def test_a_preview_tells_and_writes_nothing(tmp_path: Path) -> None:
    run = look(str(write(tmp_path / "export.json", **DOCUMENT)))

    assert (run.state, run.kind, run.report["observations"]["new"]) == ("preview", "engram-export", 5)
    assert (Observation.objects.count(), ImportRun.objects.count()) == (0, 1)


def test_a_started_run_is_done_by_the_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "PART", 2)
    run = runs.start(look(str(write(tmp_path / "e.json", **DOCUMENT))), actor=COMMAND, at=timezone.now())
    assert (run.state, Observation.objects.count()) == ("queued", 0)
    [queued] = DBTaskResult.objects.filter(task_path=runs.perform.module_path)
    assert AuditEntry.objects.filter(action="import.started").count() == 1

    runs.perform.call(*queued.args_kwargs["args"])

    run.refresh_from_db()
    assert (run.state, run.report["dry_run"], run.report["observations"]["new"]) == ("done", False, 5)
    assert run.finished_at
    assert Observation.objects.count() == 5


def test_a_run_starts_once(tmp_path: Path) -> None:
    run = runs.start(look(str(write(tmp_path / "e.json", **DOCUMENT))), actor=COMMAND, at=timezone.now())
    with pytest.raises(runs.NotReady):
        runs.start(run, actor=COMMAND, at=timezone.now())
    with pytest.raises(runs.NotReady):
        runs.discard(run)
    runs.perform.call(run.pk)
    runs.perform.call(run.pk)

    assert DBTaskResult.objects.filter(task_path=runs.perform.module_path).count() == 1


def test_an_upload_is_kept_until_it_is_imported() -> None:
    run = look(io.BytesIO(json.dumps(DOCUMENT).encode()), name="from-lena.json")
    [kept] = uploads()
    assert (run.source, kept.stat().st_mode & 0o777) == ("from-lena.json", 0o600)
    assert str(kept) not in json.dumps(run.report)

    runs.perform.call(runs.start(run, actor=COMMAND, at=timezone.now()).pk)

    assert (Observation.objects.count(), uploads()) == (5, [])


def test_an_upload_that_nobody_wants_goes() -> None:
    runs.discard(look(io.BytesIO(json.dumps(DOCUMENT).encode()), name="x.json"))

    assert (ImportRun.objects.count(), uploads()) == (0, [])


def test_what_cannot_be_imported_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CannotImport, match=r"holiday\.jpg") as caught:
        look(io.BytesIO(b"\xff\xd8\xff"), name="holiday.jpg")
    assert settings.DATA_DIR.name not in str(caught.value)
    monkeypatch.setattr(runs, "LARGEST_UPLOAD", 10)
    with pytest.raises(CannotImport, match="larger"):
        look(io.BytesIO(json.dumps(DOCUMENT).encode()), name="x.json")

    assert (ImportRun.objects.count(), uploads()) == (0, [])


def test_a_run_whose_source_went_away_fails_and_says_why(tmp_path: Path) -> None:
    path = write(tmp_path / "e.json", **DOCUMENT)
    run = runs.start(look(str(path)), actor=COMMAND, at=timezone.now())
    path.unlink()

    runs.perform.call(run.pk)

    run.refresh_from_db()
    assert (run.state, run.error) == ("failed", f"{path} does not exist.")


def test_a_run_that_was_cut_off_goes_on(tmp_path: Path) -> None:
    run = runs.start(look(str(write(tmp_path / "e.json", **DOCUMENT))), actor=COMMAND, at=timezone.now())
    ImportRun.objects.filter(pk=run.pk).update(state="running")

    runs.perform.call(run.pk)

    run.refresh_from_db()
    assert run.state == "done"
