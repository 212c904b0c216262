"""Turns rows of every kind into what is indexed of them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q, QuerySet

from memory import refs
from memory.journal.clock import local
from memory.journal.titles import UNAVAILABLE, below, title
from memory.models import Document, Entry, Observation, Project, Prompt, Session, SkillCandidate
from memory.models.journal import EntryState
from memory.search import cleaning

_PAGE = 5000
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One findable thing, or one section of it; `key` is unique, `title` and `text` are cleaned.

    `is_silent` is for what says nothing itself, as the note that a summary is missing: no word finds it.
    """

    key: str
    ref: str
    kind: str
    project_id: int
    session: str = ""
    type: str = ""
    platform: str = ""
    when: datetime
    title: str
    text: str = ""
    is_silent: bool = False
    is_pinned: bool = False


def read(wanted: Iterable[str]) -> list[Item]:
    """Return what is to be indexed under these refs; refs of what is gone, or of no kind of ours, give nothing.

    One query a kind.
    """
    ids: dict[str, list[str]] = defaultdict(list)
    for ref in wanted:
        kind, _, rest = ref.partition(":")
        ids[kind].append(rest)
    return [item for kind, source in _SOURCES.items() if ids[kind] for item in source(ids[kind])]


def every_ref() -> Iterator[str]:
    """Yield the refs of everything that can be found, kind by kind.

    No query stays open between two refs: on SQLite whoever writes meanwhile would be refused.
    """
    for pk, _ in _each(Entry.objects.values_list("pk", "pk")):
        yield f"entry:{pk}"
    for _, key in _each(Session.objects.values_list("pk", "key")):
        yield f"session:{key}"
    for pk, _ in _each(Observation.objects.live().values_list("pk", "pk")):
        yield f"observation:{pk}"
    for pk, _ in _each(Prompt.objects.values_list("pk", "pk")):
        yield f"prompt:{pk}"
    for skill in SkillCandidate.objects.select_related("project").only("slug", "project__name").order_by("pk"):
        yield refs.skill(skill, skill.project)
    for document in Document.objects.select_related("project").only("name", "project__name").order_by("pk"):
        yield refs.document(document, document.project)


def of_project(project: Project) -> Iterator[str]:
    """Yield the refs of everything of one project."""
    yield from (f"entry:{pk}" for pk in project.entries.values_list("pk", flat=True))
    yield from (f"session:{key}" for key in project.sessions.values_list("key", flat=True))
    observations = project.observations.filter(deleted_at=None)
    yield from (f"observation:{pk}" for pk in observations.values_list("pk", flat=True))
    yield from (f"prompt:{pk}" for pk in project.prompts.values_list("pk", flat=True))
    yield from (refs.skill(skill, project) for skill in project.skills.only("slug", "project_id"))
    yield from (refs.document(document, project) for document in project.documents.only("name", "project_id"))


def _each(rows: QuerySet[Any, tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    """Yield rows that start with their primary key, page by page."""
    page = list(rows.order_by("pk")[:_PAGE])
    while page:
        yield from page
        page = list(rows.filter(pk__gt=page[-1][0]).order_by("pk")[:_PAGE])


def _entries(ids: list[str]) -> Iterator[Item]:
    rows = Entry.objects.filter(pk__in=_numbers(ids))
    for row in rows.select_related("session").order_by("pk"):
        yield Item(
            key=refs.entry(row),
            ref=refs.entry(row),
            kind="entry",
            project_id=row.project_id,
            session=row.session.key if row.session else "",
            platform=row.platform,
            when=local(row.date, row.time),
            title=row.title,
            text="" if row.state == EntryState.UNAVAILABLE else cleaning.clean(below(row.title, row.body)).strip(),
            is_silent=row.state == EntryState.UNAVAILABLE,
        )


def _sessions(keys: list[str]) -> Iterator[Item]:
    for row in Session.objects.filter(key__in=keys).order_by("pk"):
        yield Item(
            key=refs.session(row),
            ref=refs.session(row),
            kind="session",
            project_id=row.project_id,
            session=row.key,
            platform=row.platform,
            when=row.last_activity_at,
            title=row.title,
            text=cleaning.clean(row.summary).strip(),
            is_silent=row.title == UNAVAILABLE and not row.summary,
        )


def _observations(ids: list[str]) -> Iterator[Item]:
    rows = Observation.objects.live().filter(pk__in=_numbers(ids)).select_related("session")
    for row in rows.order_by("pk"):
        yield Item(
            key=refs.observation(row),
            ref=refs.observation(row),
            kind="observation",
            project_id=row.project_id,
            session=row.session.key,
            type=row.type,
            platform=row.session.platform,
            when=row.updated_at,
            title=cleaning.clean(row.title),
            text=cleaning.clean("\n\n".join(filter(None, [row.content, row.topic_key, row.tool_name]))).strip(),
            is_pinned=row.is_pinned,
        )


def _prompts(ids: list[str]) -> Iterator[Item]:
    rows = Prompt.objects.filter(pk__in=_numbers(ids)).select_related("session")
    for row in rows.order_by("pk"):
        name = title(row.content)
        yield Item(
            key=refs.prompt(row),
            ref=refs.prompt(row),
            kind="prompt",
            project_id=row.project_id,
            session=row.session.key,
            platform=row.session.platform,
            when=row.created_at,
            title=name,
            text=cleaning.clean(below(name, row.content)).strip(),
        )


def _numbers(ids: list[str]) -> list[int]:
    return [int(pk) for pk in ids if pk.isascii() and pk.isdigit()]


def _skills(names: list[str]) -> Iterator[Item]:
    rows = SkillCandidate.objects.filter(_named(names, "slug")).select_related("project")
    for row in rows.order_by("pk"):
        ref = refs.skill(row, row.project)
        yield Item(
            key=ref,
            ref=ref,
            kind="skill",
            project_id=row.project_id,
            type=row.status,
            when=row.revised_at or row.proposed_at or row.updated_at,
            title=cleaning.clean(row.title or row.slug),
            text=cleaning.clean("\n\n".join(filter(None, [row.slug, row.description, row.body]))).strip(),
        )


def _documents(names: list[str]) -> Iterator[Item]:
    rows = Document.objects.filter(_named(names, "name")).select_related("project")
    for row in rows.order_by("pk"):
        ref = refs.document(row, row.project)
        for number, (heading, text) in enumerate(_sections(cleaning.clean(row.text)), 1):
            yield Item(
                key=f"{ref}#{number}",
                ref=ref,
                kind="document",
                project_id=row.project_id,
                when=row.modified_at,
                title=f"{row.name}: {heading}"[:300] if heading else row.name,
                text=text,
            )


def _named(names: list[str], field: str) -> Q:
    """`project/name` for each, where a project's name may hold slashes itself."""
    wanted: dict[str, list[str]] = defaultdict(list)
    for name in names:
        project, _, own = name.rpartition("/")
        wanted[project].append(own)
    return reduce(or_, (Q(project__name=project, **{f"{field}__in": own}) for project, own in wanted.items()))


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """Yield (heading, what stands below it); a heading with nothing below is a section of its own."""
    start, heading = 0, ""
    for found in _HEADING.finditer(text):
        body = text[start : found.start()].strip()
        if heading or body:
            yield heading, body
        start, heading = found.end(), found[1]
    body = text[start:].strip()
    if heading or body:
        yield heading, body


_SOURCES: dict[str, Callable[[list[str]], Iterator[Item]]] = {
    "entry": _entries,
    "session": _sessions,
    "observation": _observations,
    "prompt": _prompts,
    "skill": _skills,
    "file": _documents,
}
