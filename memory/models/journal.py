"""Journals (day files) and their entries: rows that can be read again from the files at any time."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from memory.models.project import Project
from memory.models.session import Session


class EntryState(models.TextChoices):
    SUMMARY = "summary"
    RAW = "raw"
    UNAVAILABLE = "unavailable"
    NOTE = "note"


class Journal(models.Model):
    """One day file, `memory/YYYY-MM-DD.md`."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="journals")
    date = models.DateField()
    path = models.CharField(max_length=200, help_text="Below .memsearch.")
    size = models.BigIntegerField()
    modified_ns = models.BigIntegerField()
    read_ns = models.BigIntegerField(help_text="When the file was read, to see writes within one clock tick.")
    content_hash = models.CharField(max_length=64)
    entry_count = models.IntegerField(default=0)
    session_headings = models.IntegerField(default=0)
    empty_sessions = models.IntegerField(default=0)
    notes = models.JSONField(
        blank=True, default=list, help_text="Text outside entries: [{start_line, end_line, text}]."
    )
    problems = models.JSONField(blank=True, default=list)
    updated_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "date"], name="journal_once_a_day")]
        indexes = [models.Index(fields=["date"], name="journal_date")]

    def __str__(self) -> str:
        return self.path


class EntryQuerySet(models.QuerySet["Entry"]):
    def newest_first(self) -> EntryQuerySet:
        return self.order_by("-date", "-ordinal", "-pk")

    def in_file_order(self) -> EntryQuerySet:
        return self.order_by("date", "journal_id", "ordinal", "pk")


class Entry(models.Model):
    """One `### HH:MM` section of a journal."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="entries")
    journal = models.ForeignKey(Journal, models.CASCADE, related_name="entries")
    session = models.ForeignKey(Session, models.SET_NULL, null=True, blank=True, related_name="entries")
    date = models.DateField()
    time = models.CharField(max_length=5, help_text="Local time as written, HH:MM.")
    ordinal = models.IntegerField(help_text="Position in the file, from 1.")
    turn = models.CharField(max_length=300, blank=True, default="")
    platform = models.CharField(max_length=40, blank=True, default="")
    state = models.CharField(max_length=12, choices=EntryState)
    title = models.CharField(max_length=200, blank=True, default="")
    excerpt = models.CharField(max_length=300, blank=True, default="")
    body = models.TextField(blank=True, default="")
    body_hash = models.CharField(max_length=64)
    session_heading = models.CharField(max_length=5, blank=True, default="")
    anchor_kind = models.CharField(max_length=12, blank=True, default="")
    anchor_path = models.TextField(blank=True, default="")
    start_line = models.IntegerField()
    end_line = models.IntegerField()
    supersedes = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="superseded_by")
    created_at = models.DateTimeField(db_default=Now())
    updated_at = models.DateTimeField(db_default=Now())

    objects = EntryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "entries"
        constraints = [
            models.CheckConstraint(condition=models.Q(ordinal__gte=1), name="entry_ordinal_from_one"),
            models.CheckConstraint(condition=models.Q(state__in=EntryState.values), name="entry_state_known"),
        ]
        indexes = [
            models.Index(fields=["journal", "ordinal"], name="entry_in_journal"),
            models.Index(fields=["project", "-date", "-ordinal"], name="entry_project_newest"),
            models.Index(fields=["session", "turn"], name="entry_turn"),
        ]

    def __str__(self) -> str:
        return f"{self.date} {self.time} {self.title}"
