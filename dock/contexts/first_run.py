"""What the first page prints while MemDock is being set up: five steps, and which of them are done."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User

from dock.contexts import connect, links, settings
from dock.contexts.choices import Option
from memory.configuration import actions, connecting, keys, memsearch, summarizing
from memory.configuration.connecting import State
from memory.models import Capture, Entry, Project, Session, Setting

_DELIVERING = ("dsh", "claude-code", "codex", "opencode", "openclaw")
"""Agents whose turns are captured; the others only ask."""

_OFFERED = (
    (
        "auto",
        "Your agent's own program",
        "As MemSearch's plugin of the agent does. No key, the model that you have already.",
    ),
    (
        "extractive",
        "No model at all",
        "The question, the tools, the files, the errors and the end of the answer, taken out of the turn. "
        "Free, offline and always the same; plainer than what a model writes.",
    ),
)


@dataclass(frozen=True, slots=True)
class AgentRow:
    """One agent of this machine."""

    label: str
    url: str
    is_connected: bool


@dataclass(frozen=True, slots=True)
class Way:
    """One way to summarise; `reason` says why it could not work now."""

    option: Option
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class FirstRun:
    """The steps; `current` is the name of the first one that is not done, "" when all are."""

    account: str
    has_project: bool
    has_agent: bool
    has_summarizer: bool
    has_entry: bool
    current: str
    can_add: bool
    can_choose: bool
    agents: list[AgentRow]
    connect_url: str
    ways: list[Way]
    choose_url: str
    seen: str
    summarizers_url: str
    url: str
    live_url: str


def page(person: User) -> FirstRun:
    """Build the steps. At most twelve queries, and a look at the files of each agent."""
    states = {name: connecting.look(name).state for name in _DELIVERING}
    agents = [_agent(name, state) for name, state in states.items() if state != "not installed"]
    done = _done(agents)
    return FirstRun(
        account=person.get_full_name() or person.get_username(),
        has_project=done["project"],
        has_agent=done["agent"],
        has_summarizer=done["summarizer"],
        has_entry=done["entry"],
        current=next((name for name, is_done in done.items() if not is_done), ""),
        can_add=person.has_perm("memory.add_project"),
        can_choose=person.has_perm(settings.CHANGE),
        agents=agents,
        connect_url=links.to("connect"),
        ways=_ways([name for name, state in states.items() if state != "not installed"]),
        choose_url=links.to("settings-key", keys.SUMMARIZER),
        seen=actions.stamp(None, [keys.SUMMARIZER]),
        summarizers_url=links.to("settings-summarizers"),
        url=links.to("first-run"),
        live_url=links.to("live"),
    )


def _done(agents: list[AgentRow]) -> dict[str, bool]:
    """Tell which steps are done, in their order."""
    return {
        "project": Project.objects.exclude(memory_dir="").exists(),
        "agent": any(row.is_connected for row in agents) or Session.objects.exclude(last_seen_at=None).exists(),
        "summarizer": Setting.objects.filter(key=keys.SUMMARIZER).exists()
        or Capture.objects.exclude(summarizer="").exists(),
        "entry": Entry.objects.exists(),
    }


def _agent(name: str, state: State) -> AgentRow:
    return AgentRow(connect.label(name), links.to("connect-agent", name), state in {"connected", "behind"})


def _ways(agents: list[str]) -> list[Way]:
    chosen = memsearch.effective().text(keys.SUMMARIZER) or keys.SUMMARIZERS[0]
    return [
        Way(Option(value, label, value == chosen), text, "" if value == "extractive" else _lacking(agents))
        for value, label, text in _OFFERED
    ]


def _lacking(agents: list[str]) -> str:
    """Say why no agent of this machine could summarise by itself, "" where one could."""
    configuration = memsearch.effective()
    found = [summarizing.status(None, name, configuration) for name in agents or _DELIVERING[:1]]
    return found[0].reason if all(one.reason for one in found) else ""
