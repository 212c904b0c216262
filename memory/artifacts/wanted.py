"""What an update wants to be kept, item by item."""

from __future__ import annotations

from dataclasses import dataclass

from memory.artifacts import media
from memory.artifacts.errors import ArtifactError
from memory.models.artifact import ArtifactRole
from memory.service.values import Json


@dataclass(frozen=True, slots=True)
class WorkspaceFile:
    """A file that a model names; `media_type` and `name` are "" where it says nothing."""

    path: str
    media_type: str
    name: str
    role: str


def workspace_file(told: Json) -> WorkspaceFile:
    """Read `{kind: "workspace-file", path, mediaType?, name?, role?}`. Raises ArtifactError, naming the field."""
    if not isinstance(told, dict) or told.get("kind") != "workspace-file":
        raise ArtifactError("it is no resource of the kind workspace-file")
    role = _text(told, "role") or ArtifactRole.ATTACHMENT
    if role not in ArtifactRole.values:
        raise ArtifactError(f"its role is none of {', '.join(ArtifactRole.values)}")
    kind = _text(told, "mediaType")
    return WorkspaceFile(
        _text(told, "path", needed=True), media.parsed(kind) if kind else "", _text(told, "name"), role
    )


def label(told: Json) -> str:
    """Return how an item is named in an error."""
    path = told.get("path") if isinstance(told, dict) else None
    return path if isinstance(path, str) else ""


def _text(told: dict[str, Json], key: str, *, needed: bool = False) -> str:
    value = told.get(key, None if needed else "")
    if key not in told and not needed:
        return ""
    if not isinstance(value, str) or not value.strip():
        raise ArtifactError(f"its {key} is no text that says anything")
    return value.strip()
