"""What can be found: one row a findable thing, filled from the change feed (see memory.search.index)."""

from __future__ import annotations

from django.db import models

from memory.models.project import Project


class SearchDocument(models.Model):
    """A findable thing, or one section of it; its words are in the database's own text index.

    The rows can be made anew at any time (`memdock reindex`).
    """

    key = models.CharField(max_length=800, unique=True, help_text="The ref, and for a section its number behind #.")
    ref = models.CharField(max_length=700, help_text="What is opened, such as entry:12.")
    kind = models.CharField(max_length=40, help_text="entry, document, skill, session, …")
    project = models.ForeignKey(Project, models.CASCADE, related_name="+")
    session = models.CharField(max_length=500, blank=True, default="")
    type = models.CharField(max_length=60, blank=True, default="")
    platform = models.CharField(max_length=40, blank=True, default="")
    is_pinned = models.BooleanField(default=False)
    when = models.DateTimeField()
    length = models.IntegerField(default=0, help_text="Number of its index terms.")
    title = models.CharField(max_length=300, blank=True, default="")
    text = models.TextField(blank=True, default="", help_text="Cleaned of what is not to be shown.")

    class Meta:
        indexes = [
            models.Index(fields=["ref"], name="search_ref"),
            models.Index(fields=["-when", "-id"], name="search_newest"),
            models.Index(fields=["project", "kind"], name="search_project"),
        ]

    def __str__(self) -> str:
        return self.key


class SearchVectors(models.Model):
    """What a document means: a small vector for each of its lines, made by one model (see memory.search.meaning)."""

    document = models.OneToOneField(SearchDocument, models.CASCADE, primary_key=True, related_name="vectors")
    model = models.CharField(max_length=200, help_text="Name of the embedder; vectors of another one are made anew.")
    dimension = models.IntegerField()
    lines = models.BinaryField(help_text="One byte a number, one row a line.")
    made = models.BigIntegerField(default=0, help_text="Number of the batch in which it was made; grows.")

    class Meta:
        verbose_name_plural = "search vectors"
        indexes = [models.Index(fields=["model", "made"], name="search_vectors_made")]

    def __str__(self) -> str:
        return f"vectors of {self.document_id}"
