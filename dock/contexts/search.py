"""What the search page prints: hits with their places, what narrows them, and what to try when there are none."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.contrib.auth.models import User

from dock.contexts import links, search_saved
from dock.contexts.facets import Chip, Facet, chips, facets
from dock.contexts.hits import HitRow, rows
from dock.contexts.search_completions import term
from dock.contexts.search_saved import Refused, SavedMenu, SavedRow
from dock.forms.search import Criteria
from memory.models import Project
from memory.recall import relevance
from memory.search import query
from memory.search.types import Filters, Hit, Query, Results

PALETTE = 8
"""Hits that the palette shows."""
ROWS = 20
"""Hits of one page."""


@dataclass(frozen=True, slots=True)
class Tip:
    """Something that the search box understands, with an example to follow."""

    example: str
    words: str
    url: str


@dataclass(frozen=True, slots=True)
class Advice:
    """Something to try when nothing was found."""

    icon: str
    words: str
    url: str


@dataclass(frozen=True, slots=True)
class SearchPage:
    """The page; without a question there are `tips` instead of hits. `cut` is the place of the first weaker hit."""

    text: str
    is_question: bool
    project: str
    title: str
    summary: str
    since: str
    until: str
    kept: list[tuple[str, str]]
    sorts: list[tuple[str, str, bool]]
    chips: list[Chip]
    clear_url: str
    facets: list[Facet]
    hits: list[HitRow]
    cut: int
    hint: str
    advice: list[Advice]
    tips: list[Tip]
    saved: SavedMenu
    place: str
    previous_url: str
    next_url: str


@dataclass(frozen=True, slots=True)
class Palette:
    """The hits of the palette, the saved searches that match by name, and the page that has all hits."""

    text: str
    saved: list[SavedRow]
    hits: list[HitRow]
    all_url: str


def page(project: Project | None, criteria: Criteria, person: User, *, refused: Refused | None = None) -> SearchPage:
    """Build the page: one search, one query for the places of entries in their files, and one for what is saved."""
    owner = project.name if project else ""
    state = {"project": owner} | criteria.state()
    found = _search(owner, criteria) if criteria.is_question else None
    if found and found.total and not found.items:  # an address from when there was more of it
        criteria = replace(criteria, skipped=0)
        found = _search(owner, criteria)
    hits = found.items if found else []
    return SearchPage(
        text=criteria.text,
        is_question=criteria.is_question,
        project=owner,
        title=f"{' '.join(criteria.text.split())[:80]} · Search" if criteria.text else "Search",
        summary=_summary(found, owner),
        since=state["since"],
        until=state["until"],
        kept=[(name, value) for name, value in state.items() if value and name not in {"q", "project"}],
        sorts=_sorts(state),
        chips=chips(state),
        clear_url=links.to("search", q=criteria.text),
        facets=facets(found.facets, state) if found else [],
        hits=rows(hits, is_of_many=project is None, is_ranked=bool(found and _has_words(found.query))),
        cut=_cut(hits) if criteria.sort == "relevance" else -1,
        hint=found.hint if found else "",
        advice=_advice(found.query, state) if found and not hits else [],
        tips=_tips(project),
        saved=search_saved.menu(person, search_saved.query(project, criteria), refused),
        place=_place(criteria, found),
        previous_url=_previous(criteria, state),
        next_url=links.to("search", **state, cursor=found.next) if found and found.next else "",
    )


def palette(project: Project | None, text: str, person: User) -> Palette:
    """Find the best few for the palette, and before anything is typed all saved searches."""
    owner = project.name if project else ""
    found = query.search(text, filters=Filters(project=owner), limit=PALETTE).items if text else []
    return Palette(
        text=text,
        saved=[row for row in search_saved.listing(person) if text.casefold() in row.name.casefold()],
        hits=rows(found, is_of_many=project is None, is_ranked=True),
        all_url=links.to("search", q=text, project=owner),
    )


def _search(owner: str, criteria: Criteria) -> Results:
    filters = Filters(
        project=owner,
        kind=criteria.kind,
        type=criteria.type,
        platform=criteria.platform,
        since=criteria.since,
        until=criteria.until,
    )
    return query.search(criteria.text, filters=filters, sort=criteria.sort, limit=ROWS, cursor=criteria.cursor)


def _has_words(asked: Query) -> bool:
    return bool(asked.words or asked.phrases)


def _summary(found: Results | None, owner: str) -> str:
    place = f" in {owner}" if owner else ""
    if found is None:
        return f"Everything that agents remember{place}"
    took = f"{found.took_ms:,.0f} ms" if found.took_ms >= 1 else "less than 1 ms"
    if not found.total:
        return f"No results{place}, {took}"
    return f"{found.total:,} {'result' if found.total == 1 else 'results'}{place} in {took}"


def _previous(criteria: Criteria, state: dict[str, str]) -> str:
    """Return the address of the page before; the first page has no cursor."""
    if not criteria.skipped:
        return ""
    before = max(0, criteria.skipped - ROWS)
    return links.to("search", **state, cursor=before or "")


def _place(criteria: Criteria, found: Results | None) -> str:
    """Say which of the hits these are, where they are not all."""
    if not found or not found.items or not (criteria.skipped or found.next):
        return ""
    first = criteria.skipped + 1
    return f"{first:,} to {first + len(found.items) - 1:,} of {found.total:,}"


def _sorts(state: dict[str, str]) -> list[tuple[str, str, bool]]:
    return [
        (label, links.to("search", **(state | {"sort": value})), state["sort"] == value)
        for label, value in (("Relevance", ""), ("Newest", "time"))
    ]


def _cut(hits: list[Hit]) -> int:
    """Return the place from which on all hits are weak; -1 when the last one is not."""
    strong = [place for place, hit in enumerate(hits) if hit.relevance >= relevance.WEAK]
    cut = strong[-1] + 1 if strong else 0
    return cut if cut < len(hits) else -1


def _advice(asked: Query, state: dict[str, str]) -> list[Advice]:
    found = []
    if asked.phrases or asked.excluded:
        words = " ".join([asked.words, *asked.phrases]).strip()
        told = "Drop the quotation marks" if not asked.excluded else "Only the words, leave nothing out"
        found.append(Advice("chat-bubble-bottom-center-text", told, links.to("search", **(state | {"q": words}))))
    found += [
        Advice("funnel", f"Without {chip.words}", chip.url)
        for chip in chips(state)
        if not chip.words.startswith("project")
    ]
    if state["project"]:
        found.append(Advice("squares-2x2", "In all projects", links.to("search", **(state | {"project": ""}))))
    return found


def _tips(project: Project | None) -> list[Tip]:
    owner = project.name if project else ""
    name = owner or "harbor-api"
    return [
        Tip(example, told, links.to("search", q=example, project=owner))
        for example, told in (
            ('"row lock"', "the phrase as it stands"),
            ("lease -dns", "leave out what has this word"),
            (f"lease {term('project', name)}", "one project only"),
            ("lease kind:skill", "entry, session, skill or document"),
            ("migration platform:codex", "what one agent wrote"),
            ("lease since:30d", "the last 30 days; or a day such as since:2026-01-05, and until: for the end"),
        )
    ]
