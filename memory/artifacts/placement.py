"""Where an artifact belongs: its scope, project and session, and the workspace that its files lie in."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path, PurePath

from django.conf import settings

from memory.artifacts.errors import ArtifactError
from memory.models import Project, Session
from memory.plugins.scopes import project_of
from memory.projects import directories
from memory.service.types import Meta
from memory.sessions import queries as sessions


@dataclass(frozen=True, slots=True)
class Place:
    """What a call says of where it happens. `session_id` is the agent's own, `session` is the one that MemDock knows."""

    scope: str
    project: Project | None
    session: Session | None
    session_id: str
    workspace: str
    provider: str

    def root(self) -> str:
        """Return the folder that files may be taken from. Raises ArtifactError where there is none in this scope."""
        if not self.workspace:
            raise ArtifactError("the session has no workspace that files can be taken from")
        if not self._has_workspace():
            raise ArtifactError("the session's workspace does not belong to the scope")
        if settings.OPEN_TO_OTHERS and not self._is_registered():
            raise ArtifactError("the session's workspace is not the directory of a project here")
        return self.workspace

    def _has_workspace(self) -> bool:
        """A scope is a directory, a project's name, or a session that has no better one."""
        if self.scope == self.session_id:
            return True
        if directories.chain(self.scope) and _is_inside(self.workspace, self.scope):
            return True
        return self.project is not None and project_of(self.workspace) == self.project

    def _is_registered(self) -> bool:
        """Ask for a project's own directory where agents of other machines may call: the server would read for them
        what lies below any directory that they name.
        """
        root = self.project.root if self.project else ""
        return bool(root) and Path(os.path.realpath(self.workspace)).is_relative_to(root)


def place(meta: Meta) -> Place:
    """Read a call's place; workspace and session are what its attributes say, never what its data says. Few queries.

    Raises ArtifactError for a scope that no database can hold.
    """
    if "\0" in meta.scope:
        raise ArtifactError("the scope holds a NUL")
    session_id = _text(meta, "sessionId")
    session = sessions.find(session_id) if session_id else None
    project = project_of(meta.scope)
    if project is None and session and meta.scope in {session.key, session.external_id}:
        project = session.project
    return Place(
        scope=meta.scope,
        project=project,
        session=session if session and session.project == project else None,
        session_id=session_id,
        workspace=_text(meta, "workspaceRoot"),
        provider=_text(meta, "platform") or "deepseek-harness",
    )


def _text(meta: Meta, name: str) -> str:
    value = meta.attributes.get(name)
    return value if isinstance(value, str) else ""


def _is_inside(directory: str, folder: str) -> bool:
    return PurePath(directories.spelled(directory)).is_relative_to(directories.spelled(folder))
