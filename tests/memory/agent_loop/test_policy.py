"""The switches of the loop: their defaults are the seed's, and each may be set for a project or for all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from memory.agent_loop import policy
from memory.agent_loop.points import POINTS
from memory.audit import COMMAND
from memory.configuration import actions, keys, memsearch
from memory.configuration.keys import Scalar
from memory.configuration.values import InvalidValue
from memory.models import Project
from tests.memory.agent_loop.seen import CWD, choose
from tests.memory.configuration.conftest import configure

DEFAULTS: dict[str, dict[str, Any]] = {
    "retrieve": {"sessionStart": False, "preStep": True, "turnStopping": False, "toolPostExecute": False},
    "store": {
        "agentCreated": False,
        "agentDisposed": False,
        "requestError": False,
        "agentError": False,
        "turnEnd": True,
        "toolResult": False,
    },
    "modelTools": {"retrieve": True, "update": True},
    "recall": {"form": "text", "everyStep": False, "budget": 6000},
}


@pytest.mark.django_db
def test_what_nobody_set_is_as_patchouli_has_it() -> None:
    assert policy.of(None).as_json() == DEFAULTS


def test_every_switch_of_a_project_holds_for_it_alone_and_leaves_the_others(harbor: Project) -> None:
    choose("retrieve.turn_stopping", True, harbor)
    choose("store.turn_end", False, harbor)
    choose("recall.form", "json")

    own, other = policy.of_scope(str(CWD / "src")).as_json(), policy.of_scope("/elsewhere").as_json()

    assert own["retrieve"] == DEFAULTS["retrieve"] | {"turnStopping": True}
    assert own["store"] == DEFAULTS["store"] | {"turnEnd": False}
    assert (other["retrieve"], other["store"]) == (DEFAULTS["retrieve"], DEFAULTS["store"])
    assert own["recall"] == other["recall"] == {"form": "json", "everyStep": False, "budget": 6000}


@pytest.mark.django_db
def test_a_variable_that_is_not_set_leaves_the_default() -> None:
    for key in ("store.turn_end", "recall.budget", "recall.form"):
        choose(key, "env:NOT_SET_ANYWHERE")

    assert policy.of(None).as_json() == DEFAULTS


def test_every_point_has_a_switch_and_every_switch_a_default() -> None:
    switches = {switch for group, names in policy.SWITCHES.items() for switch in ((group, name) for name in names)}
    of_points = {point.switch for point in POINTS.values()}

    assert of_points == {switch for switch in switches if switch[0] != "model_tools"}
    known = {key for key in keys.OWN if key.startswith(policy.PREFIX)}
    assert {policy.key(*switch) for switch in switches} <= known
    assert len(known) == len(switches) + 3


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("agent_loop.retrieve.prestep", True),
        ("agent_loop.store.turn_end", "perhaps"),
        ("agent_loop.recall.form", "yaml"),
        ("agent_loop.recall.budget", "much"),
    ],
)
@pytest.mark.django_db
def test_a_switch_that_is_none_is_refused(key: str, value: Scalar) -> None:
    with pytest.raises(InvalidValue):
        actions.change(wanted={key: value}, project=None, actor=COMMAND, at=timezone.now())


@pytest.mark.django_db
def test_a_misspelt_switch_in_a_file_or_a_row_is_a_problem_and_nothing_else(home: Path) -> None:
    configure(home, "[agent_loop.store]\nturn_ends = false\n\n[milvus]\nunknown = 1\n")
    choose("retrieve.prestep", False)

    found = memsearch.effective()

    assert sorted(found.problems) == [
        "MemDock: there is no setting 'agent_loop.retrieve.prestep'; that is left out.",
        "config.toml: there is no setting 'agent_loop.store.turn_ends'; that is left out.",
    ]
    assert policy.of(None).as_json() == DEFAULTS
