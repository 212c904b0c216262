"""Tools about projects."""

from __future__ import annotations

from pydantic import Field

from memory.engram import naming, stats
from memory.engram.errors import EngramError
from memory.mcp import choosing
from memory.mcp.answers import Answer, Json, quoted, told
from memory.mcp.arguments import Arguments, Line
from memory.mcp.caller import Call
from memory.mcp.refusals import Refusal
from memory.mcp.tool import tool
from memory.models import Project
from memory.models.token import Scope
from memory.projects import detection, merging, queries
from memory.projects.similar import similar

_FAILED = "Merge failed: "


class Nothing(Arguments):
    pass


@tool("Detect Current Project")
def mem_current_project(call: Call, asked: Nothing) -> Answer:
    """Tell which project you work in, how that is known, and what else it could be. It never fails."""
    envelope: Json = {"cwd": call.caller.directory, "available_projects": []}
    try:
        if call.caller.override or not call.caller.directory:
            place = choosing.here(call)
            known = {"project": place.name, "project_source": place.source, "project_path": place.path}
            return told(known | envelope)
        return told(envelope | _detected(call.caller.directory))
    except (Refusal, EngramError) as exc:
        unknown = {"project": "", "project_source": "", "project_path": "", "error_hint": exc.message}
        return told(unknown | envelope)


@tool("List Known Projects")
def mem_list_projects(call: Call, asked: Nothing) -> Answer:
    """List every project that is known, with how much is remembered of each; the one with most memories first."""
    rows = [
        {
            "name": one.name,
            "observation_count": one.observations,
            "session_count": one.sessions,
            "prompt_count": one.prompts,
            "directories": one.directories,
        }
        for one in stats.projects()
    ]
    return told({"projects": rows, "count": len(rows)})


class Merge(Arguments):
    # Named as clients send it: `from` is no name in Python.
    sources: Line = Field(alias="from", description="Names to merge, with commas between them.")
    to: Line = Field(description="The name that stays.")


@tool("Merge Projects", needs=Scope.ADMIN, failing=_FAILED, is_destructive=True, is_idempotent=True)
def mem_merge_projects(call: Call, asked: Merge) -> Answer:
    """Give everything of projects that are spellings of one name to that one; unrelated names are refused.

    A person can undo it.
    """
    named = [name.strip() for name in asked.sources.split(",") if name.strip()]
    if not named or not asked.to.strip():
        raise Refusal("both 'from' and 'to' are required")
    target = choosing.canonical(asked.to)
    sources = _sources(named, target)
    try:
        moved = [_merge(call, source, target) for source in sources]
    except merging.CannotMerge as exc:
        raise Refusal(f"{_FAILED}{exc}") from exc
    head = (
        f"Merged {len(moved)} source(s) into {quoted(target)}:" if moved else f"No records moved into {quoted(target)}."
    )
    total = {name: sum(len(one[name]) for one in moved) for name in ("observations", "sessions", "prompts")}
    return Answer(
        f"{head}\n"
        f"  Observations moved: {total['observations']}\n"
        f"  Sessions moved:     {total['sessions']}\n"
        f"  Prompts moved:      {total['prompts']}\n"
    )


def _detected(directory: str) -> Json:
    found = detection.current(directory)
    told = {
        "project": found.project,
        "project_source": found.source,
        "project_path": found.path,
        "available_projects": list(found.available),
    }
    hints = {"warning": found.warning, "error_hint": found.error_hint}
    return told | {name: text for name, text in hints.items() if text}


def _sources(named: list[str], target: str) -> list[Project]:
    """Return the projects to merge, each once; those that are the target already, or unknown, are left out.

    Raises Refusal for a name that is no spelling of the target's: nothing is merged then.
    """
    found: dict[int, Project] = {}
    for name in map(choosing.canonical, named):
        if not _is_spelling(name, target):
            raise Refusal(
                f"{_FAILED}{quoted(name)} and {quoted(target)} are unrelated names; a person can merge them in MemDock."
            )
        project = queries.find(name)
        if project and project != queries.find(target):
            found[project.pk] = project
    return list(found.values())


def _is_spelling(name: str, target: str) -> bool:
    def plain(text: str) -> str:
        return text.replace("-", "").replace("_", "").replace(".", "").replace(" ", "")

    return plain(name) == plain(target) or bool(similar(name, [target]))


def _merge(call: Call, source: Project, target: str) -> Json:
    into = naming.project_of(target)
    moved: Json = merging.merge(source=source, target=into, actor=call.caller.actor, at=call.at).moved
    return moved
