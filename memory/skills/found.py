"""What lies where a copy of a skill belongs, and what that means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memory.descriptors import DiskError, Missing
from memory.disk import Tree
from memory.models import SkillCandidate, SkillCopy, SkillRevision
from memory.skills import blobs, folders, store

type State = Literal["none", "equal", "current", "edited", "missing", "foreign", "unreadable"]

SKILL = "SKILL.md"
LARGEST = store.LIMIT
"""Bytes of a copy; a larger file is neither read nor replaced, because it could not be kept."""


@dataclass(frozen=True, slots=True)
class Found:
    """The file that was found: its bytes, None where there is none, or the reason why it cannot be had."""

    data: bytes | None = None
    problem: str = ""

    @property
    def content_hash(self) -> str:
        return "" if self.data is None else store.blob_hash(self.data)


def known(skills: Iterable[SkillCandidate]) -> dict[int, frozenset[str]]:
    """Return the hashes of all contents of candidates that MemDock keeps, by primary key. One query."""
    hashes: dict[int, set[str]] = {skill.pk: set() for skill in skills}
    for pk, content_hash in SkillRevision.objects.filter(skill__in=hashes).values_list("skill", "content_hash"):
        hashes[pk].add(content_hash)
    return {pk: frozenset(ones) for pk, ones in hashes.items()}


def look(base: Path, names: Sequence[str]) -> Found:
    """Read the SKILL.md in the folder at `names` below `base`, following no link below it."""
    try:
        with folders.opened(base, names) as folder:
            data = folders.read(folder, SKILL, limit=LARGEST)
    except Missing:
        return Found()
    except DiskError as exc:
        return Found(problem=str(exc))
    if data is not None and len(data) > LARGEST:
        return Found(problem=f"This file has more than {LARGEST:,} bytes.")
    return Found(data)


def state(seen: Found, skill: SkillCandidate, kept: frozenset[str], row: SkillCopy | None, *, is_listed: bool) -> State:
    """Tell what a file is to a skill; `is_listed` says that meta.json has it among its installed paths."""
    now = seen.content_hash
    if seen.problem:
        return "unreadable"
    if not now:
        return "missing" if is_listed else "none"
    if now == skill.content_hash:
        return "equal"
    if now in kept or (is_listed and now in {skill.installed_hash, row.installed_hash if row else ""}):
        return "current"
    return "edited" if is_listed else "foreign"


def is_kept(seen: Found, skill: SkillCandidate, kept: frozenset[str], row: SkillCopy | None) -> bool:
    """Tell whether the file is a text of this skill that is kept anyway, so that replacing it loses nothing.

    What meta.json says counts for nothing here: anybody can write there that a file was installed.
    """
    now = seen.content_hash
    if now in kept or (row and row.installed_text and now == store.blob_hash(row.installed_text.encode())):
        return True
    return original(skill, now) is not None


def original(skill: SkillCandidate, content_hash: str) -> bytes | None:
    """Return an old text of a skill out of the store's git, None where it is not there."""
    if not skill.project.memory_dir:
        return None
    try:
        with Tree(Path(skill.project.memory_dir)) as tree:
            return blobs.read(tree, content_hash)
    except DiskError:
        return None
