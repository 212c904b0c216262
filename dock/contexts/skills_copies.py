"""Where a skill may be installed, what is there now, and what can be put back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from dock.contexts import skills_decided
from dock.contexts.revisions import short
from dock.contexts.skills_decided import Act
from dock.forms.skills_decide import Wish
from memory.models import Project, Session, SkillCandidate
from memory.skills import queries
from memory.skills.targets import Target

REPLACED = 5

_ODD = {"edited", "foreign", "missing", "unreadable"}
"""States of a copy that a reviewer has to know of."""
_COMPARED = {"current", "edited", "foreign"}


@dataclass(frozen=True, slots=True)
class Place:
    """One target; `overwrite` is the hash of a file that whoever installs there has to let go."""

    id: str
    name: str
    path: str
    words: str
    copy_hash: str
    is_there: bool
    is_warning: bool
    is_shut: bool
    is_ticked: bool
    is_first: bool
    overwrite: str
    lets_go: bool
    compare_url: str


@dataclass(frozen=True, slots=True)
class Install:
    """The dialog that asks where to."""

    question: str
    error: str
    targets: list[Place]
    is_unread: bool


@dataclass(frozen=True, slots=True)
class Replaced:
    """A copy that was overwritten or taken away; `present` is the hash of what is in its place now."""

    target: str
    content_hash: str
    at: datetime
    can_restore: bool
    present: str


@dataclass(frozen=True, slots=True)
class Listener:
    """A live session that can be asked."""

    key: str
    title: str


@dataclass(frozen=True, slots=True)
class Copies:
    """The panels beside a skill; `last` is the latest work on its copies."""

    src: str
    places: list[Place]
    replaced: list[Replaced]
    last: Act | None
    listeners: list[Listener]


def install(places: list[Place], *, error: str, is_unread: bool) -> Install:
    replaces = any(place.is_ticked and place.is_there for place in places)
    question = "Replace the installed copy?" if replaces else "Install into which place?"
    return Install(question, error, places, is_unread)


def places(row: SkillCandidate, offered: Sequence[Target], wish: Wish, link: Callable[..., str]) -> list[Place]:
    """Describe the targets; without a wish, those are ticked that have the skill, else the first free one."""
    ticked = set(wish.targets) or _likely(offered)
    open_ones = [target.name for target in offered if target.copy_state != "unreadable"]
    return [
        Place(
            id=f"target-{number}",
            name=target.name,
            path=target.path,
            words=target.note,
            copy_hash=target.copy_hash,
            is_there=bool(target.copy_hash) and target.copy_path(row.slug) in row.installed_paths,
            is_warning=target.copy_state in _ODD,
            is_shut=target.copy_state == "unreadable",
            is_ticked=target.name in ticked,
            is_first=target.name in open_ones[:1],
            overwrite=target.copy_hash if target.asks else "",
            lets_go=target.asks and wish.overwrite.get(target.name) == target.copy_hash,
            compare_url=link(view="changes", base=_base(target)) if target.copy_state in _COMPARED else "",
        )
        for number, target in enumerate(offered)
    ]


def copies(
    project: Project, row: SkillCandidate, found: list[Place], link: Callable[..., str], *, now: datetime
) -> Copies:
    """Build the panels. Three queries."""
    worked = queries.decisions(row).filter(job__isnull=False).first()
    live = Session.objects.filter(project=project).live(now).newest_first()
    return Copies(
        src=link(),
        places=found,
        replaced=_replaced(row, found),
        last=skills_decided.act(worked, project) if worked else None,
        listeners=[Listener(one.key, one.title or f"{one.platform} {one.key}".strip()) for one in live[:20]],
    )


def work(project: Project, pk: int | None) -> Act | None:
    """Describe the work with this id, where it is of the project. One query."""
    made = queries.recent_decisions(project).filter(job=pk).first() if pk else None
    return skills_decided.act(made, project) if made else None


def _likely(offered: Sequence[Target]) -> set[str]:
    known = {target.name for target in offered if target.copy_state in {"equal", "current", "missing"}}
    return known or {target.name for target in [one for one in offered if one.copy_state == "none"][:1]}


def _base(target: Target) -> str:
    return f"{'three' if target.copy_state == 'edited' else 'copy'}:{target.name}"


def _replaced(row: SkillCandidate, places: Sequence[Place]) -> list[Replaced]:
    """List kept copies; of each place, the newest one can be put back that is not what is there. One query."""
    there = {place.name: place.copy_hash for place in places if not place.is_shut}
    found: list[Replaced] = []
    for one in queries.replaced(row)[:REPLACED]:
        is_other = one.target in there and one.content_hash != there[one.target]
        can_restore = is_other and not any(known.target == one.target and known.can_restore for known in found)
        present = there.get(one.target, "")
        found.append(Replaced(one.target, short(one.content_hash), one.at, can_restore, present))
    return found
