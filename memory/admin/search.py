"""The search index in the admin; made from rows, and not to be changed by hand."""

from __future__ import annotations

from django.contrib import admin

from memory.admin.base import MemoryAdmin, Untouchable
from memory.models import SearchDocument, SearchVectors


@admin.register(SearchDocument)
class SearchDocumentAdmin(Untouchable, MemoryAdmin[SearchDocument]):
    list_display = ("key", "kind", "project", "title", "when", "length")
    list_select_related = ("project",)
    list_filter = ("kind", "platform", "project")
    search_fields = ("ref", "title")
    sortable_by = ("key", "when")
    ordering = ("-pk",)

    def ref(self, row: SearchDocument) -> str:
        return row.ref


@admin.register(SearchVectors)
class SearchVectorsAdmin(Untouchable, MemoryAdmin[SearchVectors]):
    list_display = ("document", "model", "dimension")
    list_select_related = ("document",)
    list_filter = ("model",)
    search_fields = ("document__ref",)
    exclude = ("lines",)  # numbers that nobody reads
    ordering = ("-pk",)
