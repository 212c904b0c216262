"""Tokens by which an agent proves that it was told which projects there are to choose from."""

from __future__ import annotations

import secrets
import threading
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

LIFE = timedelta(seconds=300)

_MOST = 1_000


@dataclass(frozen=True, slots=True)
class Question:
    """What a person is asked: which of these projects a directory means, in a session ("" for none)."""

    session: str
    path: str
    available: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Issued:
    question: Question
    expires_at: datetime
    choice: str = ""


class Recoveries:
    """Issues tokens and checks them; each is good for one choice, and for any number of saves. For any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._issued: dict[str, _Issued] = {}

    def issue(self, question: Question, *, at: datetime) -> str:
        """Return a new token: 32 hex digits."""
        token = secrets.token_hex(16)
        with self._lock:
            current = [(one, issued) for one, issued in self._issued.items() if issued.expires_at > at]
            self._issued = dict(current[-_MOST:]) | {token: _Issued(question, at + LIFE)}
        return token

    def accept(self, token: str, question: Question, choice: str, *, at: datetime) -> bool:
        """Tell whether a token allows this choice: issued for the same question, not expired, and not used otherwise."""
        with self._lock:
            issued = self._issued.get(token)
            if issued is None or issued.expires_at <= at or issued.question != question:
                return False
            if issued.choice not in {"", choice}:
                return False
            self._issued[token] = replace(issued, choice=choice)
            return True
