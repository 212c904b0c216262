"""What the pages of agents print: whether each is connected, what connecting it would change, when it was last heard."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max
from django.http import Http404

from dock.contexts import links
from memory import addresses
from memory.configuration import connecting
from memory.configuration.connecting import Looked, State
from memory.connect.registry import AGENTS
from memory.connect.steps import Outcome
from memory.models import Capture, Project, Session

_LABELS = {
    "dsh": "DeepSeek Harness",
    "claude-code": "Claude Code",
    "codex": "Codex",
    "opencode": "OpenCode",
    "openclaw": "OpenClaw",
    "cursor": "Cursor",
    "vscode": "VS Code",
    "gemini": "Gemini CLI",
    "windsurf": "Windsurf",
    "claude-desktop": "Claude Desktop",
    "mcp": "Any agent by MCP",
    "engram": "Engram clients",
}
_WORDS: dict[State, tuple[str, str]] = {
    "connected": ("on", "ok"),
    "behind": ("update", "warn"),
    "not connected": ("off", ""),
    "not installed": ("not here", ""),
    "unclear": ("unclear", "warn"),
    "by hand": ("", ""),
}
"""What the list says of a state, and its tone."""

_SIDES = {"+": "new", "-": "old", "@": "place"}
_LATEST = 3


@dataclass(frozen=True, slots=True)
class AgentLink:
    """One agent in the list."""

    label: str
    url: str
    is_current: bool
    words: str
    tone: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a diff; `side` is new, old, place or ""."""

    text: str
    side: str


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One file, link or command that would be changed, or is as it should be."""

    target: str
    state: str
    lines: list[Line]


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One captured turn of the agent."""

    title: str
    url: str
    state: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Heard:
    """When the agent was last heard, and its latest turns; `url` gives this anew."""

    at: datetime | None
    session: str
    session_url: str
    turns: list[TurnRow]
    url: str


@dataclass(frozen=True, slots=True)
class Act:
    """The last time that this page wrote or took back, and the files of before."""

    words: str
    by: str
    at: datetime
    backups: list[str]


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent.

    `changes` are there for the owner alone: they quote files of theirs. `write_url` and `remove_url` are there for the
    owner on the machine itself, where there is something to do. `where` offers the files of the project instead.
    """

    name: str
    label: str
    state: State
    why: str
    command: str
    undo: str
    paste: tuple[str, ...]
    then: tuple[str, ...]
    notes: tuple[str, ...]
    needs_token: bool
    changes: list[ChangeRow]
    where: list[tuple[str, str, bool]]
    write_url: str
    remove_url: str
    digest: str


@dataclass(frozen=True, slots=True)
class Connect:
    """The page of one agent, with the list of all."""

    agents: list[AgentLink]
    agent: Agent
    is_owner: bool
    is_local: bool
    heard: Heard
    act: Act | None
    address: str
    error: str


def page(
    name: str, project: Project | None, *, in_project: bool, is_owner: bool, is_local: bool, error: str = ""
) -> Connect:
    """Build the page. Raises Http404 for an agent that nobody knows. Four queries."""
    check(name)
    place = project if project and project.root and in_project else None
    looked = {agent: connecting.look(agent) for agent in AGENTS}
    owner = project.name if project else ""
    return Connect(
        agents=[_link(agent, one, name, owner) for agent, one in looked.items()],
        agent=_agent(
            name,
            connecting.look(name, place) if place else looked[name],
            project,
            place,
            is_owner=is_owner,
            is_local=is_local,
        ),
        is_owner=is_owner,
        is_local=is_local,
        heard=heard(name),
        act=_act(name, place),
        address=addresses.base(),
        error=error,
    )


def heard(name: str) -> Heard:
    """Tell when an agent was last heard. Raises Http404 for one that nobody knows. Three queries."""
    check(name)
    session = _last_heard(name)
    return Heard(
        at=session.last_seen_at if session else None,
        session=session.key[:8] if session else "",
        session_url=links.to("session-detail", session.key) if session else "",
        turns=[_turn(one) for one in _latest(name)],
        url=links.to("connect-heard", name),
    )


def check(name: str) -> None:
    """Raise Http404 for an agent that nobody knows."""
    if name not in AGENTS:
        raise Http404("There is no such agent.")


def label(name: str) -> str:
    """Return what people call an agent."""
    return _LABELS.get(name, name)


def _agent(
    name: str, found: Looked, project: Project | None, place: Project | None, *, is_owner: bool, is_local: bool
) -> Agent:
    plan, may = found.plan, is_owner and is_local
    query = {"project": place.name, "where": "project"} if place else {}
    return Agent(
        name=name,
        label=label(name),
        state=found.state,
        why=found.why,
        command=_command(name, place, "--write" if plan and plan.steps else ""),
        undo=_command(name, place, "--remove") if plan and plan.steps else "",
        paste=plan.paste if plan else (),
        then=plan.then if plan else (),
        notes=plan.notes if plan else (),
        needs_token=bool(plan and plan.needs_token),
        changes=[_change(one) for one in found.outcomes] if is_owner else [],
        where=_where(name, project, is_in_project=place is not None),
        write_url=links.to("connect-write", name, **query) if may and found.can_write else "",
        remove_url=links.to("connect-remove", name, **query) if may and found.can_take_back else "",
        digest=found.digest,
    )


def _link(name: str, looked: Looked, current: str, owner: str) -> AgentLink:
    words, tone = _WORDS[looked.state]
    return AgentLink(label(name), links.to("connect-agent", name, project=owner), name == current, words, tone)


def _command(name: str, place: Project | None, flag: str) -> str:
    words = ["memdock", "connect", name, *(["--project", place.root] if place else []), *([flag] if flag else [])]
    return shlex.join(words)


def _where(name: str, project: Project | None, *, is_in_project: bool) -> list[tuple[str, str, bool]]:
    if project is None or not project.root:
        return []
    here = {"project": project.name}
    return [
        ("Your own configuration", links.to("connect-agent", name, **here), not is_in_project),
        (f"Files of {project.name}", links.to("connect-agent", name, **here, where="project"), is_in_project),
    ]


def _change(outcome: Outcome) -> ChangeRow:
    if outcome.command and outcome.state != "unchanged":
        return ChangeRow(outcome.target, outcome.state, [Line(shlex.join(outcome.command), "")])
    return ChangeRow(outcome.target, outcome.state, list(_lines(outcome.diff, is_new=outcome.state == "created")))


def _lines(diff: str, *, is_new: bool) -> Iterator[Line]:
    """Yield the lines of a unified diff without its two names, of a new file as they will be."""
    lines = diff.splitlines()
    lines = lines[2:] if lines[:1] and lines[0].startswith("--- ") else lines
    for line in lines:
        if not is_new:
            yield Line(line, _SIDES.get(line[:1], ""))
        elif not line.startswith("@@"):
            yield Line(line.removeprefix("+"), "")


def _last_heard(name: str) -> Session | None:
    """Return the session of this agent that was last heard; those that were only read from journals never were."""
    sessions = Session.objects.filter(platform=name)
    newest = sessions.aggregate(at=Max("last_seen_at"))["at"]
    return sessions.filter(last_seen_at=newest).first() if newest else None


def _latest(name: str) -> list[Capture]:
    return list(Capture.objects.filter(platform=name).defer("rendered", "summary").newest_first()[:_LATEST])


def _turn(row: Capture) -> TurnRow:
    url = links.to("entry-detail", row.entry_id) if row.entry_id else links.to("capture-list", capture=row.pk)
    return TurnRow(" ".join(row.question.split()) or f"Turn {row.turn}", url, row.state, row.occurred_at)


def _act(name: str, place: Project | None) -> Act | None:
    row = connecting.last(name, place)
    if row is None:
        return None
    words = "Written" if row.action == connecting.CONNECTED else "Taken back"
    backups = [one["backup"] for one in row.detail.get("changes", []) if one.get("backup")]
    return Act(words, row.actor_label, row.at, backups)
