"""What the list of artifacts prints."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from dock.contexts import links, paged
from dock.contexts.choices import Option
from dock.files import size_words
from dock.forms.artifacts import Criteria, Media
from memory.artifacts import queries
from memory.models import Artifact, Project
from memory.models.artifact import ArtifactOrigin

ORIGINS = {ArtifactOrigin.WORKSPACE_FILE: "File of a workspace", ArtifactOrigin.IMAGE_ATTACHMENT: "Image of a turn"}

_KINDS = {
    "": "Files and images",
    ArtifactOrigin.WORKSPACE_FILE: "Files",
    ArtifactOrigin.IMAGE_ATTACHMENT: "Images of turns",
}
_MEDIA: dict[Media, str] = {"": "Any type", "image": "Images", "text": "Text", "pdf": "PDF", "other": "Other types"}
_IS: dict[Media, Q] = {
    "image": Q(media_type__startswith="image/"),
    "text": Q(media_type__startswith="text/"),
    "pdf": Q(media_type="application/pdf"),
}


@dataclass(frozen=True, slots=True)
class ArtifactRow:
    """One line of the list; `place` is where it comes from."""

    id: str
    url: str
    name: str
    place: str
    icon: str
    media_type: str
    size: str
    project: str
    session: str
    session_url: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ArtifactList:
    """The list page; `project` is empty for all projects, `session` for all sessions."""

    project: str
    text: str
    session: str
    kinds: list[Option]
    media: list[Option]
    is_filtered: bool
    url: str
    clear_url: str
    session_clear_url: str
    rows: list[ArtifactRow]
    previous_url: str
    next_url: str


def listing(project: Project | None, criteria: Criteria) -> ArtifactList:
    """Build the list page. One query."""
    found = paged.page(_matching(project, criteria), order=queries.ORDER, cursor=criteria.cursor)
    owner = project.name if project else ""
    state = {"project": owner, **criteria.query()}
    return ArtifactList(
        project=owner,
        text=criteria.text,
        session=criteria.session,
        kinds=[Option(value, words, value == criteria.kind) for value, words in _KINDS.items()],
        media=[Option(value, words, value == criteria.media) for value, words in _MEDIA.items()],
        is_filtered=any(criteria.query().values()),
        url=links.to("artifact-list", **state, cursor=criteria.cursor),
        clear_url=links.to("artifact-list", project=owner),
        session_clear_url=links.to("artifact-list", **state | {"session": ""}),
        rows=[_row(one, is_of_many=project is None) for one in found.items],
        previous_url=found.previous and links.to("artifact-list", **state, cursor=found.previous),
        next_url=found.next and links.to("artifact-list", **state, cursor=found.next),
    )


def title(row: Artifact) -> str:
    """Return what a person calls an artifact."""
    return row.name or ORIGINS[ArtifactOrigin(row.origin)]


def size(row: Artifact) -> str:
    """Say how large an artifact is, "" where its bytes are elsewhere."""
    return size_words(row.blob.byte_length) if row.blob else ""


def _matching(project: Project | None, criteria: Criteria) -> QuerySet[Artifact]:
    rows = queries.artifacts(project)
    if criteria.text:
        rows = rows.filter(Q(name__icontains=criteria.text) | Q(native_id__icontains=criteria.text))
    if criteria.kind:
        rows = rows.filter(origin=criteria.kind)
    if criteria.session:
        rows = rows.filter(session__key=criteria.session)
    if criteria.media == "other":
        return rows.exclude(_IS["image"] | _IS["text"] | _IS["pdf"])
    return rows.filter(_IS[criteria.media]) if criteria.media else rows


def _row(row: Artifact, *, is_of_many: bool) -> ArtifactRow:
    session = row.session
    is_named_image = row.name and row.origin == ArtifactOrigin.IMAGE_ATTACHMENT
    return ArtifactRow(
        id=f"artifact-{row.pk}",
        url=links.to("artifact-detail", row.pk),
        name=title(row),
        place=ORIGINS[ArtifactOrigin.IMAGE_ATTACHMENT] if is_named_image else row.native_id,
        icon="document-text" if row.media_type.startswith("text/") else "document",
        media_type=row.media_type,
        size=size(row),
        project=row.project.name if is_of_many and row.project else "",
        session=(session.title or session.key) if session else "",
        session_url=links.to("session-detail", session.key) if session else "",
        at=row.created_at,
    )
