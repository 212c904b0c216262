"""Where copies of a skill may be installed: folders that agents read, and no others."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from django.utils import dateformat, timezone

from memory.configuration import keys, memsearch
from memory.configuration.memsearch import Unset
from memory.models import Project, SkillCandidate, SkillCopy
from memory.skills import found
from memory.skills.errors import TargetNotOffered
from memory.skills.found import Found, State

_OF_PROJECT = {
    ".claude/skills": "Claude Code in this project",
    ".agents/skills": "Codex and OpenCode in this project",
    ".openclaw/skills": "OpenClaw in this project",
}
_OF_HOME = {"~/.agents/skills": "DeepSeek Harness and others in all your projects"}
_CONFIGURED = "{} is set up to read it"
_NOTES: dict[State, str] = {
    "none": "not there yet",
    "equal": "has this text",
    "current": "has an older text, unchanged",
    "edited": "its copy was edited by hand",
    "missing": "its copy is gone",
    "foreign": "another file is in the way",
    "unreadable": "cannot be used",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A folder of skills, and what is there of one skill.

    `name` is what a decision names, `path` the absolute path of the folder (a copy is `<path>/<slug>/SKILL.md`), `note`
    who reads it and what is there, for people. `copy_state`: `none` nothing is there and nothing was put there; `equal`
    the candidate's present text; `current` an older text of this skill, unchanged since it was installed; `edited`
    installed and then changed by hand; `missing` installed and taken away; `foreign` a file that was never installed
    from here; `unreadable` with the reason in `problem`. `copy_hash` is the hash of the file that is there, or empty.
    `asks` says that this file is let go only by a person who names its hash. No link is followed below `base`.
    """

    name: str
    path: str
    note: str
    base: str = ""
    copy_state: State = "none"
    copy_hash: str = ""
    asks: bool = False
    problem: str = ""

    def copy_path(self, slug: str) -> str:
        return f"{self.path}/{slug}/SKILL.md"

    def names(self) -> tuple[str, ...]:
        """Return the folders below `base` that lead to the folder of skills."""
        return Path(self.path).relative_to(self.base).parts


def offered(project: Project, skill: SkillCandidate | None = None) -> list[Target]:
    """Return the targets of a project; with a skill, each says what is there of it.

    Looks at the disk. One query, three with a skill.
    """
    return of_many(project, [skill])[skill.pk] if skill else _every(project)


def of_many(project: Project, skills: Sequence[SkillCandidate]) -> dict[int, list[Target]]:
    """Return the targets of a project for each of its skills, by primary key. Looks at the disk. Three queries."""
    every = _every(project)
    known = found.known(skills)
    copies = SkillCopy.objects.filter(skill__in=[skill.pk for skill in skills])
    rows = {(row.skill_id, row.path): row for row in copies}
    return {
        skill.pk: [
            _looked_at(target, skill, known[skill.pk], rows.get((skill.pk, target.copy_path(skill.slug))))
            for target in every
        ]
        for skill in skills
    }


def find(project: Project, name: str, skill: SkillCandidate | None = None) -> Target:
    """Return the target of this name. Raises TargetNotOffered."""
    target = next((one for one in offered(project, skill) if one.name == name), None)
    if target is None:
        raise TargetNotOffered(name)
    return target


def _every(project: Project) -> list[Target]:
    memory = project.memory_dir
    chosen = [one for one in _places(project) if not memory or not Path(one.path).is_relative_to(memory)]
    paths = [one.path for one in chosen]
    return [one for at, one in enumerate(chosen) if one.path not in paths[:at]]


def _places(project: Project) -> Iterator[Target]:
    root = os.path.realpath(project.root) if project.root else ""
    home = str(Path.home())
    if root:
        yield from (_target(name, f"{root}/{name}", root, home, note) for name, note in _OF_PROJECT.items())
    yield from (_target(name, f"{home}{name[1:]}", root, home, note) for name, note in _OF_HOME.items())
    for platform, name in _configured(project):
        if chosen := configured(root, home, platform, name):
            yield chosen


def configured(root: str, home: str, platform: str, name: str) -> Target | None:
    """Return the target of a path that MemSearch's configuration names, relative ones below `root`; None for no folder.

    `//x`, which POSIX lets mean something of its own, is `/x`.
    """
    path = f"{home}{name[1:]}" if name == "~" or name.startswith("~/") else os.path.expanduser(name)  # noqa: PTH111
    if not path.startswith("/"):
        if not root:
            return None
        path = f"{root}/{path}"
    path = f"/{os.path.normpath(path).lstrip('/')}"
    if path == "/" or "\0" in path:
        return None
    return _target(name, path, root, home, _CONFIGURED.format(platform))


def _configured(project: Project) -> Iterator[tuple[str, str]]:
    """Yield the paths that MemSearch's own configuration names, each with the platform."""
    configuration = memsearch.effective(project)
    for platform in keys.PLATFORMS:
        try:
            paths = configuration.texts(f"plugins.{platform}.memory_to_skill.paths")
        except Unset:
            continue
        yield from ((platform, path) for path in paths if path.strip())


def _target(name: str, path: str, root: str, home: str, note: str) -> Target:
    bases = [base for base in (root, home) if base and path.startswith(f"{base.rstrip('/')}/")]
    base = max(bases, key=len, default=os.path.dirname(path))  # noqa: PTH120
    return Target(name=name, path=path, note=note, base=base)


def _looked_at(target: Target, skill: SkillCandidate, known: frozenset[str], row: SkillCopy | None) -> Target:
    is_listed = target.copy_path(skill.slug) in skill.installed_paths
    seen = found.look(Path(target.base), (*target.names(), skill.slug))
    state = found.state(seen, skill, known, row, is_listed=is_listed)
    return replace(
        target,
        note=f"{target.note}: {_note(state, seen, row)}",
        copy_state=state,
        copy_hash=seen.content_hash,
        asks=state in {"edited", "foreign", "current"} and not found.is_kept(seen, skill, known, row),
        problem=seen.problem,
    )


def _note(state: State, seen: Found, row: SkillCopy | None) -> str:
    if state == "unreadable":
        return seen.problem[:1].lower() + seen.problem[1:].rstrip(".")
    if state == "current" and row and row.installed_at:
        return f"has the copy of {dateformat.format(timezone.localtime(row.installed_at), 'j M')}, unchanged"
    return _NOTES[state]
