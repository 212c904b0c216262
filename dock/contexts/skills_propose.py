"""What the pages print on which a person writes a skill."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.utils import dateformat
from django.utils.safestring import SafeString

from dock import markdown
from dock.contexts import links, skills_checks
from dock.contexts.skills_checks import Checks, WhatItRuns
from dock.contexts.skills_head import CHANGE
from dock.forms.skills_propose import SOURCES, Draft, EditForm, Origin, ProposalForm
from memory.journal import queries as journals
from memory.models import Entry, Project, SkillCandidate
from memory.models.journal import EntryState
from memory.projects import queries as projects
from memory.skills import frontmatter, naming
from memory.skills.store import FOLDER
from memory.skills.writing import rendered
from memory.texts import hidden

STEPS = 12
"""Points of the journals that a draft begins with."""

_TELLING = {EntryState.SUMMARY, EntryState.NOTE}
"""States of entries that say what was done."""

_POINT = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(\S.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Preview:
    """What a draft would be: rendered, checked, and what an agent would run."""

    html: SafeString | str
    fields: list[tuple[str, str]]
    slug: str
    checks: Checks
    runs: WhatItRuns


@dataclass(frozen=True, slots=True)
class Source:
    """A journal entry that a draft can be made from."""

    pk: int
    title: str
    url: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class ProposePage:
    """A new skill; `draft` is what the fields hold, `taken_url` a skill of the same name."""

    project: str
    url: str
    back_url: str
    crumbs: list[tuple[str, str]]
    form: ProposalForm | None
    draft: Draft
    session: str
    sources: list[Source]
    preview: Preview
    error: str
    taken_url: str


@dataclass(frozen=True, slots=True)
class EditPage:
    """A SKILL.md in an editor; on a conflict, `change_url` shows what is on disk now."""

    title: str
    slug: str
    project: str
    url: str
    back_url: str
    crumbs: list[tuple[str, str]]
    form: EditForm | None
    text: str
    note: str
    content_hash: str
    preview: Preview
    error: str
    is_conflict: bool


@dataclass(frozen=True, slots=True)
class Chooser:
    """The projects in which a skill can be proposed."""

    projects: list[tuple[str, str]]


def link(project: Project, person: User, **source: object) -> str:
    """Return where a person can make a skill of an entry or a session, "" where they cannot."""
    may = bool(project.memory_dir) and person.has_perm(CHANGE)
    return links.to("skill-propose", project=project.name, **source) if may else ""


def chooser() -> Chooser:
    """Name the projects that have a memory folder. One query."""
    rows = projects.brief().exclude(memory_dir="")
    return Chooser([(row.name, links.to("skill-propose", project=row.name)) for row in rows])


def proposing(project: Project, origin: Origin, form: ProposalForm | None = None, *, error: str = "") -> ProposePage:
    """Show a draft, the one that was typed or one made from what it is to come from. Four queries at most."""
    found = _entries(project, origin)
    chosen = [one for one in found if one.pk in origin.entries] or [one for one in found if one.state in _TELLING]
    draft = form.draft() if form else _draft(chosen)
    slug = naming.slug_of(draft.name) if draft.name.strip() else ""
    text = rendered(slug or "…", draft.description, draft.body).decode("utf-8", "replace")
    return ProposePage(
        project=project.name,
        url=_url(project, origin),
        back_url=links.to("skill-list", project=project.name),
        crumbs=[("Skills", links.to("skill-list", project=project.name))],
        form=form if form and form.is_bound else None,
        draft=draft,
        session=origin.session,
        sources=[_source(one, is_chosen=one in chosen) for one in found],
        preview=_preview(SkillCandidate(project=project, slug=slug, text=text, sources=list(draft.sources))),
        error=error,
        taken_url=taken(project, draft.name),
    )


def editing(
    project: Project, row: SkillCandidate, form: EditForm | None = None, *, error: str = "", is_conflict: bool = False
) -> EditPage:
    """Show the text of a skill, or the one that was typed."""
    text = form.typed() if form else row.text
    own = links.to("skill-detail", project.name, row.slug)
    draft = SkillCandidate(project=project, slug=row.slug, text=text, sources=row.sources)
    return EditPage(
        title=row.title or row.slug,
        slug=row.slug,
        project=project.name,
        url=links.to("skill-edit", project.name, row.slug),
        back_url=own,
        crumbs=[("Skills", links.to("skill-list", project=project.name)), (row.title or row.slug, own)],
        form=form,
        text=text,
        note=str(form.data.get("note", "")) if form else "",
        content_hash=str(form.data.get("content_hash", "")) if form and not is_conflict else row.content_hash,
        preview=_preview(draft),
        error=error,
        is_conflict=is_conflict,
    )


def taken(project: Project, name: str) -> str:
    """Return the address of the skill whose folder a name would mean, "" where there is none. One query."""
    slug = naming.slug_of(name) if name.strip() else ""
    is_taken = bool(slug) and project.skills.filter(slug=slug).exists()
    return links.to("skill-detail", project.name, slug) if is_taken else ""


def _preview(draft: SkillCandidate) -> Preview:
    draft.body = frontmatter.split(draft.text)[1]
    fields, body = frontmatter.split(hidden.visible(draft.text))
    return Preview(
        html=markdown.render(body) if body else "",
        fields=list(fields.items()),
        slug=draft.slug and f"{FOLDER}/{draft.slug}/SKILL.md",
        checks=skills_checks.checks(draft),
        runs=skills_checks.what_it_runs(draft, None),
    )


def _url(project: Project, origin: Origin) -> str:
    url = links.to("skill-propose", project=project.name, session=origin.session)
    return "".join([url, *(f"&entry={pk}" for pk in origin.entries)])


def _entries(project: Project, origin: Origin) -> list[Entry]:
    """Read what a draft can be made from, in the order in which it happened. One query."""
    rows = journals.entries(project).in_file_order()  # type: ignore[attr-defined]
    if origin.session:
        return list(rows.filter(session__key=origin.session)[:SOURCES])
    return list(rows.filter(pk__in=origin.entries)) if origin.entries else []


def _source(entry: Entry, *, is_chosen: bool) -> Source:
    title = f"{dateformat.format(entry.date, 'j M')}, {entry.time}: {entry.title or 'Untitled entry'}"
    return Source(entry.pk, title, links.to("entry-detail", entry.pk), is_chosen)


def _draft(entries: Sequence[Entry]) -> Draft:
    """Begin a skill with what the journals say was done."""
    title = entries[0].title.strip() if entries else ""
    steps = list(dict.fromkeys(_points(entries)))[:STEPS]
    listed = "\n".join(f"{number}. {step}" for number, step in enumerate(steps or ["First step"], start=1))
    return Draft(
        name=title[:60].rstrip(" .,:;"),
        description="",
        body=f"# {title or 'What this is called'}\n\nWhen to use this, in a sentence.\n\n## Steps\n\n{listed}\n",
        sources=tuple(dict.fromkeys(f".memsearch/{entry.journal.path}" for entry in entries)),
    )


def _points(entries: Iterable[Entry]) -> Iterable[str]:
    for entry in entries:
        yield from (point[1].strip()[:300] for point in _POINT.finditer(entry.body[:20_000]))
