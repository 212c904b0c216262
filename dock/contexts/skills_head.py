"""What stands above a skill, what is known of it, and what can be done with it."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from dock.contexts import links
from dock.contexts.choices import Option
from dock.contexts.revisions import short
from dock.contexts.skills_place import Place
from dock.forms.skills import Wanted
from dock.forms.skills_decide import DELAYS
from memory import refs
from memory.models import Project, SkillCandidate
from memory.models.skill import SkillReview, SkillStatus
from memory.skills import queries
from memory.skills.store import FOLDER
from memory.texts import hidden

CHANGE = "memory.change_skillcandidate"

_COPIES = {"edited": "edited by hand", "missing": "copy gone"}
"""States of copies that a reviewer has to know of, as badges."""


@dataclass(frozen=True, slots=True)
class Head:
    """The top of the page; `place` says which of those that wait it is."""

    title: str
    description: str
    states: list[str]
    reviewed: str
    crumbs: list[tuple[str, str]]
    place: str
    previous_url: str
    next_url: str
    files_url: str
    edit_url: str


@dataclass(frozen=True, slots=True)
class Facts:
    """What meta.json and the disk say; `extra` are keys of meta.json that are not MemSearch's."""

    short_hash: str
    installed_hash: str
    is_installed_current: bool
    occurrences: int | None
    proposed_at: datetime | None
    revised_at: datetime | None
    until: datetime | None
    ref: str
    extra: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Acts:
    """The bar of decisions; `url` is the page as it is, the other addresses open its dialogs without scripts."""

    url: str
    decide_url: str
    install_url: str
    snooze_url: str
    can_decide: bool
    can_reopen: bool
    delays: list[Option]
    tomorrow: date


def head(project: Project, row: SkillCandidate, place: Place, copies: Collection[str], person: User) -> Head:
    """Describe a skill; `copies` are the states of its copies. One query."""
    crumb = "Skills to review" if place.is_waiting else "Skills"
    may_edit = person.has_perm(CHANGE) and bool(row.text)
    return Head(
        title=name(row),
        description=hidden.visible(row.description),
        states=states(row, copies),
        reviewed=_reviewed(row),
        crumbs=[(crumb, links.to("skill-list", project=project.name))],
        place=place.words,
        previous_url=_neighbour(project, place.before),
        next_url=_neighbour(project, place.after),
        files_url=links.to("file-browser", project.name, path=f"{FOLDER}/{row.slug}"),
        edit_url=links.to("skill-edit", project.name, row.slug) if may_edit else "",
    )


def facts(project: Project, row: SkillCandidate) -> Facts:
    return Facts(
        short_hash=short(row.content_hash),
        installed_hash=short(row.installed_hash),
        is_installed_current=bool(row.content_hash) and row.content_hash == row.installed_hash,
        occurrences=row.occurrences,
        proposed_at=row.proposed_at,
        revised_at=row.revised_at,
        until=row.snoozed_until if row.review == SkillReview.SNOOZED else None,
        ref=refs.skill(row, project),
        extra=[(key, json.dumps(value, ensure_ascii=False)[:500]) for key, value in row.extra.items()],
    )


def acts(
    project: Project, row: SkillCandidate, wanted: Wanted, link: Callable[..., str], person: User, *, now: datetime
) -> Acts:
    is_broken = row.status == SkillStatus.BROKEN
    return Acts(
        url=link(view=wanted.view, base=wanted.base, layout=wanted.layout, revision=wanted.revision),
        decide_url=links.to("skill-decide", project.name, row.slug),
        install_url=link(view=wanted.view, base=wanted.base, act="install"),
        snooze_url=link(view=wanted.view, base=wanted.base, act="snooze"),
        can_decide=person.has_perm(CHANGE) and not is_broken,
        can_reopen=row.review != SkillReview.PENDING,
        delays=[Option(key, label, key == "week") for key, (label, _) in DELAYS.items()],
        tomorrow=timezone.localdate(now) + timedelta(days=1),
    )


def name(row: SkillCandidate) -> str:
    """Return what a skill is called, for a person to read."""
    return hidden.visible(row.title or row.slug)


def states(row: SkillCandidate, copies: Collection[str] = ()) -> list[str]:
    """Say what waits and what is so: an installed skill may have an update that waits, or copies in odd states."""
    found = [
        row.pending if row.review == SkillReview.PENDING else row.review,
        "" if row.status == SkillStatus.CANDIDATE else row.status,
        *(words for state, words in _COPIES.items() if state in copies),
    ]
    return [state for state in found if state]


def _reviewed(row: SkillCandidate) -> str:
    approval = queries.last_approval(row)
    if approval is None or approval.content_hash == row.content_hash:
        return ""
    return f"approved content {short(approval.content_hash)}"


def _neighbour(project: Project, slug: str) -> str:
    return slug and links.to("skill-detail", project.name, slug)
