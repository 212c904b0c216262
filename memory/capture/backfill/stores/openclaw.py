"""OpenClaw: a file a session, archived ones beside it, and since 2026.7 one database an agent."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from memory import disk
from memory.capture.backfill.stores.base import Facts, head, is_within, overlaps
from memory.disk import Tree
from memory.transcripts import databases, fields, lines, places
from memory.transcripts.conversation import JsonObject
from memory.transcripts.limits import LIMITS, MIB
from memory.transcripts.lines import Tally
from memory.transcripts.openclaw.files import FOLDERS, NAME, STORE
from memory.transcripts.places import Location, Unavailable

_HOMES = (".openclaw", ".clawdbot", ".moltbot", ".moldbot")
_LISTS = ("session_windows", "sessions")
_DELETED = ".deleted."
_UNATTENDED = re.compile(r":(?:cron|hook|heartbeat)(?::|$)")


def roots(path: Path) -> Iterator[tuple[Path, str]]:
    """A home, the state folder, that of all agents, that of one agent, or one in it; or an agent's database."""
    yield from ((path / home / "agents", "") for home in _HOMES)
    yield path / "agents", ""
    yield path, ""
    yield path.parent, path.name
    yield path.parent.parent, f"{path.parent.name}/{path.name}"
    if str(path).endswith(f"/{STORE}"):
        yield path.parents[2], f"{path.parents[1].name}/{STORE}"


def files(tree: Tree, within: str) -> Iterator[str]:
    for agent in _agents(tree, within):
        if _has_store(tree, agent) and is_within(f"{agent}/{STORE}", within):
            yield f"{agent}/{STORE}"
        yield from (path for _, path in _filed(tree, agent) if is_within(path, within))


def conversations(tree: Tree, within: str) -> Iterator[Location]:
    """What an agent's database holds is not read from files as well; what a person deleted is not read at all."""
    trouble: Unavailable | None = None
    for agent in _agents(tree, within):
        try:
            stored = _stored(tree, agent)
        except Unavailable as exc:  # what cannot be read hides no file
            stored, trouble = [], exc
        for session in stored if is_within(f"{agent}/{STORE}", within) else ():
            yield Location("openclaw", session, tree.root, (f"{agent}/{STORE}",), by_path=True)
        for session, path in _filed(tree, agent):
            if session not in stored and is_within(path, within):
                yield Location("openclaw", session, tree.root, (path,), by_path=True)
    if trouble:
        raise trouble


def facts(tree: Tree, location: Location) -> Facts:
    agent = location.path.partition("/")[0]
    first = _first_row(tree, location) if location.path.endswith(STORE) else _header(tree, location.path)
    key = _keys(tree, agent, location).get(location.session, "")
    return Facts(
        session=location.session,
        cwd=fields.text(first.get("cwd")),
        started=fields.moment(first.get("timestamp")),
        parent=fields.text(first.get("parentSession")) if "subagent:" in key else "",
        is_of_subagent="subagent:" in key,
        is_unattended=bool(_UNATTENDED.search(key)),
    )


def _agents(tree: Tree, within: str) -> list[str]:
    return [agent for agent in places.folders(tree) if overlaps(agent, within)]


def _has_store(tree: Tree, agent: str) -> bool:
    return any(STORE.endswith(f"/{item.name}") for item in places.files(tree, f"{agent}/agent"))


def _stored(tree: Tree, agent: str) -> list[str]:
    if not _has_store(tree, agent):
        return []
    with databases.opened(tree, f"{agent}/{STORE}", LIMITS) as connection:
        if "transcript_events" not in databases.tables(connection):
            return []
        query = "select distinct session_id from transcript_events order by session_id"
        return [session for (session,) in connection.execute(query) if isinstance(session, str)]


def _filed(tree: Tree, agent: str) -> Iterator[tuple[str, str]]:
    """Pick the plain file of each session, or of each of its topics, else the newest archived one."""
    best: dict[tuple[str, str], tuple[bool, int, str]] = {}
    for folder in FOLDERS:
        for item in places.files(tree, f"{agent}/{folder}"):
            match = NAME.fullmatch(f"{agent}/sessions/{item.name}")
            if match and _DELETED not in (match["archive"] or ""):
                one = (match["archive"] is not None, -item.modified_ns, f"{agent}/{folder}/{item.name}")
                key = (match["session"], match["topic"] or "")
                best[key] = min(one, best.get(key, one))
    yield from ((session, path) for (session, _), (_, _, path) in sorted(best.items(), key=lambda found: found[1][1:]))


def _header(tree: Tree, path: str) -> JsonObject:
    return next((line for line in head(tree, path) if line.get("type") == "session"), {})


def _first_row(tree: Tree, location: Location) -> JsonObject:
    with databases.opened(tree, location.path, LIMITS) as connection:
        packed = "event_zstd" if "event_zstd" in databases.columns(connection, "transcript_events") else "null"
        query = f"select event_json, {packed} from transcript_events where session_id = ? order by seq limit 1"  # noqa: S608 - one of two words
        plain, frame = connection.execute(query, (location.session,)).fetchone() or ("", None)
    try:
        line = lines.unpacked(frame, LIMITS.line) if isinstance(frame, bytes) else str(plain or "").encode()
    except ValueError:
        return {}
    return lines.parsed(line, Tally()) or {}


def _keys(tree: Tree, agent: str, location: Location) -> dict[str, str]:
    """Return the keys of sessions by id: these say for whom a session was held."""
    return _listed(tree, location) if location.path.endswith(STORE) else _noted(tree, agent)


def _listed(tree: Tree, location: Location) -> dict[str, str]:
    with databases.opened(tree, location.path, LIMITS) as connection:
        for table in _LISTS:
            if {"session_id", "session_key"} <= databases.columns(connection, table):
                query = f"select session_id, session_key from {table} where session_id = ?"  # noqa: S608 - one of two words
                return {str(one): str(key) for one, key in connection.execute(query, (location.session,))}
    return {}


def _noted(tree: Tree, agent: str) -> dict[str, str]:
    try:
        told = json.loads(tree.read(f"{agent}/sessions/sessions.json", limit=64 * MIB).data)
    except (disk.DiskError, ValueError, RecursionError):
        return {}
    records = told.items() if isinstance(told, dict) else ()
    return {fields.text(fields.record(one).get("sessionId")): key for key, one in records}
