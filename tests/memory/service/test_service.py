"""Fan-out: one outcome for each plugin that a call concerns, whatever the others do."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from memory.service import calls
from memory.service.errors import BadRequest
from memory.service.service import MemoryService
from memory.service.types import Call, Failure, Operation, Outcome, Request, Success
from memory.service.values import Json
from tests import loops
from tests.memory.service.parts import Log, Picky, Plugin, asked, serving, soon, until


def told(outcomes: list[Outcome]) -> list[Any]:
    """Return what the wire says, without durations."""
    return [{key: value for key, value in one.as_json().items() if key != "durationMs"} for one in outcomes]


def success(plugin_id: str, value: Json) -> dict[str, Json]:
    return {"pluginId": plugin_id, "ok": True, "value": value}


def failure(plugin_id: str, code: str, error: str) -> dict[str, Json]:
    return {"pluginId": plugin_id, "ok": False, "error": error, "code": code}


async def never(_request: Request) -> Json:
    return await asyncio.Event().wait()


async def broken(_request: Request) -> Json:
    raise ValueError("the disk is full")


def test_a_service_without_plugins_answers_nothing() -> None:
    async def scene() -> None:
        assert await MemoryService().update(asked()) == []
        assert await MemoryService().retrieve(asked()) == []

    loops.run(scene())


def test_each_plugin_answers_in_the_order_of_registration_and_a_failure_hides_no_success() -> None:
    async def slow(_request: Request) -> Json:
        await last.wait()
        return {"items": [1]}

    async def quick(_request: Request) -> Json:
        last.set()
        return None

    async def scene() -> None:
        service = serving(Plugin("slow", slow), Plugin("broken", broken), Plugin("quick", quick))
        assert told(await soon(service.retrieve(asked()))) == [
            success("slow", {"items": [1]}),
            failure("broken", "error", "the disk is full"),
            success("quick", None),
        ]

    last = asyncio.Event()
    loops.run(scene())


def test_each_plugin_has_the_request_for_itself() -> None:
    async def greedy(request: Request) -> Json:
        assert isinstance(request.data, dict)
        request.data["query"] = "changed"
        dict.update(request.meta.attributes, point="changed")
        return None

    async def scene() -> None:
        greedy_one, after = Plugin("greedy", greedy), Picky("after")
        data: dict[str, Json] = {"query": "tide"}
        await serving(greedy_one, after).retrieve(asked(data, point="agent/pre-step"))
        [request], [call] = after.requests, after.calls
        assert request == Request.parse(asked({"query": "tide"}, point="agent/pre-step"))
        assert call.meta.attributes == {"point": "agent/pre-step"}
        assert data == {"query": "tide"}

    loops.run(scene())


def test_a_filter_has_the_meta_for_itself() -> None:
    def greedy(call: Call) -> bool:
        dict.update(call.meta.attributes, point="changed")
        return True

    async def scene() -> None:
        first, second = Picky("first", wants=greedy), Picky("second")
        await serving(first, second).update(asked(point="tool/result"))
        assert second.calls[0].meta.attributes == {"point": "tool/result"}
        assert first.requests[0].meta.attributes == {"point": "tool/result"}

    loops.run(scene())


def test_an_answer_is_no_longer_the_plugins() -> None:
    kept: dict[str, Json] = {"items": []}

    async def answer(_request: Request) -> Json:
        return kept

    async def scene() -> None:
        [outcome] = await serving(Plugin("notes", answer)).retrieve(asked())
        kept["items"] = ["later"]
        assert isinstance(outcome, Success)
        assert outcome.value == {"items": []}

    loops.run(scene())


@pytest.mark.parametrize("operation", [Operation.UPDATE, Operation.RETRIEVE])
def test_a_slow_plugin_fails_by_its_own_limit_and_is_cancelled(operation: Operation) -> None:
    stopped = asyncio.Event()

    async def hanging(request: Request) -> Json:
        try:
            return await never(request)
        finally:
            stopped.set()

    async def scene() -> None:
        routing = {"hanging": {f"{operation}_timeout": 0.03}}
        service = serving(Plugin("hanging", hanging), Plugin("quick"), routing=routing)
        outcomes = await soon(getattr(service, operation)(asked()))
        assert told(outcomes) == [
            failure("hanging", "timeout", f"memory plugin hanging did not {operation} within 30 ms"),
            success("quick", "quick"),
        ]
        assert stopped.is_set()
        assert outcomes[0].duration_ms >= 30

    loops.run(scene())


def test_a_plugin_that_cannot_be_cancelled_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "GRACE_S", 0.01)
    free = asyncio.Event()

    async def stubborn(_request: Request) -> Json:
        while not free.is_set():
            try:
                await free.wait()
            except asyncio.CancelledError:
                continue
        raise ValueError("too late for anybody to hear")

    async def scene() -> None:
        [outcome] = await soon(serving(Plugin("stubborn", stubborn), update_timeout=0.01).update(asked()))
        assert isinstance(outcome, Failure)
        assert outcome.code == "timeout"
        free.set()

    loops.run(scene())


def test_a_caller_who_gives_up_is_free_and_so_is_each_plugin() -> None:
    ends: list[str] = []

    async def hanging(request: Request) -> Json:
        try:
            return await never(request)
        finally:
            ends.append("hanging")

    async def scene() -> None:
        plugin = Plugin("hanging", hanging)
        call = asyncio.create_task(serving(plugin, Plugin("quick")).retrieve(asked()))
        await until(lambda: plugin.requests)
        call.cancel("the person pressed stop")
        with pytest.raises(asyncio.CancelledError, match="the person pressed stop"):
            await soon(call)
        assert ends == ["hanging"]

    loops.run(scene())


def test_filters_see_the_operation_and_the_meta_and_decide() -> None:
    async def scene() -> None:
        out, raising = Picky("out", wants=lambda _: False), Picky("raising", wants=lambda _: bool(1 / 0))
        service = serving(out, raising, Plugin("in"))
        assert told(await service.update(asked("secret", turn=1))) == [
            failure("raising", "filter", "division by zero"),
            success("in", "in"),
        ]
        assert out.calls == [Call(Operation.UPDATE, Request.parse(asked(turn=1)).meta)]
        assert out.requests == raising.requests == []

    loops.run(scene())


def test_a_filter_answers_at_once() -> None:
    async def later(_call: Call) -> bool:
        return True

    async def scene() -> None:
        [outcome] = await serving(Picky("later", wants=later)).update(asked())  # type: ignore[arg-type]
        assert isinstance(outcome, Failure)
        assert outcome.code == "filter"

    loops.run(scene())


def test_the_person_comes_before_the_plugin_and_that_before_who_registered_it() -> None:
    async def scene() -> None:
        order: list[str] = []
        plugin = Picky("notes", wants=lambda _: not order.append("plugin"))  # type: ignore[func-returns-value]
        service = serving(routing={"notes": {"operations": ["update"]}})
        service.registry.register(plugin, filter=lambda _: bool(order.append("registration")))  # type: ignore[func-returns-value]

        assert await service.retrieve(asked()) == []
        assert order == []
        assert await service.update(asked()) == []
        assert order == ["plugin", "registration"]

    loops.run(scene())


def test_a_plugin_that_is_off_is_never_asked() -> None:
    async def scene() -> None:
        off, other = Picky("off"), Picky("other")
        service = serving(off, other, routing={"off": {"enabled": False}, "other": {"attributes": {"turn": 2}}})
        assert await service.update(asked(turn=1)) == []
        assert off.calls == other.calls == []

    loops.run(scene())


@pytest.mark.parametrize("request_", [{}, asked() | {"data": {"a": {1}}}, asked() | {"more": 1}])
def test_a_bad_request_reaches_nobody(request_: dict[str, Any]) -> None:
    async def scene() -> None:
        plugin = Plugin("notes")
        with pytest.raises(BadRequest):
            await serving(plugin).retrieve(request_)
        assert plugin.requests == []

    loops.run(scene())


def test_a_late_plugin_is_asked_from_then_on() -> None:
    async def scene() -> None:
        service = serving(Plugin("early"))
        assert told(await service.retrieve(asked())) == [success("early", "early")]
        service.registry.register(Log("late"))
        assert told(await service.retrieve(asked())) == [success("early", "early"), success("late", "late")]

    loops.run(scene())
