"""Imports that a person looks at first and starts then; the worker does them, and says how far it is."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.db import DatabaseError, transaction
from django.tasks import task
from django.utils import timezone

from memory import audit
from memory.audit import Actor
from memory.capture.backfill import filters as parts
from memory.capture.backfill.filters import EVERYTHING, Filters
from memory.engram.exchange import importing, sources
from memory.engram.exchange.documents import Document, JsonDocument
from memory.engram.exchange.errors import CannotImport
from memory.engram.exchange.importing import Progress
from memory.engram.exchange.report import Report
from memory.engram.exchange.sources import Source
from memory.models import ImportRun
from memory.models.exchange import ImportState

logger = logging.getLogger("memdock.import")

UPLOADS = "uploads"
LARGEST_UPLOAD = 1024 * 1024 * 1024

_FILTERS = "filters"
"""In the report of a run: what of its conversations is meant."""
_LOOKING = "looking"
"""In the report of a run whose source is looked at."""
_BLOCK = 1024 * 1024
_STEP = 0.02
"""How much of the whole is done between two notes of how far it is."""


class NotReady(CannotImport):
    """An import that cannot be started: it was started before, or its preview failed."""


def preview(
    source: str | BinaryIO,
    *,
    name: str = "",
    project: str = "",
    filters: Filters = EVERYTHING,
    actor: Actor,
    at: datetime,
) -> ImportRun:
    """Look at a path or an uploaded file, whose `name` is shown, and tell in a run what importing it would do.

    Nothing is imported. Conversations of agents may be many: the worker looks at them. Raises CannotImport, and keeps
    nothing then.
    """
    file = "" if isinstance(source, str) else _keep(source)
    told = source if isinstance(source, str) else name
    run = ImportRun(source=told, file=file, project_name=project, actor_label=actor.label[:200], created_at=at)
    try:
        with _opened(run) as opened:
            if opened.stores:
                return _look_later(run, opened.kind or "", filters)
            found = importing.run(opened, project=project, filters=filters, dry_run=True, at=at)
    except BaseException:
        _drop(run)
        raise
    run.report, run.kind = found.as_json(), found.kind
    run.save(force_insert=True)
    return run


@transaction.atomic(durable=True)
def look_again(run: ImportRun, *, project: str, filters: Filters, at: datetime) -> None:
    """Look once more at conversations, at a part of them or at more, before they are imported. Raises NotReady."""
    report = {_FILTERS: filters.as_json(), _LOOKING: True}
    waiting = ImportRun.objects.filter(pk=run.pk, state=ImportState.PREVIEW)
    if not waiting.update(state=ImportState.QUEUED, project_name=project, report=report, created_at=at):
        raise NotReady("This import was started already.")
    perform.enqueue(run.pk)


def is_looking(run: ImportRun) -> bool:
    """Tell whether the worker looks at a source, or is going to, and imports nothing."""
    return _LOOKING in run.report


@transaction.atomic(durable=True)
def start(run: ImportRun, *, actor: Actor, at: datetime) -> ImportRun:
    """Put an import that was looked at into the worker's queue. Raises NotReady."""
    if not ImportRun.objects.filter(pk=run.pk, state=ImportState.PREVIEW).update(state=ImportState.QUEUED):
        raise NotReady("This import was started already.")
    audit.record(actor, "import.started", run.source, at=at, run=run.pk, kind=run.kind)
    perform.enqueue(run.pk)
    run.refresh_from_db()
    return run


def discard(run: ImportRun) -> None:
    """Forget a preview that nobody wants to import, its upload included. Raises NotReady."""
    if not ImportRun.objects.filter(pk=run.pk, state=ImportState.PREVIEW).delete()[0]:
        raise NotReady("This import was started already.")
    _drop(run)


@task
def perform(pk: int) -> None:
    """Do a queued import, or look at its source; one that was cut off goes on where it was. A failure is told by the run."""
    waiting = ImportRun.objects.filter(pk=pk, state__in=[ImportState.QUEUED, ImportState.RUNNING])
    if not waiting.update(state=ImportState.RUNNING):
        return
    run = ImportRun.objects.get(pk=pk)
    try:
        found = _import(run, dry_run=is_looking(run), at=timezone.now(), progress=_noting(run))
    except (CannotImport, DatabaseError) as exc:
        _end(run, ImportState.FAILED, run.report, error=" ".join(str(exc).split()))
    except Exception:
        _end(run, ImportState.FAILED, run.report, error="MemDock failed on this import; its log says why.")
        logger.exception("Import %s failed", pk)
    else:
        _conclude(run, found)
    _drop(run)


@transaction.atomic(durable=True)
def _look_later(run: ImportRun, kind: str, filters: Filters) -> ImportRun:
    run.kind, run.state = kind, ImportState.QUEUED
    run.report = {_FILTERS: filters.as_json(), _LOOKING: True}
    run.save(force_insert=True)
    perform.enqueue(run.pk)
    return run


def _conclude(run: ImportRun, found: Report) -> None:
    if found.dry_run:
        run.state, run.report = ImportState.PREVIEW, found.as_json()
        run.save(update_fields=["state", "report"])
    else:
        _end(run, ImportState.DONE, found.as_json())


def _import(run: ImportRun, *, dry_run: bool, at: datetime, progress: Progress) -> Report:
    filters = parts.from_json(run.report.get(_FILTERS, {}))
    with _opened(run) as source:
        return importing.run(
            source, project=run.project_name, filters=filters, dry_run=dry_run, at=at, progress=progress
        )


@contextmanager
def _opened(run: ImportRun) -> Iterator[Source]:
    """Open what a run names; an upload goes by the name under which it came."""
    if not run.file:
        with sources.opened(run.source) as source:
            yield source
        return
    with sources.opened(str(_place(run.file))) as source:
        source.name = run.source
        source.documents = [_renamed(document, run.source) for document in source.documents]
        yield source


def _renamed(document: Document, name: str) -> Document:
    return JsonDocument(name, document.opener) if isinstance(document, JsonDocument) else document


def _keep(upload: BinaryIO) -> str:
    """Copy an upload below the data directory; return its path there. Raises CannotImport for one that is too large."""
    path = f"{UPLOADS}/{secrets.token_hex(16)}"
    target = _place(path)
    target.parent.mkdir(mode=0o700, exist_ok=True)
    try:
        with target.open("xb") as file:
            target.chmod(0o600)
            _copy(upload, file)
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    return path


def _copy(upload: BinaryIO, file: BinaryIO) -> None:
    size = 0
    while block := upload.read(_BLOCK):
        size += len(block)
        if size > LARGEST_UPLOAD:
            raise CannotImport(f"The file is larger than {LARGEST_UPLOAD // 1024**2:,} MB.")
        file.write(block)


def _drop(run: ImportRun) -> None:
    if run.file:
        _place(run.file).unlink(missing_ok=True)


def _place(path: str) -> Path:
    return Path(settings.DATA_DIR) / path


def _noting(run: ImportRun) -> Progress:
    """Return what keeps in the run how far it is: `progress` of its report is [rows done, rows in all]."""
    last = 0

    def note(done: int, total: int) -> None:
        nonlocal last
        if done < total and done - last < total * _STEP:
            return
        last = done
        ImportRun.objects.filter(pk=run.pk).update(report=run.report | {"progress": [done, total]})

    return note


def _end(run: ImportRun, state: ImportState, report: dict[str, object], *, error: str = "") -> None:
    run.state, run.report, run.error, run.finished_at = state, report, error, timezone.now()
    run.save(update_fields=["state", "report", "error", "finished_at"])
