"""Follows the memory folders of all projects while MemDock runs: what is written there is read at once."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

from django.db import DatabaseError, close_old_connections, connection
from django.utils import timezone
from watchfiles import Change, watch

from memory.documents.reader import NAMES
from memory.jobs import heartbeat
from memory.journal.places import Places
from memory.journal.sync import DIRECTORY
from memory.models import Project
from memory.projects import sync
from memory.skills.store import FOLDER

logger = logging.getLogger("memdock.watch")

FOLLOWED = {DIRECTORY, FOLDER, *NAMES}
"""What is read below a memory folder; everything else there is other tools' state."""

RESCAN = 300.0
"""Seconds between two readings of everything, in case the system lost an event."""

_LOOK = 1.0  # how often projects and folders are looked after
_STEP_MS, _DEBOUNCE_MS = 25, 50
_WAKE_MS = 250
_SECOND_LOOK = 0.5  # a new folder may have been written into before the system watched it
_RETRY = 2.0


class Watcher:
    """Reads projects when their files change, until `stop` is set.

    Everything is read once more after the system began to watch, so that nothing falls between the two. A project that
    cannot be read, or a database that is locked, is tried again and holds nothing else up.
    """

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._places = Places()
        self._due: dict[int, float] = {}  # project id → when to read it
        self._new_folders: set[int] = set()
        self._look_at = self._beat_at = self._rescan_at = 0.0
        self._polls: bool | None = None  # None leaves it to watchfiles

    def run(self) -> None:
        with closing(self._places):
            self._look()
            while not self._stop.is_set():
                self._follow()

    def _follow(self) -> None:
        """Watch the folders that there are, until there are other ones."""
        try:
            with closing(self._events()) as events:
                for changes in events:
                    self._note(changes)
                    self._read_due()
                    if self._look():
                        return
        except FileNotFoundError:
            time.sleep(_WAKE_MS / 1000)  # a folder went while it was to be watched; the next look notices
            self._look()
        except (OSError, RuntimeError) as exc:
            if self._polls:
                raise
            logger.warning("The system cannot watch the folders (%s); they are looked at every second.", exc)
            self._polls = True

    def _events(self) -> Generator[set[tuple[Change, str]]]:
        return watch(
            *self._places.folders(),
            watch_filter=None,
            step=_STEP_MS,
            debounce=_DEBOUNCE_MS,
            rust_timeout=_WAKE_MS,
            yield_on_timeout=True,
            stop_event=self._stop,
            raise_interrupt=False,
            force_polling=self._polls,
            poll_delay_ms=1000,
            ignore_permission_denied=True,
        )

    def _note(self, changes: set[tuple[Change, str]]) -> None:
        for change, path in changes:
            found = self._places.owner(path)
            if found and is_followed(found[1]):
                project, _ = found
                self._due[project] = 0.0
                if change is Change.added and Path(path).is_dir():
                    self._new_folders.add(project)

    def _read_due(self) -> None:
        now = time.monotonic()
        for project in [project for project, due in self._due.items() if due <= now]:
            del self._due[project]
            if not self._read(project):
                self._due[project] = now + _RETRY
            elif project in self._new_folders:
                self._new_folders.discard(project)
                self._due[project] = now + _SECOND_LOOK

    def _read(self, project_id: int) -> bool:
        """Read one project; tell whether that is done with, which it is not while the database is locked."""
        self._beat()
        try:
            project = Project.objects.filter(pk=project_id).first()
            if project:
                sync.sync(project, at=timezone.now())
        except DatabaseError as exc:
            logger.warning("The database cannot be used (%s); trying again.", exc)
            connection.close()
            return False
        except Exception:  # our mistake on one project must not hide all the others
            logger.exception("Project %s could not be read", project_id)
        return True

    def _look(self) -> bool:
        """Look after projects and folders now and then; tell whether there are other folders to watch."""
        now = time.monotonic()
        if now < self._look_at:
            return False
        self._look_at = now + _LOOK
        close_old_connections()
        try:
            is_different = self._places.refresh(at=timezone.now())
        except DatabaseError as exc:
            logger.warning("The database cannot be used (%s); trying again.", exc)
            connection.close()
            return False
        self._beat()
        if is_different or now >= self._rescan_at:
            self._rescan_at = now + RESCAN
            self._due |= dict.fromkeys(self._places.projects(), 0.0)
        return is_different

    def _beat(self) -> None:
        now = time.monotonic()
        if now < self._beat_at:
            return
        try:
            heartbeat.beat(heartbeat.WATCHER, at=timezone.now())
            self._beat_at = now + heartbeat.EVERY.total_seconds()
        except DatabaseError:
            connection.close()


def is_followed(path: str) -> bool:
    """Tell whether a change of this path below a memory folder is a reason to read it ("" is the folder itself)."""
    parts = path.split("/")
    if not path:
        return True
    is_state = parts[-1].endswith((".pid", ".lock")) or any(part.startswith(".") for part in parts)
    return parts[0] in FOLLOWED and not is_state
