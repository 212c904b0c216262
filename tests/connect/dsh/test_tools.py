"""The tools of DSH's plugin against a real MemDock: what is registered, and whose memories they write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from memory.engram import sessions
from memory.models import Observation, Session
from tests.connect.dsh.conftest import Dsh
from tests.connect.dsh.plugin import NODE, save
from tests.memory.api.engram.agents import make_repositories

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not NODE, reason="no Node on this machine"),
]

PARAMETERS = {
    "mem_save": "title* content* type scope topic_key",
    "mem_search": "query* type scope limit match_mode all_projects",
    "mem_context": "scope",
    "mem_stats": "all_projects",
    "mem_timeline": "observation_id* before after",
    "mem_session_summary": "content*",
    "mem_session_start": "",
    "mem_session_end": "summary",
    "mem_get_observation": "id*",
    "mem_suggest_topic_key": "title type content",
    "mem_capture_passive": "content* source",
    "mem_save_prompt": "content*",
    "mem_update": "id* title content type scope topic_key",
    "mem_delete": "id* hard_delete",
    "mem_current_project": "cwd",
    "mem_judge": "judgment_id* relation* reason evidence confidence",
    "mem_compare": "memory_id_a* memory_id_b* relation* confidence* reasoning* model",
    "mem_doctor": "check",
    "mem_review": "action* observation_id limit all_projects",
    "mem_pin": "id*",
    "mem_unpin": "id*",
    "memory_retrieve": "query* limit",
    "memory_update": "messages resources",
}


def written(tool: dict[str, Any]) -> str:
    schema = tool["parameters"]
    return " ".join(f"{name}*" if name in schema.get("required", []) else name for name in schema["properties"])


def test_what_dsh_is_given(root: Path, dsh: Dsh) -> None:
    (found,) = dsh(["registered"]).steps

    assert {tool["name"]: written(tool) for tool in found["tools"]} == PARAMETERS
    assert all(tool["parameters"]["additionalProperties"] is False for tool in found["tools"])
    (protocol,) = found["sections"]
    assert "mem_save" in protocol and "{{" not in protocol  # where DSH would put a variable
    assert (found["skills"], found["routes"]) == (1, ["/memdock-dsh/place"])
    assert not Session.objects.exists()


GONE: dict[str, dict[str, Any]] = {
    "tools": {"tools": [], "sections": []},
    "protocol": {"sections": []},
    "skill": {"skills": 0},
    "web": {"routes": []},
}


def test_a_part_that_is_switched_off_is_not_there(dsh: Dsh) -> None:
    loop = {"loop": False}  # which has tools of its own
    restarts = [step for part in GONE for step in (["start", loop | {part: False}], ["registered"])]
    everything = (
        dict.fromkeys([*GONE, "capture", "recall", "inbox", "prompts", "learnings", "compaction"], False) | loop
    )

    whole, *found = dsh(["registered"], *restarts, ["start", everything], ["registered"], config=loop).steps[::2]

    assert found[:-1] == [whole | gone for gone in GONE.values()]
    assert found[-1]["events"] == ["agent/turn-stopping", "session/disposed", "session/flush"]


def test_a_disabled_plugin_is_nothing_at_all(dsh: Dsh) -> None:
    (found,) = dsh(["registered"], MEMDOCK_DISABLE="1").steps

    assert found == {"tools": [], "sections": [], "skills": 0, "routes": [], "events": []}


def test_what_a_model_saves_belongs_to_its_session_and_project(dsh: Dsh) -> None:
    came = dsh(
        save("Importer trims rows", topic_key="importer/rows", session_id="another", project="another"),
        ["tool", "mem_search", {"query": "trims rows"}],
    )

    saved, found = (json.loads(text) for text in came.steps)
    row = Observation.objects.select_related("session", "project").get()
    assert (row.pk, row.session.key, row.project.name) == (saved["id"], "s1", "harbor")
    assert (row.type, row.scope, row.topic_key) == ("manual", "project", "importer/rows")
    assert [hit["title"] for hit in found] == ["Importer trims rows"]
    assert (row.session.ownership_mode, came.warned) == ("project_owned", [])


def test_every_tool_is_answered(root: Path, dsh: Dsh) -> None:
    first, second = (json.loads(text)["id"] for text in dsh(save("Lease on 4242"), save("Tides", "At six.")).steps)
    judged = json.loads(dsh(save("Lease on 4242 again", "Now it does not.")).steps[0])
    pair = {"memory_id_a": first, "memory_id_b": second}

    came = dsh(
        ["tool", "mem_context", {}],
        ["tool", "mem_stats", {"all_projects": True}],
        ["tool", "mem_timeline", {"observation_id": first}],
        ["tool", "mem_session_summary", {"content": "## Goal\nTides."}],
        ["tool", "mem_session_start", {}],
        ["tool", "mem_get_observation", {"id": first}],
        ["tool", "mem_suggest_topic_key", {"title": "Tides", "type": "decision"}],
        ["tool", "mem_capture_passive", {"content": "## Key Learnings\n\n1. The tide table lags by one whole hour\n"}],
        ["tool", "mem_save_prompt", {"content": "Where is it?"}],
        ["tool", "mem_update", {"id": second, "content": "At seven."}],
        ["tool", "mem_current_project", {}],
        ["tool", "mem_judge", {"judgment_id": judged["judgment_id"], "relation": "supersedes", "confidence": 0.9}],
        ["tool", "mem_compare", {**pair, "relation": "related", "confidence": 0.5, "reasoning": "Both"}],
        ["tool", "mem_doctor", {}],
        ["tool", "mem_review", {"action": "list", "all_projects": True}],
        ["tool", "mem_review", {"action": "mark_reviewed", "observation_id": first}],
        ["tool", "mem_pin", {"id": first}],
        ["tool", "mem_unpin", {"id": first}],
        ["tool", "mem_delete", {"id": second}],
        ["tool", "mem_session_end", {"summary": "Done."}],
    )

    assert [step for step in came.steps if isinstance(step, dict)] == []
    told = [json.loads(text) for text in came.steps]
    assert told[4] == {"session_id": "s1", "project": "harbor", "directory": str(root), "registered": True}
    assert (told[7]["saved"], told[9]["content"], told[18]["hard_delete"]) == (1, "At seven.", False)
    assert told[19] == {"id": "s1", "status": "completed"}
    assert Session.objects.get().summary == "Done."


def test_what_makes_no_sense_is_said_to_the_model(dsh: Dsh) -> None:
    calls: dict[str, dict[str, Any]] = {
        "mem_review": {"action": "forget"},
        "mem_current_project": {"cwd": "harbor"},
        "mem_get_observation": {"id": "../stats"},
        "mem_save": {"title": "No content"},
    }

    came = dsh(*(["tool", name, arguments] for name, arguments in calls.items()))

    assert all(isinstance(step, dict) and step["error"] for step in came.steps)


def test_reading_leaves_no_session_behind(dsh: Dsh) -> None:
    dsh(["tool", "mem_search", {"query": "tides"}], ["tool", "mem_context", {}], ["tool", "mem_session_end", {}])

    assert not Session.objects.exists()


def test_an_ended_session_goes_on_as_a_new_one(dsh: Dsh) -> None:
    came = dsh(
        save("Before"),
        ["tool", "mem_session_end", {"summary": "Done."}],
        ["tool", "mem_session_end", {}],
        save("After"),
    )

    before, after = Observation.objects.order_by("pk").values_list("session__key", flat=True)
    assert (before, len(after)) == ("s1", 36)
    assert Session.objects.get(key="s1").summary == "Done."
    assert json.loads(came.steps[2])["ended"] is False
    assert any("a new one goes on" in line for line in came.warned)


def test_a_session_of_another_project_is_left_alone(dsh: Dsh) -> None:
    sessions.register(id="s1", project="gate", ownership_mode="project_owned", at=timezone.now())

    dsh(save("Not of the gate"))

    row = Observation.objects.select_related("session").get()
    assert (len(row.session.key), row.session.project.name) == (36, "harbor")


def test_a_directory_without_a_project_writes_nothing_until_a_person_names_it(tmp_path: Path, dsh: Dsh) -> None:
    place = tmp_path / "both"
    place.mkdir()
    make_repositories(place, "gate", "quay")
    named = ["write", str(place / ".engram" / "config.json"), '{"project_name": "quay"}']

    refused, _, early, _, saved = dsh(
        save("Whose?"), named, save("Too early"), ["later", 31_000], save("The quay's"), directory=place
    ).steps

    assert "gate, quay" in refused["error"] and "do not guess" in refused["error"]
    assert early == refused
    assert json.loads(saved)["status"] == "saved"
    assert Observation.objects.get().project.name == "quay"
