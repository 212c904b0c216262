"""Imports a source part by part, each in one short transaction; what was done before is found to be the same."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime

from django.db import IntegrityError, transaction

from memory import locks
from memory.capture.backfill import running
from memory.capture.backfill.filters import EVERYTHING, Filters
from memory.capture.backfill.report import BackfillReport
from memory.engram.exchange import folder, journals, known, planning, writing
from memory.engram.exchange.documents import Document, Survey
from memory.engram.exchange.errors import CannotImport, NotJson
from memory.engram.exchange.known import Known
from memory.engram.exchange.owners import Owners
from memory.engram.exchange.parts import Part, gather
from memory.engram.exchange.plans import Plan
from memory.engram.exchange.report import Note, Report
from memory.engram.exchange.sources import Source
from memory.models import ImportedChunk, Observation
from memory.projects import names
from memory.projects.names import InvalidName
from memory.transcripts import databases

PART = 500
"""Rows of one transaction; others can write between two of them."""

CHUNK = 5_000
"""Rows of a chunk that are written in one transaction; all real ones have fewer."""

type Progress = Callable[[int, int], None]
"""Is told how many rows are done, and of how many."""


@dataclass(slots=True)
class _Run:
    """What an import remembers from part to part; `seen` is filled by dry runs only."""

    project: str
    at: datetime
    report: Report
    progress: Progress
    total: int
    done: int = 0
    seen: Known = field(default_factory=Known)
    stubs: set[str] = field(default_factory=set)
    waiting: dict[str, tuple[str, str]] = field(default_factory=dict)


def run(
    source: Source,
    *,
    project: str = "",
    filters: Filters = EVERYTHING,
    dry_run: bool = False,
    at: datetime,
    progress: Progress = lambda *_: None,
) -> Report:
    """Import everything of a source that can be read, and report the rest; a dry run only reports.

    With `project` all rows go there, whatever they name; of conversations those that belong to it or to none. `filters`
    restrict conversations only. Raises CannotImport when nothing could be read, and for a name that no project can have.
    """
    _check(project)
    if source.stores:
        return _backfill(source, replace(filters, project=project), dry_run=dry_run, at=at, progress=progress)
    if filters != EVERYTHING:
        raise CannotImport(f"{source.name} holds no conversations of agents; only these can be imported in part.")
    report = Report(source.name, source.kind or "", dry_run, tally=source.tally)
    with databases.copied_once(), _uncollected():
        surveyed = _surveyed(source, report)
        total = sum(survey.rows for _, survey in surveyed)
        current = _Run(project, at, report, progress, total)
        if source.journals:
            report.journals = journals.read(source.journals, project, report.tally, dry_run=dry_run, at=at)
        for document, survey in surveyed:
            _import(document, survey, current)
    _conclude(current)
    return report


@contextmanager
def _uncollected() -> Iterator[None]:
    """Keep the collector of cycles from looking through every row that is held, which takes a quarter of the time.

    Rows hold no cycles: they are freed without it.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _check(project: str) -> None:
    try:
        if project:
            names.validate(project)
    except InvalidName as exc:
        raise CannotImport(str(exc)) from exc


def _backfill(source: Source, filters: Filters, *, dry_run: bool, at: datetime, progress: Progress) -> Report:
    report = BackfillReport(source.name, source.kind or "", dry_run, tally=source.tally, filters=filters)
    running.run(source.stores, report, at=at, progress=progress)
    return report


def _surveyed(source: Source, report: Report) -> list[tuple[Document, Survey]]:
    """Read everything once; keep what can be read. Raises CannotImport when that is nothing at all."""
    found: list[tuple[Document, Survey]] = []
    for document in source.documents:
        with _noted(document, report):
            survey = document.survey()
            report.kind = report.kind or survey.kind
            if survey.kind == "engram-chunk" and report.kind != survey.kind:
                _check_name(document, survey, report)
            found.append((document, survey))
    if source.documents and not found and not source.journals:
        raise CannotImport(_nothing(source, report))
    return found


def _check_name(document: Document, survey: Survey, report: Report) -> None:
    if not folder.is_named_rightly(document.name, survey.digest):
        why = f"Its bytes say it is {survey.digest[:8]}; it is imported all the same."
        report.tally.problems.append(Note(document.name, why))


@contextmanager
def _noted(document: Document, report: Report) -> Iterator[None]:
    try:
        yield
    except NotJson as exc:
        report.tally.skipped.append(Note(document.name, f"It is not JSON: {exc}."))
    except CannotImport as exc:
        report.tally.skipped.append(Note(document.name, str(exc)))


def _nothing(source: Source, report: Report) -> str:
    why = report.tally.skipped[-1].why
    if len(source.documents) == 1:
        return f"{source.name} cannot be imported. {why}"
    return f"Nothing in {source.name} can be imported; the last of {len(source.documents)} files: {why}"


def _import(document: Document, survey: Survey, current: _Run) -> None:
    is_chunk = survey.kind == "engram-chunk"
    with _noted(document, current.report):
        for part in gather(document.members(), limit=CHUNK if is_chunk else PART):
            _take(part, current)
        if is_chunk and not current.report.dry_run:
            chunk = ImportedChunk(digest=survey.digest, name=document.name[:200], imported_at=current.at)
            ImportedChunk.objects.bulk_create([chunk], ignore_conflicts=True)


def _take(part: Part, current: _Run) -> None:
    plan = _foreseen(part, current)
    if plan and not current.report.dry_run:
        try:
            plan = _write(part, current.project, current.at)
        except IntegrityError:  # another process wrote the same rows in between: now they are here
            plan = _write(part, current.project, current.at)
    planning.note_cuts(plan)
    current.report.tally.add(plan.tally)
    current.stubs = (current.stubs | plan.stubs) - {row.id for row in part.sessions}
    current.waiting.update(plan.waiting)
    current.done += part.size
    if not current.report.dry_run:
        locks.give_way()
    current.progress(current.done, current.total)


def _foreseen(part: Part, current: _Run) -> Plan:
    """Plan without a lock, and make ready what is going to be written: the transaction then only writes."""
    owners = Owners(part.projects(), everything=current.project)
    here = known.read(part, owners)
    here.remember(current.seen)
    plan = planning.plan(part, here, owners)
    if current.report.dry_run:
        current.seen.remember(here)
    for write in plan.observations.values():
        _ = write.record.draft
    return plan


@transaction.atomic(durable=True)
def _write(part: Part, project: str, at: datetime) -> Plan:
    owners = Owners(part.projects(), everything=project)
    owners.make()
    here = known.read(part, owners)
    plan = planning.plan(part, here, owners)
    if _lock(plan, owners):
        here = known.read(part, owners)
        plan = planning.plan(part, here, owners)
    writing.write(plan, here, owners, at=at)
    return plan


def _lock(plan: Plan, owners: Owners) -> bool:
    """Lock every project that is written to, in the order of their numbers; tell whether that took a lock."""
    taken = [locks.project(pk) for pk in sorted(set(writing.touched(plan, owners)))]
    return any(taken)


def _conclude(current: _Run) -> None:
    """Say what is only known at the end: which sessions nobody defined, and which relations still wait."""
    for key in sorted(current.stubs):
        why = "Its record is missing; what belongs to it is kept under a stub."
        current.report.tally.problems.append(Note(f"session {key}", why))
    ends = {end for pair in current.waiting.values() for end in pair}
    here = set(Observation.objects.filter(sync_id__in=ends).values_list("sync_id", flat=True))
    here |= current.seen.observations.keys()
    current.report.unresolved = sum(not set(pair) <= here for pair in current.waiting.values())
