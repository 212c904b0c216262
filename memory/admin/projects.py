"""Projects in the admin: read again from disk, and known by more names."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.timezone import now

from memory import audit, changes, refs
from memory.admin.base import MemoryAdmin, NoAdding, NoDeleting, Untouchable
from memory.changes import Note
from memory.models import Project, ProjectAlias, ProjectDirectory, ProjectMerge
from memory.projects import names, queries, sync
from memory.projects.names import InvalidName


class AliasForm(forms.ModelForm[ProjectAlias]):
    """One more name of a project, in the spelling by which names are compared."""

    class Meta:
        model = ProjectAlias
        fields = ("name",)

    def clean_name(self) -> str:
        try:
            name = names.canonical(names.validate(self.cleaned_data["name"]))
        except InvalidName as exc:
            raise forms.ValidationError(str(exc)) from exc
        if Project.objects.filter(name=name).exists():
            raise forms.ValidationError("A project has this name already.")
        return name


class AliasInline(admin.TabularInline[ProjectAlias, Project]):
    model = ProjectAlias
    form = AliasForm
    extra = 0


@admin.register(Project)
class ProjectAdmin(NoAdding, NoDeleting, MemoryAdmin[Project]):
    list_display = ("name", "root", "entry_count", "problem_count", "synced_at")
    search_fields = ("name", "root", "aliases__name")
    ordering = ("name",)
    fields = readonly_fields = ("name", "root", "memory_dir", "problems", "created_at", "synced_at")
    inlines = (AliasInline,)
    actions = ("read_again",)

    def ref(self, row: Project) -> str:
        return refs.project(row)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Project]:
        return queries.brief()

    @admin.display(description="entries")
    def entry_count(self, row: Project) -> int:
        counted: int = row.entry_count  # type: ignore[attr-defined]  # annotated in queries.brief
        return counted

    @admin.display(description="problems")
    def problem_count(self, row: Project) -> int:
        return len(row.problems)

    @admin.action(description="Read again from disk", permissions=["change"])
    def read_again(self, request: HttpRequest, projects: QuerySet[Project]) -> None:
        for project in projects.exclude(memory_dir=""):
            found = sync.sync(project, at=now())
            level = messages.WARNING if found.problems else messages.SUCCESS
            said = f"Read {found.project} again: {found.entries} entries, {len(found.problems)} problems."
            self.message_user(request, said, level)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:  # noqa: FBT001
        super().save_related(request, form, formsets, change)
        if any(formset.has_changed() for formset in formsets):
            _tell(request, form.instance)


@admin.register(ProjectAlias)
class ProjectAliasAdmin(Untouchable, MemoryAdmin[ProjectAlias]):
    list_display = ("name", "project", "created_at")
    list_select_related = ("project",)
    search_fields = ("name", "project__name")
    ordering = ("name",)

    def ref(self, row: ProjectAlias) -> str:
        return refs.project(row.project)


@admin.register(ProjectDirectory)
class ProjectDirectoryAdmin(Untouchable, MemoryAdmin[ProjectDirectory]):
    list_display = ("directory", "project", "created_at")
    list_select_related = ("project",)
    search_fields = ("directory", "project__name")
    ordering = ("directory",)

    def ref(self, row: ProjectDirectory) -> str:
        return refs.project(row.project)


@admin.register(ProjectMerge)
class ProjectMergeAdmin(Untouchable, MemoryAdmin[ProjectMerge]):
    list_display = ("source_name", "target", "actor_label", "created_at", "undone_at")
    list_select_related = ("target",)
    search_fields = ("source_name", "target__name")
    ordering = ("-pk",)

    def ref(self, row: ProjectMerge) -> str:
        return refs.project(row.target)


def _tell(request: HttpRequest, project: Project) -> None:
    """Write other names into the feed and the audit trail, in the transaction of the admin's form."""
    at, aliases = now(), sorted(project.aliases.values_list("name", flat=True))
    actor = audit.person(request.user)  # type: ignore[arg-type]  # the admin lets nobody else in
    audit.record(actor, "project.aliases", project.name, at=at, aliases=aliases)
    changes.append([Note("project.changed", refs.project(project), project.name)], project=project, at=at)
