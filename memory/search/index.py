"""Keeps the index: follows the change feed, and can be made anew from the rows."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import batched

from django.db import OperationalError, connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from memory import changes, locks
from memory.models import Change, Entry, Marker, SearchDocument
from memory.search import ahead, backends, items, meaning
from memory.search.backends.base import Words
from memory.search.items import Item
from memory.search.tokens import terms

CURSOR = "search.cursor"
BATCH = 200
"""Changes that are taken up in one transaction, for which other writers wait."""
PART = 250
"""Refs that are read and written in one transaction, for which other writers wait."""

# Asked before each search or after each commit, where the two queries that Django would make of it are felt.
_POSITION = (
    "SELECT coalesce((SELECT max(id) FROM memory_change), 0),"
    " coalesce((SELECT value FROM memory_marker WHERE name = %s), 0)"
)
_WAITING = (
    "SELECT count(*) FROM (SELECT id FROM memory_change"
    " WHERE id > coalesce((SELECT value FROM memory_marker WHERE name = %s), 0) LIMIT %s) AS waiting"
)
_EAR = "memory.search.index"
_SMALL = 50
_REST = 0.25
_PATIENCE = 0.05
_FACTS = ["ref", "kind", "project", "session", "type", "platform", "is_pinned", "when", "length", "title", "text"]


@dataclass(frozen=True, slots=True)
class Drift:
    """Keys that should be in the index and are not, and those that are and should not be."""

    missing: list[str]
    left_over: list[str]


@dataclass(frozen=True, slots=True)
class _Prepared:
    """Items with their terms; made before the transaction, which then only writes."""

    refs: set[str]
    rows: list[SearchDocument]
    words: list[tuple[list[str], list[str]]]


@dataclass(frozen=True, slots=True)
class Position:
    """The newest change of the feed, and the last one that the index knows; both 0 at first."""

    latest: int
    known: int

    @property
    def lag(self) -> int:
        """About how many changes the index does not know yet; below 0 when the feed is another one."""
        return self.latest - self.known


def position() -> Position:
    """Return how far the feed and the index are. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_POSITION, [CURSOR])
        latest, known = cursor.fetchone()
    return Position(int(latest), int(known))


def lag() -> int:
    """Return about how many changes the index does not know yet; below 0 when the feed is another one. One query."""
    return position().lag


def _waiting(most: int) -> int:
    """Count the changes that the index does not know, up to so many. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_WAITING, [CURSOR, most])
        return int(cursor.fetchone()[0])


def follow(*, limit: int | None = None) -> int:
    """Take up changes after the cursor, `limit` at most (all by default); return how many.

    Any number of processes may call this at the same time: each batch is taken up by one. The limit is for those who
    wait, and counts what others took up meanwhile as well. Where the feed was trimmed beyond the cursor the index is
    made anew, but only by who set no limit. What came alone goes ahead of a long queue, and is looked at once more in
    its turn.
    """
    done = seen = looked_at = 0
    while limit is None or seen < limit:
        cursor = _cursor()
        if _is_lost(cursor):
            if limit is not None:
                break
            rebuild(at=timezone.now())
            continue
        found = changes.after(cursor, limit=BATCH if limit is None else min(BATCH, limit - seen))
        if not found:
            break
        _follow_merges(found)
        prepared = _prepare(_affected({change.ref for change in found}))
        done += len(found) if _take_up(cursor, found[-1].pk, prepared) else 0
        seen += len(found)
        if len(found) == BATCH:
            alone, looked_at = ahead.alone(max(looked_at, found[-1].pk))
            _renew(_affected(alone))
            locks.give_way()
    return done


_last_kept = 0.0
_has_worker = False


def connect() -> None:
    """Follow the feed's bell in this process; called once, when the app is ready."""
    changes.rung.connect(keep_up, dispatch_uid=_EAR)


def disconnect() -> None:
    """Follow it no longer, in a process that has a worker beside it."""
    global _has_worker
    changes.rung.disconnect(dispatch_uid=_EAR)
    _has_worker = True


def has_worker() -> bool:
    """Tell whether this process leaves the index to a worker."""
    return _has_worker


def keep_up(**_signal: object) -> None:
    """Take up what was just committed, when that is little; what is much waits for the worker or for a search.

    Called after each commit: reading a large tree commits each of its files, and must not wait for the index. Nor does
    anybody wait here for another writer; who does not follow now is followed for.
    """
    global _last_kept
    if time.monotonic() - _last_kept < _REST:
        return
    if not 0 < _waiting(_SMALL + 1) <= _SMALL:
        return
    try:
        with locks.impatient(_PATIENCE):
            follow(limit=_SMALL)
    except OperationalError:
        return
    _last_kept = time.monotonic()


def rebuild(*, at: datetime) -> int:
    """Make the index anew from the rows; return how many documents it has.

    The cursor is set first: what changes meanwhile is taken up again afterwards.
    """
    _set_cursor(max(changes.latest(), changes.floor()), at=at)
    _renew(items.every_ref())
    for keys in batched(drift().left_over, PART):
        _renew(set(SearchDocument.objects.filter(key__in=keys).values_list("ref", flat=True)))
    _forget_orphans()
    return SearchDocument.objects.count()


def drift() -> Drift:
    """Compare the index with the rows, by keys. Reads every row once."""
    wanted: set[str] = set()
    for part in batched(items.every_ref(), BATCH):
        wanted.update(item.key for item in items.read(part))
    worded = backends.current().document_ids()
    kept, found = set[str](), set[str]()
    for key, pk, length in SearchDocument.objects.values_list("key", "pk", "length"):
        kept.add(key)
        if not length or pk in worded:
            found.add(key)
    return Drift(missing=sorted(wanted - found), left_over=sorted(kept - wanted))


def _is_lost(cursor: int) -> bool:
    """Tell whether changes after the cursor are gone from the feed, or the feed itself is another one."""
    floor = changes.floor()
    return not floor <= cursor <= max(floor, changes.latest())


def _cursor() -> int:
    return Marker.objects.filter(name=CURSOR).values_list("value", flat=True).first() or 0


def _set_cursor(value: int, *, at: datetime) -> None:
    Marker.objects.update_or_create(name=CURSOR, defaults={"value": value, "updated_at": at})


def _take_up(cursor: int, until: int, prepared: _Prepared) -> bool:
    """Write a batch and move the cursor, unless another process did."""
    Marker.objects.get_or_create(name=CURSOR)
    with transaction.atomic():
        if not Marker.objects.filter(name=CURSOR, value=cursor).update(value=until, updated_at=timezone.now()):
            return False
        _write(prepared)
    return True


def _renew(refs: Iterable[str]) -> None:
    """Bring what is kept under any number of refs to what their rows say now.

    Read and written under the lock of the cursor, in small parts: nothing that was taken up meanwhile is overwritten
    with what was read before.
    """
    Marker.objects.get_or_create(name=CURSOR)
    for part in batched(refs, PART):
        with transaction.atomic():
            Marker.objects.filter(name=CURSOR).update(updated_at=timezone.now())
            _write(_prepare(part))


def _follow_merges(found: Sequence[Change]) -> None:
    """Take up all of a merged project ahead of its batch; killed in between, it is only done again."""
    for project in {change.project for change in found if change.kind == "project.merged" and change.project}:
        known = SearchDocument.objects.filter(project=project).values_list("ref", flat=True)
        _renew({*items.of_project(project), *known})


def _affected(told: set[str]) -> set[str]:
    """The refs that changes speak of, and those of the sessions whose entries changed."""
    entries = [ref for ref in told if ref.startswith("entry:")]
    pks = [int(pk) for ref in entries if (pk := ref.removeprefix("entry:")).isdigit()]
    sessions = set(Entry.objects.filter(pk__in=pks).exclude(session=None).values_list("session__key", flat=True))
    sessions.update(
        SearchDocument.objects.filter(ref__in=entries).exclude(session="").values_list("session", flat=True)
    )
    return told | {f"session:{key}" for key in sessions}


def _prepare(refs: Iterable[str]) -> _Prepared:
    wanted = set(refs)
    found = items.read(wanted)
    words = [([], []) if item.is_silent else (terms(item.title), terms(item.text)) for item in found]
    return _Prepared(wanted, [_row(item, *own) for item, own in zip(found, words, strict=True)], words)


def _row(item: Item, title: list[str], body: list[str]) -> SearchDocument:
    return SearchDocument(
        key=item.key,
        ref=item.ref,
        kind=item.kind,
        project_id=item.project_id,
        session=item.session,
        type=item.type[:60],
        platform=item.platform,
        is_pinned=item.is_pinned,
        when=item.when,
        length=len(title) + len(body),
        title=item.title[:300],
        text=item.text,
    )


def _write(prepared: _Prepared) -> None:
    """Bring what is kept under the refs to what was prepared; the caller holds the transaction."""
    keys = [row.key for row in prepared.rows]
    for refs in batched(prepared.refs, BATCH // 2):
        _forget(SearchDocument.objects.filter(ref__in=refs), kept=set(keys))
    SearchDocument.objects.bulk_create(
        prepared.rows, batch_size=500, update_conflicts=True, unique_fields=["key"], update_fields=_FACTS
    )
    pks = dict(SearchDocument.objects.filter(key__in=keys).values_list("key", "pk"))
    meaning.forget(pks.values())
    backends.current().write(
        [Words(pks[row.key], title, body) for row, (title, body) in zip(prepared.rows, prepared.words, strict=True)]
    )


def _forget(rows: QuerySet[SearchDocument], *, kept: Collection[str] = ()) -> None:
    gone = [pk for pk, key in rows.values_list("pk", "key") if key not in kept]
    if gone:
        backends.current().remove(gone)
        SearchDocument.objects.filter(pk__in=gone).delete()


def _forget_orphans() -> None:
    known = set(SearchDocument.objects.values_list("pk", flat=True))
    backends.current().remove(backends.current().document_ids() - known)
