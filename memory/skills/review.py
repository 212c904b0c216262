"""What people decide about skills; each decision is made on one content and lapses with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from django.contrib.auth.models import User
from django.db import transaction

from memory import audit, changes, refs
from memory.audit import Actor
from memory.changes import Note
from memory.disk import DiskError, Tree
from memory.models import SkillCandidate, SkillDecision, SkillJob, SkillReading
from memory.models.skill import SkillReview, SkillStatus
from memory.models.skill_desk import SkillAction
from memory.skills import asking, store, wanted
from memory.skills.asking import delivery
from memory.skills.errors import (
    BadTarget,
    ContentChanged,
    CopyDiffers,
    NoSuchSkill,
    NoteNeeded,
    NotPossible,
    SkillError,
    TargetNotOffered,
    TimeNeeded,
)

__all__ = [
    "ON_COPIES",
    "BadTarget",
    "ContentChanged",
    "CopyDiffers",
    "NoSuchSkill",
    "NotPossible",
    "NoteNeeded",
    "Outcome",
    "SkillError",
    "TargetNotOffered",
    "TimeNeeded",
    "bulk_approve",
    "decide",
    "delivery",
    "opened",
    "wake",
]

ON_COPIES = frozenset({SkillAction.INSTALL, SkillAction.UNINSTALL, SkillAction.RESTORE})
"""Acts that are done by a job."""

LONGEST_SNOOZE = timedelta(days=3660)

_REVIEWS = {
    SkillAction.APPROVE: SkillReview.APPROVED,
    SkillAction.INSTALL: SkillReview.APPROVED,  # whoever installs a text has let it in
    SkillAction.REQUEST_CHANGES: SkillReview.CHANGES_REQUESTED,
    SkillAction.REJECT: SkillReview.REJECTED,
    SkillAction.SNOOZE: SkillReview.SNOOZED,
    SkillAction.REOPEN: SkillReview.PENDING,
}
_NEEDS_FILES = ON_COPIES | {SkillAction.APPROVE}
_SAYS_WHY = {SkillAction.REJECT, SkillAction.REQUEST_CHANGES}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of each candidate that was to be approved in bulk: primary keys.

    `unread` ones were left because the person did not open their changes, `changed` ones because they are not what the
    person saw, `refused` ones because they are broken or gone.
    """

    approved: tuple[int, ...] = ()
    unread: tuple[int, ...] = ()
    changed: tuple[int, ...] = ()
    refused: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    """What a person wants done, before it is known to be possible."""

    action: SkillAction
    content_hash: str
    note: str
    until: datetime | None
    targets: tuple[str, ...]
    is_override: bool
    actor: Actor
    at: datetime


def decide(
    *,
    skill_pk: int,
    action: str,
    content_hash: str,
    note: str = "",
    until: datetime | None = None,
    targets: Sequence[str] = (),
    overwrite: Mapping[str, str] | None = None,
    session_key: str = "",
    actor: Actor,
    is_override: bool = False,
    at: datetime,
) -> SkillDecision:
    """Decide about the content with this hash; for `install`, `uninstall` and `restore`, `decision.job` is queued.

    `overwrite` is {target: hash of the copy that the person saw and lets go}. `session_key` names the session that a
    `queue_review` is for; `delivery` says what became of it. Raises NoSuchSkill, ContentChanged, NoteNeeded,
    TimeNeeded, NotPossible, BadTarget, CopyDiffers.
    """
    wish = _Wish(
        action=_action(action),
        content_hash=content_hash,
        note=note.strip(),
        until=until if action == SkillAction.SNOOZE else None,
        targets=tuple(dict.fromkeys(targets)),
        is_override=is_override,
        actor=actor,
        at=at,
    )
    _check(wish)
    if wish.action == SkillAction.QUEUE_REVIEW:
        # The inbox has a transaction of its own. A crash after it leaves a message without a decision, never the reverse.
        session = asking.queue(_seen(skill_pk, content_hash), session_key, note=wish.note, actor=actor, at=at)
        wish = replace(wish, targets=(session.key,) if session else ())
    return _decide(skill_pk, wish, overwrite or {})


@transaction.atomic(durable=True)
def bulk_approve(*, pks: Mapping[int, str], actor: Actor, override: bool = False, at: datetime) -> Outcome:
    """Approve candidates, {primary key: hash of the content}, whose changes the person opened; with `override`, all."""
    read = set(SkillReading.objects.filter(skill__in=pks, person=actor.user).values_list("skill", "content_hash"))
    found: dict[str, list[int]] = {"approved": [], "unread": [], "changed": [], "refused": []}
    for pk, content_hash in pks.items():
        is_read = (pk, content_hash) in read
        found[_approve(pk, content_hash, is_read=is_read, override=override, actor=actor, at=at)].append(pk)
    return Outcome(**{name: tuple(ones) for name, ones in found.items()})


@transaction.atomic(durable=True)
def opened(*, skill_pk: int, person: User, content_hash: str, at: datetime) -> SkillReading:
    """Note that a person opened the changes of this content. Raises NoSuchSkill, ContentChanged."""
    skill = _seen(skill_pk, content_hash)
    reading, _ = SkillReading.objects.get_or_create(
        skill=skill, person=person, content_hash=content_hash, defaults={"at": at}
    )
    return reading


@transaction.atomic(durable=True)
def wake(*, at: datetime) -> int:
    """Bring back the snoozed candidates whose time has come; return how many."""
    due = SkillCandidate.objects.filter(review=SkillReview.SNOOZED, snoozed_until__lte=at).select_related("project")
    woken = [skill for skill in due.defer("text", "body", "project__problems") if _woken(skill, at)]
    for skill in woken:
        note = Note("skill.updated", refs.skill(skill, skill.project), skill.title or skill.slug)
        changes.append([note], project=skill.project, at=at)
    return len(woken)


def _woken(skill: SkillCandidate, at: datetime) -> bool:
    rows = SkillCandidate.objects.filter(pk=skill.pk, review=SkillReview.SNOOZED, snoozed_until__lte=at)
    return rows.update(review=SkillReview.PENDING, snoozed_until=None, updated_at=at) == 1


def _action(action: str) -> SkillAction:
    try:
        return SkillAction(action)
    except ValueError as exc:
        raise NotPossible("There is no such decision.") from exc


def _check(wish: _Wish) -> None:
    if wish.action in _SAYS_WHY and not wish.note:
        raise NoteNeeded
    if wish.action == SkillAction.SNOOZE and not (wish.until and wish.at < wish.until <= wish.at + LONGEST_SNOOZE):
        raise TimeNeeded


@transaction.atomic(durable=True)
def _decide(skill_pk: int, wish: _Wish, overwrite: Mapping[str, str]) -> SkillDecision:
    skill = _seen(skill_pk, wish.content_hash)
    if wish.action in _NEEDS_FILES and skill.status == SkillStatus.BROKEN:
        raise NotPossible("This skill is broken; this is possible when its files are mended.")
    if wish.action not in ON_COPIES:
        return _record(skill, wish)
    if wish.action == SkillAction.INSTALL and skill.review == SkillReview.REJECTED:
        raise NotPossible("This text was rejected. Open it again to install it.")
    chosen = wanted.targets(skill, wish.action, wish.targets, overwrite)
    decision = _record(skill, replace(wish, targets=tuple(target.name for target in chosen)))
    SkillJob.objects.create(
        project=skill.project,
        slug=skill.slug,
        skill=skill,
        decision=decision,
        overwrite={one.name: one.copy_hash for one in chosen if overwrite.get(one.name) == one.copy_hash},
        results=wanted.plan(skill, wish.action, chosen),
        created_at=wish.at,
    )
    return decision


def _seen(skill_pk: int, content_hash: str) -> SkillCandidate:
    """Return a candidate that is what the person saw, in its row and on disk. Raises NoSuchSkill, ContentChanged."""
    rows = SkillCandidate.objects.select_related("project").defer("project__problems")
    skill = rows.filter(pk=skill_pk).first()
    if skill is None:
        raise NoSuchSkill
    for now_hash in (skill.content_hash, _on_disk(skill)):
        if now_hash != content_hash:
            raise ContentChanged(now_hash)
    return skill


def _on_disk(skill: SkillCandidate) -> str:
    """Return the hash of the SKILL.md that is there now. Raises NoSuchSkill."""
    try:
        with Tree(Path(skill.project.memory_dir)) as tree:
            return store.read(tree, skill.slug).content_hash
    except DiskError as exc:
        raise NoSuchSkill from exc


def _record(skill: SkillCandidate, wish: _Wish) -> SkillDecision:
    """Write down a decision, and what it means for the candidate."""
    review = _REVIEWS.get(wish.action)
    if review is not None:
        _review(skill, wish, review)
    decision = SkillDecision.objects.create(
        project=skill.project,
        slug=skill.slug,
        skill=skill,
        action=wish.action,
        content_hash=wish.content_hash,
        note=wish.note,
        targets=list(wish.targets),
        until=wish.until,
        is_override=wish.is_override,
        actor=wish.actor.user,
        actor_label=wish.actor.label[:200],
        at=wish.at,
    )
    ref = refs.skill(skill, skill.project)
    audit.record(wish.actor, f"skill.{wish.action}", ref, at=wish.at, content_hash=wish.content_hash)
    changes.append([Note("skill.decided", ref, skill.title or skill.slug)], project=skill.project, at=wish.at)
    return decision


def _review(skill: SkillCandidate, wish: _Wish, review: SkillReview) -> None:
    """Set the review of a candidate unless its content changed in this moment. Raises ContentChanged."""
    rows = SkillCandidate.objects.filter(pk=skill.pk, content_hash=wish.content_hash)
    done = rows.update(
        review=review,
        reviewed_hash=wish.content_hash,
        reviewed_at=wish.at,
        snoozed_until=wish.until,
        updated_at=wish.at,
    )
    if not done:
        now_hash = SkillCandidate.objects.filter(pk=skill.pk).values_list("content_hash", flat=True).first()
        raise ContentChanged(now_hash or "")


def _approve(pk: int, content_hash: str, *, is_read: bool, override: bool, actor: Actor, at: datetime) -> str:
    """Approve one of many; tell what became of it."""
    try:
        skill = _seen(pk, content_hash)
    except NoSuchSkill:
        return "refused"
    except ContentChanged:
        return "changed"
    if skill.status == SkillStatus.BROKEN:
        return "refused"
    if not is_read and not override:
        return "unread"
    _record(
        skill,
        _Wish(
            action=SkillAction.APPROVE,
            content_hash=content_hash,
            note="",
            until=None,
            targets=(),
            is_override=not is_read,
            actor=actor,
            at=at,
        ),
    )
    return "approved"
