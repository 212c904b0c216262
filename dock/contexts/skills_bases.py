"""The texts that a SKILL.md can be compared with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from django.contrib.auth.models import User
from django.utils import dateformat, timezone

from memory.documents import decoding
from memory.models import SkillCandidate, SkillCopy, SkillDecision
from memory.models.skill_desk import SkillAction
from memory.skills import found, queries
from memory.skills.targets import Target

NOTHING = "nothing"

_VERBS = {
    SkillAction.APPROVE: "approved",
    SkillAction.INSTALL: "approved",
    SkillAction.REJECT: "rejected",
    SkillAction.REQUEST_CHANGES: "sent back",
    SkillAction.SNOOZE: "put off",
}
_DECIDING = [*_VERBS]


@dataclass(frozen=True, slots=True)
class Base:
    """A text to compare with: what an option says, the column's title, and how the text is read.

    `edited` reads the third text of a comparison of three; a text that cannot be read any more is None.
    """

    label: str
    title: str
    read: Callable[[], str | None]
    edited: Callable[[], str | None] | None = None


def bases(row: SkillCandidate, offered: Sequence[Target], person: User, *, read_hash: str = "") -> dict[str, Base]:
    """Name the texts, the first one being what suits the reader. Three queries at most.

    `read_hash` is a content that the reader had before them when another one came.
    """
    named: dict[str, Base] = {}
    if read_hash and read_hash != row.content_hash:
        named["read"] = Base("what you read", "What you read", _kept(row, read_hash))
    named |= _edited(row, offered)
    if row.reviewed_hash and row.reviewed_hash != row.content_hash:
        what = _reviewed(row, person)
        named["reviewed"] = Base(f"the text {what}", f"Text {what}", _kept(row, row.reviewed_hash))
    named |= _copies(row, offered)
    return named | _previous(row) | {NOTHING: Base("nothing: show all of it", "Nothing", str)}


def _edited(row: SkillCandidate, offered: Sequence[Target]) -> dict[str, Base]:
    """Offer a comparison of three for each copy that was edited by hand and whose first text is known."""
    names = [target.name for target in offered if target.copy_state == "edited"]
    installed = {copy.target: copy for copy in row.copies.filter(target__in=names)} if names else {}
    return {
        f"three:{target.name}": Base(
            f"what was installed in {target.name}, and what became of it there",
            "Installed",
            _installed(installed[target.name]),
            _copy(row, target),
        )
        for target in offered
        if target.name in installed and installed[target.name].installed_text
    }


def _copies(row: SkillCandidate, offered: Sequence[Target]) -> dict[str, Base]:
    there = [target for target in offered if target.copy_state in {"current", "edited", "foreign"}]
    return {
        f"copy:{one.name}": Base(f"the copy in {one.name}", f"Copy in {one.name}", _copy(row, one)) for one in there
    }


def _reviewed(row: SkillCandidate, person: User) -> str:
    """Say who decided what about the reviewed content, and when. One query."""
    made = queries.decisions(row).filter(content_hash=row.reviewed_hash, action__in=_DECIDING)
    decision: SkillDecision | None = made.first()
    if decision is None:
        return "reviewed last"
    who = "you" if decision.actor_id == person.pk else decision.actor_label
    return (
        f"{who} {_VERBS[SkillAction(decision.action)]} on {dateformat.format(timezone.localtime(decision.at), 'j M')}"
    )


def _previous(row: SkillCandidate) -> dict[str, Base]:
    kept = row.revisions.exclude(content_hash__in=[row.content_hash, row.reviewed_hash]).order_by("-number")
    revision = kept.defer("text").first()
    if revision is None:
        return {}
    name = f"revision {revision.number}"
    return {"previous": Base(name, name.capitalize(), _kept(row, revision.content_hash))}


def _kept(row: SkillCandidate, content_hash: str) -> Callable[[], str | None]:
    return lambda: queries.text_of(row, content_hash)


def _installed(copy: SkillCopy) -> Callable[[], str | None]:
    return lambda: copy.installed_text


def _copy(row: SkillCandidate, target: Target) -> Callable[[], str | None]:
    def read() -> str | None:
        data = found.look(Path(target.base), (*target.names(), row.slug)).data
        return None if data is None else decoding.decode(data)[0]

    return read
