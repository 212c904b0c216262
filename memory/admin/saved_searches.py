"""What people look for again and again; theirs to change, on the search page."""

from __future__ import annotations

from django.contrib import admin

from memory.admin.base import MemoryAdmin, Untouchable
from memory.models import SavedSearch


@admin.register(SavedSearch)
class SavedSearchAdmin(Untouchable, MemoryAdmin[SavedSearch]):
    list_display = ("name", "owner", "query", "created_at")
    list_select_related = ("owner",)
    search_fields = ("name", "query")
    ordering = ("-pk",)
