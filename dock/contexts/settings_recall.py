"""What the page of recall prints: whether agents are told memories, and within which bounds."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User

from dock.contexts import links, settings
from dock.contexts.settings import Field, Frame
from dock.forms.settings import SettingsForm
from memory.configuration import memsearch
from memory.models import Project
from memory.recall import injection, relevance

NAME = "settings-recall"

_SWITCHES = (
    (
        "recall.enabled",
        "Tell agents what is relevant before a turn",
        "Only memories of the directory's own project, each once a session, and nothing when nothing is relevant.",
    ),
    (
        "recall.session_start",
        "Tell them something at the start of a session",
        "Pinned memories and the summary of the last session.",
    ),
)


@dataclass(frozen=True, slots=True)
class Recall:
    """The page; `bounds` are what holds for everybody, with what an agent may ask for instead."""

    frame: Frame
    switches: list[Field]
    bounds: list[tuple[str, str]]
    told_url: str
    seen: str
    stale: bool


def wanted() -> list[str]:
    """Return the keys that the page sets."""
    return [key for key, *_ in _SWITCHES]


def page(project: Project | None, person: User, *, form: SettingsForm | None = None, stale: bool = False) -> Recall:
    """Build the page. Three queries."""
    configuration = memsearch.effective(project)
    found = settings.frame(NAME, project, person, of_projects=True)
    return Recall(
        frame=settings.with_problems(found, configuration),
        switches=[
            settings.field(key, label, configuration, project, help=text, form=form) for key, label, text in _SWITCHES
        ],
        bounds=_bounds(),
        told_url=links.to("session-list", project=found.project),
        seen=settings.stamp(project, wanted()),
        stale=stale,
    )


def _bounds() -> list[tuple[str, str]]:
    return [
        ("Least relevance", f"{relevance.WEAK:g}, which is {relevance.word(relevance.WEAK)}"),
        ("Most memories", f"{injection.LIMIT}, unless the agent's connector asks for another number"),
        ("Most text", f"{injection.BUDGET:,} characters, unless it asks for less or more"),
        ("Shortest question", f"{injection.SHORTEST_QUERY} characters"),
    ]
