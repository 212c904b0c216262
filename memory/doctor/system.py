"""Checks of the machine, the data directory and the doors."""

from __future__ import annotations

import platform
import shutil
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import django
from django.conf import settings
from django.db import connection
from watchfiles import watch

from memory.capture import spool
from memory.doctor.check import Check, State
from memory.models import Project

_LITTLE = 500 * 1024**2
_VERY_LITTLE = 50 * 1024**2


def versions() -> list[Check]:
    parts = [f"MemDock {settings.VERSION}", f"Python {platform.python_version()}", f"Django {django.get_version()}"]
    if connection.vendor == "sqlite":
        parts.append(f"SQLite {sqlite3.sqlite_version}")
    return [Check("versions", "Versions", "ok", ", ".join(parts) + ".")]


def data_directory() -> list[Check]:
    """Tell whether others may look into the data directory."""
    return [_private("data_dir", "Data directory", settings.DATA_DIR, 0o700)]


def secrets() -> list[Check]:
    """Tell whether others may read the secret key; there is no file where the environment holds the key."""
    path = settings.DATA_DIR / "secret_key"
    return [_private("secret_key", "Secret key", path, 0o600)] if path.exists() else []


def refused() -> list[Check]:
    """Tell whether deliveries of hooks were laid aside because nothing could be made of them."""
    folder = settings.DATA_DIR / spool.REFUSED
    count = sum(1 for _ in folder.glob("*.json")) if folder.is_dir() else 0
    if not count:
        return []
    text = f"Deliveries of hooks that could not be taken in lie in {folder}: {count:,}."
    return [Check("refused", "Deliveries", "warn", text, "Look at them, then delete them.")]


def space() -> list[Check]:
    free = shutil.disk_usage(settings.DATA_DIR).free
    text = f"{free / 1024**2:,.0f} MB are free in {settings.DATA_DIR}."
    state: State = "bad" if free < _VERY_LITTLE else "warn" if free < _LITTLE else "ok"
    return [Check("space", "Disk", state, text, "Make room." if state != "ok" else "")]


def doors() -> list[Check]:
    """Tell who can reach MemDock."""
    env = settings.ENV
    if not settings.OPEN_TO_OTHERS:
        return [Check("doors", "Doors", "ok", f"{env.host} port {env.port}: this machine only.")]
    names = ", ".join(settings.ALLOWED_HOSTS)
    text = f"{env.host} port {env.port}: open to other machines, as {names}. Every API route asks for a token."
    if env.https:
        return [Check("doors", "Doors", "ok", text)]
    hint = "Put a proxy that speaks https in front and set MEMDOCK_HTTPS=1."
    return [Check("doors", "Doors", "warn", f"{text} Without https, passwords and tokens travel in the open.", hint)]


def watching() -> list[Check]:
    """Try whether the system can watch all memory folders; on Linux inotify has limits."""
    folders = list(Project.objects.exclude(memory_dir="").values_list("memory_dir", flat=True))
    there = [folder for folder in folders if Path(folder).is_dir()]
    try:
        with closing(watch(*there, rust_timeout=1, yield_on_timeout=True, ignore_permission_denied=True)) as events:
            next(events)
    except (OSError, RuntimeError) as exc:
        hint = "Raise fs.inotify.max_user_watches and max_user_instances (sysctl)."
        return [Check("watching", "Watching", "warn", f"Folders are looked at every second instead: {exc}.", hint)]
    return [Check("watching", "Watching", "ok", f"The system can watch all {len(there)} memory folders.")]


def _private(name: str, title: str, path: Path, wanted: int) -> Check:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        text = f"Others may use {path} (mode {mode:04o})."
        return Check(name, title, "bad", text, f"chmod {wanted:o} {path}")
    return Check(name, title, "ok", f"{path} is private (mode {mode:04o}).")
