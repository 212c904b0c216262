"""Who did what, and which sign-in links were handed out."""

from __future__ import annotations

from django.contrib import admin

from memory.admin.base import MemoryAdmin, Untouchable
from memory.models import AuditEntry, SignInLink


@admin.register(AuditEntry)
class AuditEntryAdmin(Untouchable, MemoryAdmin[AuditEntry]):
    list_display = ("at", "actor_label", "action", "target")
    list_select_related = ("actor",)
    list_filter = ("action",)
    search_fields = ("actor_label", "target")
    date_hierarchy = "at"
    ordering = ("-at", "-pk")


@admin.register(SignInLink)
class SignInLinkAdmin(Untouchable, MemoryAdmin[SignInLink]):
    list_display = fields = ("username", "created_at", "expires_at", "used_at")
    search_fields = ("username",)
    ordering = ("-pk",)
