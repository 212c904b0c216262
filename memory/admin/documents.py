"""PROJECT.md and USER.md in the admin, with every content that was seen."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from memory import refs
from memory.admin.base import MemoryAdmin, Untouchable
from memory.admin.revisions import RevisionInline
from memory.models import Document, DocumentRevision


class DocumentRevisionInline(RevisionInline[DocumentRevision, Document]):
    model = DocumentRevision


@admin.register(Document)
class DocumentAdmin(Untouchable, MemoryAdmin[Document]):
    list_display = ("name", "project", "size", "modified_at", "updated_at")
    list_select_related = ("project",)
    list_filter = ("name", "project")
    search_fields = ("name", "project__name")
    ordering = ("project__name", "name")
    inlines = (DocumentRevisionInline,)

    def ref(self, row: Document) -> str:
        return refs.document(row, row.project)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Document]:
        return super().get_queryset(request).defer("text")


@admin.register(DocumentRevision)
class DocumentRevisionAdmin(Untouchable, MemoryAdmin[DocumentRevision]):
    list_display = ("document", "number", "content_hash", "seen_at")
    list_select_related = ("document__project",)
    search_fields = ("document__name", "document__project__name", "content_hash")
    ordering = ("-pk",)

    def ref(self, row: DocumentRevision) -> str:
        return refs.document(row.document, row.document.project)

    def get_queryset(self, request: HttpRequest) -> QuerySet[DocumentRevision]:
        return super().get_queryset(request).defer("text", "document__text")
