"""Reads the skill candidates of a project, one directory each under `skill-candidates/`."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Literal

from markdown_it import MarkdownIt

from memory.disk import DiskError, Item, Missing, Tree
from memory.documents import decoding
from memory.problems import Problem
from memory.skills import frontmatter, meta
from memory.skills.meta import Json, Meta, Status

type Pending = Literal["new", "updated"]

FOLDER = "skill-candidates"
LIMIT = 1024 * 1024
"""Bytes that a SKILL.md or a meta.json may have; of a larger one nothing is used."""

_TITLE_WITHIN = 16 * 1024  # characters; a text that takes long to parse must not hold up a sync
_BLOCKS = MarkdownIt("commonmark")
_BLOCKS.core.ruler.enableOnly(["normalize", "block"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One skill candidate as it is on disk; times are in UTC.

    `slug` is the directory's name. `content_hash` is computed from the bytes of SKILL.md (empty when they could not be
    read), `recorded_hash` is what meta.json says. `text` is the whole SKILL.md, `body` what follows its front matter.
    Each of `problems` is one sentence. A candidate is `broken`, and nothing is pending, when a file of it is missing
    or cannot be used; a name or a hash that does not fit is a problem only. Equal fingerprints mean equal files.
    """

    slug: str
    name: str
    title: str
    description: str
    status: Status
    content_hash: str
    recorded_hash: str
    installed_hash: str
    pending: Pending | None
    occurrences: int | None
    sources: tuple[str, ...]
    reason: str
    installed_paths: tuple[str, ...]
    created_at: datetime | None
    updated_at: datetime | None
    installed_at: datetime | None
    extra: dict[str, Json]
    body: str
    text: str
    problems: tuple[str, ...]
    fingerprint: str


def read_all(tree: Tree) -> tuple[list[Candidate], list[Problem]]:
    """Read every candidate, by slug, and say which directories could not be read.

    Names that begin with a dot (the store's own `.git`) are never opened. What is wrong with a candidate that could be
    read is in its own `problems`.
    """
    try:
        items = [item for item in tree.scan(FOLDER) if _is_candidate(item)]
    except Missing:
        return [], []
    except DiskError as exc:
        return [], [Problem(FOLDER, str(exc))]
    found = [_found(tree, item) for item in sorted(items, key=lambda item: item.name)]
    return [one for one in found if isinstance(one, Candidate)], [one for one in found if isinstance(one, Problem)]


def read(tree: Tree, slug: str) -> Candidate:
    """Read one candidate; raise `Missing` or `Refused` when there is no such directory to read."""
    if slug.startswith(".") or "/" in slug or not slug:
        raise Missing("There is no such skill candidate.")
    tree.scan(f"{FOLDER}/{slug}")  # raises; an empty directory is a candidate without files
    return _candidate(slug, _file(tree, f"{FOLDER}/{slug}/SKILL.md"), _file(tree, f"{FOLDER}/{slug}/meta.json"))


def blob_hash(data: bytes) -> str:
    """Return git's own id of a file with these bytes, in the form that meta.json records."""
    blob = b"blob %d\0%b" % (len(data), data)
    return f"gitblob:{hashlib.sha1(blob, usedforsecurity=False).hexdigest()}"


@dataclass(frozen=True, slots=True)
class _File:
    """A file of a candidate: its bytes, or one sentence on why there are none."""

    path: str
    data: bytes | None
    fault: str = ""


def _is_candidate(item: Item) -> bool:
    return item.kind in {"dir", "link"} and not item.name.startswith(".")


def _found(tree: Tree, item: Item) -> Candidate | Problem | None:
    path = f"{FOLDER}/{item.name}"
    if not item.openable:
        return Problem(path, "The name of this folder holds a backslash or is not valid UTF-8, so it is not opened.")
    try:
        return read(tree, item.name)
    except Missing:  # removed while we looked
        return None
    except DiskError as exc:
        return Problem(path, str(exc))


def _file(tree: Tree, path: str) -> _File:
    try:
        content = tree.read(path, limit=LIMIT)
    except Missing:
        return _File(path, None, f"{path} is missing.")
    except DiskError as exc:
        return _File(path, None, f"{path}: {exc}")
    if content.size > LIMIT:
        return _File(path, None, f"{path} has {content.size:,} bytes; more than {LIMIT:,} are not read.")
    return _File(path, content.data)


def _candidate(slug: str, skill: _File, record: _File) -> Candidate:
    text, flaws = decoding.decode(skill.data or b"")
    known = Meta() if record.data is None else meta.parse(record.data)
    fields, body = frontmatter.split(text)
    named_by_skill = fields.get("name", "")[: meta.LONGEST]
    name = known.name or named_by_skill or slug
    content_hash = "" if skill.data is None else blob_hash(skill.data)
    faults = _faults(skill, flaws) + _faults(record, known.faults)
    return Candidate(
        slug=slug,
        name=name,
        title=_title(body) or name,
        description=known.description or fields.get("description", ""),
        status="broken" if faults else known.status,
        content_hash=content_hash,
        recorded_hash=known.content_hash,
        installed_hash=known.installed_hash,
        pending=None if faults else _pending(known, content_hash),
        occurrences=known.occurrences,
        sources=known.sources,
        reason=known.reason,
        installed_paths=known.installed_paths,
        created_at=known.created_at,
        updated_at=known.updated_at,
        installed_at=known.installed_at,
        extra=known.extra,
        body=body,
        text=text,
        problems=(*faults, *_misfits(slug, skill, record, known, named_by_skill, content_hash)),
        fingerprint=_fingerprint(skill, record),
    )


def _faults(file: _File, flaws: tuple[str, ...]) -> list[str]:
    """Say why the file cannot be used; whether its content has flaws matters only when it could be read."""
    return [file.fault] if file.data is None else [f"{file.path} {flaw}" for flaw in flaws]


def _misfits(slug: str, skill: _File, record: _File, known: Meta, named_by_skill: str, content_hash: str) -> list[str]:
    """Say where the files contradict their folder or each other."""
    misfits = [
        f'{path} names the skill "{name}", but its folder is "{slug}".'
        for path, name in ((skill.path, named_by_skill), (record.path, known.name))
        if name and name != slug
    ]
    if content_hash and known.content_hash and known.content_hash != content_hash:
        misfits.append(f"{record.path} records another content hash than SKILL.md has.")
    return misfits


def _pending(known: Meta, content_hash: str) -> Pending | None:
    if content_hash == known.installed_hash:
        return None
    was_installed = known.installed_hash or known.status == "installed" or known.installed_paths
    return "updated" if was_installed else "new"


def _title(body: str) -> str:
    """Return the first heading of level one, cut where it is too long for a title; inline markup stays as written."""
    for opening, inline in pairwise(_BLOCKS.parse(body[:_TITLE_WITHIN])):
        if (opening.type, opening.tag, opening.level) == ("heading_open", "h1", 0):
            return " ".join(inline.content.split())[: meta.LONGEST]
    return ""


def _fingerprint(*files: _File) -> str:
    digest = hashlib.sha256()
    for file in files:
        content = file.fault.encode("utf-8", "surrogatepass") if file.data is None else file.data
        digest.update(b"%d:%d:" % (file.data is None, len(content)))
        digest.update(content)
    return digest.hexdigest()
