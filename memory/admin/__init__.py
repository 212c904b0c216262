"""Django's admin of MemDock: looking at everything, changing what is MemDock's own."""

from __future__ import annotations

from django.contrib import admin

from memory.admin import (
    captures,
    documents,
    exchange,
    feed,
    journals,
    observations,
    people,
    projects,
    prompts,
    saved_searches,
    search,
    service,
    sessions,
    skill_desk,
    skills,
    tokens,
    upkeep,
)

__all__ = [
    "captures",
    "documents",
    "exchange",
    "feed",
    "journals",
    "observations",
    "people",
    "projects",
    "prompts",
    "saved_searches",
    "search",
    "service",
    "sessions",
    "skill_desk",
    "skills",
    "tokens",
    "upkeep",
]

admin.site.site_header = "MemDock"
admin.site.site_title = "MemDock"
admin.site.index_title = "Everything that is remembered"
