"""Checks of what happened in agents' loops: whether it reaches the memory plugins."""

from __future__ import annotations

from django.db.models import Count, Q

from memory.doctor.check import Check
from memory.models import LoopUpdate
from memory.models.service import LoopState


def updates() -> list[Check]:
    """Tell how many updates wait for a plugin that fails, and how many were given up. One query."""
    late = Count("pk", filter=Q(state=LoopState.QUEUED, attempts__gt=0))
    over = Count("pk", filter=Q(state=LoopState.FAILED))
    rows = LoopUpdate.objects.filter(state__in=[LoopState.QUEUED, LoopState.FAILED])
    found = rows.aggregate(late=late, over=over)
    name, title = "agent-loop", "Agent loop"
    if found["over"]:
        text = f"Updates that a memory plugin failed on every time, and that were given up: {found['over']:,}."
        return [Check(name, title, "warn", text, "Repair the plugin, then let them be delivered again in the admin.")]
    if found["late"]:
        return [Check(name, title, "ok", f"Updates that are tried again for a plugin that failed: {found['late']:,}.")]
    return [Check(name, title, "ok", "Everything has reached the memory plugins, or is on its way.")]
