"""What is asked about skill candidates."""

from __future__ import annotations

from django.db.models import Case, IntegerField, QuerySet, Value, When

from memory.models import Project, SkillCandidate


def skills(project: Project | None = None) -> QuerySet[SkillCandidate]:
    """Return candidates with their project: what waits first, then by name."""
    rank = Case(
        When(pending="new", then=Value(0)),
        When(pending="updated", then=Value(1)),
        When(status="broken", then=Value(2)),
        default=Value(3),
        output_field=IntegerField(),
    )
    rows = (
        SkillCandidate.objects.select_related("project")
        .defer("project__problems")
        .annotate(rank=rank)
        .order_by("rank", "slug", "pk")
    )
    return rows.filter(project=project) if project else rows


def find(project: Project, slug: str) -> SkillCandidate | None:
    """Return one candidate of a project. One query."""
    return None if "\0" in slug else skills(project).filter(slug=slug).first()
