"""Asks an agent to review a candidate: a message for its next turn."""

from __future__ import annotations

import json
from datetime import datetime

from memory import refs
from memory.audit import Actor
from memory.capture import inbox
from memory.models import Session, SkillCandidate, SkillDecision
from memory.skills import store
from memory.texts import hidden

_WAITS = "No agent is live in this project. The review waits for the next one that starts."
_QUEUED = "Queued for the agent that is live; it reads this at its next turn."
_LONGEST = 80
_NOTE = 600


def queue(
    skill: SkillCandidate, session_key: str = "", *, note: str = "", actor: Actor, at: datetime
) -> Session | None:
    """Leave the message for a session of the project, or for whichever asks next; return the one that is live now.

    A named session that has ended cannot read it any more, so that another one does.
    """
    live = Session.objects.filter(project=skill.project).live(at).newest_first()
    named: Session | None = live.filter(key=session_key).first() if session_key and "\0" not in session_key else None
    text = message(skill, note)
    ref = refs.skill(skill, skill.project)
    inbox.queue(project=skill.project, session=named, text=text, about=ref[:700], actor=actor, at=at)
    found: Session | None = named or live.first()
    return found


def message(skill: SkillCandidate, note: str = "") -> str:
    """Return what the agent is told; names are anybody's text and are quoted."""
    name, path = (_quoted(text) for text in (skill.slug, f".memsearch/{store.FOLDER}/{skill.slug}/"))
    said = f" The reviewer adds: {_quoted(note, _NOTE)}" if note else ""
    return (
        f"The skill candidate {name} is ready for review. Read it in {path}, check its steps against the journals that "
        "its meta.json cites, and report a recommendation: approve, request changes or reject, and why. "
        f"Do not install it; installing stays with the person.{said}"
    )


def delivery(decision: SkillDecision) -> str:
    """Say for people what became of a queued review: which agent reads it, or that it waits because none is live."""
    return _QUEUED if decision.targets else _WAITS


def _quoted(text: str, longest: int = _LONGEST) -> str:
    shown = hidden.visible(" ".join(text.split()))
    return json.dumps(shown if len(shown) <= longest else f"{shown[:longest]}…", ensure_ascii=False)
