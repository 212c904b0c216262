"""A MemDock that captures, and clients that deliver turns until they are acknowledged."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.memory.capture.events import dsh_document, dsh_turn
from tests.run.processes import run
from tests.waiting import DEADLINE

ENOUGH = 1_000_000
"""Summaries a day; more than any run makes."""


def prepare(name: str) -> str:
    """Have all turns summarised without a model, and return a token of this name that may write."""
    from django.utils import timezone

    from memory.api import tokens
    from memory.audit import COMMAND
    from memory.models import Setting
    from memory.models.token import Scope

    for key, value in (("capture.summarizer", "extractive"), ("capture.daily_summaries", ENOUGH)):
        Setting.objects.update_or_create(project=None, key=key, defaults={"value": value})
    return tokens.create(name=name, scope=Scope.WRITE, actor=COMMAND, at=timezone.now())[1]


def prepare_apart(environment: dict[str, str], name: str = "the agents") -> str:
    """Do the same in the database of another MemDock."""
    return run(environment, "from tests.run.capturing import prepare\nprint(prepare(sys.argv[1]))", name)


@dataclass
class Client:
    """Delivers the turns of one session, each in two halves, as an agent that will not lose any."""

    url: str
    token: str
    root: Path
    session: str
    acknowledged: list[int] = field(default_factory=list)

    def deliver(self, turns: int) -> None:
        """Deliver turns 1, 2, …; what was not acknowledged is delivered again."""
        with httpx.Client(base_url=self.url, headers={"Authorization": f"Bearer {self.token}"}) as http:
            for number in range(1, turns + 1):
                events = dsh_turn(number, first=number * 10, asked=question(number), answer=answer(number))
                insist(http, dsh_document(self.root, events[:2], session=self.session))
                insist(http, dsh_document(self.root, events[2:], session=self.session))
                self.acknowledged.append(number)


def question(number: int) -> str:
    return f"Why does buoy {number} lose its light?"


def answer(number: int) -> str:
    return f"Relay {number} is wet."


def insist(http: httpx.Client, document: dict[str, Any]) -> Any:
    """Deliver until the server says that it has it; return what it says."""
    deadline = time.monotonic() + DEADLINE
    while True:
        try:
            response = http.post("/api/v1/events", json=document, timeout=DEADLINE)
        except httpx.TransportError:
            assert time.monotonic() < deadline
        else:
            if response.status_code != 503:  # busy: to be asked again
                assert response.is_success, response.text
                return response.json()
        time.sleep(0.02)
