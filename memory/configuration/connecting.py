"""An agent as its files say, and the act of connecting it or taking that back, which the audit trail keeps."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from memory import audit
from memory.audit import Actor
from memory.connect import hook_token
from memory.connect.plan import Plan, Scope
from memory.connect.refusals import CannotConnect
from memory.connect.registry import AGENTS
from memory.connect.steps import Edit, Outcome
from memory.models import AuditEntry, Project

CONNECTED = "agent.connected"
TAKEN_BACK = "agent.taken_back"
"""What the audit trail calls the two acts."""

_PROGRAMS = {"claude-code": "claude", "vscode": "code"}
"""Where a program is not called as its agent is."""
_BY_HAND = {"mcp", "engram"}

type State = Literal["connected", "behind", "not connected", "not installed", "unclear", "by hand"]


class Moved(Exception):
    """What would be written is not what was shown: a file has changed since. Nothing was written."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What connecting an agent would change, and what taking it back would; `why` says what could not be read."""

    state: State
    plan: Plan | None = None
    outcomes: tuple[Outcome, ...] = ()
    removals: tuple[Outcome, ...] = ()
    why: str = ""

    @property
    def can_write(self) -> bool:
        return _is_due(self.outcomes)

    @property
    def can_take_back(self) -> bool:
        return _is_due(self.removals)

    @property
    def digest(self) -> str:
        """What is other as soon as something else would be written or taken out."""
        told = [(one.target, one.state, one.diff, one.command) for one in (*self.outcomes, *self.removals)]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:20]


def look(name: str, project: Project | None = None) -> Looked:
    """Look at an agent's files, a project's or the person's own. Nothing is written; an agent may tell its version."""
    scope = Scope(home=Path.home(), project=Path(project.root) if project else None)
    try:
        plan = AGENTS[name](scope)
        outcomes = tuple(step.look(is_removal=False) for step in plan.steps)
        removals = tuple(step.look(is_removal=True) for step in plan.steps)
    except CannotConnect as exc:
        return Looked("unclear", why=str(exc))
    state = _state(name, plan, outcomes, removals)
    if project and state == "not installed":  # of that, only the person's own files can tell
        state = "not connected"
    return Looked(state, plan, outcomes, removals)


def apply(
    name: str, *, project: Project | None = None, is_removal: bool, seen: str, actor: Actor, at: datetime
) -> list[Outcome]:
    """Write what `memdock connect` writes, or take it back, as it was shown.

    `seen` is the digest of what was shown. Raises Moved, and CannotConnect, after which earlier steps stay done: the
    audit trail has them, with their backups.
    """
    found = look(name, project)
    if found.plan is None:
        raise CannotConnect(found.why)
    if found.digest != seen:
        raise Moved
    if found.plan.needs_token and not is_removal:
        hook_token.ensure(at=at)
    outcomes: list[Outcome] = []
    try:
        for step in reversed(found.plan.steps) if is_removal else found.plan.steps:
            outcomes.append(step.do(is_removal=is_removal, at=at))  # noqa: PERF401 - what was done is told, come what may
    finally:
        _record(name, project, outcomes, is_removal=is_removal, actor=actor, at=at)
    return outcomes


def last(name: str, project: Project | None = None) -> AuditEntry | None:
    """Return when an agent was last connected here, or that taken back. One query."""
    rows = AuditEntry.objects.filter(action__in=[CONNECTED, TAKEN_BACK], target=_target(name, project))
    return rows.order_by("-pk").first()


def _state(name: str, plan: Plan, outcomes: Iterable[Outcome], removals: Iterable[Outcome]) -> State:
    if name in _BY_HAND:
        return "by hand"
    if plan.steps and not _is_due(outcomes):
        return "connected"
    if _is_due(removals):
        return "behind"
    return "not connected" if _is_installed(name, plan) else "not installed"


def _is_due(outcomes: Iterable[Outcome]) -> bool:
    return any(one.state != "unchanged" for one in outcomes)


def _is_installed(name: str, plan: Plan) -> bool:
    """Tell whether the agent is on PATH, or has made the folder of a file that we would write."""
    folders = {step.path.parent for step in plan.steps if isinstance(step, Edit)} - {Path.home()}
    return shutil.which(_PROGRAMS.get(name, name)) is not None or any(folder.is_dir() for folder in folders)


def _record(
    name: str, project: Project | None, outcomes: Iterable[Outcome], *, is_removal: bool, actor: Actor, at: datetime
) -> None:
    changes = [
        {"target": one.target, "state": one.state, "backup": one.backup} for one in outcomes if one.state != "unchanged"
    ]
    if changes:
        action = TAKEN_BACK if is_removal else CONNECTED
        audit.record(actor, action, _target(name, project), at=at, changes=changes)


def _target(name: str, project: Project | None) -> str:
    return f"agent:{name} in {project.name}" if project else f"agent:{name}"
