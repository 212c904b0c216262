"""What the page of one artifact prints: what is known of it, and as much of its content as is safe to look at."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.contrib.auth.models import User

from dock import files
from dock.contexts import artifacts, links
from dock.contexts.artifacts import ORIGINS
from dock.contexts.files import FilePane, pane
from dock.files import PREVIEW_LIMIT, Part
from memory import refs
from memory.artifacts import blobs, garbage, images, media, values
from memory.disk import Content
from memory.models import Artifact
from memory.models.artifact import ArtifactOrigin

CHANGE, DELETE = "memory.change_artifact", "memory.delete_artifact"

MISSING = "Its bytes are missing. Only the agent can hand them over again."

_LARGEST_IMAGE = 8 * 1024 * 1024
_MOST_PIXELS = 40_000_000


@dataclass(frozen=True, slots=True)
class Picture:
    """An image that a browser may decode; its size is in pixels."""

    url: str
    width: int
    height: int
    words: str


@dataclass(frozen=True, slots=True)
class ArtifactRecord:
    """The page; there is a picture, a file, or a note that says why there is nothing to see."""

    title: str
    url: str
    kind: str
    place: str
    media_type: str
    role: str
    size: str
    digest: str
    scope: str
    project: str
    project_url: str
    session: str
    session_url: str
    ref: str
    receipt: str
    at: datetime
    seen_at: datetime
    deleted_at: datetime | None
    gone_at: datetime | None
    crumbs: list[tuple[str, str]]
    picture: Picture | None
    file: FilePane | None
    note: str
    download_url: str
    delete_url: str
    restore_url: str


def record(row: Artifact, person: User, *, part: Part, view: str) -> ArtifactRecord:
    """Build the page; at most a quarter of a megabyte of the content is read. No query."""
    project, session = row.project, row.session
    is_here = row.blob is not None and blobs.has(row.blob.digest, row.blob.byte_length)
    content = _content(row, part) if is_here and not row.deleted_at else None
    picture = _picture(row, content) if content else None
    download_url = links.to("artifact-download", row.pk) if content else ""
    return ArtifactRecord(
        title=artifacts.title(row),
        url=links.to("artifact-detail", row.pk, part=part if part == "tail" else "", view=view),
        kind=ORIGINS[ArtifactOrigin(row.origin)],
        place=row.native_id,
        media_type=row.media_type,
        role=row.role,
        size=f"{row.blob.byte_length:,} bytes" if row.blob else "",
        digest=row.blob.digest if row.blob else "",
        scope=row.scope,
        project=project.name if project else "",
        project_url=links.to("live", project=project.name) if project else "",
        session=(session.title or session.key) if session else "",
        session_url=links.to("session-detail", session.key) if session else "",
        ref=refs.artifact(row),
        receipt=json.dumps(values.receipt(row, row.native_id), indent=2, ensure_ascii=False),
        at=row.created_at,
        seen_at=row.seen_at,
        deleted_at=row.deleted_at,
        gone_at=row.deleted_at + garbage.GRACE if row.deleted_at else None,
        crumbs=[("Artifacts", links.to("artifact-list", project=project.name if project else ""))],
        picture=picture,
        file=_file(row, content, download_url, part=part, view=view) if content and not picture else None,
        note="" if is_here or row.deleted_at else MISSING,
        download_url=download_url,
        delete_url=_act("artifact-delete", row, person.has_perm(DELETE) and row.deleted_at is None),
        restore_url=_act("artifact-restore", row, person.has_perm(CHANGE) and row.deleted_at is not None),
    )


def may_be_shown(row: Artifact, head: bytes) -> images.Size | None:
    """Return the size of an image that a page may show: one of the four kinds, by its bytes, and not too large."""
    if row.blob is None or row.blob.byte_length > _LARGEST_IMAGE or media.sniffed(head) not in media.IMAGES:
        return None
    found = images.size(head)
    return found if found and found.width * found.height <= _MOST_PIXELS else None


def _act(page: str, row: Artifact, is_allowed: bool) -> str:  # noqa: FBT001 - one of the two acts
    return links.to(page, row.pk) if is_allowed else ""


def _content(row: Artifact, part: Part) -> Content | None:
    assert row.blob  # noqa: S101 - the caller looked
    offset = max(0, row.blob.byte_length - PREVIEW_LIMIT) if part == "tail" else 0
    try:
        with blobs.opened(row.blob.digest) as file:
            file.seek(offset)
            data = file.read(PREVIEW_LIMIT)
    except OSError:  # it went just now
        return None
    made = int(row.created_at.timestamp() * 1e9)
    return Content(data, offset, row.blob.byte_length, made, device=0, inode=0)


def _picture(row: Artifact, content: Content) -> Picture | None:
    size = may_be_shown(row, content.data) if content.offset == 0 else None
    if size is None:
        return None
    words = f"{size.width:,} × {size.height:,} pixels, {artifacts.size(row)}"  # noqa: RUF001 - a multiplication sign
    return Picture(links.to("artifact-image", row.pk), size.width, size.height, words)


def _file(row: Artifact, content: Content, download_url: str, *, part: Part, view: str) -> FilePane:
    found = files.of_content(artifacts.title(row), content, part=part)
    return pane(found, partial(links.to, "artifact-detail", row.pk), download_url, part=part, view=view)
