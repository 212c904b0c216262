"""The change feed in the admin."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from memory.admin.base import MemoryAdmin, Untouchable
from memory.models import Change, Marker

NOUNS = (
    "artifact",
    "capture",
    "document",
    "entry",
    "fact",
    "maintenance",
    "observation",
    "project",
    "prompt",
    "relation",
    "session",
    "skill",
)
"""What the kinds of contract section 5 begin with; asking the table for them would read all of it."""


class NounFilter(admin.SimpleListFilter):
    title = "what changed"
    parameter_name = "noun"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [(noun, noun) for noun in NOUNS]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Change]) -> QuerySet[Change]:
        noun = self.value()
        return queryset.filter(kind__startswith=f"{noun}.") if noun in NOUNS else queryset


@admin.register(Change)
class ChangeAdmin(Untouchable, MemoryAdmin[Change]):
    list_display = ("id", "at", "kind", "project", "title", "ref_text")
    list_select_related = ("project",)
    list_filter = (NounFilter, "at", "project")  # no hierarchy of dates, which would look at every row
    search_fields = ("title", "ref")
    sortable_by = ("id", "at")
    ordering = ("-pk",)

    def ref(self, row: Change) -> str:
        return row.ref

    @admin.display(description="ref")
    def ref_text(self, row: Change) -> str:
        return row.ref


@admin.register(Marker)
class MarkerAdmin(Untouchable, MemoryAdmin[Marker]):
    list_display = ("name", "value", "updated_at")
    search_fields = ("name",)
    ordering = ("name",)
