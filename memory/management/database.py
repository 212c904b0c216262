"""Brings the database up to date before a command needs it."""

from __future__ import annotations

from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from memory import locks


def prepare() -> None:
    """Apply missing migrations; a second process waits for the first. Raises DatabaseError."""
    with locks.held(settings.DATA_DIR / locks.DATABASE):
        migrate()


def migrate() -> None:
    """Apply missing migrations; the caller holds the lock."""
    if pending():
        call_command("migrate", verbosity=0, interactive=False)


def pending() -> list[str]:
    """Return the migrations that are missing, as `app.name`. One query."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [f"{migration.app_label}.{migration.name}" for migration, _ in plan]


def unknown() -> list[str]:
    """Return the migrations of ours that this MemDock does not have: a newer one was here."""
    loader = MigrationExecutor(connection).loader
    return [
        f"{app}.{name}"
        for app, name in loader.applied_migrations
        if app == "memory" and (app, name) not in loader.disk_migrations
    ]


def sentence(exc: DatabaseError) -> str:
    """Return what a database said as one line."""
    text = " ".join(str(exc).split())
    return f"The database cannot be used: {text}."
