"""The ready-made project harbor-api: read from its files once in a process, and copied row by row from then on."""

from __future__ import annotations

from collections.abc import Iterable

from django.apps import apps
from django.core.management.color import no_style
from django.db import connection
from django.db.models import Model

from memory.models import Project
from tests.makers import make_project
from tests.places import FIXTURES

type Rows = dict[type[Model], list[Model]]

_kept: Rows = {}


def make_sample() -> Project:
    """Make the project: from its files, or where there is nothing yet that could be in the way, as a copy."""
    models = _kept or apps.get_app_config("memory").get_models()
    if any(model._default_manager.exists() for model in models):
        return _read()
    if not _kept:
        _read()
        _kept.update(_filled())
    else:
        _copy(_kept)
    return Project.objects.get()


def _read() -> Project:
    return make_project(FIXTURES / "sample" / "harbor-api")


def _filled() -> Rows:
    every = {model: list(model._default_manager.all()) for model in apps.get_app_config("memory").get_models()}
    return {model: rows for model, rows in every.items() if rows}


def _copy(rows: Rows) -> None:
    for model, ones in rows.items():
        model._default_manager.bulk_create(ones)
    _go_on_counting(rows)


def _go_on_counting(models: Iterable[type[Model]]) -> None:
    """Let the next row get the number after the last one, which PostgreSQL does not do by itself."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), list(models)):
            cursor.execute(statement)
