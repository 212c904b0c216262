"""Asks the plugins at a moment of an agent's loop, and makes one message of what they know."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from django.utils import timezone

from memory.agent_loop import apart, policy, recall, told
from memory.agent_loop.points import PRE_STEP, Observation
from memory.agent_loop.policy import HookPolicy
from memory.agent_loop.recall import MessageJson
from memory.plugins.kinds import JOURNAL, OBSERVATIONS
from memory.service.routing import Policy, Settings
from memory.service.service import MemoryService
from memory.service.service import service as common
from memory.service.types import Request
from memory.service.values import Json

WAIT_S = 3.0
"""How long a plugin may take: an agent waits for it. Where its own limit is shorter, that one holds."""

TOLD_AS_TEXT = frozenset({JOURNAL, OBSERVATIONS})
"""Plugins whose memories `/recall` tells before a step; nobody is told the same twice."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the agent is told; without a message, `reason` says why, in one sentence."""

    message: MessageJson | None = None
    reason: str = ""


def ask(observed: Observation, *, service: MemoryService = common) -> Answer:
    """Ask all plugins that the moment concerns; what fails is left out. Waits `WAIT_S` at most. Raises BadRequest."""
    held = policy.of_scope(observed.session.scope)
    if not held.has(*observed.point.switch):
        return Answer(reason="This is switched off for the project.")
    if not _is_due(observed, held):
        return Answer(reason="Nobody said anything new.")
    silent = TOLD_AS_TEXT if observed.point.name == PRE_STEP and held.recall.is_text else frozenset[str]()
    started = time.perf_counter()
    patient = MemoryService(service.registry, lambda: _hurried(service.settings(), silent), service.watch)
    outcomes = apart.run(patient.retrieve(Request(observed.meta(), observed.data)))
    message = recall.message(observed.point.name, outcomes, budget=held.recall.budget)
    answer = Answer(message, "" if message else "No plugin knew anything.")
    if message or (observed.point.name == PRE_STEP and not held.recall.is_text):  # else `/recall` keeps why not
        _keep(observed, answer, took_ms=(time.perf_counter() - started) * 1000)
    return answer


def _keep(observed: Observation, answer: Answer, *, took_ms: float) -> None:
    text = answer.message["content"][0]["text"] if answer.message else ""
    told.keep(
        observed.session, query=_said(observed), text=text, reason=answer.reason, took_ms=took_ms, at=timezone.now()
    )


def _is_due(observed: Observation, held: HookPolicy) -> bool:
    """Before a step plugins are asked once a message of a person, unless the project wants it before every step."""
    return observed.point.name != PRE_STEP or held.recall.every_step or bool(_said(observed))


def _said(observed: Observation) -> str:
    """Return what persons said in the messages that enter the step."""
    messages = observed.data.get("messages")
    rows = [row for row in messages if isinstance(row, dict)] if isinstance(messages, list) else []
    return "\n".join(text for row in rows if _is_of_a_person(row.get("source")) for text in _texts(row.get("content")))


def _is_of_a_person(source: Json) -> bool:
    return isinstance(source, dict) and source.get("kind") == "user"


def _texts(content: Json) -> list[str]:
    if isinstance(content, str):
        return [content] if content.strip() else []
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    texts = [block.get("text") for block in blocks if block.get("type") == "text"]
    return [text for text in texts if isinstance(text, str) and text.strip()]


def _hurried(settings: Settings, silent: frozenset[str]) -> Settings:
    """Return the settings with which an agent that waits asks; `silent` plugins are not asked."""
    routing = {name: _limited(one) for name, one in settings.routing.items()}
    routing |= {name: replace(routing.get(name, Policy()), enabled=False) for name in silent}
    return replace(settings, retrieve_timeout=min(settings.retrieve_timeout, WAIT_S), routing=routing)


def _limited(one: Policy) -> Policy:
    return replace(one, retrieve_timeout=min(one.retrieve_timeout, WAIT_S)) if one.retrieve_timeout else one
