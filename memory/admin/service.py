"""What the memory service keeps, in the admin: consumers, plugins, updates of agents' loops, artifacts and facts."""

from __future__ import annotations

from typing import cast

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.timezone import now

from memory import audit
from memory.admin.base import MemoryAdmin, Untouchable
from memory.agent_loop import queue
from memory.models import (
    Artifact,
    Blob,
    Fact,
    FactVersion,
    LoopUpdate,
    PluginHealth,
    SubscriptionCursor,
    UpdateReceipt,
)


@admin.register(SubscriptionCursor)
class SubscriptionCursorAdmin(Untouchable, MemoryAdmin[SubscriptionCursor]):
    list_display = ("consumer_id", "plugin_id", "scope", "is_stopped", "failures", "last_error_at", "updated_at")
    list_filter = ("is_stopped", "consumer_id", "plugin_id")
    ordering = ("consumer_id", "plugin_id", "pk")


@admin.register(UpdateReceipt)
class UpdateReceiptAdmin(Untouchable, MemoryAdmin[UpdateReceipt]):
    list_display = ("key", "created_at", "claimed_until")
    ordering = ("-pk",)


@admin.register(PluginHealth)
class PluginHealthAdmin(Untouchable, MemoryAdmin[PluginHealth]):
    list_display = ("plugin_id", "calls", "failures", "latency_ms", "last_call_at", "last_error_code", "last_error_at")
    ordering = ("plugin_id",)


@admin.register(LoopUpdate)
class LoopUpdateAdmin(Untouchable, MemoryAdmin[LoopUpdate]):
    list_display = ("point", "session_key", "state", "attempts", "created_at", "done_at")
    list_filter = ("state", "point", "created_at")
    ordering = ("-pk",)
    actions = ("deliver_again",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[LoopUpdate]:
        return super().get_queryset(request).defer("meta", "data", "outcomes")

    def has_retry_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("memory.change_loopupdate")

    @admin.action(description="Deliver again", permissions=["retry"])
    def deliver_again(self, request: HttpRequest, rows: QuerySet[LoopUpdate]) -> None:
        actor, at = audit.person(cast("User", request.user)), now()
        done = sum(queue.retry(pk=pk, actor=actor, at=at) for pk in rows.values_list("pk", flat=True))
        self.message_user(request, f"{done} updates are delivered again.")


@admin.register(Blob)
class BlobAdmin(Untouchable, MemoryAdmin[Blob]):
    list_display = ("digest", "byte_length", "created_at", "unreferenced_at")
    ordering = ("-pk",)


@admin.register(Artifact)
class ArtifactAdmin(Untouchable, MemoryAdmin[Artifact]):
    list_display = ("name", "project", "origin", "role", "media_type", "state", "created_at", "deleted_at")
    list_select_related = ("project",)
    list_filter = ("origin", "role", "state", "project")
    ordering = ("-pk",)


@admin.register(Fact)
class FactAdmin(Untouchable, MemoryAdmin[Fact]):
    list_display = ("type", "external_id", "scope", "is_deleted", "updated_at")
    list_filter = ("type", "is_deleted")
    ordering = ("-pk",)


@admin.register(FactVersion)
class FactVersionAdmin(Untouchable, MemoryAdmin[FactVersion]):
    list_display = ("version", "fact", "number", "is_head", "is_tombstone", "created_at")
    list_select_related = ("fact",)
    list_filter = ("is_head", "is_tombstone")
    ordering = ("-pk",)
