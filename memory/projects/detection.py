"""Which project a directory belongs to: Engram's rules, by reading alone, and by what was told of unseen places."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memory.engram.errors import InvalidProject, ProjectUnresolved
from memory.models import Session
from memory.models.project import NO_PROJECT
from memory.projects import bindings, children, directories, gitconfig, names, queries, repositories
from memory.projects.repositories import InvalidIdentity, Repository

type Source = Literal["config", "git_remote", "git_root", "git_child", "dir_basename", "process_override", "ambiguous"]

AMBIGUOUS = "ambiguous project: multiple git repos found in cwd"
_HOME = "this is a home directory, not a project: what is started here shares one memory"


@dataclass(frozen=True, slots=True, kw_only=True)
class Detected:
    """The project of a directory, where its name is from (`source`) and which directory gave it (`path`).

    When `source` is `ambiguous`, `project` is empty, `available` names every candidate and `error_hint` says why.
    """

    project: str
    source: Source
    path: str
    cwd: str
    available: tuple[str, ...] = ()
    warning: str = ""
    error_hint: str = ""


def current(cwd: str) -> Detected:
    """Return the project of a directory; a blank one stands for the server's own.

    `ENGRAM_PROJECT` comes before everything else. The name is the one that MemDock uses: a merged name gives the name
    that it was merged into. Raises InvalidProject for a wrong ENGRAM_PROJECT, and ProjectUnresolved when the
    directory names its project in a file that cannot be used. Four queries at most.
    """
    cwd = _storable(cwd if cwd.strip() else _own())
    if override := os.environ.get("ENGRAM_PROJECT", "").strip():
        return Detected(project=_override(override), source="process_override", path=cwd, cwd=cwd)
    directory = directories.seen(cwd)
    return _seen(directory, cwd) if directory else _unseen(cwd)


def _own() -> str:
    try:
        return str(Path.cwd())
    except FileNotFoundError:  # removed under a running server
        return ""


def _storable(cwd: str) -> str:
    return cwd.encode(errors="replace").decode().replace("\0", "\ufffd")


def _override(name: str) -> str:
    try:
        return _known(bindings.plain_name(name))
    except names.InvalidName as exc:
        raise InvalidProject(f"ENGRAM_PROJECT: {exc}") from exc


def _known(name: str) -> str:
    """Return the name of the project that answers to this name; a new one's is the name itself. One query."""
    project = queries.find(name)
    return project.name if project else name


def _seen(directory: Path, cwd: str) -> Detected:
    repository = repositories.enclosing(directory)
    return (
        _configured(directory, repository, cwd)
        or _told(_within(directory, repository), cwd)
        or _registered(directory, repository, cwd)
        or (_of_repository(repository, cwd) if repository else _below(directory, cwd))
        or _basename(str(directory), cwd)
    )


def _within(directory: Path, repository: Repository | None) -> list[str]:
    """The directory and those around it up to the checkout's root; outside of git only itself.

    A linked worktree is another place of its primary checkout, whose root comes last.
    """
    if not repository:
        return [str(directory)]
    around = [path for path in (directory, *directory.parents) if path.is_relative_to(repository.root)]
    return [str(path) for path in (*around, repository.main)]


def _configured(directory: Path, repository: Repository | None, cwd: str) -> Detected | None:
    for place in _within(directory, repository):
        if name := bindings.bound_name(Path(place)):
            return Detected(project=_known(name), source="config", path=place, cwd=cwd)
    return None


def _registered(directory: Path, repository: Repository | None, cwd: str) -> Detected | None:
    around = directories.chain(str(directory))
    if repository and repository.main != repository.root:
        around += directories.chain(str(repository.main))
    return _below_root(around, cwd)


def _below_root(around: list[str], cwd: str) -> Detected | None:
    project = directories.registered(around)
    return Detected(project=project.name, source="config", path=project.root, cwd=cwd) if project else None


def _of_repository(repository: Repository, cwd: str) -> Detected:
    name, source = _identity(repository)
    return Detected(project=_known(name), source=source, path=str(repository.root), cwd=cwd)


def _identity(repository: Repository) -> tuple[str, Source]:
    remote = _name(gitconfig.last_part(repositories.origin(repository)))
    source: Source = "git_remote" if remote else "git_root"
    try:
        kept = repositories.identity(repository)
        return (bindings.plain_name(kept) if kept else remote or names.from_directory(repository.main)), source
    except (InvalidIdentity, names.InvalidName) as exc:
        raise ProjectUnresolved(f"project resolution failed: invalid repository identity: {exc}") from exc


def _name(text: str) -> str:
    """Return a canonical name, or "" for a text that is none."""
    try:
        return names.canonical(names.validate(text))
    except names.InvalidName:
        return ""


def _below(directory: Path, cwd: str) -> Detected | None:
    """Take the only project among the repositories below; all of one project count once."""
    found = _projects(children.below(directory))
    if not found:
        return None
    if len(found) > 1:
        available = tuple(sorted(found))
        return Detected(
            project="", source="ambiguous", path=str(directory), cwd=cwd, available=available, error_hint=AMBIGUOUS
        )
    (name, repository), *_ = found.items()
    warning = f"auto-promoted child repository: {repository.root.name}"
    return Detected(project=name, source="git_child", path=str(repository.root), cwd=cwd, warning=warning)


def _projects(found: list[Repository]) -> dict[str, Repository]:
    """Return the projects of these repositories, each with the first of its own. Two queries."""
    registered = directories.roots(str(repository.main) for repository in found)
    named = [(_bound(one) or registered.get(str(one.main)) or _identity(one)[0], one) for one in found]
    answering = queries.answering(name for name, _ in named)
    return {answering.get(name, name): repository for name, repository in reversed(named)}


def _bound(repository: Repository) -> str:
    return bindings.bound_name(repository.root) or bindings.bound_name(repository.main)


def _unseen(cwd: str) -> Detected:
    around = directories.chain(cwd)
    return _told(around, cwd) or _below_root(around, cwd) or _from_sessions(cwd) or _basename(cwd, cwd)


def _told(around: list[str], cwd: str) -> Detected | None:
    row = directories.told(around)
    return Detected(project=row.project.name, source="config", path=row.directory, cwd=cwd) if row else None


def _from_sessions(cwd: str) -> Detected | None:
    """Take the project of the newest session that an agent registered there."""
    there = Session.objects.registered().filter(directory__in={cwd, directories.spelled(cwd)})
    latest = there.exclude(project__name=NO_PROJECT).select_related("project").newest_first().first()
    return Detected(project=latest.project.name, source="git_root", path=cwd, cwd=cwd) if latest else None


def _basename(directory: str, cwd: str) -> Detected:
    is_home = directory == os.path.realpath(os.path.expanduser("~"))  # noqa: PTH111 - never raises
    name = _known(names.from_directory(Path(directory)))
    return Detected(project=name, source="dir_basename", path=directory, cwd=cwd, warning=_HOME if is_home else "")
