"""USER.md: what lasts about the people who work here."""

from __future__ import annotations

from memory.maintenance.tasks.keeping import KeepingTask
from memory.models.maintenance import UpkeepTask

_PURPOSE = """You keep the document that tells every later session of {{AGENT_NAME}} how the user likes to work.
You are shown the document as it is, and the newest journals: short notes of what happened in earlier sessions.

Be conservative. Write down preferences, priorities, limits and habits only where the user said so plainly, or where they
showed again and again; one message is no habit, and nothing about a character is to be guessed. Decisions, progress, files,
bugs and constraints of the project belong into PROJECT.md; do not turn a decision into "the user prefers".

Headings that have proved useful: Priorities, Preferences, Working style, Technical defaults, Communication, Repeated
workflows, Constraints.
"""

TASK = KeepingTask(UpkeepTask.USER_PROFILE, "USER.md", _PURPOSE)
