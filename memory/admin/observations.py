"""Observations in the admin: what agents saved, what it said before, and how it relates; changed by actions only."""

from __future__ import annotations

from collections.abc import Callable
from itertools import batched
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.timezone import now

from memory import audit, refs
from memory.admin.base import MemoryAdmin, Untouchable
from memory.engram import curation
from memory.models import Observation, ObservationVersion, Relation
from memory.models.observation import ObservationQuerySet

_AT_ONCE = 500
"""Memories that one transaction changes, for which other writers wait."""


class ObservationVersionInline(Untouchable, admin.TabularInline[ObservationVersion, Observation]):
    """What it said before, newest first; the text is a click away."""

    model = ObservationVersion
    fields = readonly_fields = ("number", "title", "replaced_by", "created_at", "replaced_at")
    ordering = ("-number",)
    extra = 0
    show_change_link = True

    def get_queryset(self, request: HttpRequest) -> QuerySet[ObservationVersion]:
        return super().get_queryset(request).defer("content")


@admin.register(Observation)
class ObservationAdmin(Untouchable, MemoryAdmin[Observation]):
    list_display = (
        "id",
        "title",
        "type",
        "project",
        "scope",
        "is_pinned",
        "revision_count",
        "updated_at",
        "deleted_at",
    )
    list_display_links = ("id", "title")
    list_select_related = ("project",)
    list_filter = (("deleted_at", admin.EmptyFieldListFilter), "is_pinned", "scope", "created_at", "project")
    search_fields = ("title", "topic_key", "sync_id")
    sortable_by = ("id",)
    ordering = ("-pk",)
    raw_id_fields = ("session", "merged_into")
    inlines = (ObservationVersionInline,)
    actions = ("pin", "unpin", "remove", "restore", "purge")

    def ref(self, row: Observation) -> str:
        return refs.observation(row)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Observation]:
        return super().get_queryset(request).defer("content")

    def has_curate_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("memory.change_observation")

    def has_remove_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("memory.delete_observation")

    @admin.action(description="Pin", permissions=["curate"])
    def pin(self, request: HttpRequest, chosen: QuerySet[Observation]) -> None:
        self._act(request, chosen, "Pinned", curation.pin, is_pinned=True)

    @admin.action(description="Unpin", permissions=["curate"])
    def unpin(self, request: HttpRequest, chosen: QuerySet[Observation]) -> None:
        self._act(request, chosen, "Unpinned", curation.pin, is_pinned=False)

    @admin.action(description="Delete, so that it can be restored", permissions=["remove"])
    def remove(self, request: HttpRequest, chosen: QuerySet[Observation]) -> None:
        self._act(request, chosen, "Deleted", curation.delete)

    @admin.action(description="Restore", permissions=["curate"])
    def restore(self, request: HttpRequest, chosen: QuerySet[Observation]) -> None:
        self._act(request, chosen, "Restored", curation.restore)

    @admin.action(description="Purge what is deleted, for good", permissions=["remove"])
    def purge(self, request: HttpRequest, chosen: ObservationQuerySet) -> None:
        self._act(request, chosen.deleted(), "Purged", curation.purge)

    def _act(
        self, request: HttpRequest, chosen: QuerySet[Observation], done: str, act: Callable[..., int], **how: Any
    ) -> None:
        actor = audit.person(request.user)  # type: ignore[arg-type]  # the admin lets nobody else in
        pks = list(chosen.values_list("pk", flat=True))
        count = sum(act(pks=part, actor=actor, at=now(), **how) for part in batched(pks, _AT_ONCE))
        self.message_user(request, f"{done}: {count}.", messages.SUCCESS if count else messages.WARNING)


@admin.register(ObservationVersion)
class ObservationVersionAdmin(Untouchable, MemoryAdmin[ObservationVersion]):
    list_display = ("observation", "number", "title", "replaced_by", "created_at", "replaced_at")
    list_select_related = ("observation",)
    search_fields = ("title", "observation__sync_id")
    sortable_by = ()
    ordering = ("-pk",)
    raw_id_fields = ("observation",)

    def ref(self, row: ObservationVersion) -> str:
        return f"observation:{row.observation_id}"

    def get_queryset(self, request: HttpRequest) -> QuerySet[ObservationVersion]:
        return super().get_queryset(request).defer("content", "observation__content")


@admin.register(Relation)
class RelationAdmin(Untouchable, MemoryAdmin[Relation]):
    list_display = ("sync_id", "relation", "judgment_status", "source", "target", "project", "confidence", "created_at")
    list_select_related = ("source", "target", "project")
    list_filter = ("judgment_status", "relation", "project")
    search_fields = ("sync_id", "source_sync_id", "target_sync_id")
    sortable_by = ()
    ordering = ("-pk",)

    def ref(self, row: Relation) -> str:
        return f"observation:{row.source_id}" if row.source_id else ""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Relation]:
        return super().get_queryset(request).defer("source__content", "target__content")
