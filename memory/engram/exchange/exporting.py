"""Writes everything that agents and people saved as one JSON document, Engram's export 0.2.0, a page at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import count
from typing import Any

from django.conf import settings
from django.db.models import Model, Q, QuerySet

from memory.engram.exchange import shapes
from memory.engram.exchange.documents import PRODUCT
from memory.engram.exchange.shapes import Json
from memory.engram.naming import wire_name
from memory.models import Observation, ObservationVersion, Project, Prompt, Relation, Session, Tombstone
from memory.models.project import NO_PROJECT
from memory.models.prompt import TombstoneKind

VERSION = "0.2.0"

_PAGE = 500


def pieces(project: Project | None, *, at: datetime) -> Iterator[str]:
    """Yield the document in pieces; of all projects for None.

    A project's export holds its rows, those of no project in its sessions, and every session that they name. Each
    page is a query of its own, so that nobody waits for a slow reader.
    """
    head = {"version": VERSION, "exported_at": shapes.stamp(at), PRODUCT: settings.VERSION}
    yield json.dumps(head, ensure_ascii=False)[:-1]
    yield from _array("sessions", _sessions(project), shapes.session)
    yield from _array("observations", _owned(Observation.objects.all(), project), _numbered(shapes.observation))
    yield from _array("observation_versions", _versions(project), _numbered(shapes.version, "version_id"))
    yield from _array("prompts", _owned(Prompt.objects.all(), project), _numbered(shapes.prompt))
    yield from _array("relations", _relations(project), shapes.relation)
    yield from _array(
        "prompt_tombstones", _tombstones(project).filter(kind=TombstoneKind.PROMPT), shapes.deleted_prompt
    )
    yield from _array("tombstones", _tombstones(project).exclude(kind=TombstoneKind.PROMPT), shapes.tombstone)
    yield "\n}\n"


def _array[Row: Model](name: str, rows: QuerySet[Row], shape: Callable[[Row], Json]) -> Iterator[str]:
    yield f',\n"{name}": ['
    separator, last = "\n", 0
    while page := list(rows.filter(pk__gt=last).order_by("pk")[:_PAGE]):
        yield separator + ",\n".join(json.dumps(shape(row), ensure_ascii=False) for row in page)
        separator, last = ",\n", page[-1].pk
    yield "]"


def _numbered[Row: Model](shape: Callable[[Row], Json], name: str = "id") -> Callable[[Row], Json]:
    """Number the rows of an export from 1 on: numbers of another database mean nothing."""
    numbers = count(1)
    return lambda row: {name: next(numbers)} | shape(row)


def _owned[Row: (Observation, Prompt)](rows: QuerySet[Row], project: Project | None) -> QuerySet[Row]:
    rows = rows.select_related("session", "project").defer("project__problems", "session__summary")
    return rows.filter(_belongs(project)) if project else rows


def _versions(project: Project | None) -> QuerySet[ObservationVersion]:
    rows = ObservationVersion.objects.select_related("observation")
    return rows.filter(observation__in=_owned(Observation.objects.all(), project).values("pk")) if project else rows


def _belongs(project: Project) -> Q:
    return Q(project=project.pk) | Q(project__name=NO_PROJECT, session__project=project.pk)


def _sessions(project: Project | None) -> QuerySet[Session]:
    rows = Session.objects.registered().select_related("project").defer("project__problems")
    if project is None:
        return rows
    named: list[QuerySet[Any]] = [
        model.objects.filter(_belongs(project)).values("session") for model in (Observation, Prompt)
    ]
    return rows.filter(Q(project=project.pk) | Q(pk__in=named[0]) | Q(pk__in=named[1]))


def _relations(project: Project | None) -> QuerySet[Relation]:
    return Relation.objects.filter(project=project.pk) if project else Relation.objects.all()


def _tombstones(project: Project | None) -> QuerySet[Tombstone]:
    return Tombstone.objects.filter(project_name=wire_name(project)) if project else Tombstone.objects.all()
