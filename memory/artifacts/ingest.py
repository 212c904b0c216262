"""Takes files and images of an agent's update in, each for itself: one bad item never spoils the others.

Source of the rules: dsh-patchouli's artifact ingestor. Added: the same item again is the same artifact, errors are told by
item, what a content is said to be is checked, and nothing goes on when nobody waits for it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from threading import Event

from django.utils import timezone

from memory.artifacts import actions, attachments, media, paths, values
from memory.artifacts.actions import Arrival
from memory.artifacts.attachments import Image
from memory.artifacts.errors import ArtifactError, Stopped
from memory.artifacts.placement import Place, place
from memory.artifacts.staging import check, staged
from memory.artifacts.values import Origin
from memory.artifacts.wanted import label, workspace_file
from memory.disk import DiskError
from memory.models.artifact import ArtifactOrigin, ArtifactRole
from memory.service.types import Request
from memory.service.values import Json

TOOL, TURN = "tool/memory-update", "session/turn-end"
"""The points of an agent's loop at which there may be something to take."""

MOST = 100
"""Items of one update; whoever has more tells them in several."""

_LONGEST_LABEL = 500


@dataclass(frozen=True, slots=True)
class _Item:
    """How it is named, and what takes it and returns its receipt."""

    name: str
    take: Callable[[Place, Event], Json]


def take(request: Request, stop: Event) -> Json:
    """Return `{"artifacts": [receipt], "errors": [{index, path, error}]}` of what a request holds.

    A receipt is `{ref: {type: "artifact", id}, version, role, source: {kind, id}}`. Raises ArtifactError where there was
    something and nothing of it could be taken, and Stopped when the event is set meanwhile: what was taken by then
    stays, and is the same when it comes again.
    """
    where, taken, errors = place(request.meta), [], []
    for index, item in enumerate(_items(request)):
        if stop.is_set():
            raise Stopped
        try:
            if index >= MOST:
                raise ArtifactError(f"an update may have {MOST} items")
            taken.append(item.take(where, stop))
        except (ArtifactError, DiskError, OSError) as exc:
            errors.append((index, item.name[:_LONGEST_LABEL], _words(exc)))
    if errors and not taken:
        raise ArtifactError("; ".join(f"{name or f'item {index}'}: {error}" for index, name, error in errors))
    failed: list[Json] = [{"index": index, "path": name, "error": error} for index, name, error in errors]
    return {"artifacts": taken, "errors": failed}


def _items(request: Request) -> Iterator[_Item]:
    data, point = request.data, request.meta.attributes.get("point")
    if not isinstance(data, dict):
        return
    if point == TOOL:
        told = data.get("resources", [])
        if not isinstance(told, list):
            raise ArtifactError("resources is no list")
        for one in told:
            yield _Item(label(one), partial(_file, one))
    if point == TURN:
        for image in attachments.images(data.get("events")):
            yield _Item(image.id, partial(_image, image))


def _file(told: Json, where: Place, stop: Event) -> Json:
    wanted = workspace_file(told)
    file, path = paths.opened(where.root(), wanted.path)
    with file:
        check(os.fstat(file.fileno()).st_size)
        with staged(file, stop=stop) as found:
            origin = Origin(
                kind=ArtifactOrigin.WORKSPACE_FILE,
                id=path,
                revision=found.digest,
                source=f"dsh-fs:{path}",
                extension=("dsh.file", {"requested_path": wanted.path, "version": found.digest}),
            )
            arrival = Arrival(
                place=where,
                origin=origin,
                role=wanted.role,
                media_type=media.checked(wanted.media_type, found.head),
                name=wanted.name or path,
            )
            return values.receipt(actions.store(arrival, found, at=timezone.now()), wanted.path)


def _image(image: Image, where: Place, stop: Event) -> Json:
    with attachments.opened(image) as file, staged(file, stop=stop) as found:
        attachments.compare(image, found)
        origin = Origin(
            kind=ArtifactOrigin.IMAGE_ATTACHMENT,
            id=image.id,
            revision=image.id,
            source=f"dsh-attachment:{image.id}",
            extension=("dsh.image", {"width": image.width, "height": image.height}),
        )
        arrival = Arrival(
            place=where,
            origin=origin,
            role=ArtifactRole.ATTACHMENT,
            media_type=media.checked(image.media_type, found.head),
            name=image.name,
        )
        return values.receipt(actions.store(arrival, found, at=timezone.now()), image.id)


def _words(error: Exception) -> str:
    """Say what went wrong without naming a path of this machine."""
    if isinstance(error, OSError):
        return f"it could not be read or kept: {error.strerror or type(error).__name__}"
    return str(error)
