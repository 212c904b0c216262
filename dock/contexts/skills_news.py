"""What happened to a skill while somebody reads it."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils import dateformat, timezone

from dock.contexts import links, skills_decided
from dock.forms.skills import Wanted
from memory.models import Project, SkillCandidate, SkillDecision
from memory.skills import queries


@dataclass(frozen=True, slots=True)
class News:
    """At most one thing: the skill is gone, its text changed, or somebody decided; `url` shows it as it is now."""

    src: str
    url: str
    is_gone: bool = False
    is_changed: bool = False
    decided: str = ""


def news(project: Project, row: SkillCandidate, wanted: Wanted) -> News:
    """Compare a skill with what the reader has before them. One query."""
    newest = queries.decisions(row).first()
    seen = wanted.seen or row.content_hash
    was = wanted.was if wanted.seen else newest.pk if newest else 0
    state = {"view": wanted.view, "base": wanted.base, "layout": wanted.layout, "revision": wanted.revision}
    url = links.to("skill-detail", project.name, row.slug, **state)
    return News(
        src=links.to("skill-detail", project.name, row.slug, **state, seen=seen or "-", was=was),
        url=url,
        is_changed=seen not in {row.content_hash, "-"},
        decided=_decided(newest, project) if newest and newest.pk > was else "",
    )


def gone(project: Project, slug: str, wanted: Wanted) -> News:
    """Say that the skill that somebody reads is not there any more."""
    src = links.to("skill-detail", project.name, slug, seen=wanted.seen, was=wanted.was)
    return News(src=src, url=links.to("skill-list", project=project.name), is_gone=True)


def _decided(row: SkillDecision, project: Project) -> str:
    told = skills_decided.act(row, project)
    note = f" “{row.note}”" if row.note else ""
    return f"{told.by} decided at {dateformat.format(timezone.localtime(row.at), 'H:i')}: {told.words}.{note}"
