"""`memdock connect`: how an agent reaches MemDock, shown, written or taken back."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memory.connect import hook_token
from memory.connect.plan import Plan, Scope
from memory.connect.refusals import CannotConnect
from memory.connect.registry import AGENTS
from memory.connect.steps import Outcome
from memory.management import database
from memory.management.base import MemdockCommand, add_json

type Action = Literal["print", "write", "remove"]

_DONE = {"created": "Created", "changed": "Changed", "removed": "Removed", "unchanged": "Nothing to change in"}


class Command(MemdockCommand):
    help = "show what connects an agent to MemDock; write it, or take it back"
    expected = (CannotConnect,)
    needs_database = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("agent", choices=AGENTS, metavar="AGENT", help=", ".join(AGENTS))
        parser.add_argument("--project", metavar="PATH", help="in this project's files, not in your own")
        action = parser.add_mutually_exclusive_group()
        action.add_argument("--write", action="store_true", help="write it, after a backup")
        action.add_argument("--remove", action="store_true", help="take out what was written")
        add_json(parser)

    def handle(
        self, *, agent: str, project: str | None, write: bool, remove: bool, as_json: bool, **options: Any
    ) -> None:
        action: Action = "write" if write else "remove" if remove else "print"
        plan = AGENTS[agent](Scope(home=Path.home(), project=_directory(project)))
        if action != "print" and not plan.steps and not plan.needs_token:
            raise CommandError(f"There is no file to write for {agent}; `memdock connect {agent}` says what to set.")
        looked = [step.look(is_removal=remove) for step in plan.steps]
        at = timezone.now()
        is_new = action == "write" and plan.needs_token and _make_token(at)
        steps = reversed(plan.steps) if remove else plan.steps
        outcomes = looked if action == "print" else [step.do(is_removal=remove, at=at) for step in steps]
        facts = _facts(plan, action, outcomes, is_new_token=is_new)
        self.report(facts, _lines(plan, action, outcomes, project, is_new_token=is_new), as_json=as_json)


def _directory(project: str | None) -> Path | None:
    if project is None:
        return None
    path = Path(project).expanduser().absolute()
    if not path.is_dir():
        raise CommandError(f"{project} is no directory.")
    return path


def _make_token(at: datetime) -> bool:
    database.prepare()
    return hook_token.ensure(at=at)


def _facts(plan: Plan, action: Action, outcomes: list[Outcome], *, is_new_token: bool) -> dict[str, object]:
    changes = [
        {
            "target": outcome.target,
            "state": outcome.state,
            "diff": outcome.diff,
            "backup": outcome.backup,
            "command": list(outcome.command),
        }
        for outcome in outcomes
    ]
    return {
        "agent": plan.agent,
        "action": action,
        "changes": changes,
        "token": "created" if is_new_token else "",
        "paste": list(plan.paste),
        "then": list(plan.then),
        "notes": list(plan.notes),
    }


def _lines(
    plan: Plan, action: Action, outcomes: list[Outcome], project: str | None, *, is_new_token: bool
) -> Iterator[str]:
    command = f"memdock connect {plan.agent}" + (f" --project {project}" if project else "")
    if action == "print":
        yield from _shown(plan, command, outcomes)
    else:
        yield from (_did(outcome) for outcome in outcomes)
    if is_new_token:
        yield "Made a token for hooks and plugins on this machine (scope write)."
    if action == "write":
        yield f"Undo: {command} --remove"
    if action != "remove":
        yield from plan.then
        yield from plan.notes


def _shown(plan: Plan, command: str, outcomes: list[Outcome]) -> Iterator[str]:
    changes = [outcome for outcome in outcomes if outcome.state != "unchanged"]
    if plan.steps and not changes:
        yield f"{plan.agent} is connected already."
    elif plan.steps:
        yield f"{command} --write"
        yield ""
        yield "changes this:"
    yield from plan.paste
    for outcome in changes:
        yield ""
        yield outcome.diff.rstrip("\n") or " ".join(outcome.command)
    if plan.steps:
        yield ""
        yield f"Undo: {command} --remove"


def _did(outcome: Outcome) -> str:
    kept = f" (before: {outcome.backup})" if outcome.backup else ""
    if outcome.command and outcome.state != "unchanged":
        return f"Ran {' '.join(outcome.command)}"
    return f"{_DONE[outcome.state]} {outcome.target}{kept}"
