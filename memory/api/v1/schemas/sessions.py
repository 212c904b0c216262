"""Sessions as JSON."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Self

from ninja import Schema
from pydantic import Field

from memory.api.v1.schemas.common import Moment
from memory.models.session import SessionState


class Session(Schema):
    """One conversation of an agent."""

    key: str
    project: str
    platform: str = Field(description="The agent; empty where it is not known.")
    directory: str
    started_at: Moment
    ended_at: Moment | None
    state: SessionState
    entries: int
    observations: int = Field(description="Those that are not deleted.")
    prompts: int
    summary: str

    @classmethod
    def of(cls, row: Any, *, now: datetime) -> Self:
        """Describe a row of `sessions.queries.sessions`, whose counts are annotations, as it is at `now`."""
        return cls(
            key=row.key,
            project=row.project.name,
            platform=row.platform,
            directory=row.directory,
            started_at=row.started_at,
            ended_at=row.ended_at,
            state=row.state(now),
            entries=row.entry_count,
            observations=row.observation_count,
            prompts=row.prompt_count,
            summary=row.summary,
        )
