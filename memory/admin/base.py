"""What the admin pages of MemDock have in common: no writing where files are the truth, no counting of large tables."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.html import format_html

from memory import refs

COUNT_LIMIT = 10_000
"""Rows up to which a list is counted; whoever looks for older ones filters or searches."""


class CappedPaginator[Row: Model](Paginator[Row]):
    """Counts no further than `COUNT_LIMIT`, so that a list of a large table opens as quickly as one of a small table."""

    object_list: QuerySet[Row]

    @cached_property
    def count(self) -> int:
        return self.object_list.order_by()[:COUNT_LIMIT].count()


class MemoryAdmin[Row: Model](admin.ModelAdmin[Row]):
    """Lists of any size, and links to the page that people read."""

    paginator = CappedPaginator
    show_full_result_count = False
    list_per_page = 50
    list_max_show_all = 50

    def ref(self, row: Row) -> str:
        """Return the ref of a row; empty where no page shows it."""
        return ""

    def view_on_site(self, row: Row) -> str | None:
        return refs.url(self.ref(row)) or None

    @admin.display(description="dock")
    def in_the_dock(self, row: Row) -> str:
        url = refs.url(self.ref(row))
        return format_html('<a href="{}">View in the dock</a>', url) if url else ""

    def get_list_display(self, request: HttpRequest) -> Any:
        return [*super().get_list_display(request), "in_the_dock"]


class NoAdding:
    def has_add_permission(self, request: HttpRequest, *_: Any) -> bool:
        return False


class NoDeleting:
    def has_delete_permission(self, request: HttpRequest, *_: Any) -> bool:
        return False


class Untouchable(NoAdding, NoDeleting):
    """Looked at and never changed: what files, agents or the past say."""

    def has_change_permission(self, request: HttpRequest, *_: Any) -> bool:
        return False
