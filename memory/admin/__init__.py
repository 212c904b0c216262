"""Django's admin of MemDock: looking at everything, changing what is MemDock's own."""

from __future__ import annotations

from django.contrib import admin

from memory.admin import documents, feed, journals, people, projects, search, sessions, skills, tokens

__all__ = ["documents", "feed", "journals", "people", "projects", "search", "sessions", "skills", "tokens"]

admin.site.site_header = "MemDock"
admin.site.site_title = "MemDock"
admin.site.index_title = "Everything that is remembered"
