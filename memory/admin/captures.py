"""Captures and what belongs to them in the admin."""

from __future__ import annotations

from typing import cast

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.timezone import now

from memory import audit, refs
from memory.admin.base import MemoryAdmin, Untouchable
from memory.capture import outbox
from memory.configuration import keys
from memory.models import Capture, InboxMessage, Injection, PendingEvent, Setting


@admin.register(Capture)
class CaptureAdmin(Untouchable, MemoryAdmin[Capture]):
    list_display = ("question_start", "project", "platform", "state", "reason", "summarizer", "occurred_at")
    list_select_related = ("project",)
    list_filter = ("state", "platform", "summarizer", "occurred_at", "project")
    search_fields = ("question",)
    ordering = ("-occurred_at", "-pk")
    actions = ("try_again",)

    def ref(self, row: Capture) -> str:
        return refs.capture(row)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Capture]:
        return super().get_queryset(request).defer("rendered", "summary")

    def has_retry_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("memory.change_capture")

    @admin.display(description="question")
    def question_start(self, row: Capture) -> str:
        return row.question[:100] or f"turn {row.turn}"

    @admin.action(description="Try again", permissions=["retry"])
    def try_again(self, request: HttpRequest, rows: QuerySet[Capture]) -> None:
        actor, done = audit.person(cast("User", request.user)), 0
        for pk in rows.values_list("pk", flat=True):
            try:
                outbox.retry(pk=pk, actor=actor, at=now())
                done += 1
            except outbox.CannotRetry as exc:
                self.message_user(request, str(exc), messages.WARNING)
        if done:
            self.message_user(request, f"{done} turns are tried again.")


@admin.register(PendingEvent)
class PendingEventAdmin(Untouchable, MemoryAdmin[PendingEvent]):
    list_display = ("session", "seq", "received_at")
    list_select_related = ("session",)
    ordering = ("-pk",)


@admin.register(Injection)
class InjectionAdmin(Untouchable, MemoryAdmin[Injection]):
    list_display = ("at", "session", "query", "reason", "took_ms")
    list_select_related = ("session",)
    ordering = ("-at",)


@admin.register(InboxMessage)
class InboxMessageAdmin(Untouchable, MemoryAdmin[InboxMessage]):
    list_display = ("created_at", "project", "session", "about", "delivered_at", "acknowledged_at")
    list_select_related = ("project", "session")
    ordering = ("-pk",)


@admin.register(Setting)
class SettingAdmin(Untouchable, MemoryAdmin[Setting]):
    list_display = ("key", "project", "value_shown", "updated_at")
    list_select_related = ("project",)
    ordering = ("key",)
    fields = ("key", "project", "value_shown", "updated_at")

    @admin.display(description="value")
    def value_shown(self, row: Setting) -> str:
        return "••••" if keys.is_secret(row.key) else str(row.value)
