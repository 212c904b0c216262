"""How much room artifacts may take: in a project, and in all."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, QuerySet, Sum

from memory.artifacts.errors import ArtifactError
from memory.configuration import memsearch
from memory.models import Artifact, Blob, Project

PROJECT = "artifacts.project_quota_mb"
TOTAL = "artifacts.total_quota_mb"

_MB = 1024 * 1024


def check(project: Project | None, digest: str, length: int) -> None:
    """Raise ArtifactError where these bytes are too many; what is there already takes no more room. Few queries.

    Asked before anything is written, so that nobody fills the disk with what is refused. Writers that ask at the same
    time may together get a little more than there is.
    """
    if not Blob.objects.filter(digest=digest).exists() and total() + length > limit():
        raise _full("of all artifacts", limit(), TOTAL)
    held = of_project(project)
    if not held.filter(digest=digest).exists() and _sum(held) + length > limit_of(project):
        raise _full(
            f"of the project {project.name}" if project else "of what has no project", limit_of(project), PROJECT
        )


def total() -> int:
    """Return the bytes of everything that is kept, also of what waits to be collected. One query."""
    return _sum(Blob.objects.all())


def limit() -> int:
    """Return how many bytes there may be in all."""
    return memsearch.effective().number(TOTAL) * _MB


def limit_of(project: Project | None) -> int:
    """Return how many bytes a project may have; what belongs to none has as much room as one."""
    return memsearch.effective(project).number(PROJECT) * _MB


def of_project(project: Project | None) -> QuerySet[Blob]:
    """Return what the artifacts of a project consist of, each content once."""
    mine = Artifact.objects.filter(blob=OuterRef("pk"), project=project, deleted_at=None)
    return Blob.objects.filter(Exists(mine))


def _sum(rows: QuerySet[Blob]) -> int:
    return rows.aggregate(size=Sum("byte_length"))["size"] or 0


def _full(what: str, bytes_: int, key: str) -> ArtifactError:
    return ArtifactError(f"the room {what}, {bytes_ // _MB:,} MB, is used up ({key})")
