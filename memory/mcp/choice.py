"""The way out of a directory with several projects: a person chooses, and a token says that they were asked."""

from __future__ import annotations

from pathlib import Path

from memory.mcp.caller import Call
from memory.mcp.places import Place
from memory.mcp.recovery import LIFE, Question
from memory.mcp.refusals import Refusal
from memory.models import Project
from memory.projects import children, detection, queries
from memory.projects.detection import Detected

CHOSEN = "user_selected_after_ambiguous_project"


def ambiguous(call: Call, found: Detected, session: str) -> Refusal:
    """Return the refusal that names every candidate and brings a token for the answer."""
    return Refusal(
        f"Cannot determine project: {found.error_hint}: {', '.join(found.available)}",
        "ambiguous_project",
        available=found.available,
        project="",
        project_source=found.source,
        project_path=found.path,
        recovery_token=call.caller.recoveries.issue(_question(found, session), at=call.at),
        token_ttl_seconds=int(LIFE.total_seconds()),
    )


def chosen(call: Call, session: str, token: str, found: Detected, choice: str) -> Place:
    """Return the project that a person chose among the candidates. Raises Refusal."""
    if choice not in found.available:
        message = f'Project choice "{choice}" is not one of available_projects'
        raise Refusal(message, "invalid_project_choice", available=found.available)
    if not token.strip():
        message = f'project_choice_reason={CHOSEN} for "{choice}" requires the recovery_token from the ambiguous_project error'
        raise Refusal(message, "missing_recovery_token", available=found.available)
    if not call.caller.recoveries.accept(token.strip(), _question(found, session), choice, at=call.at):
        message = f'recovery_token is invalid, stale, or not valid for selected project "{choice}"'
        raise Refusal(message, "invalid_recovery_token", available=found.available)
    return Place(
        project=queries.find(choice) or Project(pk=0, name=choice),
        source=CHOSEN,
        path=_directory(found, choice),
        warning="project selected by user after ambiguous_project recovery",
    )


def _question(found: Detected, session: str) -> Question:
    return Question(session.strip(), found.path, tuple(sorted(found.available)))


def _directory(found: Detected, choice: str) -> str:
    """Return the repository that the chosen project has below the directory, or "" where time ran out."""
    roots = [str(repository.root) for repository in children.below(Path(found.path))]
    return next((root for root in roots if detection.current(root).project == choice), "")
