"""Captures of turns, what agents were told, messages for them, and settings."""

from __future__ import annotations

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0006_search_speed"),
    ]

    operations = [
        migrations.AddField(
            model_name="session",
            name="capture_seq",
            field=models.BigIntegerField(default=0, help_text="The next event that is expected of its agent."),
        ),
        migrations.CreateModel(
            name="Capture",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("platform", models.CharField(max_length=40)),
                ("turn", models.CharField(max_length=300)),
                (
                    "version",
                    models.IntegerField(
                        default=1, help_text="Grows when a better summary of the same turn is written."
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("summarising", "Summarising"),
                            ("written", "Written"),
                            ("unavailable", "Unavailable"),
                            ("skipped", "Skipped"),
                        ],
                        default="queued",
                        max_length=12,
                    ),
                ),
                (
                    "reason",
                    models.TextField(
                        blank=True, default="", help_text="Why it is skipped, unavailable or tried again."
                    ),
                ),
                ("question", models.TextField(blank=True, default="", help_text="What the person asked.")),
                (
                    "rendered",
                    models.TextField(blank=True, default="", help_text="The turn as the summarizer reads it, bounded."),
                ),
                ("anchor_kind", models.CharField(blank=True, default="", max_length=12)),
                (
                    "anchor_turn",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="The turn as the journal names it, where that differs.",
                        max_length=300,
                    ),
                ),
                ("anchor_path", models.TextField(blank=True, default="")),
                (
                    "is_in_transcript",
                    models.BooleanField(default=False, help_text="The whole turn is read from the transcript."),
                ),
                ("occurred_at", models.DateTimeField(help_text="When the turn ended.")),
                ("attempts", models.IntegerField(default=0)),
                ("next_attempt_at", models.DateTimeField()),
                ("claimed_at", models.DateTimeField(blank=True, null=True)),
                ("claimed_by", models.CharField(blank=True, default="", max_length=100)),
                ("summary", models.TextField(blank=True, default="")),
                ("summarizer", models.CharField(blank=True, default="", max_length=100)),
                ("model", models.CharField(blank=True, default="", max_length=200)),
                ("input_tokens", models.IntegerField(default=0)),
                ("output_tokens", models.IntegerField(default=0)),
                ("cost_usd", models.DecimalField(blank=True, decimal_places=6, max_digits=12, null=True)),
                ("duration_ms", models.IntegerField(blank=True, null=True)),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("written_at", models.DateTimeField(blank=True, null=True)),
                (
                    "entry",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="captures",
                        to="memory.entry",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="captures", to="memory.project"
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="captures", to="memory.session"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["state", "next_attempt_at"], name="capture_due"),
                    models.Index(fields=["project", "-occurred_at", "-id"], name="capture_project_newest"),
                    models.Index(fields=["-occurred_at", "-id"], name="capture_newest"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("session", "turn"), name="capture_once_a_turn"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["queued", "summarising", "written", "unavailable", "skipped"])
                        ),
                        name="capture_state_known",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("state", "summarising")), fields=("project",), name="capture_one_at_a_time"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="InboxMessage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("text", models.TextField()),
                (
                    "about",
                    models.CharField(blank=True, default="", help_text="The ref that it speaks of.", max_length=700),
                ),
                ("actor_label", models.CharField(blank=True, default="", max_length=200)),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("delivered_at", models.DateTimeField(blank=True, null=True)),
                ("acknowledged_at", models.DateTimeField(blank=True, null=True)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="inbox_messages", to="memory.project"
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="inbox_messages",
                        to="memory.session",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["project", "acknowledged_at", "id"], name="inbox_waiting")],
            },
        ),
        migrations.CreateModel(
            name="Injection",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("query", models.TextField(blank=True, default="")),
                ("text", models.TextField(blank=True, default="")),
                ("hits", models.JSONField(blank=True, default=list, help_text="[{ref, title, relevance}]")),
                ("reason", models.CharField(blank=True, default="", help_text="Why nothing was told.", max_length=300)),
                ("took_ms", models.FloatField(default=0)),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="injections", to="memory.session"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["session", "-at"], name="injection_newest")],
            },
        ),
        migrations.CreateModel(
            name="PendingEvent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("seq", models.BigIntegerField(help_text="The agent's own number, or the place in which it came.")),
                (
                    "key",
                    models.CharField(
                        blank=True, default="", help_text="What makes it the same, where no seq does.", max_length=200
                    ),
                ),
                ("data", models.JSONField(help_text="The event, private blocks taken out, large outputs cut.")),
                ("received_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="pending_events", to="memory.session"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("session", "seq"), name="pending_event_once"),
                    models.UniqueConstraint(
                        condition=models.Q(("key", ""), _negated=True),
                        fields=("session", "key"),
                        name="pending_event_key_once",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Setting",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=120)),
                ("value", models.JSONField()),
                ("updated_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "project",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="settings",
                        to="memory.project",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("project", "key"), name="setting_once_a_project"),
                    models.UniqueConstraint(
                        condition=models.Q(("project", None)), fields=("key",), name="setting_once_for_all"
                    ),
                ],
            },
        ),
    ]
