"""Projects as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

from ninja import Schema
from pydantic import ConfigDict, Field

from memory.api.v1.schemas.common import Moment
from memory.projects.collection import collection


class Project(Schema):
    """One code base and how much is remembered of it."""

    name: str
    root: str = Field(description="Absolute directory of the code base; empty where only agents named it so far.")
    memory_dir: str = Field(description="Real path of its .memsearch directory.")
    collection: str = Field(description="Milvus collection that MemSearch keeps for it; empty without a root.")
    journals: int
    entries: int
    sessions: int
    observations: int = Field(description="Those that are not deleted.")
    pending_skills: int
    last_activity: Moment | None

    @classmethod
    def of(cls, row: Any) -> Self:
        """Describe a row of `projects.queries.overview`, whose counts are annotations."""
        return cls(
            name=row.name,
            root=row.root,
            memory_dir=row.memory_dir,
            collection=collection(Path(row.root)) if row.root else "",
            journals=row.journal_count,
            entries=row.entry_count,
            sessions=row.session_count,
            observations=row.observation_count,
            pending_skills=row.pending_skill_count,
            last_activity=row.last_activity,
        )


class NewProject(Schema):
    """A directory that is to become a project."""

    model_config = ConfigDict(extra="forbid")

    root: str = Field(description="Absolute directory, on the machine that runs MemDock, that holds .memsearch.")
    name: str = Field("", description="Left out, the directory names the project.")
