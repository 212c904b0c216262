"""Imports in the admin: what came in from elsewhere, and how it went."""

from __future__ import annotations

from django.contrib import admin

from memory.admin.base import MemoryAdmin, Untouchable
from memory.models import ImportedChunk, ImportRun


@admin.register(ImportRun)
class ImportRunAdmin(Untouchable, MemoryAdmin[ImportRun]):
    list_display = ("source", "kind", "project_name", "state", "actor_label", "created_at", "finished_at")
    list_filter = ("state", "kind")
    search_fields = ("source", "project_name")
    ordering = ("-pk",)


@admin.register(ImportedChunk)
class ImportedChunkAdmin(Untouchable, MemoryAdmin[ImportedChunk]):
    list_display = ("name", "digest", "imported_at")
    search_fields = ("name", "digest")
    ordering = ("-imported_at", "pk")
