"""The tasks of upkeep, by their MemSearch names, in MemSearch's order."""

from __future__ import annotations

from memory.maintenance.tasks import memory_to_skill, project_review, user_profile
from memory.maintenance.tasks.base import Task

BY_NAME: dict[str, Task] = {task.name: task for task in (project_review.TASK, user_profile.TASK, memory_to_skill.TASK)}
