"""What the page of the agent loop prints: at which of its moments memory plugins are told and asked."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User

from dock.contexts import settings
from dock.contexts.settings import Field, Frame
from dock.forms.settings import SettingsForm
from memory.agent_loop import asking, policy
from memory.configuration import keys, memsearch
from memory.configuration.memsearch import Configuration
from memory.models import Project

NAME = "settings-loop"

_FORMS = (("text", "as text"), ("json", "as JSON"))

_GROUPS: dict[str, tuple[str, dict[str, tuple[str, str]]]] = {
    "retrieve": (
        "Plugins are asked",
        {
            "session_start": ("When a session starts", "The agent does not wait for it."),
            "pre_step": (
                "Before a step",
                f"What somebody said is shown to them; the agent waits {asking.WAIT_S:g} seconds for each at most.",
            ),
            "turn_stopping": ("Before a turn ends", "They see the events of the turn."),
            "tool_post_execute": ("After a tool was used", "They see the call and its result."),
        },
    ),
    "recall": (
        "What an agent is told before a step",
        {
            "form": (
                "MemDock's own memories come",
                "What other plugins know comes as JSON in any case. Nobody is told the same twice.",
            ),
            "every_step": ("Ask before every step", "Otherwise once for each message of a person."),
            "budget": ("Longest message", "Characters of the JSON; of longer lists the first items are told."),
        },
    ),
    "store": (
        "Plugins are told",
        {
            "turn_end": ("When a turn ends", "All its events, as the agent stored them."),
            "tool_result": ("When a tool has a result", "Every call with its arguments and what came of it."),
            "agent_created": ("When an agent begins", ""),
            "agent_disposed": ("When an agent ends", ""),
            "request_error": ("When a request to the model fails", ""),
            "agent_error": ("When a step or a turn fails", ""),
        },
    ),
    "model_tools": (
        "The model itself may",
        {
            "retrieve": ("Ask all plugins", "The tool memory_retrieve."),
            "update": ("Hand them messages and files of the workspace", "The tool memory_update."),
        },
    ),
}


@dataclass(frozen=True, slots=True)
class Group:
    """Some settings under a heading."""

    id: str
    title: str
    fields: list[Field]


@dataclass(frozen=True, slots=True)
class Loop:
    """The page."""

    frame: Frame
    groups: list[Group]
    seen: str
    stale: bool


def wanted() -> list[str]:
    """Return the keys that the page sets."""
    return [policy.key(group, name) for group, (_, rows) in _GROUPS.items() for name in rows]


def page(project: Project | None, person: User, *, form: SettingsForm | None = None, stale: bool = False) -> Loop:
    """Build the page. Three queries."""
    configuration = memsearch.effective(project)
    return Loop(
        frame=settings.with_problems(settings.frame(NAME, project, person, of_projects=True), configuration),
        groups=[_group(group, configuration, project, form) for group in _GROUPS],
        seen=settings.stamp(project, wanted()),
        stale=stale,
    )


def _group(group: str, configuration: Configuration, project: Project | None, form: SettingsForm | None) -> Group:
    title, rows = _GROUPS[group]
    fields = []
    for name, (label, text) in rows.items():
        key = policy.key(group, name)
        options = _FORMS if key == keys.RECALL_FORM else ()
        fields.append(settings.field(key, label, configuration, project, help=text, options=options, form=form))
    return Group(group.replace("_", "-"), title, fields)
