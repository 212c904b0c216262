"""What is asked about artifacts."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import QuerySet

from memory.models import Artifact, Project

ORDER = ("-created_at", "-pk")
"""Newest first, for `memory.paging`."""


def artifacts(project: Project | None = None) -> QuerySet[Artifact]:
    """Return artifacts that are not deleted, with project, session and blob, without their metadata."""
    rows = _rows().filter(deleted_at=None).defer("metadata", "project__problems")
    return rows.filter(project=project) if project else rows


def find(pk: int) -> Artifact | None:
    """Return an artifact, also a deleted one. One query."""
    return _rows().filter(pk=pk).first()


def in_scope(scope: str, ids: Sequence[int] | None = None) -> QuerySet[Artifact]:
    """Return the artifacts of exactly this scope that are not deleted; of other ones nothing is told."""
    rows = _rows().filter(scope=scope, deleted_at=None)
    return rows if ids is None else rows.filter(pk__in=ids)


def _rows() -> QuerySet[Artifact]:
    return Artifact.objects.select_related("project", "session", "blob")
