"""How large the search index is."""

from __future__ import annotations

from collections import Counter

from django.db.models import Count

from memory.models import Project, SearchDocument


def documents(project: Project | None = None) -> dict[str, int]:
    """Count what can be found by kind, the most frequent first. One query, over the index of (project, kind) alone."""
    rows = SearchDocument.objects.filter(project=project) if project else SearchDocument.objects.all()
    counted: Counter[str] = Counter()
    for _, kind, n in rows.order_by().values_list("project", "kind").annotate(n=Count("pk")):
        counted[kind] += n
    return dict(counted.most_common())
