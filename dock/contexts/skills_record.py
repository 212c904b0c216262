"""What the page of one skill prints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, partial

from django.contrib.auth.models import User

from dock.contexts import (
    links,
    skills_bases,
    skills_checks,
    skills_copies,
    skills_evidence,
    skills_head,
    skills_news,
    skills_place,
    skills_readings,
    skills_text,
)
from dock.contexts.skills_checks import Checks, WhatItRuns
from dock.contexts.skills_copies import Copies, Install
from dock.contexts.skills_decided import Act
from dock.contexts.skills_evidence import Evidence
from dock.contexts.skills_head import Acts, Facts, Head
from dock.contexts.skills_news import News
from dock.contexts.skills_text import Text
from dock.forms.skills import Wanted
from dock.forms.skills_decide import Wish
from memory.models import Project, SkillCandidate
from memory.models.skill import SkillStatus
from memory.skills import queries, targets


@dataclass(frozen=True, slots=True)
class Refused:
    """A decision that was not made: why, and what the person had typed; `read_hash` is what they had read."""

    wish: Wish = field(default_factory=Wish)
    error: str = ""
    needs_note: str = ""
    is_changed: bool = False
    read_hash: str = ""


@dataclass(frozen=True, slots=True)
class SkillPage:
    """The page of one skill; `act` is the dialog that is open, `work` that of another decision."""

    slug: str
    project: str
    content_hash: str
    is_broken: bool
    problems: list[str]
    head: Head
    facts: Facts
    acts: Acts
    act: str
    refused: Refused
    news: News
    work: Act | None
    work_src: str
    text: Text
    evidence: Evidence
    checks: Checks
    runs: WhatItRuns
    copies: Copies
    install: Install


def skill(
    project: Project,
    row: SkillCandidate,
    wanted: Wanted,
    person: User,
    *,
    refused: Refused | None = None,
    now: datetime,
) -> SkillPage:
    """Build the page of one skill. About thirty queries, whatever it holds; looks at the disk for its copies."""
    refused = refused or Refused()
    link: Callable[..., str] = partial(links.to, "skill-detail", project.name, row.slug)
    offered = targets.offered(project, row)
    place = skills_place.place(project, row)
    places = skills_copies.places(row, offered, refused.wish, link)
    view = skills_text.view_of(row, wanted, is_waiting=place.is_waiting)
    bases = cache(lambda: skills_bases.bases(row, offered, person, read_hash=refused.read_hash))
    is_unread = not skills_readings.is_read(row.pk, row.content_hash, person)
    return SkillPage(
        slug=row.slug,
        project=project.name,
        content_hash=row.content_hash,
        is_broken=row.status == SkillStatus.BROKEN,
        problems=row.problems,
        head=skills_head.head(project, row, place, {target.copy_state for target in offered}, person),
        facts=skills_head.facts(project, row),
        acts=skills_head.acts(project, row, wanted, link, person, now=now),
        act=wanted.act,
        refused=refused,
        news=skills_news.news(project, row, wanted),
        work=skills_copies.work(project, wanted.job),
        work_src=link(job=wanted.job),
        text=skills_text.text(row, view, bases, wanted, link),
        evidence=skills_evidence.page(project, row),
        checks=skills_checks.checks(row),
        runs=skills_checks.what_it_runs(row, reviewed_text(row)),
        copies=skills_copies.copies(project, row, places, link, now=now),
        install=skills_copies.install(places, error=refused.error if wanted.act else "", is_unread=is_unread),
    )


def shows_changes(project: Project, row: SkillCandidate, wanted: Wanted) -> bool:
    """Tell whether the page shows what is new. One query at most."""
    is_waiting = not wanted.view and skills_place.is_waiting(project, row)
    return skills_text.view_of(row, wanted, is_waiting=is_waiting) == "changes"


def reviewed_text(row: SkillCandidate) -> str | None:
    """Return the text that was reviewed last, where it is another one. One query."""
    if not row.reviewed_hash or row.reviewed_hash == row.content_hash:
        return None
    return queries.text_of(row, row.reviewed_hash)
