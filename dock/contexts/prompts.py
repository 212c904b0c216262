"""What the pages of prompts print."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models.functions import Left
from django.utils.safestring import SafeString

from dock.contexts import links, memories, memory_areas, paged, sessions_titles, source
from dock.contexts.choices import Tab
from dock.forms.prompts import Criteria
from memory import refs
from memory.engram import queries
from memory.models import Project, Prompt

DELETE = "memory.delete_prompt"
ORDER = ("-created_at", "-pk")

_START = 400


@dataclass(frozen=True, slots=True)
class PromptRow:
    """One line of a list."""

    id: str
    url: str
    start: str
    project: str
    session: str
    session_url: str
    at: datetime


@dataclass(frozen=True, slots=True)
class PromptList:
    """The list page; `project` is empty for all projects, `session` for all sessions."""

    project: str
    text: str
    session: str
    is_filtered: bool
    url: str
    clear_url: str
    areas: list[Tab]
    rows: list[PromptRow]
    previous_url: str
    next_url: str


@dataclass(frozen=True, slots=True)
class PromptRecord:
    """The page of one prompt; `full_size` is None where nothing was cut off."""

    title: str
    text: SafeString
    hidden: int
    size: int
    full_size: int | None
    project: str
    project_url: str
    label: str
    session: str
    session_title: str
    session_url: str
    platform: str
    inbox_id: str
    sync_id: str
    ref: str
    at: datetime
    crumbs: list[tuple[str, str]]
    delete_url: str


def listing(project: Project | None, criteria: Criteria, *, now: datetime) -> PromptList:
    """Build the list page. Four queries."""
    rows = queries.prompts(project=project)
    if criteria.text:
        rows = rows.filter(content__icontains=criteria.text)
    if criteria.session:
        rows = rows.filter(session__key=criteria.session)
    found = paged.page(
        rows.defer("content").annotate(start=Left("content", _START)), order=ORDER, cursor=criteria.cursor
    )
    owner = project.name if project else ""
    state = {"project": owner, "q": criteria.text, "session": criteria.session}
    return PromptList(
        project=owner,
        text=criteria.text,
        session=criteria.session,
        is_filtered=bool(criteria.text or criteria.session),
        url=links.to("prompt-list", **state, cursor=criteria.cursor),
        clear_url=links.to("prompt-list", project=owner),
        areas=memory_areas.tabs(project, "prompt-list", now=now),
        rows=[row(one, is_of_many=project is None) for one in found.items],
        previous_url=found.previous and links.to("prompt-list", **state, cursor=found.previous),
        next_url=found.next and links.to("prompt-list", **state, cursor=found.next),
    )


def record(row: Prompt, person: User) -> PromptRecord:
    """Build the page of one prompt. No query."""
    project, session = row.project.name, row.session
    return PromptRecord(
        title=memories.start(row.content, 120) or f"Prompt {row.pk}",
        text=source.visible(row.content),
        hidden=source.hidden(row.content),
        size=len(row.content.encode()),
        full_size=row.full_size,
        project=project,
        project_url=links.to("live", project=project),
        label=row.project_label,
        session=session.key,
        session_title=sessions_titles.title(session),
        session_url=links.to("session-detail", session.key, view="prompts"),
        platform=session.platform,
        inbox_id=row.source_inbox_id,
        sync_id=row.sync_id,
        ref=refs.prompt(row),
        at=row.created_at,
        crumbs=[
            ("Memories", links.to("memory-list", project=project)),
            ("Prompts", links.to("prompt-list", project=project)),
        ],
        delete_url=links.to("prompt-delete", row.pk) if person.has_perm(DELETE) else "",
    )


def row(prompt: Prompt, *, is_of_many: bool) -> PromptRow:
    """Describe one prompt of a list, whose `start` was read."""
    return PromptRow(
        id=f"prompt-{prompt.pk}",
        url=links.to("prompt-detail", prompt.pk),
        start=memories.start(prompt.start) or f"Prompt {prompt.pk}",  # type: ignore[attr-defined]
        project=prompt.project.name if is_of_many else "",
        session=prompt.session.title or prompt.session.key,
        session_url=links.to("session-detail", prompt.session.key),
        at=prompt.created_at,
    )
