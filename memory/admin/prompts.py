"""Prompts in the admin, and the traces of what was deleted for good."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.timezone import now

from memory import audit, refs
from memory.admin.base import MemoryAdmin, Untouchable
from memory.engram import prompts
from memory.engram.errors import NotFound
from memory.models import Prompt, Tombstone


@admin.register(Prompt)
class PromptAdmin(Untouchable, MemoryAdmin[Prompt]):
    list_display = ("__str__", "project", "session", "created_at")
    list_select_related = ("project", "session")
    list_filter = ("created_at", "project")
    search_fields = ("content", "sync_id")
    sortable_by = ()
    ordering = ("-pk",)
    actions = ("remove",)

    def ref(self, row: Prompt) -> str:
        return refs.prompt(row)

    def has_remove_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("memory.delete_prompt")

    @admin.action(description="Delete for good", permissions=["remove"])
    def remove(self, request: HttpRequest, chosen: QuerySet[Prompt]) -> None:
        actor, count = audit.person(request.user), 0  # type: ignore[arg-type]  # the admin lets nobody else in
        for pk in list(chosen.values_list("pk", flat=True)):
            try:
                prompts.delete(pk=pk, actor=actor, at=now())
            except NotFound:  # somebody else was first
                continue
            count += 1
        self.message_user(request, f"Deleted: {count}.", messages.SUCCESS if count else messages.WARNING)


@admin.register(Tombstone)
class TombstoneAdmin(Untouchable, MemoryAdmin[Tombstone]):
    list_display = ("key", "kind", "project_name", "session_key", "deleted_at")
    list_filter = ("kind",)
    search_fields = ("key", "session_key")
    sortable_by = ()
    ordering = ("-pk",)
