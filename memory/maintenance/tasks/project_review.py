"""PROJECT.md: what lasts about the project."""

from __future__ import annotations

from memory.maintenance.tasks.keeping import KeepingTask
from memory.models.maintenance import UpkeepTask

_PURPOSE = """You keep the document that tells every later session of {{AGENT_NAME}} what is true of this project.
You are shown the document as it is, and the newest journals: short notes of what happened in earlier sessions.

Write about the project: where it is going, what is being worked on, what was decided and why, what is known to be risky
or limited, which questions are open, what comes next. Progress belongs into it when it changes what is built, tested,
released or known. The habits and wishes of people belong into USER.md, unless the project made a rule of them.

Headings that have proved useful: Current direction, Active threads, Recent progress, Decisions, Open questions, Risks and
constraints, Next steps.
"""

TASK = KeepingTask(UpkeepTask.PROJECT_REVIEW, "PROJECT.md", _PURPOSE)
