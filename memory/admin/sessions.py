"""Sessions in the admin."""

from __future__ import annotations

from typing import cast

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.timezone import now

from memory import refs
from memory.admin.base import MemoryAdmin, Untouchable
from memory.models import Session
from memory.models.session import SessionQuerySet


class StateFilter(admin.SimpleListFilter):
    """A state is a question of time, not a column."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [("live", "live"), ("ended", "ended"), ("open", "no recorded end")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Session]) -> QuerySet[Session]:
        rows = cast("SessionQuerySet", queryset)
        match self.value():
            case "live":
                return rows.live(now())
            case "ended":
                return rows.ended()
            case "open":
                return rows.without_end(now())
        return queryset


@admin.register(Session)
class SessionAdmin(Untouchable, MemoryAdmin[Session]):
    list_display = ("key", "project", "platform", "title", "state_now", "started_at", "last_activity_at")
    list_select_related = ("project",)
    list_filter = (StateFilter, "platform", "last_activity_at", "project")
    search_fields = ("key", "title")
    ordering = ("-last_activity_at", "-pk")

    def ref(self, row: Session) -> str:
        return refs.session(row)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Session]:
        return super().get_queryset(request).defer("summary")

    @admin.display(description="state")
    def state_now(self, row: Session) -> str:
        return row.state(now()).value
