"""What is the matter with the database when an action fails for it, and nobody here can help that."""

from __future__ import annotations

import sqlite3
from typing import Literal

from django.db import OperationalError

type Trouble = Literal["", "busy", "away"]

_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_AWAY = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL}
# PostgreSQL's codes: serialization failure, deadlock, lock not available; then those of its ends and starts, to which
# all of class 08 (connection exceptions) belongs, and none at all where nobody answered.
_BUSY_STATES = {"40001", "40P01", "55P03"}
_AWAY_STATES = {"57P01", "57P02", "57P03", "53300"}


def of(exc: BaseException | None) -> Trouble:
    """Tell whether others hold the database for too long ("busy"), or it cannot be reached or used ("away").

    "" is anything else, which is a mistake of ours.
    """
    if not isinstance(exc, OperationalError):
        return ""
    cause = exc.__cause__
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
        return "busy" if code in _BUSY else "away" if code in _AWAY else ""
    state = getattr(cause, "sqlstate", "")
    if state in _BUSY_STATES:
        return "busy"
    return "away" if state is None or state in _AWAY_STATES or state.startswith("08") else ""
