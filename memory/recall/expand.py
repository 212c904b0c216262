"""Layer 2 of recall: what was found in full, with what stands around it, from its file as it is now."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from django.db.models import Q, QuerySet

from memory import refs
from memory.disk import DiskError, Missing, Tree
from memory.documents import queries as documents
from memory.documents import reader
from memory.documents.reader import DocumentText
from memory.journal import grammar
from memory.journal import queries as journals
from memory.journal.grammar import Section
from memory.journal.sync import READ_LIMIT
from memory.models import Entry, Project
from memory.projects import queries as projects
from memory.sessions import queries as sessions
from memory.skills import frontmatter, store
from memory.skills import queries as skills
from memory.skills.store import Candidate
from memory.transcripts import redaction

NEIGHBOURS = 2
"""Entries of the same session on each side."""

TITLES = 200
"""Entries of a session that are listed."""

_LARGEST_ID = 2**63 - 1


class NotFound(LookupError):
    """A ref of nothing that is known here; the message is one sentence."""


class CannotExpand(ValueError):
    """A ref that has nothing to expand; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Source:
    """A place in a file below `.memsearch`; lines count from 1."""

    path: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where an entry's conversation is kept: text that anybody may have written, never a path to trust."""

    kind: str
    path: str


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An entry of the same session; `time` is local, HH:MM."""

    ref: str
    title: str
    date: date
    time: str


@dataclass(frozen=True, slots=True)
class Expansion:
    """A whole section; `note` says where it is not what the file holds now, or not all of it."""

    ref: str
    section: str
    source: Source | None = None
    anchor: Anchor | None = None
    before: tuple[Neighbour, ...] = ()
    after: tuple[Neighbour, ...] = ()
    note: str = ""


def expand(ref: str) -> Expansion:
    """Return the section that a ref names. At most three queries and one file. Raises NotFound, CannotExpand."""
    kind, colon, rest = ref.partition(":")
    if not colon or not rest or "\0" in rest:
        raise NotFound("There is no such record.")
    if kind not in _KINDS:
        raise CannotExpand(f"A ref of this kind cannot be expanded; these can: {', '.join(sorted(_KINDS))}.")
    found = _KINDS[kind](rest)
    return replace(found, section=redaction.clean(found.section))


def _entry(rest: str) -> Expansion:
    row = journals.entries().filter(pk=int(rest)).first() if _is_id(rest) else None
    if row is None:
        raise NotFound("There is no such entry.")
    section, note = _section(row)
    return Expansion(
        ref=refs.entry(row),
        section=_text(section) if section else row.body,
        source=Source(
            row.journal.path,
            section.start_line if section else row.start_line,
            section.end_line if section else row.end_line,
        ),
        anchor=Anchor(row.anchor_kind, row.anchor_path) if row.anchor_path else None,
        before=_before(row),
        after=_after(row),
        note=note,
    )


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 20 and int(text) <= _LARGEST_ID


def _section(row: Entry) -> tuple[Section | None, str]:
    """Find an entry in its file as it is now: by its text, and of equal ones the nearest."""
    try:
        with _tree(row.project) as tree:
            day = grammar.parse(tree.read(row.journal.path, limit=READ_LIMIT).data)
    except Missing:
        return None, "The file is gone; this is the text as it was last read."
    except DiskError as exc:
        return None, f"{exc} This is the text as it was last read."
    same = [one for one in day.entries if one.time == row.time and _hash(one.body) == row.body_hash]
    if not same:
        return None, "The file has changed since; this is the text as it was last read."
    return min(same, key=lambda one: abs(one.ordinal - row.ordinal)), ""


def _text(section: Section) -> str:
    return grammar.clean(section.raw.decode("utf-8", errors="replace")).strip()


def _hash(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()


def _before(row: Entry) -> tuple[Neighbour, ...]:
    earlier = Q(date__lt=row.date) | Q(date=row.date, ordinal__lt=row.ordinal)
    found = _of_session(row).filter(earlier).order_by("-date", "-ordinal", "-pk")[:NEIGHBOURS]
    return tuple(reversed([_neighbour(one) for one in found]))


def _after(row: Entry) -> tuple[Neighbour, ...]:
    later = Q(date__gt=row.date) | Q(date=row.date, ordinal__gt=row.ordinal)
    found = _of_session(row).filter(later).order_by("date", "ordinal", "pk")[:NEIGHBOURS]
    return tuple(_neighbour(one) for one in found)


def _of_session(row: Entry) -> QuerySet[Entry]:
    if row.session_id is None:
        return Entry.objects.none()
    return Entry.objects.filter(session=row.session_id).only("pk", "title", "date", "time")


def _neighbour(row: Entry) -> Neighbour:
    return Neighbour(refs.entry(row), row.title or "Untitled entry", row.date, row.time)


def _session(rest: str) -> Expansion:
    row = sessions.find(rest)
    if row is None:
        raise NotFound("There is no such session.")
    entries = Entry.objects.filter(session=row).only("title", "date", "time").order_by("date", "ordinal", "pk")
    lines = [f"- {one.date.isoformat()} {one.time} {one.title or 'Untitled entry'}" for one in entries[:TITLES]]
    count: int = row.entry_count  # type: ignore[attr-defined]
    note = f"The first {TITLES} of {count:,} entries." if count > TITLES else ""
    return Expansion(refs.session(row), "\n\n".join(filter(None, [row.summary, "\n".join(lines)])), note=note)


def _document(rest: str) -> Expansion:
    project, name = _owned(rest, "document")
    row = documents.find(project, name)
    if row is None:
        raise NotFound("There is no such document.")
    text, note = _now(project, lambda tree: _document_text(tree, name), otherwise=row.text)
    return Expansion(refs.document(row, project), text, Source(row.name, 1, _lines(text)), note=note)


def _document_text(tree: Tree, name: str) -> str:
    found: list[DocumentText] = reader.read(tree)[0]
    text = next((one.text for one in found if one.name == name), None)
    if text is None:
        raise Missing(f"{name} is gone.")
    return text


def _skill(rest: str) -> Expansion:
    project, slug = _owned(rest, "skill")
    row = skills.find(project, slug)
    if row is None:
        raise NotFound("There is no such skill.")
    text, note = _now(project, lambda tree: _skill_text(tree, slug), otherwise=row.text)
    body = frontmatter.split(text)[1]
    first = text.count("\n") - body.count("\n") + 1
    path = f"{store.FOLDER}/{row.slug}/SKILL.md"
    return Expansion(refs.skill(row, project), body, Source(path, first, max(first, _lines(text))), note=note)


def _skill_text(tree: Tree, slug: str) -> str:
    found: Candidate = store.read(tree, slug)
    if not found.content_hash:
        raise Missing("Its SKILL.md cannot be read.")
    return found.text


def _owned(rest: str, noun: str) -> tuple[Project, str]:
    """Split `project/name`; a project's name may hold slashes itself."""
    owner, _, name = rest.rpartition("/")
    project = projects.find(owner)
    if project is None:
        raise NotFound(f"There is no such {noun}.")
    return project, name


def _now(project: Project, read: Callable[[Tree], str], *, otherwise: str) -> tuple[str, str]:
    """Read a text from disk, or take what was last read, and say so."""
    try:
        with _tree(project) as tree:
            return read(tree), ""
    except DiskError as exc:
        return otherwise, f"{exc} This is the text as it was last read."


def _tree(project: Project) -> Tree:
    if not project.memory_dir:  # an empty path would be the server's own working directory
        raise Missing("This project has no memory folder.")
    return Tree(Path(project.memory_dir))


def _lines(text: str) -> int:
    return text.rstrip("\n").count("\n") + 1


_KINDS: dict[str, Callable[[str], Expansion]] = {
    "entry": _entry,
    "file": _document,
    "session": _session,
    "skill": _skill,
}
