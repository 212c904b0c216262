"""What the list of skills prints: the reviewer's inbox."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import lru_cache, partial

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from dock.contexts import links, paged, skills_decided, skills_head, skills_readings
from dock.contexts.choices import Tab
from dock.contexts.skills_decided import Act
from dock.contexts.skills_head import CHANGE
from dock.forms.skills import Criteria
from memory.models import Project, SkillCandidate, SkillRevision
from memory.models.skill import SkillReview, SkillStatus
from memory.skills import frontmatter, queries, runs
from memory.skills.store import FOLDER
from memory.texts import diffs, hidden

_ORDER = ("slug", "pk")
_STATES: dict[queries.State, str] = {
    "waiting": "To review",
    "changes_requested": "Changes requested",
    "approved": "Approved",
    "installed": "Installed",
    "edited": "Edited or gone",
    "snoozed": "Snoozed",
    "rejected": "Rejected",
    "broken": "Broken",
    "all": "All",
}
_TONES = {"waiting": "accent", "edited": "warn", "broken": "warn"}
_LONGEST = 65_536
"""Characters of a text that is looked into for the list."""


@dataclass(frozen=True, slots=True)
class SkillRow:
    """One line of the list; `change` says how the text differs from the one that was reviewed last."""

    id: str
    pk: int
    url: str
    title: str
    slug: str
    description: str
    project: str
    content_hash: str
    states: list[str]
    is_unread: bool
    is_broken: bool
    can_tick: bool
    problem: str
    files_url: str
    change: str
    runs: int
    hidden: int
    occurrences: int | None
    until: datetime | None
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class SkillList:
    """The list page; `project` is empty for all projects."""

    project: str
    text: str
    state: str
    state_label: str
    url: str
    all_url: str
    bulk_url: str
    propose_url: str
    has_any: bool
    can_bulk: bool
    waiting: int
    tabs: list[Tab]
    rows: list[SkillRow]
    decided: list[Act]
    previous_url: str
    next_url: str


def listing(project: Project | None, criteria: Criteria, person: User) -> SkillList:
    """Build the list page. Six queries."""
    counts = asdict(queries.counts(project))
    state: queries.State = criteria.state or ("waiting" if counts["waiting"] else "all")
    page = paged.page(_matching(queries.inbox(project, state), criteria.text), order=_ORDER, cursor=criteria.cursor)
    owner = project.name if project else ""
    link = partial(links.to, "skill-list", project=owner, q=criteria.text)
    may_change = person.has_perm(CHANGE)
    return SkillList(
        project=owner,
        text=criteria.text,
        state=state,
        state_label=_STATES[state],
        url=link(state=state, cursor=criteria.cursor),
        all_url=links.to("skill-list", project=owner, state="all"),
        bulk_url=links.to("skill-bulk", project=owner, state=state),
        propose_url=links.to("skill-propose", project=owner) if may_change else "",
        has_any=bool(counts["all"]),
        can_bulk=may_change and state in {"waiting", "all", "changes_requested", "snoozed"},
        waiting=counts["waiting"],
        tabs=_tabs(counts, state, link),
        rows=_rows(page.items, person, is_of_many=project is None),
        decided=skills_decided.lately(project) if state in {"waiting", "all"} and not criteria.text else [],
        previous_url=page.previous and link(state=state, cursor=page.previous),
        next_url=page.next and link(state=state, cursor=page.next),
    )


def waiting(project: Project | None) -> int:
    """Count what waits for a person. One query."""
    return queries.counts(project).waiting


def _matching(rows: QuerySet[SkillCandidate], text: str) -> QuerySet[SkillCandidate]:
    if not text:
        return rows
    return rows.filter(Q(slug__icontains=text) | Q(title__icontains=text) | Q(description__icontains=text))


def _tabs(counts: dict[str, int], current: str, link: partial[str]) -> list[Tab]:
    return [
        Tab(label, link(state=name), name == current, counts[name], _TONES.get(name, "") if counts[name] else "")
        for name, label in _STATES.items()
    ]


def _rows(rows: Sequence[SkillCandidate], person: User, *, is_of_many: bool) -> list[SkillRow]:
    """Describe the rows of a page. Three queries."""
    read, copies = skills_readings.read_among(rows, person), skills_readings.copies_of(rows)
    before = _reviewed(rows)
    return [
        _row(
            row,
            before.get((row.pk, row.reviewed_hash)),
            is_read=row.pk in read,
            copies=copies[row.pk],
            is_of_many=is_of_many,
        )
        for row in rows
    ]


def _reviewed(rows: Sequence[SkillCandidate]) -> dict[tuple[int, str], str]:
    """Read the texts that were reviewed last, where the present ones are others. One query."""
    changed = [row for row in rows if row.reviewed_hash and row.reviewed_hash != row.content_hash]
    kept = SkillRevision.objects.filter(
        skill__in=[row.pk for row in changed], content_hash__in=[row.reviewed_hash for row in changed]
    )
    return {(pk, content): text for pk, content, text in kept.values_list("skill", "content_hash", "text")}


def _row(row: SkillCandidate, before: str | None, *, copies: set[str], is_read: bool, is_of_many: bool) -> SkillRow:
    is_broken = row.status == SkillStatus.BROKEN
    is_waiting = row.review == SkillReview.PENDING and not is_broken
    text = row.text[:_LONGEST]
    return SkillRow(
        id=f"skill-{row.pk}",
        pk=row.pk,
        url=links.to("skill-detail", row.project.name, row.slug),
        title=skills_head.name(row),
        slug=row.slug,
        description=hidden.visible(row.description[:300]),
        project=row.project.name if is_of_many else "",
        content_hash=row.content_hash,
        states=skills_head.states(row, copies),
        is_unread=is_waiting and not is_read,
        is_broken=is_broken,
        can_tick=bool(row.content_hash) and not is_broken,
        problem=row.problems[0] if is_broken and row.problems else "",
        files_url=links.to("file-browser", row.project.name, path=f"{FOLDER}/{row.slug}") if is_broken else "",
        change=_change(before[:_LONGEST], text) if before is not None else "",
        runs=_commands(text),
        hidden=len(hidden.reveal(text)),
        occurrences=row.occurrences,
        until=row.snoozed_until if row.review == SkillReview.SNOOZED else None,
        updated_at=row.revised_at or row.proposed_at or row.updated_at,
    )


@lru_cache(maxsize=256)
def _change(before: str, after: str) -> str:
    counted = diffs.count(before, after)
    return f"+{counted.added:,} \N{MINUS SIGN}{counted.removed:,} lines since it was reviewed"


@lru_cache(maxsize=256)
def _commands(text: str) -> int:
    return len(runs.what_it_runs(frontmatter.split(text)[1]).commands)
