"""Journals and entries in the admin: as the files have them."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from memory import refs
from memory.admin.base import MemoryAdmin, Untouchable
from memory.models import Entry, Journal


@admin.register(Journal)
class JournalAdmin(Untouchable, MemoryAdmin[Journal]):
    list_display = ("path", "project", "date", "entry_count", "empty_sessions", "size", "problem_count")
    list_select_related = ("project",)
    list_filter = ("project",)
    search_fields = ("path",)
    date_hierarchy = "date"
    ordering = ("-date", "-pk")

    def ref(self, row: Journal) -> str:
        return refs.project(row.project)

    @admin.display(description="problems")
    def problem_count(self, row: Journal) -> int:
        return len(row.problems)


@admin.register(Entry)
class EntryAdmin(Untouchable, MemoryAdmin[Entry]):
    # No hierarchy of dates and no sorting by columns: neither has an index over all projects.
    list_display = ("__str__", "project", "platform", "state")
    list_select_related = ("project",)
    list_filter = ("state", "project")
    search_fields = ("title",)
    sortable_by = ()
    ordering = ("-pk",)

    def ref(self, row: Entry) -> str:
        return refs.entry(row)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Entry]:
        return super().get_queryset(request).defer("body", "anchor_path")
