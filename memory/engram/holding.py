"""Reads rows so that nobody else writes to their projects until the transaction ends."""

from __future__ import annotations

from collections.abc import Callable, Collection

from django.db.models import QuerySet

from memory import locks
from memory.engram.errors import NotFound, SessionNotFound
from memory.journal.sessions import external_id
from memory.models import Observation, Prompt, Session

_LARGEST_ID = 2**63 - 1


def key(id: str) -> str:  # noqa: A002 - the wire's word
    """Return a session id as it is stored: what no database holds is replaced, what is absurdly long is shortened."""
    return external_id(id.encode(errors="replace").decode().replace("\0", "\ufffd"))


def registered(id: str) -> Session | None:  # noqa: A002
    """Return the session that an agent registered under this id. One query.

    A second one where a journal of another project names the same id: then the registered one has a longer key.
    """
    rows, wanted = _sessions(), key(id)
    found = next(iter(rows.filter(key=wanted)[:1]), None)  # a key is unique: ordering would only cost
    if found is None or not found.is_derived:
        return found
    return rows.filter(external_id=wanted, is_derived=False).order_by("pk").first()


def session(id: str) -> Session | None:  # noqa: A002
    """Return the registered session of this id, held. One query, three on PostgreSQL."""
    return _held(lambda: registered(id))


def again(row: Session) -> Session:
    """Return a session as it is now, held. Raises SessionNotFound. One query, three on PostgreSQL."""
    found = _held(lambda: _sessions().filter(pk=row.pk).first())
    if found is None:
        raise SessionNotFound
    return found


def observation(pk: int) -> Observation:
    """Return an observation, deleted or not, held. Raises NotFound. One query, three on PostgreSQL."""
    found = _held(lambda: _with_owners().filter(pk=pk).first()) if 0 < pk <= _LARGEST_ID else None
    if found is None:
        raise NotFound("observation not found")
    return found


def live(pk: int) -> Observation:
    """Return an observation that is not deleted, held. Raises NotFound."""
    found = observation(pk)
    if found.deleted_at:
        raise NotFound("observation not found")
    return found


def prompt(pk: int) -> Prompt:
    """Return a prompt, held. Raises NotFound. One query, three on PostgreSQL."""
    rows = Prompt.objects.select_related("project", "session").defer("project__problems")
    found = _held(lambda: rows.filter(pk=pk).first()) if 0 < pk <= _LARGEST_ID else None
    if found is None:
        raise NotFound("prompt not found")
    return found


def observations(pks: Collection[int]) -> list[Observation]:
    """Return those of these observations that there are, deleted or not, in the order of their ids, held."""
    wanted = [pk for pk in pks if 0 < pk <= _LARGEST_ID]
    rows = _with_owners().filter(pk__in=wanted).order_by("pk")
    owners = sorted(set(rows.order_by().values_list("project", flat=True)))
    for owner in owners:
        locks.project(owner)
    return list(rows)


def _sessions() -> QuerySet[Session]:
    return Session.objects.select_related("project")


def _with_owners() -> QuerySet[Observation]:
    return Observation.objects.select_related("project", "session").defer("project__problems")


def _held[Row: (Session, Observation, Prompt)](read: Callable[[], Row | None]) -> Row | None:
    """Lock the project of a row; read again what another writer may have changed, its project included."""
    found = read()
    while found and locks.project(found.project_id):
        again = read()
        if again is None or again.project_id == found.project_id:
            return again
        found = again
    return found
