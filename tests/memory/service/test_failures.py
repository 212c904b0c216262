"""What goes wrong in a plugin is one failed outcome, with words that can be kept."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from memory.service import calls
from memory.service.types import Failure, Request
from memory.service.values import Json
from tests import loops
from tests.memory.service.parts import Plugin, asked, serving, soon
from tests.memory.service.test_service import failure, told


def test_a_plugin_that_ends_itself_is_one_failure() -> None:
    async def resigning(_request: Request) -> Json:
        raise asyncio.CancelledError

    async def quitting(_request: Request) -> Json:
        raise SystemExit(3)

    class Rude(Exception):
        def __str__(self) -> str:
            raise RuntimeError("not even this")

    async def rude(_request: Request) -> Json:
        raise Rude

    async def scene() -> None:
        service = serving(Plugin("resigning", resigning), Plugin("quitting", quitting), Plugin("rude", rude))
        assert told(await soon(service.update(asked()))) == [
            failure("resigning", "cancelled", "memory plugin resigning cancelled its own update"),
            failure("quitting", "error", "it wanted to end the process (3)"),
            failure("rude", "error", "Rude"),
        ]

    loops.run(scene())


@pytest.mark.parametrize("value", [float("nan"), {1: 2}, ("a",), {"a": {1}}, "\ud800"])
def test_an_answer_that_is_no_json_is_one_failure(value: Any) -> None:
    async def answer(_request: Request) -> Json:
        return value  # type: ignore[no-any-return]

    async def scene() -> None:
        bad, good = await serving(Plugin("bad", answer), Plugin("good")).retrieve(asked())
        assert isinstance(bad, Failure)
        assert (bad.code, bad.error[:35]) == ("bad_result", "memory plugin bad answered no JSON:")
        assert good.is_ok

    loops.run(scene())


def test_an_error_is_text_that_can_be_kept() -> None:
    async def noisy(_request: Request) -> Json:
        raise ValueError("half \ud800, nothing \0, and much more of it" + "!" * 100_000)

    async def scene() -> None:
        [outcome] = await serving(Plugin("noisy", noisy)).retrieve(asked())
        assert isinstance(outcome, Failure)
        assert outcome.error.startswith("half ?, nothing \ufffd, and")
        assert len(outcome.error) == calls.LONGEST_ERROR

    loops.run(scene())
