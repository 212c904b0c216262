"""The tools of the model: what they take, and what it is told."""

from __future__ import annotations

import json
from contextlib import suppress
from threading import get_ident
from typing import Any

import jsonschema
import pytest
from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from memory.agent_loop import tools
from memory.agent_loop.errors import BadObservation, SwitchedOff
from memory.agent_loop.points import Session
from memory.models import Observation, Project
from memory.plugins.observations.plugin import ObservationsPlugin
from memory.service.errors import RequestConflict
from memory.service.service import MemoryService
from memory.service.types import Request
from memory.service.values import Json
from tests import loops
from tests.memory.agent_loop.seen import CWD, choose
from tests.memory.service.parts import Plugin, serving, soon

WHOSE = Session("s1", str(CWD))
FILE = {"kind": "workspace-file", "path": "docs/design.pdf", "mediaType": "application/pdf", "role": "reference"}


async def fail(_: Request) -> Json:
    raise RuntimeError("no disk")


def retrieve(service: MemoryService, **arguments: Any) -> Any:
    return json.loads(tools.retrieve(WHOSE, arguments, service=service))


def update(service: MemoryService, **arguments: Any) -> Any:
    return json.loads(tools.update(WHOSE, arguments, service=service))


def test_a_query_goes_to_all_plugins_and_their_outcomes_come_back(harbor: Project) -> None:
    notes, broken = Plugin("notes"), Plugin("broken", fail)

    first, second = retrieve(serving(notes, broken), query="  rows \n", limit=3)

    assert (first["pluginId"], first["ok"], first["value"]) == ("notes", True, "notes")
    assert (second["pluginId"], second["ok"], second["error"]) == ("broken", False, "no disk")
    [request] = notes.requests
    assert request.data == {"query": "rows", "limit": 3}
    assert request.meta.as_json() == {
        "source": {"type": "agent-loop", "id": "dsh-patchouli-agent-loop"},
        "scope": str(CWD),
        "attributes": {"point": "tool/memory-retrieve", "sessionId": "s1", "workspaceRoot": str(CWD)},
    }


def test_messages_and_files_go_as_they_are_named_and_no_file_is_read(harbor: Project) -> None:
    plugin = Plugin("notes")
    said = {"role": "user", "content": " In metres, <private>secret</private> please. "}

    update(serving(plugin), messages=[said], resources=[FILE | {"path": " docs/design.pdf "}])
    update(serving(plugin), resources=[{"kind": "workspace-file", "path": "a"}], messages=[])

    first, second = plugin.requests
    assert first.data == {
        "messages": [{"role": "user", "content": "In metres, [REDACTED] please."}],
        "resources": [FILE],
    }
    assert first.meta.attributes["point"] == "tool/memory-update"
    assert second.data == {"resources": [{"kind": "workspace-file", "path": "a"}]}


def test_where_nobody_listens_the_list_is_empty(harbor: Project) -> None:
    assert retrieve(serving(), query="rows") == []


@pytest.mark.parametrize("role", tools.ROLES)
def test_every_role_of_a_file_is_taken(harbor: Project, role: str) -> None:
    assert update(serving(Plugin("notes")), resources=[FILE | {"role": role}])


WRONG: dict[str, tuple[str, dict[str, Any], str]] = {
    "no query": ("memory_retrieve", {}, "arguments.query"),
    "blank query": ("memory_retrieve", {"query": " "}, "arguments.query"),
    "query that is no text": ("memory_retrieve", {"query": 7}, "arguments.query"),
    "limit of none": ("memory_retrieve", {"query": "x", "limit": 0}, "arguments.limit"),
    "limit as text": ("memory_retrieve", {"query": "x", "limit": "3"}, "arguments.limit"),
    "limit that is a switch": ("memory_retrieve", {"query": "x", "limit": True}, "arguments.limit"),
    "part of a limit": ("memory_retrieve", {"query": "x", "limit": 1.5}, "arguments.limit"),
    "unsafe limit": ("memory_retrieve", {"query": "x", "limit": 2**53}, "arguments.limit"),
    "scope of the model": ("memory_retrieve", {"query": "x", "scope": "/elsewhere"}, "arguments.scope"),
    "nothing": ("memory_update", {}, "arguments"),
    "empty lists": ("memory_update", {"messages": [], "resources": []}, "arguments"),
    "blank message": (
        "memory_update",
        {"messages": [{"role": "user", "content": " "}]},
        "arguments.messages.0.content",
    ),
    "role of nobody": (
        "memory_update",
        {"messages": [{"role": "system", "content": "x"}]},
        "arguments.messages.0.role",
    ),
    "blank path": ("memory_update", {"resources": [FILE | {"path": " "}]}, "arguments.resources.0.path"),
    "blank name": ("memory_update", {"resources": [FILE | {"name": ""}]}, "arguments.resources.0.name"),
    "blank type": ("memory_update", {"resources": [FILE | {"mediaType": " "}]}, "arguments.resources.0.mediaType"),
    "role of no file": ("memory_update", {"resources": [FILE | {"role": "x"}]}, "arguments.resources.0.role"),
    "kind of none": ("memory_update", {"resources": [FILE | {"kind": "url"}]}, "arguments.resources.0.kind"),
    "bytes": ("memory_update", {"resources": [FILE | {"data": "QQ=="}]}, "arguments.resources.0.data"),
    "workspace of the model": ("memory_update", {"resources": [FILE], "workspaceRoot": "/"}, "arguments.workspaceRoot"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments_are_refused_by_their_place_and_reach_nobody(harbor: Project, name: str) -> None:
    tool, arguments, place = WRONG[name]
    plugin = Plugin("notes")
    call = tools.retrieve if tool == tools.RETRIEVE else tools.update

    with pytest.raises(BadObservation) as caught:
        call(WHOSE, arguments, service=serving(plugin))

    assert caught.value.field == place
    assert not plugin.requests


def test_a_tool_that_is_switched_off_says_so(harbor: Project) -> None:
    choose("model_tools.update", False, harbor)
    plugin = Plugin("notes")

    with pytest.raises(SwitchedOff, match=r"memory_update is switched off for this project\."):
        update(serving(plugin), resources=[FILE])

    assert not plugin.requests
    assert retrieve(serving(plugin), query="rows")


def test_the_same_call_again_reaches_only_who_failed(harbor: Project) -> None:
    notes, broken = Plugin("notes"), Plugin("broken", fail)
    service, arguments = serving(notes, broken), {"messages": [{"role": "user", "content": "x"}]}

    tools.update(WHOSE, arguments, call_id="c1", service=service)
    tools.update(WHOSE, arguments, call_id="c1", service=service)
    tools.update(Session("s2", str(CWD)), arguments, call_id="c1", service=service)

    assert (len(notes.requests), len(broken.requests)) == (2, 3)
    with pytest.raises(RequestConflict):
        tools.update(WHOSE, {"messages": [{"role": "user", "content": "y"}]}, call_id="c1", service=service)


def test_what_a_model_keeps_is_an_observation_of_the_sessions_project(harbor: Project) -> None:
    [outcome] = update(serving(ObservationsPlugin()), messages=[{"role": "assistant", "content": "Rows are trimmed."}])

    row = Observation.objects.get()
    assert outcome["value"]["items"] == [{"ref": f"observation:{row.pk}", "outcome": "inserted"}]
    assert row.project == harbor


def test_an_enormous_answer_loses_the_ends_of_its_lists(harbor: Project) -> None:
    async def much(_: Request) -> Json:
        return {"items": ["x" * 1000] * 100, "total": 100}

    [outcome] = retrieve(serving(Plugin("notes", much)), query="rows")

    assert outcome["truncated"] is True
    assert 40 <= len(outcome["value"]["items"]) < 50
    assert outcome["value"]["total"] == 100


def test_a_plugin_may_work_in_a_thread_while_the_requests_own_waits(harbor: Project) -> None:
    async def thread(_: Request) -> Json:
        return await sync_to_async(get_ident)()

    def handle() -> Any:
        try:
            return retrieve(serving(Plugin("threaded", thread)), query="rows")
        finally:
            connection.close()

    async def request() -> Any:
        async with ThreadSensitiveContext():
            return await sync_to_async(handle)()

    [outcome] = loops.run(soon(request()))

    assert outcome["ok"], outcome


ANY = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "user", "x", " y ", "workspace-file"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["role", "content", "kind", "path", "name"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["query", "limit", "messages", "resources", "other"]), ANY, max_size=3))
def test_whatever_is_taken_fits_what_the_model_was_told(arguments: dict[str, Any]) -> None:
    for tool, schema in tools.SCHEMAS.items():
        with suppress(BadObservation):
            tools.parsed(tool, arguments)
            jsonschema.validate(arguments, schema)
