"""Revisions in the admin: every content that was on disk, without loading the contents for a list."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from memory.admin.base import Untouchable


class RevisionInline[Row: Model, Parent: Model](Untouchable, admin.TabularInline[Row, Parent]):
    """Numbers, hashes and times of revisions, newest first; the text is a click away."""

    fields = readonly_fields = ("number", "content_hash", "seen_at")
    ordering = ("-number",)
    extra = 0
    show_change_link = True

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).defer("text")
