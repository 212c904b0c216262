"""What people decided about skills, and their copies, in the admin."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from memory import refs
from memory.admin.base import MemoryAdmin, Untouchable
from memory.models import ReplacedCopy, SkillCandidate, SkillCopy, SkillDecision, SkillJob, SkillReading


@admin.register(SkillDecision)
class SkillDecisionAdmin(Untouchable, MemoryAdmin[SkillDecision]):
    list_display = ("at", "slug", "project", "action", "actor_label", "note", "is_override")
    list_select_related = ("project",)
    list_filter = ("action", "is_override", "at", "project")
    search_fields = ("slug", "note", "actor_label")
    ordering = ("-pk",)

    def ref(self, row: SkillDecision) -> str:
        return refs.skill(SkillCandidate(slug=row.slug), row.project)


@admin.register(SkillJob)
class SkillJobAdmin(Untouchable, MemoryAdmin[SkillJob]):
    list_display = ("created_at", "slug", "project", "state", "attempts", "error", "finished_at")
    list_select_related = ("project",)
    list_filter = ("state", "project")
    search_fields = ("slug",)
    ordering = ("-pk",)

    def ref(self, row: SkillJob) -> str:
        return refs.skill(SkillCandidate(slug=row.slug), row.project)


@admin.register(SkillCopy)
class SkillCopyAdmin(Untouchable, MemoryAdmin[SkillCopy]):
    list_display = ("path", "skill", "target", "state", "problem", "checked_at")
    list_select_related = ("skill__project",)
    list_filter = ("state", "skill__project")
    search_fields = ("path",)
    ordering = ("-pk",)

    def ref(self, row: SkillCopy) -> str:
        return refs.skill(row.skill, row.skill.project)

    def get_queryset(self, request: HttpRequest) -> QuerySet[SkillCopy]:
        return super().get_queryset(request).defer("installed_text", "skill__text", "skill__body")


@admin.register(ReplacedCopy)
class ReplacedCopyAdmin(Untouchable, MemoryAdmin[ReplacedCopy]):
    list_display = ("at", "slug", "project", "path", "content_hash")
    list_select_related = ("project",)
    list_filter = ("target", "project")
    search_fields = ("slug", "path")
    ordering = ("-pk",)
    exclude = ("content",)

    def ref(self, row: ReplacedCopy) -> str:
        return refs.skill(SkillCandidate(slug=row.slug), row.project)

    def get_queryset(self, request: HttpRequest) -> QuerySet[ReplacedCopy]:
        return super().get_queryset(request).defer("content")


@admin.register(SkillReading)
class SkillReadingAdmin(Untouchable, MemoryAdmin[SkillReading]):
    list_display = ("at", "skill", "person", "content_hash")
    list_select_related = ("skill__project", "person")
    ordering = ("-pk",)

    def ref(self, row: SkillReading) -> str:
        return refs.skill(row.skill, row.skill.project)

    def get_queryset(self, request: HttpRequest) -> QuerySet[SkillReading]:
        return super().get_queryset(request).defer("skill__text", "skill__body")
