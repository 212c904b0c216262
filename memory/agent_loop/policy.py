"""Which moments of an agent's loop the memory plugins take part in: switches of a project, dsh-patchouli's by default."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TypedDict, cast

from memory.configuration import keys, memsearch
from memory.configuration.memsearch import Unset
from memory.models import Project
from memory.plugins.scopes import project_of

PREFIX = "agent_loop"

type Switch = tuple[str, str]
"""A group and the name of a switch in it, as settings have them: `("store", "turn_end")`."""


class PolicyJson(TypedDict):
    """A policy as connectors read it, in Patchouli's words."""

    retrieve: dict[str, bool]
    store: dict[str, bool]
    modelTools: dict[str, bool]
    recall: dict[str, str | bool | int]


@dataclass(frozen=True, slots=True)
class Recall:
    """How agents are told what was retrieved.

    With the form "text" MemDock's own memories are told as `/recall` words them, and only what other plugins know comes
    as JSON; with "json" all of them do. Once a message of a person, or before `every_step`; `budget` is in characters.
    """

    form: str
    every_step: bool
    budget: int

    @property
    def is_text(self) -> bool:
        return self.form != "json"


@dataclass(frozen=True, slots=True)
class HookPolicy:
    """What is switched on, by `agent_loop.<group>.<name>`."""

    on: frozenset[Switch]
    recall: Recall

    def has(self, group: str, name: str) -> bool:
        return (group, name) in self.on

    def as_json(self) -> PolicyJson:
        recall = {_camel(one.name): getattr(self.recall, one.name) for one in fields(Recall)}
        return PolicyJson(
            retrieve=self._group("retrieve"),
            store=self._group("store"),
            modelTools=self._group("model_tools"),
            recall=recall,
        )

    def _group(self, group: str) -> dict[str, bool]:
        return {_camel(name): self.has(group, name) for name in SWITCHES[group]}


SWITCHES = {
    "retrieve": ("session_start", "pre_step", "turn_stopping", "tool_post_execute"),
    "store": ("agent_created", "agent_disposed", "request_error", "agent_error", "turn_end", "tool_result"),
    "model_tools": ("retrieve", "update"),
}


def key(group: str, name: str) -> str:
    """Return the key of a setting."""
    return f"{PREFIX}.{group}.{name}"


def of(project: Project | None) -> HookPolicy:
    """Return what holds for a project, or where there is none. One query."""
    found = memsearch.effective(project)
    switches = [(group, name) for group, names in SWITCHES.items() for name in names]
    return HookPolicy(
        on=frozenset(switch for switch in switches if _held(found.flag, key(*switch))),
        recall=Recall(
            form=_held(found.text, key("recall", "form")) or "text",
            every_step=_held(found.flag, key("recall", "every_step")),
            budget=_held(found.number, key("recall", "budget")),
        ),
    )


def of_scope(scope: str) -> HookPolicy:
    """Return what holds for the project that a scope belongs to. Few queries."""
    return of(project_of(scope))


def _held[Value](read: Callable[[str], Value], name: str) -> Value:
    """Read a setting. One that names a variable that is not set is as if nobody had set it: no agent can put it right."""
    try:
        return read(name)
    except Unset:
        return cast("Value", keys.defaults()[name])


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.title() for word in rest)
