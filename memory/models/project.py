"""Projects: the code bases whose agents remember."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

NO_PROJECT = "no project"
"""The name under which rows are kept that belong to no project; agents are told an empty one."""


class Project(models.Model):
    """One code base, found by its canonical name."""

    name = models.CharField(max_length=200, unique=True)
    root = models.TextField(blank=True, default="", help_text="Absolute directory of the code base.")
    memory_dir = models.TextField(blank=True, default="", help_text="Real path of its .memsearch directory.")
    problems = models.JSONField(blank=True, default=list, help_text="What could not be read: [{path, text}].")
    created_at = models.DateTimeField(db_default=Now())
    synced_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(name=""), name="project_has_a_name"),
            # The same tree under two names would show each memory twice.
            models.UniqueConstraint(fields=["memory_dir"], condition=~Q(memory_dir=""), name="project_tree_once"),
        ]

    def __str__(self) -> str:
        return self.name


class ProjectAlias(models.Model):
    """Another name under which agents know a project."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="aliases")
    name = models.CharField(max_length=200, unique=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name_plural = "project aliases"

    def __str__(self) -> str:
        return f"{self.name} → {self.project_id}"


class ProjectDirectory(models.Model):
    """A directory whose project was told by a person or an agent, where no disk can say so."""

    directory = models.TextField(unique=True, help_text="As agents name it; may be of another machine.")
    project = models.ForeignKey(Project, models.CASCADE, related_name="directories")
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name_plural = "project directories"

    def __str__(self) -> str:
        return f"{self.directory} → {self.project_id}"


class ProjectMerge(models.Model):
    """Rows of one name that were given to another project, and what it takes to give them back."""

    source_name = models.CharField(max_length=200)
    target = models.ForeignKey(Project, models.CASCADE, related_name="merges")
    moved = models.JSONField(default=dict, help_text="Ids of what was moved, by table.")
    actor_label = models.CharField(max_length=200)
    created_at = models.DateTimeField(db_default=Now())
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["-created_at"], name="project_merge_newest")]

    def __str__(self) -> str:
        return f"{self.source_name} → {self.target_id}"
