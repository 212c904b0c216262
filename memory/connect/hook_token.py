"""The token with which hooks and plugins on this machine deliver: a file that only its owner can read."""

from __future__ import annotations

import os
from datetime import datetime
from itertools import count
from pathlib import Path

from django.conf import settings

from memory.api import tokens
from memory.audit import COMMAND
from memory.models.token import Scope

FILE = "hook-token"
NAME = "hooks of this machine"


def ensure(*, at: datetime) -> bool:
    """Make the token where there is none, or where it is not valid any more; tell whether it is new."""
    path: Path = settings.DATA_DIR / FILE
    known = tokens.find(_text(path))
    if known and Scope(known.scope).covers(Scope.WRITE):
        return False
    _write(path, _create(at))
    return True


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""


def _create(at: datetime) -> str:
    """Make a token under the first name that is free: revoked ones keep theirs."""
    for number in count(1):
        try:
            _, text = tokens.create(
                name=NAME if number == 1 else f"{NAME} {number}", scope=Scope.WRITE, actor=COMMAND, at=at
            )
        except tokens.TokenExists:
            continue
        return text
    raise AssertionError


def _write(path: Path, text: str) -> None:
    draft = path.with_name(f".{FILE}.{os.getpid()}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(f"{text}\n")
    draft.replace(path)
