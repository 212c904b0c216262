"""Where the tasks read and write: what a path of the configuration stands for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePath

from memory import descriptors
from memory.models import Project
from memory.projects.registration import MEMORY_DIRECTORY


class BadPlace(Exception):
    """A configured path cannot be used; the message is one sentence for people."""


@dataclass(frozen=True, slots=True)
class Place:
    """A file or folder below a root that may be reached through a link; below the root no link is followed."""

    root: Path
    path: str

    @property
    def shown(self) -> str:
        """The absolute path, for people and for MemSearch's state file."""
        return str(self.root / self.path)

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


def find(project: Project, written: str) -> Place:
    """Return the place that a path of the configuration means. Raises BadPlace.

    `.memsearch/…` is below the project's memory folder, wherever that is (MemSearch follows MEMSEARCH_DIR only for
    `.memsearch/memory`); other relative paths are below the project; `~` and absolute paths are taken as they are, since
    only the person's own files and settings can name them.
    """
    if not written.strip():
        raise BadPlace("No path is configured for this task.")
    path = _expanded(written.strip())
    if not path.is_absolute():
        return _relative(project, path)
    for root in (Path.home(), Path(project.root or "/")):
        if path.is_relative_to(root):
            return _place(root, path.relative_to(root))
    return _place(Path("/"), path.relative_to("/"))


def _expanded(written: str) -> Path:
    try:
        return Path(written).expanduser()
    except RuntimeError:
        raise BadPlace("The configured path names the home of somebody who is not known here.") from None


def _relative(project: Project, path: PurePath) -> Place:
    if path.parts[:1] == (MEMORY_DIRECTORY,):
        return _place(Path(project.memory_dir), path.relative_to(MEMORY_DIRECTORY))
    return _place(Path(project.root), path)


def _place(root: Path, path: PurePath) -> Place:
    if not path.parts or not all(descriptors.is_plain(part) for part in path.parts):
        raise BadPlace("The configured path leads out of its folder, or names the folder itself.")
    return Place(root, path.as_posix())
