"""The meta.json of a candidate as it is written: MemSearch's keys in MemSearch's order, unknown keys kept.

Source: `_write_candidate` and `install` of MemSearch 0.4.23.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from memory.skills import meta
from memory.skills.errors import CannotWrite
from memory.skills.meta import Json

type Record = dict[str, Json]

NAME = "meta.json"


def load(data: bytes) -> Record:
    """Read a record that is to be written again. Raises CannotWrite for one that could not be kept as it is."""
    faults = meta.parse(data).faults
    if faults:
        raise CannotWrite(f"{NAME} {faults[0]} Nothing was written.")
    values: Record = json.loads(data.decode("utf-8-sig"))
    return values


def dump(record: Record) -> bytes:
    return (json.dumps(record, indent=2, ensure_ascii=False) + "\n").encode()


def new(
    *,
    slug: str,
    description: str,
    content_hash: str,
    occurrences: int | None,
    sources: Sequence[str],
    reason: str,
    at: datetime,
) -> Record:
    """Return the record of a new candidate."""
    return {
        "name": slug,
        "status": "candidate",
        "description": description,
        "content_hash": content_hash,
        "occurrences": occurrences,
        "sources": list(sources),
        "reason": reason,
        "installed_paths": [],
        "created_at": moment(at),
        "updated_at": moment(at),
    }


def evolved(
    record: Record,
    *,
    description: str,
    content_hash: str,
    occurrences: int | None = None,
    sources: Sequence[str] = (),
) -> Record:
    """Return the record of a candidate that got another text, other sources or was seen more often; not yet its time."""
    seen = max(_count(record.get("occurrences")), occurrences) if occurrences is not None else None
    counted: Record = {} if seen is None else {"occurrences": seen}
    merged: list[Json] = [*_union(record.get("sources"), sources)]
    return record | {"sources": merged} | counted | {"description": description, "content_hash": content_hash}


def installed(record: Record, *, installed_hash: str, now_hash: str, paths: Iterable[str], at: datetime) -> Record:
    """Return the record after copies of one content were put to `paths`; `now_hash` is the candidate's own by now."""
    return record | {
        "status": "installed",
        "content_hash": now_hash,
        "installed_hash": installed_hash,
        "installed_paths": [*_union(record.get("installed_paths"), paths)],
        "installed_at": moment(at),
        "updated_at": moment(at),
    }


def uninstalled(record: Record, *, paths: Iterable[str], at: datetime) -> Record:
    """Return the record after copies were taken away; without any copy it is a candidate as before the first one."""
    gone = set(paths)
    left = [path for path in _union(record.get("installed_paths"), ()) if path not in gone]
    changed = record | {"installed_paths": [*left], "updated_at": moment(at)}
    if left:
        return changed
    kept = {key: value for key, value in changed.items() if key not in {"installed_hash", "installed_at"}}
    return kept | {"status": "candidate"}


def restored(record: Record, *, known_hash: str, paths: Iterable[str], at: datetime) -> Record:
    """Return the record after old copies were put back; `known_hash` is empty where they were no text of the skill."""
    again: Record = {"status": "installed", "installed_paths": [*_union(record.get("installed_paths"), paths)]}
    if known_hash:
        again["installed_hash"] = known_hash
    return record | again | {"installed_at": moment(at), "updated_at": moment(at)}


def moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _union(recorded: Json | None, more: Iterable[str]) -> list[str]:
    found = [one for one in recorded if isinstance(one, str)] if isinstance(recorded, list) else []
    return sorted({*found, *more})


def _count(value: Json | None) -> int:
    return value if isinstance(value, int) else 0
