"""Writes what a person chose in MemDock; whoever asks for the configuration next reads it, in any process."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction

from memory import audit
from memory.audit import Actor
from memory.configuration import memsearch, values
from memory.configuration.keys import Scalar
from memory.configuration.memsearch import Source
from memory.models import Project, Setting


class Stale(Exception):
    """Somebody else changed one of these settings since they were shown; nothing was written."""


@dataclass(frozen=True, slots=True)
class Changed:
    """One setting as it was kept in MemDock and as it is kept now; None where nothing is kept."""

    key: str
    before: Scalar | None
    after: Scalar | None


def source(project: Project | None) -> Source:
    """Return what the configuration calls the settings of a project, or those for all."""
    return "this project" if project else "MemDock"


def stamp(project: Project | None, wanted: Collection[str]) -> str:
    """Return what is other as soon as somebody changes one of these settings. One query."""
    return _stamp(_rows(project, wanted))


def change(
    *, wanted: Mapping[str, Scalar | None], project: Project | None, seen: str | None = None, actor: Actor, at: datetime
) -> list[Changed]:
    """Keep these values for a project, or for all; None takes back what was kept. Return what changed.

    A value that would hold anyway is not kept, so that it goes on following what is beneath it. With `seen`, the stamp
    of when they were shown, raises Stale where that is over. Raises InvalidValue. Four queries, and two a change.
    """
    for key, value in wanted.items():
        if value is not None:
            values.parse(key, values.typed(value))
    configuration = memsearch.effective(project)
    beneath = {key: configuration.values.get(key, memsearch.UNSET).without(source(project)).value for key in wanted}
    kept = {
        key: None if value is None or memsearch.same(key, value, beneath[key]) else value
        for key, value in wanted.items()
    }
    try:
        return _write(kept, project, seen, actor=actor, at=at)
    except IntegrityError as exc:  # somebody else kept a value for the same key in this moment
        raise Stale from exc


@transaction.atomic(durable=True)
def _write(
    kept: Mapping[str, Scalar | None], project: Project | None, seen: str | None, *, actor: Actor, at: datetime
) -> list[Changed]:
    rows = _rows(project, kept)
    if seen is not None and seen != _stamp(rows):
        raise Stale
    changed = []
    for key, value in kept.items():
        before = rows[key].value if key in rows else None
        if before != value:
            _put(project, key, rows.get(key), value, at=at)
            changed.append(Changed(key, before, value))
    if changed:
        _record(changed, project, actor=actor, at=at)
    return changed


def _put(project: Project | None, key: str, row: Setting | None, value: Scalar | None, *, at: datetime) -> None:
    """Write one row, only if it is what it was when it was read."""
    if row is None:
        Setting.objects.create(project=project, key=key, value=value, updated_at=at)
        return
    same = Setting.objects.filter(pk=row.pk, updated_at=row.updated_at)
    done = same.delete()[0] if value is None else same.update(value=value, updated_at=at)
    if not done:
        raise Stale


def _record(changed: list[Changed], project: Project | None, *, actor: Actor, at: datetime) -> None:
    """Write the changes down, secrets as dots."""
    told = {one.key: [_shown(one.key, one.before), _shown(one.key, one.after)] for one in changed}
    target = changed[0].key if len(changed) == 1 else f"{len(changed)} settings"
    audit.record(actor, "setting.changed", target, at=at, project=project.name if project else "", changes=told)


def _shown(key: str, value: Scalar | None) -> str | None:
    return None if value is None else memsearch.shown(key, value)


def _rows(project: Project | None, wanted: Collection[str]) -> dict[str, Setting]:
    return {row.key: row for row in Setting.objects.filter(project=project, key__in=list(wanted))}


def _stamp(rows: Mapping[str, Setting]) -> str:
    facts = [(key, json.dumps(rows[key].value), rows[key].updated_at.isoformat()) for key in sorted(rows)]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:20]
