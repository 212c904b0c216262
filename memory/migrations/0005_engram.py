"""Observations, prompts, relations, and what came in from elsewhere."""

from __future__ import annotations

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0004_saved_searches"),
    ]

    operations = [
        migrations.CreateModel(
            name="ImportedChunk",
            fields=[
                (
                    "digest",
                    models.CharField(
                        help_text="SHA-256 of its uncompressed bytes.", max_length=64, primary_key=True, serialize=False
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("imported_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
        ),
        migrations.CreateModel(
            name="ImportRun",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("source", models.TextField(help_text="Path, or the name of an uploaded file.")),
                (
                    "file",
                    models.CharField(
                        blank=True, default="", help_text="The upload, below the data directory.", max_length=300
                    ),
                ),
                ("kind", models.CharField(blank=True, default="", max_length=40)),
                ("project_name", models.CharField(blank=True, default="", max_length=200)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("preview", "Preview"),
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                        ],
                        default="preview",
                        max_length=10,
                    ),
                ),
                ("report", models.JSONField(blank=True, default=dict)),
                ("error", models.TextField(blank=True, default="")),
                ("actor_label", models.CharField(blank=True, default="", max_length=200)),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Observation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("sync_id", models.CharField(help_text="The same on every machine.", max_length=100, unique=True)),
                (
                    "project_label",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="The project as it was spelled, where that differs.",
                        max_length=500,
                    ),
                ),
                ("type", models.CharField(max_length=100)),
                ("title", models.TextField(blank=True, default="")),
                ("content", models.TextField(blank=True, default="")),
                (
                    "full_size",
                    models.IntegerField(blank=True, help_text="Bytes of the whole text, where it was cut.", null=True),
                ),
                ("tool_name", models.CharField(blank=True, default="", max_length=300)),
                (
                    "scope",
                    models.CharField(
                        choices=[("project", "Project"), ("personal", "Personal"), ("global", "Global")],
                        default="project",
                        max_length=12,
                    ),
                ),
                ("topic_key", models.CharField(blank=True, default="", max_length=160)),
                ("normalized_hash", models.CharField(max_length=64)),
                (
                    "operation_id",
                    models.CharField(
                        blank=True, default="", help_text="The writer's own id of the save.", max_length=200
                    ),
                ),
                ("operation_hash", models.CharField(blank=True, default="", max_length=64)),
                ("revision_count", models.IntegerField(default=1)),
                ("duplicate_count", models.IntegerField(default=1)),
                ("is_pinned", models.BooleanField(default=False)),
                ("review_after", models.DateTimeField(blank=True, null=True)),
                ("last_seen_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("updated_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("deleted_at", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="ObservationVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.IntegerField(help_text="From 1, the oldest.")),
                ("type", models.CharField(max_length=100)),
                ("title", models.TextField(blank=True, default="")),
                ("content", models.TextField(blank=True, default="")),
                (
                    "scope",
                    models.CharField(
                        choices=[("project", "Project"), ("personal", "Personal"), ("global", "Global")],
                        default="project",
                        max_length=12,
                    ),
                ),
                ("topic_key", models.CharField(blank=True, default="", max_length=160)),
                (
                    "replaced_by",
                    models.CharField(
                        blank=True, default="", help_text="Who made the version after it.", max_length=200
                    ),
                ),
                ("created_at", models.DateTimeField(help_text="Since when it said so.")),
                ("replaced_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="ProjectDirectory",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("directory", models.TextField(help_text="As agents name it; may be of another machine.", unique=True)),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "verbose_name_plural": "project directories",
            },
        ),
        migrations.CreateModel(
            name="ProjectMerge",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("source_name", models.CharField(max_length=200)),
                ("moved", models.JSONField(default=dict, help_text="Ids of what was moved, by table.")),
                ("actor_label", models.CharField(max_length=200)),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("undone_at", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Prompt",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("sync_id", models.CharField(max_length=100, unique=True)),
                (
                    "project_label",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="The project as it was spelled, where that differs.",
                        max_length=500,
                    ),
                ),
                ("content", models.TextField()),
                (
                    "full_size",
                    models.IntegerField(blank=True, help_text="Bytes of the whole text, where it was cut.", null=True),
                ),
                (
                    "source_inbox_id",
                    models.CharField(blank=True, default="", help_text="The client's own id of it.", max_length=300),
                ),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
        ),
        migrations.CreateModel(
            name="Relation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("sync_id", models.CharField(help_text="Also the judgment's id.", max_length=100, unique=True)),
                ("source_sync_id", models.CharField(max_length=100)),
                ("target_sync_id", models.CharField(max_length=100)),
                (
                    "relation",
                    models.CharField(
                        choices=[
                            ("pending", "Pending"),
                            ("related", "Related"),
                            ("compatible", "Compatible"),
                            ("scoped", "Scoped"),
                            ("conflicts_with", "Conflicts With"),
                            ("supersedes", "Supersedes"),
                            ("not_conflict", "Not Conflict"),
                        ],
                        default="pending",
                        max_length=20,
                    ),
                ),
                (
                    "judgment_status",
                    models.CharField(
                        choices=[
                            ("pending", "Pending"),
                            ("judged", "Judged"),
                            ("orphaned", "Orphaned"),
                            ("ignored", "Ignored"),
                        ],
                        default="pending",
                        max_length=10,
                    ),
                ),
                ("reason", models.TextField(blank=True, default="")),
                ("evidence", models.TextField(blank=True, default="")),
                ("confidence", models.FloatField(blank=True, null=True)),
                ("marked_by_actor", models.CharField(blank=True, default="", max_length=200)),
                ("marked_by_kind", models.CharField(blank=True, default="", max_length=40)),
                ("marked_by_model", models.CharField(blank=True, default="", max_length=200)),
                ("session_key", models.CharField(blank=True, default="", max_length=500)),
                ("superseded_at", models.DateTimeField(blank=True, null=True)),
                (
                    "superseded_by",
                    models.CharField(blank=True, default="", help_text="Sync id of another relation.", max_length=100),
                ),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("updated_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
        ),
        migrations.CreateModel(
            name="Tombstone",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[("session", "Session"), ("observation", "Observation"), ("prompt", "Prompt")],
                        max_length=12,
                    ),
                ),
                ("key", models.CharField(help_text="Sync id, or the session's id.", max_length=500)),
                ("session_key", models.CharField(blank=True, default="", max_length=500)),
                ("project_name", models.CharField(blank=True, default="", max_length=500)),
                ("source_inbox_id", models.CharField(blank=True, default="", max_length=300)),
                ("deleted_at", models.DateTimeField()),
            ],
        ),
        migrations.AddField(
            model_name="session",
            name="continues",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="continuations",
                to="memory.session",
            ),
        ),
        migrations.AddField(
            model_name="session",
            name="is_stub",
            field=models.BooleanField(default=False, help_text="Its record is missing: known from imported rows only."),
        ),
        migrations.AddField(
            model_name="session",
            name="ownership_mode",
            field=models.CharField(
                choices=[("shared", "Shared"), ("project_owned", "Project Owned")], default="shared", max_length=14
            ),
        ),
        migrations.AddConstraint(
            model_name="session",
            constraint=models.CheckConstraint(
                condition=models.Q(("ownership_mode__in", ["shared", "project_owned"])), name="session_ownership_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="importrun",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["preview", "queued", "running", "done", "failed"])),
                name="import_state_known",
            ),
        ),
        migrations.AddField(
            model_name="observation",
            name="merged_into",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="merged",
                to="memory.observation",
            ),
        ),
        migrations.AddField(
            model_name="observation",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="observations", to="memory.project"
            ),
        ),
        migrations.AddField(
            model_name="observation",
            name="session",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.RESTRICT, related_name="observations", to="memory.session"
            ),
        ),
        migrations.AddField(
            model_name="observationversion",
            name="observation",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="versions", to="memory.observation"
            ),
        ),
        migrations.AddField(
            model_name="projectdirectory",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="directories", to="memory.project"
            ),
        ),
        migrations.AddField(
            model_name="projectmerge",
            name="target",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="merges", to="memory.project"
            ),
        ),
        migrations.AddField(
            model_name="prompt",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="prompts", to="memory.project"
            ),
        ),
        migrations.AddField(
            model_name="prompt",
            name="session",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="prompts", to="memory.session"
            ),
        ),
        migrations.AddField(
            model_name="relation",
            name="project",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="relations",
                to="memory.project",
            ),
        ),
        migrations.AddField(
            model_name="relation",
            name="source",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="relations_from",
                to="memory.observation",
            ),
        ),
        migrations.AddField(
            model_name="relation",
            name="target",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="relations_to",
                to="memory.observation",
            ),
        ),
        migrations.AddIndex(
            model_name="tombstone",
            index=models.Index(fields=["kind", "session_key", "source_inbox_id"], name="tombstone_inbox"),
        ),
        migrations.AddConstraint(
            model_name="tombstone",
            constraint=models.UniqueConstraint(fields=("kind", "key"), name="tombstone_once"),
        ),
        migrations.AddIndex(
            model_name="observation",
            index=models.Index(fields=["-created_at", "-id"], name="observation_newest"),
        ),
        migrations.AddIndex(
            model_name="observation",
            index=models.Index(fields=["project", "-created_at", "-id"], name="observation_project_newest"),
        ),
        migrations.AddIndex(
            model_name="observation",
            index=models.Index(fields=["session", "id"], name="observation_session"),
        ),
        migrations.AddIndex(
            model_name="observation",
            index=models.Index(
                condition=models.Q(("topic_key", ""), _negated=True),
                fields=["project", "topic_key"],
                name="observation_topic",
            ),
        ),
        migrations.AddIndex(
            model_name="observation",
            index=models.Index(
                fields=["project", "normalized_hash", "type", "scope", "deleted_at"], name="observation_hash"
            ),
        ),
        migrations.AddIndex(
            model_name="observation",
            index=models.Index(
                condition=models.Q(("review_after__isnull", False)), fields=["review_after"], name="observation_due"
            ),
        ),
        migrations.AddConstraint(
            model_name="observation",
            constraint=models.CheckConstraint(
                condition=models.Q(("scope__in", ["project", "personal", "global"])), name="observation_scope_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="observation",
            constraint=models.CheckConstraint(
                condition=models.Q(("revision_count__gte", 1)), name="observation_revision_from_one"
            ),
        ),
        migrations.AddConstraint(
            model_name="observation",
            constraint=models.UniqueConstraint(
                condition=models.Q(("operation_id", ""), _negated=True),
                fields=("operation_id",),
                name="observation_once_an_operation",
            ),
        ),
        migrations.AddConstraint(
            model_name="observationversion",
            constraint=models.UniqueConstraint(fields=("observation", "number"), name="observation_version_once"),
        ),
        migrations.AddIndex(
            model_name="projectmerge",
            index=models.Index(fields=["-created_at"], name="project_merge_newest"),
        ),
        migrations.AddIndex(
            model_name="prompt",
            index=models.Index(fields=["-created_at", "-id"], name="prompt_newest"),
        ),
        migrations.AddIndex(
            model_name="prompt",
            index=models.Index(fields=["project", "-created_at", "-id"], name="prompt_project_newest"),
        ),
        migrations.AddIndex(
            model_name="prompt",
            index=models.Index(fields=["session", "-created_at", "-id"], name="prompt_session_newest"),
        ),
        migrations.AddConstraint(
            model_name="prompt",
            constraint=models.UniqueConstraint(
                condition=models.Q(("source_inbox_id", ""), _negated=True),
                fields=("session", "source_inbox_id"),
                name="prompt_once_an_inbox_id",
            ),
        ),
        migrations.AddIndex(
            model_name="relation",
            index=models.Index(fields=["source_sync_id"], name="relation_source"),
        ),
        migrations.AddIndex(
            model_name="relation",
            index=models.Index(fields=["target_sync_id"], name="relation_target"),
        ),
        migrations.AddIndex(
            model_name="relation",
            index=models.Index(fields=["project", "judgment_status", "-id"], name="relation_project"),
        ),
        migrations.AddIndex(
            model_name="relation",
            index=models.Index(fields=["judgment_status", "-id"], name="relation_status"),
        ),
        migrations.AddConstraint(
            model_name="relation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "relation__in",
                        ["pending", "related", "compatible", "scoped", "conflicts_with", "supersedes", "not_conflict"],
                    )
                ),
                name="relation_verb_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="relation",
            constraint=models.CheckConstraint(
                condition=models.Q(("judgment_status__in", ["pending", "judged", "orphaned", "ignored"])),
                name="relation_judgment_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="relation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("confidence", None), models.Q(("confidence__gte", 0), ("confidence__lte", 1)), _connector="OR"
                ),
                name="relation_confidence",
            ),
        ),
    ]
