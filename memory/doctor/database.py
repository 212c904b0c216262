"""Checks of the database."""

from __future__ import annotations

from django.db import DatabaseError, connection

from memory import changes
from memory.doctor.check import Check
from memory.management import database
from memory.models import Change


def reached() -> Check:
    """Tell whether the database answers."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError as exc:
        return Check(
            "database", "Database", "bad", database.sentence(exc), "See MEMDOCK_DATA_DIR and MEMDOCK_DATABASE_URL."
        )
    return Check("database", "Database", "ok", f"{connection.display_name} answers.")


def integrity() -> list[Check]:
    """Let SQLite look through all its pages; seconds for a large file."""
    if connection.vendor != "sqlite":
        return []
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA quick_check(1)")
        found = cursor.fetchone()[0]
    if found == "ok":
        return [Check("integrity", "Integrity", "ok", "The database file is sound.")]
    hint = "Stop MemDock and restore a backup; journals and skills can be read again from their files."
    return [Check("integrity", "Integrity", "bad", f"The database file is damaged: {found}.", hint)]


def migrations() -> Check:
    """Tell whether the tables are those of this MemDock."""
    if newer := database.unknown():
        text = f"A newer MemDock was here ({', '.join(newer)})."
        return Check("migrations", "Tables", "bad", text, "Install that version again, or restore an older backup.")
    if missing := database.pending():
        text = f"{len(missing)} migrations are missing, {missing[0]} first."
        return Check("migrations", "Tables", "bad", text, "Run `memdock up` or `memdock migrate`.")
    return Check("migrations", "Tables", "ok", "They are up to date.")


def feed() -> list[Check]:
    """Tell how much of the change feed is kept."""
    kept, floor = Change.objects.count(), changes.floor()
    since = f"those up to {floor:,} were trimmed" if floor else "nothing was trimmed yet"
    return [Check("feed", "Change feed", "ok", f"{kept:,} changes are kept; {since}.")]
