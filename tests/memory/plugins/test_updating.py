"""Updates of our own plugins, through the service."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memory.models import Capture, Observation, Project, Session
from memory.plugins.journal.plugin import JournalPlugin
from memory.plugins.observations.plugin import ObservationsPlugin
from memory.service.types import Failure, Outcome
from tests import loops
from tests.makers import make_project, make_tree
from tests.memory.capture.events import dsh_document, dsh_turn
from tests.memory.service.parts import serving


def update(data: Any, scope: str, *, request_id: str = "", **attributes: Any) -> dict[str, Outcome]:
    meta: dict[str, Any] = {"source": {"type": "agent-loop", "id": "loop"}, "scope": scope, "attributes": attributes}
    if request_id:
        meta["requestId"] = request_id
    found: list[Outcome] = []

    async def scene() -> None:
        service = serving(JournalPlugin(), ObservationsPlugin())
        found.extend(await service.update({"meta": meta, "data": data}))

    loops.run(scene())
    return {one.plugin_id: one for one in found}


def turn_end(root: str, *, number: int = 1) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return data and attributes of a turn that ended, as an agent's loop tells them."""
    events = dsh_turn(number, first=10 * number)
    header = {"id": "s1", "cwd": root}
    data = {"agent": {"id": "a", "options": {}}, "session": {"header": header}, "event": events[-1], "events": events}
    return data, {"point": "session/turn-end", "sessionId": "s1", "workspaceRoot": root, "turn": number}


def value(outcome: Outcome) -> Any:
    assert outcome.is_ok, outcome
    return outcome.as_json()["value"]


def test_a_turn_that_ended_is_captured_once(harbor: Project) -> None:
    data, attributes = turn_end(harbor.root)

    [first] = update(data, harbor.root, **attributes).values()
    [again] = update(data, harbor.root, **attributes).values()

    capture = Capture.objects.get()
    assert (capture.project, capture.turn, capture.platform) == (harbor, "1", "dsh")
    assert value(first)["captures"] == [{"turn": "1", "state": "queued", "ref": f"capture:{capture.pk}"}]
    assert value(again)["captures"][0]["state"] == "captured"


def test_a_turn_is_no_memory_and_a_tools_call_no_turn(harbor: Project) -> None:
    data, attributes = turn_end(harbor.root)

    assert set(update(data, harbor.root, **attributes)) == {"journal"}
    assert set(update({"messages": []}, harbor.root, point="tool/memory-update")) == {"observations"}
    assert update({}, harbor.root, point="agent/created") == {}


def test_a_capture_document_is_taken_as_from_any_door(harbor: Project) -> None:
    document = dsh_document(harbor.root, dsh_turn(1, first=1), next_seq=5)

    told = value(update(document, harbor.root)["journal"])

    assert (told["session"], told["next_seq"], told["captures"][0]["state"]) == ("s1", 5, "queued")


@pytest.mark.parametrize("scope", ["harbor", "/root/src"])
def test_a_document_without_a_directory_is_of_the_scopes(harbor: Project, scope: str) -> None:
    (Path(harbor.root) / "src").mkdir()
    document = dsh_document("", dsh_turn(1, first=1))

    update(document, scope.replace("/root", harbor.root))

    assert Capture.objects.get().project == harbor


def test_a_document_of_another_place_than_the_scope_is_refused(harbor: Project, tmp_path: Path) -> None:
    other = make_project(make_tree(tmp_path / "lighthouse"))
    document = dsh_document(other.root, dsh_turn(1, first=1))

    for scope in (harbor.root, "harbor", "/nowhere", "unknown"):
        outcome = update(document, scope)["journal"]
        assert isinstance(outcome, Failure)
        assert outcome.error == "the session's directory does not belong to the scope"
    assert not Capture.objects.exists()


def test_data_of_others_is_left_to_them(harbor: Project) -> None:
    for data in (None, {}, {"resources": [1]}, "text", {"messages": "no list"}, {"messages": [{"content": " "}]}):
        assert [value(one) for one in update(data, harbor.root).values()] == [None, None]
    assert not Observation.objects.exists()


def test_messages_of_the_model_become_memories(harbor: Project) -> None:
    messages = [
        {"role": "user", "content": "I prefer metres"},
        {"role": "assistant", "content": "## Units\nGauges send <private>secret</private> millimetres"},
    ]

    told = value(update({"messages": messages}, harbor.root, point="tool/memory-update")["observations"])

    rows = list(Observation.objects.order_by("pk"))
    assert told == {"items": [{"ref": f"observation:{row.pk}", "outcome": "inserted"} for row in rows]}
    assert [(row.title, row.project, row.tool_name) for row in rows] == [
        ("I prefer metres", harbor, "memory_update"),
        ("Units", harbor, "memory_update"),
    ]
    assert "secret" not in rows[1].content


def test_an_observation_may_be_spelled_out_and_belongs_to_the_session_that_saves_it(harbor: Project) -> None:
    data, attributes = turn_end(harbor.root)
    update(data, harbor.root, **attributes)
    told = {"title": "Metres", "content": "All in metres", "type": "decision", "topic_key": "units"}

    update({"observation": told}, harbor.root, sessionId="s1")

    row = Observation.objects.get()
    assert (row.title, row.type, row.topic_key) == ("Metres", "decision", "units")
    assert row.session == Session.objects.get(external_id="s1", is_derived=False)


@pytest.mark.parametrize("told", [{"title": 1, "content": "x"}, {"content": "no title"}, {"title": "no content"}])
def test_an_observation_that_says_nothing_is_refused(harbor: Project, told: dict[str, Any]) -> None:
    outcome = update({"observation": told}, harbor.root)["observations"]

    assert isinstance(outcome, Failure)
    assert not Observation.objects.exists()


def test_an_update_that_comes_again_saves_nothing_twice(harbor: Project) -> None:
    """Also where the receipt is gone, as after a crash before it was written."""
    from memory.models import UpdateReceipt

    data = {"messages": [{"role": "user", "content": "I prefer metres"}, {"role": "user", "content": "And knots"}]}
    for _ in range(2):
        update(data, harbor.root, request_id="r1")
        UpdateReceipt.objects.all().delete()
        capture, attributes = turn_end(harbor.root)
        update(capture, harbor.root, **attributes)  # now the session is known, where it was not the first time
    told = value(update(data, harbor.root, request_id="r1", sessionId="s1")["observations"])

    assert Observation.objects.count() == 2
    assert {item["outcome"] for item in told["items"]} == {"duplicate"}


def test_a_scope_without_a_project_keeps_nothing(harbor: Project, tmp_path: Path) -> None:
    impostor = tmp_path / "elsewhere" / "harbor"
    impostor.mkdir(parents=True)

    for scope in ("unknown", str(impostor)):
        outcome = update({"observation": {"title": "x", "content": "y"}}, scope)["observations"]
        assert isinstance(outcome, Failure)
        assert outcome.error == f"the scope belongs to no project: {scope}"
    assert not Observation.objects.exists()


def test_a_new_directory_gets_a_project_by_its_first_memory(transactional_db: None, tmp_path: Path) -> None:
    root = tmp_path / "lighthouse"
    root.mkdir()

    update({"observation": {"title": "x", "content": "y"}}, str(root))

    assert Observation.objects.get().project.name == "lighthouse"
