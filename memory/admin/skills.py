"""Skill candidates in the admin: as the files have them, with every content that was seen."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from memory import refs
from memory.admin.base import MemoryAdmin, Untouchable
from memory.admin.revisions import RevisionInline
from memory.models import SkillCandidate, SkillRevision


class SkillRevisionInline(RevisionInline[SkillRevision, SkillCandidate]):
    model = SkillRevision


@admin.register(SkillCandidate)
class SkillCandidateAdmin(Untouchable, MemoryAdmin[SkillCandidate]):
    list_display = ("slug", "project", "title", "status", "pending", "occurrences", "revised_at")
    list_select_related = ("project",)
    list_filter = ("status", "pending", "project")
    search_fields = ("slug", "title", "description")
    ordering = ("slug", "pk")
    inlines = (SkillRevisionInline,)

    def ref(self, row: SkillCandidate) -> str:
        return refs.skill(row, row.project)

    def get_queryset(self, request: HttpRequest) -> QuerySet[SkillCandidate]:
        return super().get_queryset(request).defer("text", "body")


@admin.register(SkillRevision)
class SkillRevisionAdmin(Untouchable, MemoryAdmin[SkillRevision]):
    list_display = ("skill", "number", "content_hash", "seen_at")
    list_select_related = ("skill__project",)
    search_fields = ("skill__slug", "content_hash")
    ordering = ("-pk",)

    def ref(self, row: SkillRevision) -> str:
        return refs.skill(row.skill, row.skill.project)

    def get_queryset(self, request: HttpRequest) -> QuerySet[SkillRevision]:
        return super().get_queryset(request).defer("text", "skill__text", "skill__body")
