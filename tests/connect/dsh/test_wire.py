"""The plugin of DSH against a server that is slow, busy, odd or somebody else's: what is asked, and how often."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.connect.dsh.plugin import NODE, Came, drive
from tests.connect.dsh.wire import PROJECT, Reply, Wire, wired
from tests.servers import free_port

pytestmark = pytest.mark.skipif(not NODE, reason="no Node on this machine")

QUICK: dict[str, Any] = {"config": {"requestTimeoutMs": 1000}, "patience": 3}
SAVE = ["tool", "mem_save", {"title": "Tides", "content": "At six."}]
SEARCH = ["tool", "mem_search", {"query": "tides"}]
SUMMARY = ["event", "compaction/summary", {"compactionId": "c1", "summary": [{"type": "text", "text": "We fixed it."}]}]
REGISTERED = ["GET /project/current", "GET /sessions/s1", "POST /sessions"]
POLICY = {
    "retrieve": {"sessionStart": False, "preStep": True, "turnStopping": False, "toolPostExecute": False},
    "store": {"turnEnd": True, "toolResult": True},
    "recall": {"form": "json", "everyStep": False, "budget": 6000},
    "nextSeq": 0,
}
CONFLICT = Reply(409, {"error": "session has already ended", "code": "session_already_ended"})


@pytest.fixture
def wire() -> Iterator[Wire]:
    with wired() as wire:
        yield wire


def run(tmp_path: Path, wire: Wire, *steps: list[Any], **over: Any) -> Came:
    return drive(tmp_path, *steps, **{"MEMDOCK_URL": wire.url} | over)


def test_a_session_is_made_before_the_first_write_and_confirmed_a_minute_later(tmp_path: Path, wire: Wire) -> None:
    run(tmp_path, wire, SAVE, SAVE, ["later", 61_000], SAVE)

    assert wire.lines() == [
        *REGISTERED,
        *["POST /observations"] * 2,
        *REGISTERED[1:],
        "POST /observations",
    ]
    registration = wire.asked[2].body
    assert registration == {
        "id": "s1",
        "project": "harbor",
        "directory": str(tmp_path),
        "ownership_mode": "project_owned",
    }


def test_a_confirmation_that_fails_is_left_to_the_write(tmp_path: Path, wire: Wire) -> None:
    wire.replies["GET /sessions/s1"] += [Reply(500, {"error": "no"})]

    came = run(tmp_path, wire, SAVE, ["later", 61_000], SAVE)

    assert [json.loads(step) for step in came.steps if step] == [{"status": "ok"}] * 2


def test_a_registration_that_fails_is_the_failure_of_the_write(tmp_path: Path, wire: Wire) -> None:
    wire.replies["POST /sessions"] = [Reply(500, {"error": "no room"}), Reply(201, {})]

    first, second = run(tmp_path, wire, SAVE, SAVE).steps

    assert first == {"error": "no room"}
    assert json.loads(second) == {"status": "ok"}
    assert wire.lines().count("POST /observations") == 1


@pytest.mark.parametrize("code", ["session_already_ended", "session_project_conflict"])
def test_a_refused_session_is_replaced_once(tmp_path: Path, wire: Wire, code: str) -> None:
    refused = Reply(409, {"error": "no", "code": code})
    wire.replies["POST /sessions"] = [refused, Reply(201, {}), refused]

    first, second, _, third = run(tmp_path, wire, SAVE, SAVE, ["later", 61_000], SAVE).steps

    ids = [one.body["id"] for one in wire.asked if one.line == "POST /sessions"]
    assert ids[0] == "s1"
    assert len(set(ids)) == 3
    assert first == second
    assert third == {"error": "no"}


def test_what_had_no_answer_is_not_sent_again(tmp_path: Path, wire: Wire) -> None:
    wire.replies["POST /observations"] = wire.replies["GET /search"] = [Reply(is_late=True)]

    saved, found = run(tmp_path, wire, SAVE, SEARCH, **QUICK).steps

    assert saved["error"].endswith("no answer within 1 s; it may have been applied. Look before you try again.")
    assert found["error"].endswith("no answer within 1 s.")
    assert [wire.lines().count(line) for line in ("POST /observations", "GET /search")] == [1, 1]


def test_a_busy_server_is_asked_again_for_what_can_be_repeated_alone(tmp_path: Path, wire: Wire) -> None:
    busy = Reply(503, {"error": "busy"})
    wire.replies["POST /sessions"] = [busy, busy, Reply(201, {})]
    wire.replies["POST /observations"] = [busy]
    wire.replies["GET /search"] = [busy]

    saved, found = run(tmp_path, wire, SAVE, SEARCH).steps

    assert (saved, found) == ({"error": "busy"}, {"error": "busy"})
    counts = {line: wire.lines().count(line) for line in ("POST /sessions", "POST /observations", "GET /search")}
    assert counts == {"POST /sessions": 3, "POST /observations": 1, "GET /search": 3}


ANSWERS: list[tuple[Reply, Any]] = [
    (Reply(text="null"), "(empty)"),
    (Reply(204), "(empty)"),
    (Reply(text='"as it is"'), "as it is"),
    (Reply(text="<html>"), {"error": "The memory's answer is not JSON."}),
    (Reply(404, {"error": "observation not found"}), {"error": "observation not found"}),
    (Reply(404, text="not found"), {"error": "Engram request failed with HTTP 404"}),
]


def test_answers_are_told_as_they_are(tmp_path: Path, wire: Wire) -> None:
    wire.replies["GET /observations/7"] = [reply for reply, _ in ANSWERS]

    came = run(tmp_path, wire, *[["tool", "mem_get_observation", {"id": 7}]] * len(ANSWERS))

    assert came.steps == [told for _, told in ANSWERS]


def test_a_doubtful_project_is_none(tmp_path: Path, wire: Wire) -> None:
    doubts: list[dict[str, Any]] = [
        {"project_source": "guess"},
        {"project": "unknown"},
        {"project": "a/b"},
        {"error_hint": "ambiguous project"},
    ]
    wire.replies["GET /project/current"] = [Reply(body=PROJECT | doubt) for doubt in doubts]

    came = run(tmp_path, wire, *([*tool, f"s{number}"] for number in range(4) for tool in (SAVE, SEARCH)))

    assert all("do not guess" in step["error"] for step in came.steps)
    assert wire.lines() == ["GET /project/current"] * 4


def test_an_old_server_leaves_the_project_to_the_directory(tmp_path: Path, wire: Wire) -> None:
    wire.replies["GET /project/current"] = [Reply(404, text="404 page not found")]
    (tmp_path / ".engram").mkdir()
    (tmp_path / ".engram" / "config.json").write_text('{"project_name": "quay"}')
    (tmp_path / "src").mkdir()

    run(tmp_path / "src", wire, SAVE)

    assert wire.asked[-1].body["project"] == "quay"


def test_the_token_of_engram_goes_along_and_ours_stays_here(tmp_path: Path, wire: Wire) -> None:
    tokens = {"MEMDOCK_TOKEN": "mdk_own", "MEMDOCK_URL": f"http://127.0.0.1:{free_port()}", "ENGRAM_URL": wire.url}

    run(tmp_path, wire, SEARCH, **tokens)
    run(tmp_path, wire, SEARCH, **tokens | {"ENGRAM_HTTP_TOKEN": "of the operator "})
    run(tmp_path, wire, SEARCH, MEMDOCK_TOKEN="mdk_own")

    assert [one.token for one in wire.asked] == [*[""] * 2, *["Bearer of the operator"] * 2, *["Bearer mdk_own"] * 2]


def test_a_port_that_somebody_else_holds_is_not_trusted(tmp_path: Path, wire: Wire) -> None:
    own = "0123456789abcdef0123456789abcdef"
    wire.replies["GET /health"] = [Reply(body={"instance_id": own[::-1]}), Reply(body={"instance_id": own})]
    place = {"MEMDOCK_URL": "", "ENGRAM_PORT": wire.url.rpartition(":")[2], "MEMDOCK_DATA_DIR": str(tmp_path)}

    missing = run(tmp_path, wire, SAVE, **place)
    (tmp_path / "instance_id").write_text(f"{own}\n")
    foreign, _, saved, again = run(tmp_path, wire, SAVE, ["later", 31_000], SAVE, SEARCH, **place).steps

    assert "not at http://127.0.0.1" in missing.steps[0]["error"] and "another server" in foreign["error"]
    assert json.loads(saved) == json.loads(again) == {"status": "ok"}
    assert wire.lines()[:2] == ["GET /health", "GET /health"]
    assert wire.asked[0].token == "" and wire.lines().count("GET /health") == 2


def test_without_a_server_tools_say_so_and_the_turn_goes_on(tmp_path: Path, wire: Wire) -> None:
    nowhere = f"http://127.0.0.1:{free_port()}"

    said, told, *_ = run(
        tmp_path, wire, SEARCH, ["step", 1, ["What of the tides?"]], ["settle"], MEMDOCK_URL=nowhere
    ).steps

    assert said == {"error": f"The memory at {nowhere} cannot be reached (ECONNREFUSED)."}
    assert told == []


@pytest.mark.parametrize(
    ("line", "reply", "notice"),
    [
        ("POST /observations", Reply(201, {}), "its summary is saved in the memory of harbor"),
        ("POST /observations", Reply(is_late=True), "is not known. Do not save it yet"),
        ("POST /observations", Reply(500, {"error": "no"}), "could not be saved in the memory of harbor"),
        ("POST /sessions", Reply(500, {"error": "no"}), "session and project are not certain"),
        ("GET /project/current", Reply(500, {"error": "no"}), "session and project are not certain"),
    ],
)
def test_what_became_of_a_compaction_is_told_once(
    tmp_path: Path, wire: Wire, line: str, reply: Reply, notice: str
) -> None:
    wire.replies[line] = [reply]

    _, told, again = run(tmp_path, wire, SUMMARY, ["step", 2, []], ["step", 3, []], **QUICK).steps

    assert notice in told[0]
    assert again == []
    assert wire.lines().count("POST /observations") <= 1


def test_the_same_compaction_is_archived_once(tmp_path: Path, wire: Wire) -> None:
    run(tmp_path, wire, SUMMARY, SUMMARY, ["settle"])

    bodies = [one.body for one in wire.asked if one.line == "POST /observations"]
    assert [body["topic_key"] for body in bodies] == ["session/compaction-recovery"]


def test_a_message_is_acknowledged_when_it_is_in_the_turn(tmp_path: Path, wire: Wire) -> None:
    wire.replies["POST /api/v1/recall"] = [Reply(body={"text": "It trims them.", "hits": []})]
    wire.replies["GET /api/v1/agent-inbox"] = [Reply(body={"items": [{"id": 7, "text": "Review a skill."}]})]

    told, later, _ = run(tmp_path, wire, ["step", 1, ["What of the tides?"]], ["step", 2, []], ["settle"]).steps

    assert told == ["It trims them.\n\n[memdock message 7] Review a skill."]
    assert later == []
    assert wire.lines().count("POST /api/v1/agent-inbox/7/ack") == 1


def test_only_a_sub_agents_session_is_over_when_dsh_lets_it_go(tmp_path: Path, wire: Wire) -> None:
    wire.replies["GET /api/v1/sessions/s1/cursor"] = [Reply(body={"next_seq": 0})]

    run(tmp_path, wire, ["event", "turn/start", {"turn": 1}], ["dispose"], ["flush"])

    delivered = [one.body for one in wire.asked if one.line == "POST /api/v1/events"]
    assert [body["final"] for body in delivered] == [False]


def test_a_page_that_may_frame_the_capsule_is_told_where_it_is(tmp_path: Path, wire: Wire) -> None:
    policy = {"Content-Security-Policy": "default-src 'none'; frame-ancestors 'self' http://127.0.0.1:28081; img-src *"}
    wire.replies["GET /dock/capsule/"] = [Reply(302, headers=policy | {"Location": "/dock/sign-in/"})]

    came = run(
        tmp_path,
        wire,
        ["route", "GET", "127.0.0.1:28081"],
        ["route", "GET", "127.0.0.1:8081"],
        ["route", "POST", "127.0.0.1:28081"],
        ["start", {"url": f"http://127.0.0.1:{free_port()}"}],
        ["route", "GET", "127.0.0.1:28081"],
    )

    bodies = [step["body"] for step in came.steps if step]
    assert bodies == [{"capsule": f"{wire.url}/dock/capsule/"}, {}, {}, {}]
    assert "MEMDOCK_EMBED_ORIGINS does not name http://127.0.0.1:8081" in came.warned[0]


def turn(number: int) -> list[list[Any]]:
    end = {"turn": number, "reason": {"kind": "completed"}}
    return [["event", "turn/start", {"turn": number}], ["event", "turn/end", end], ["flush"]]


def told(wire: Wire) -> list[int]:
    """Return the numbers of the turns that were told, refused ones too."""
    bodies = [one.body for one in wire.asked if one.line == "POST /api/v1/agent-loop/updates"]
    return [body["data"]["event"]["data"]["turn"] for body in bodies]


def test_a_turn_that_was_not_taken_is_told_with_the_next_one(tmp_path: Path, wire: Wire) -> None:
    wire.replies["GET /api/v1/agent-loop/policy"] = [Reply(body=POLICY)]
    wire.replies["POST /api/v1/agent-loop/updates"] = [Reply(503), Reply(202, {"state": "queued"})]

    came = run(tmp_path, wire, *turn(1), *turn(2), *turn(3))

    assert told(wire) == [1, 1, 2, 3]
    assert wire.lines().count("GET /api/v1/agent-loop/policy") == 1
    assert [text for text in came.warned if "turn" in text] == [
        "[memdock] a turn is told with the next one: HTTP 503 for POST /agent-loop/updates"
    ]


def test_a_turn_that_is_refused_is_not_told_again(tmp_path: Path, wire: Wire) -> None:
    wire.replies["GET /api/v1/agent-loop/policy"] = [Reply(body=POLICY)]
    refused = Reply(422, {"error": {"message": "data.events: is not numbered without a gap"}})
    wire.replies["POST /api/v1/agent-loop/updates"] = [refused, Reply(202, {"state": "queued"})]

    came = run(tmp_path, wire, *turn(1), *turn(2))

    assert told(wire) == [1, 2]
    assert "[memdock] turn 1 is not told: data.events: is not numbered without a gap" in came.warned


def test_a_session_goes_on_where_memdock_left_off(tmp_path: Path, wire: Wire) -> None:
    """As when a session is resumed: its first turns were told by an earlier process."""
    wire.replies["GET /api/v1/agent-loop/policy"] = [Reply(body=POLICY | {"nextSeq": 2})]

    run(tmp_path, wire, *turn(1)[:2], *turn(2))

    assert told(wire) == [2]


def test_an_older_memdock_is_asked_and_told_nothing(tmp_path: Path, wire: Wire) -> None:
    wire.replies["GET /api/v1/agent-loop/policy"] = [Reply(404, {"error": {"message": "There is nothing here."}})]
    wire.replies["POST /api/v1/recall"] = [Reply(body={"text": "It trims them.", "hits": []})]

    came = run(tmp_path, wire, ["step", 1, ["What of the tides?"]], ["result", "bash", "src"], *turn(1))

    assert came.steps[0] == ["It trims them."]
    assert [line for line in wire.lines() if "agent-loop" in line] == ["GET /api/v1/agent-loop/policy"]


def test_plugins_that_do_not_answer_hold_up_no_step(tmp_path: Path, wire: Wire) -> None:
    wire.replies["GET /api/v1/agent-loop/policy"] = [Reply(body=POLICY)]
    wire.replies["POST /api/v1/agent-loop/retrieve"] = [Reply(is_late=True)]

    came = run(tmp_path, wire, ["step", 1, ["What of the tides?"]], patience=0.3)

    assert came.steps == [[]]
    assert "[memdock] agent/pre-step goes on without memory: The operation was aborted due to timeout" in came.warned
