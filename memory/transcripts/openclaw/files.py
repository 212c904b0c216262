"""OpenClaw's files: one a session, archived ones beside it, and since 2026.7 one database an agent."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from memory import descriptors
from memory.disk import Item, Tree
from memory.transcripts import databases, lines, places
from memory.transcripts.conversation import JsonObject
from memory.transcripts.drafts import Draft
from memory.transcripts.limits import LIMITS, Limits
from memory.transcripts.lines import Tally
from memory.transcripts.openclaw.turns import OpenClawParser
from memory.transcripts.places import Location, Unavailable, is_file
from memory.transcripts.readers import Pages, Pass, Reader

STORE = "agent/openclaw-agent.sqlite"
_ENDING = r"(?P<topic>-topic-[^/.]+)?\.jsonl(?P<archive>\.(?:reset|deleted|bak)\.[0-9TZ:.\-]+|\.full\.bak)?(?:\.zst)?"
NAME = re.compile(rf"(?P<agent>[^/]+)/sessions/(?P<session>[^/.]+?){_ENDING}")
FOLDERS = ("sessions", "session-sqlite-import-archive", "sessions/session-sqlite-import-archive")


def _at(tree: Tree, path: str, session: str) -> Pages:
    """Give the file that an anchor names, unless the agent's database has the session: then that is the newer one."""
    agent, _, rest = path.partition("/")
    name = NAME.fullmatch(path)
    if rest != STORE and not name:
        return ()
    return _either(tree, agent, session, (path,) if name and is_file(tree, path) else ())


def _find(tree: Tree, session: str, hint: str) -> Pages:
    if not descriptors.is_plain(session):
        return ()
    agents = sorted(places.folders(tree), key=lambda agent: f"/{agent}/" not in hint)
    trouble: Unavailable | None = None
    for agent in agents:
        try:
            if found := _either(tree, agent, session, _filed(tree, agent, session)):
                return found
        except Unavailable as error:
            trouble = error
    if trouble:
        raise trouble
    return ()


def _either(tree: Tree, agent: str, session: str, filed: Pages) -> Pages:
    """Prefer the database; one that cannot be read does not hide a file."""
    try:
        return _stored(tree, agent, session) or filed
    except Unavailable:
        if filed:
            return filed
        raise


def _filed(tree: Tree, agent: str, session: str) -> Pages:
    """Find a session's file: the plain one, else one of a topic, else the newest archived one."""
    ending = re.compile(re.escape(session) + _ENDING)
    found = [
        (match["archive"] is not None, match["topic"] is not None, -item.modified_ns, f"{agent}/{folder}/{item.name}")
        for folder in FOLDERS
        for item in places.files(tree, f"{agent}/{folder}")
        if (match := ending.fullmatch(item.name))
    ]
    return (min(found)[-1],) if found else ()


def _stored(tree: Tree, agent: str, session: str) -> Pages:
    path = f"{agent}/{STORE}"
    if not session or not _named(places.files(tree, f"{agent}/agent"), path):
        return ()
    with databases.opened(tree, path, LIMITS) as connection:
        if "transcript_events" not in databases.tables(connection):
            return ()
        query = "select 1 from transcript_events where session_id = ? limit 1"
        return (path,) if connection.execute(query, (session,)).fetchone() else ()


def _named(items: list[Item], path: str) -> bool:
    return any(path.endswith(f"/{item.name}") for item in items)


@contextmanager
def _opened(tree: Tree, location: Location, limits: Limits) -> Iterator[Pass]:
    if not location.path.endswith(STORE):
        yield lambda tally: OpenClawParser(limits, tally).drafts(lines.objects(tree, location.path, limits, tally))
        return
    with databases.opened(tree, location.path, limits) as connection:

        def drafts(tally: Tally) -> Iterator[Draft]:
            return OpenClawParser(limits, tally).drafts(_rows(connection, location.session, limits, tally))

        yield drafts


def _rows(connection: sqlite3.Connection, session: str, limits: Limits, tally: Tally) -> Iterator[JsonObject]:
    """Yield the rows of a session in their order: each is what was a line of a file, some of them compressed."""
    packed = "event_zstd" if "event_zstd" in databases.columns(connection, "transcript_events") else "null"
    query = f"select event_json, {packed} from transcript_events where session_id = ? order by seq"  # noqa: S608 - one of two words
    for plain, frame in connection.execute(query, (session,)):
        try:
            line = lines.unpacked(frame, limits.line) if isinstance(frame, bytes) else str(plain or "").encode()
        except ValueError:
            tally.skipped += 1
            continue
        if (found := lines.parsed(line, tally)) is not None:
            yield found


OPENCLAW = Reader(mark=".openclaw/agents/", at=_at, find=_find, opened=_opened)
