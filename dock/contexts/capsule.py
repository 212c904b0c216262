"""What the capsule prints: the compact dock above a composer, for one session and its project alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.contrib.auth.models import User

from dock.contexts import (
    branches,
    links,
    sessions_told,
    skills,
    skills_bases,
    skills_changes,
    skills_checks,
    skills_copies,
    skills_head,
    skills_readings,
    skills_record,
)
from dock.contexts.branches import Branch
from dock.contexts.choices import Tab
from dock.contexts.sessions_told import ToldItem
from dock.contexts.skills_changes import Changes
from dock.contexts.skills_checks import Checks, WhatItRuns
from dock.contexts.skills_copies import Place
from dock.contexts.skills_head import CHANGE
from dock.forms.capsule import Asked
from dock.forms.skills import Wanted
from dock.forms.skills_decide import Wish
from memory.disk import DiskError
from memory.models import Project, Session, SkillCandidate
from memory.skills import queries, targets
from memory.texts import hidden

ROWS = 20
TOLD = 5


@dataclass(frozen=True, slots=True)
class CapsuleSkill:
    """A skill that waits; it can be approved once its changes were opened, at `read_url`."""

    id: str
    pk: int
    slug: str
    title: str
    description: str
    states: list[str]
    content_hash: str
    is_read: bool
    read_url: str


@dataclass(frozen=True, slots=True)
class Reading:
    """One skill that is read in the capsule."""

    skill: CapsuleSkill
    page_url: str
    src: str
    url: str
    is_changed: bool
    changes: Changes
    checks: Checks
    runs: WhatItRuns
    places: list[Place]


@dataclass(frozen=True, slots=True)
class Done:
    """A skill that was just decided about, and the content on which that can be taken back."""

    slug: str
    title: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class Capsule:
    """The whole capsule; of the tabs, the one that is shown has its content."""

    session: str
    project: str
    url: str
    closed_url: str
    dock_url: str
    decide_url: str
    last_at: datetime
    waiting: int
    is_open: bool
    can_decide: bool
    tabs: list[Tab]
    tab: str
    done: Done | None
    rows: list[CapsuleSkill]
    more: int
    reading: Reading | None
    told: list[ToldItem]
    tree: Branch | None


def capsule(session: Session, asked: Asked, person: User) -> Capsule:
    """Build the capsule. Seven queries; one skill that is read takes a dozen more."""
    project = session.project
    link = partial(links.to, "capsule", session=session.key)
    counted = skills.waiting(project)
    rows = _rows(project, person, link) if asked.tab == "skills" and not asked.read else []
    return Capsule(
        session=session.key,
        project=project.name,
        url=link(tab=asked.tab, read=asked.read, open=1 if asked.is_open else ""),
        closed_url=link(open=1),
        dock_url=links.to("skill-list", project=project.name),
        decide_url=links.to("capsule-decide", session=session.key),
        last_at=session.last_activity_at,
        waiting=counted,
        is_open=asked.is_open or bool(asked.read or asked.done),
        can_decide=person.has_perm(CHANGE),
        tabs=_tabs(asked.tab, counted, link),
        tab=asked.tab,
        done=_done(project, asked.done),
        rows=rows,
        more=max(0, counted - len(rows)) if rows else 0,
        reading=_reading(project, asked, person, link),
        told=_told(session) if asked.tab == "told" else [],
        tree=_tree(project) if asked.tab == "files" else None,
    )


def _tabs(current: str, waiting: int, link: Callable[..., str]) -> list[Tab]:
    return [
        Tab("Skills", link(tab="skills", open=1), current == "skills", waiting, "accent" if waiting else ""),
        Tab("Told", link(tab="told", open=1), current == "told"),
        Tab("Files", link(tab="files", open=1), current == "files"),
    ]


def _rows(project: Project, person: User, link: Callable[..., str]) -> list[CapsuleSkill]:
    """List what waits. Three queries."""
    found = list(queries.inbox(project).order_by("slug", "pk").defer("text", "body")[:ROWS])
    read, copies = skills_readings.read_among(found, person), skills_readings.copies_of(found)
    return [_skill(row, copies[row.pk], link, is_read=row.pk in read) for row in found]


def _skill(row: SkillCandidate, copies: set[str], link: Callable[..., str], *, is_read: bool) -> CapsuleSkill:
    return CapsuleSkill(
        id=f"capsule-skill-{row.pk}",
        pk=row.pk,
        slug=row.slug,
        title=skills_head.name(row),
        description=hidden.visible(row.description[:200]),
        states=skills_head.states(row, copies),
        content_hash=row.content_hash,
        is_read=is_read,
        read_url=link(read=row.slug),
    )


def _reading(project: Project, asked: Asked, person: User, link: Callable[..., str]) -> Reading | None:
    row = queries.find(project, asked.read) if asked.read else None
    if row is None:
        return None
    offered = targets.offered(project, row)
    own = partial(links.to, "skill-detail", project.name, row.slug)
    bases = skills_bases.bases(row, offered, person)
    seen = asked.seen or row.content_hash
    return Reading(
        skill=_skill(row, {target.copy_state for target in offered}, link, is_read=True),
        page_url=own(),
        src=link(read=row.slug, seen=seen or "-"),
        url=link(read=row.slug),
        is_changed=seen not in {row.content_hash, "-"},
        changes=skills_changes.changes(row, bases, Wanted(layout="unified"), own),
        checks=skills_checks.checks(row),
        runs=skills_checks.what_it_runs(row, skills_record.reviewed_text(row)),
        places=skills_copies.places(row, offered, Wish(), own),
    )


def _done(project: Project, slug: str) -> Done | None:
    row = queries.find(project, slug) if slug else None
    return Done(row.slug, skills_head.name(row), row.content_hash) if row else None


def _told(session: Session) -> list[ToldItem]:
    return [sessions_told.item(row) for row in session.injections.order_by("-pk")[:TOLD]]


def _tree(project: Project) -> Branch | None:
    try:
        return branches.branch(project, "", selected="")
    except DiskError:
        return None
