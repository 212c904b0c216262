"""Memories are counted by type and scope, and listed from the trash, without reading all of them."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0008_vectors_made"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="observation",
            index=models.Index(
                fields=["project", "type", "scope", "deleted_at", "is_pinned", "review_after"],
                name="observation_counts",
            ),
        ),
        migrations.AddIndex(
            model_name="observation",
            index=models.Index(
                condition=models.Q(("deleted_at__isnull", False)),
                fields=["-deleted_at", "-id"],
                name="observation_trash",
            ),
        ),
        migrations.AddIndex(
            model_name="observation",
            index=models.Index(
                condition=models.Q(("is_pinned", True)), fields=["project", "-created_at"], name="observation_pinned"
            ),
        ),
    ]
