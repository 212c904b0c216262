"""Writes skill candidates as MemSearch does: SKILL.md, meta.json, and a commit in the store's own git.

Source: `_write_candidate` and `add` of MemSearch 0.4.23.
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from django.db import transaction

from memory import audit
from memory.audit import Actor
from memory.descriptors import DiskError, Missing
from memory.documents import decoding
from memory.models import Project
from memory.projects import sync
from memory.skills import folders, frontmatter, gitstore, queries, records, rejections, store
from memory.skills.errors import CannotWrite, ContentChanged, InvalidText, NoSuchSkill
from memory.skills.naming import slug_of
from memory.skills.records import Record

__all__ = ["Outcome", "Written", "edit", "rendered", "slug_of", "write"]

type Outcome = Literal["created", "updated", "same", "rejected"]

SKILL = "SKILL.md"


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a text: `rejected` was not written, because people rejected exactly this before.

    Each of `problems` is a sentence on what did not work although the files are written, as a failing git.
    """

    slug: str
    outcome: Outcome
    content_hash: str
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """A text that is to be a candidate's; `occurrences` and `sources` add to what is recorded."""

    slug: str
    description: str
    text: bytes
    occurrences: int | None = None
    sources: tuple[str, ...] = ()
    reason: str = "manual"
    platform: str | None = None

    @property
    def content_hash(self) -> str:
        return store.blob_hash(self.text)


def write(
    project: Project,
    *,
    name: str,
    description: str,
    body: str,
    occurrences: int | None = None,
    sources: Sequence[str] = (),
    reason: str = "manual",
    platform: str | None = None,
    actor: Actor | None = None,
    at: datetime,
) -> Written:
    """Propose a skill, or let the candidate of that name evolve; `platform` is named by a distillation.

    The project is read afterwards, so that the candidate's row is there. Raises InvalidText and CannotWrite.
    """
    slug = slug_of(name)
    text = rendered(slug, _clean(description, "description"), _clean(body, "body"))
    draft = Draft(slug, _clean(description, "description"), text, occurrences, tuple(sources), reason, platform)
    if rejections.is_rejected(project, slug, draft.content_hash):
        return Written(slug, "rejected", draft.content_hash)
    return _followed(project, _write(project, draft, at=at), actor, at=at)


def edit(
    project: Project,
    slug: str,
    *,
    text: str,
    expected_hash: str,
    note: str = "",
    actor: Actor | None = None,
    at: datetime,
) -> Written:
    """Replace the SKILL.md of a candidate by a text that a person edited.

    A text without front matter is the body alone. Raises NoSuchSkill, ContentChanged, InvalidText and CannotWrite.
    """
    row = queries.find(project, slug)
    if row is None:
        raise NoSuchSkill
    fields, body = frontmatter.split(text)
    if fields.get("name", slug) != slug:
        raise InvalidText(f'The name in the front matter has to stay "{slug}".')
    if fields:
        whole = decoding.storable(decoding.normalise(text)).rstrip() + "\n"
        draft = Draft(slug, _clean(fields.get("description", ""), "description"), whole.encode())
        _clean(body, "body")
    else:
        description = _clean(row.description, "description")
        draft = Draft(slug, description, rendered(slug, description, _clean(body, "body")))
    return _followed(project, _write(project, draft, expected_hash=expected_hash, at=at), actor, note=note, at=at)


@contextmanager
def opened_store(project: Project, *, makes: bool = False) -> Iterator[int]:
    """Hold the folder of a project's candidates, and its lock against other writers of MemDock.

    Raises CannotWrite where there is none.
    """
    if not project.memory_dir:
        raise CannotWrite("This project has no memory folder on this machine.")
    try:
        with folders.opened(Path(project.memory_dir), (store.FOLDER,), makes=makes) as folder:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield folder
    except DiskError as exc:
        raise CannotWrite(f"The folder of the candidates cannot be used. {exc}") from exc


def root(project: Project) -> Path:
    return Path(project.memory_dir) / store.FOLDER


def _write(project: Project, draft: Draft, *, expected_hash: str | None = None, at: datetime) -> Written:
    """Write a draft; with an expected hash, only over the text that has it."""
    slug = draft.slug
    if len(draft.text) > store.LIMIT:
        raise InvalidText(f"A skill has at most {store.LIMIT:,} bytes.", field="body")
    with opened_store(project, makes=expected_hash is None) as candidates:
        try:
            with folders.inside(candidates, slug, makes=expected_hash is None) as folder:
                now = folders.read(folder, SKILL, limit=store.LIMIT)
                now_hash = "" if now is None else store.blob_hash(now)
                if expected_hash not in {None, now_hash}:
                    raise ContentChanged(now_hash)
                outcome = _put(folder, draft, now_hash, at=at)
        except Missing as exc:
            raise NoSuchSkill from exc
        if outcome is None:
            return Written(slug, "same", draft.content_hash)
        paths = [f"{slug}/{SKILL}", f"{slug}/{records.NAME}"]
        problem = gitstore.commit(root(project), paths, _message(draft, outcome), makes=True)
    return Written(slug, outcome, draft.content_hash, (problem,) if problem else ())


def _put(folder: int, draft: Draft, now_hash: str, *, at: datetime) -> Outcome | None:
    """Write what is different of a candidate; None where nothing is.

    SKILL.md comes first: a crash in between leaves a record whose hash does not fit, which both tools compute anew.
    """
    recorded = folders.read(folder, records.NAME, limit=store.LIMIT)
    before = None if recorded is None else records.load(recorded)
    after = _new(draft, at) if before is None else _evolved(draft, before)
    is_same_text = now_hash == draft.content_hash
    if is_same_text and after == before:
        return None
    if not is_same_text:
        folders.put(folder, SKILL, draft.text)
    folders.put(folder, records.NAME, records.dump(after | {"updated_at": records.moment(at)}))
    return "created" if before is None else "same" if is_same_text else "updated"


def _new(draft: Draft, at: datetime) -> Record:
    return records.new(
        slug=draft.slug,
        description=draft.description,
        content_hash=draft.content_hash,
        occurrences=draft.occurrences,
        sources=draft.sources,
        reason=draft.reason,
        at=at,
    )


def _evolved(draft: Draft, before: Record) -> Record:
    return records.evolved(
        before,
        description=draft.description,
        content_hash=draft.content_hash,
        occurrences=draft.occurrences,
        sources=draft.sources,
    )


def _message(draft: Draft, outcome: Outcome) -> str:
    if draft.platform is None:
        done = "created" if outcome == "created" else "updated"
        return f"add: {done} candidate skill {draft.slug} (manual)"
    if outcome == "same":
        return f"distill: refresh candidate metadata [{draft.platform}]"
    return f"distill: {'add' if outcome == 'created' else 'evolve'} 1 candidate skill(s) [{draft.platform}]"


def _followed(project: Project, written: Written, actor: Actor | None, *, note: str = "", at: datetime) -> Written:
    """Read the project, and note who wrote."""
    sync.sync(project, at=at)
    if actor and written.outcome != "same":
        _record(project, written, actor, note=note, at=at)
    return written


@transaction.atomic(durable=True)
def _record(project: Project, written: Written, actor: Actor, *, note: str, at: datetime) -> None:
    target = f"skill:{project.name}/{written.slug}"
    detail = {"content_hash": written.content_hash} | ({"note": note} if note else {})
    audit.record(actor, f"skill.{written.outcome}", target, at=at, **detail)


def rendered(slug: str, description: str, body: str) -> bytes:
    """Return a SKILL.md as MemSearch writes it."""
    told = json.dumps(description, ensure_ascii=False)
    return f"---\nname: {slug}\ndescription: {told}\n---\n\n{body}\n".encode()


def _clean(text: str, field: str) -> str:
    """Return a text as it is written. Raises InvalidText for an empty one."""
    found = decoding.storable(decoding.normalise(text)).strip()
    if not found:
        raise InvalidText("A skill needs both a description and a body.", field=field)
    return found
