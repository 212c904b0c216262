"""What is asked about journals and entries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.db.models import Max, Min, QuerySet, Sum

from memory.models import Entry, Journal, Project


@dataclass(frozen=True, slots=True)
class DayCount:
    """How many entries were written on one day."""

    date: date
    entries: int


def journals(project: Project | None) -> QuerySet[Journal]:
    """Return the day files of one project, or of all."""
    rows = Journal.objects.select_related("project").defer("project__problems")
    return rows.filter(project=project) if project else rows


def days(project: Project | None, *, since: date, until: date) -> list[DayCount]:
    """Count the entries of each day that has a journal, oldest first. One query over day files."""
    rows = journals(project).filter(date__range=(since, until)).order_by("date").values("date")
    return [DayCount(row["date"], row["total"]) for row in rows.annotate(total=Sum("entry_count"))]


def span(project: Project | None) -> tuple[date | None, date | None]:
    """Return the first and the last day with a journal."""
    found = journals(project).aggregate(first=Min("date"), last=Max("date"))
    return found["first"], found["last"]


def neighbours(project: Project | None, day: date) -> tuple[date | None, date | None]:
    """Return the days with journals before and after this one. Two queries."""
    rows = journals(project)
    return (
        rows.filter(date__lt=day).aggregate(found=Max("date"))["found"],
        rows.filter(date__gt=day).aggregate(found=Min("date"))["found"],
    )


def entries(project: Project | None = None) -> QuerySet[Entry]:
    """Return entries with what is printed of their project, journal and session."""
    rows = Entry.objects.select_related("project", "journal", "session")
    rows = rows.defer("project__problems", "journal__notes", "journal__problems")  # large where much is wrong
    return rows.filter(project=project) if project else rows


def of_day(project: Project | None, day: date) -> QuerySet[Entry]:
    """Return the entries of one day, file by file, in the order of the file."""
    return entries(project).filter(date=day).in_file_order()  # type: ignore[attr-defined, no-any-return]


def versions(entry: Entry) -> list[Entry]:
    """Return all entries of the same turn, oldest first: itself alone when its turn has no name. One query."""
    if not (entry.session_id and entry.turn):
        return [entry]
    return list(entries().filter(session=entry.session_id, turn=entry.turn).order_by("date", "ordinal", "pk"))


def replaced_by(entry: Entry, told: Sequence[Entry]) -> Entry | None:
    """Return the first later version with another body, out of `versions(entry)`."""
    later = told[[one.pk for one in told].index(entry.pk) + 1 :]
    return next((one for one in later if one.body_hash != entry.body_hash), None)


def version_counts(rows: Sequence[Entry]) -> dict[int, int]:
    """Return how many different bodies the turn of each entry has, by entry id. One query."""
    turns = {(row.session_id, row.turn) for row in rows if row.session_id and row.turn}
    if not turns:
        return {}
    bodies: dict[tuple[int | None, str], set[str]] = defaultdict(set)
    found = Entry.objects.filter(session_id__in={one for one, _ in turns}, turn__in={turn for _, turn in turns})
    for session, turn, body in found.values_list("session_id", "turn", "body_hash"):
        bodies[session, turn].add(body)
    return {row.pk: len(bodies[row.session_id, row.turn]) for row in rows if row.session_id and row.turn}


def around(entry: Entry) -> tuple[Entry | None, Entry | None]:
    """Return the entries before and after this one in its file. Two queries."""
    rows = Entry.objects.filter(journal=entry.journal_id).defer("body")
    return (
        rows.filter(ordinal__lt=entry.ordinal).order_by("-ordinal").first(),
        rows.filter(ordinal__gt=entry.ordinal).order_by("ordinal").first(),
    )
