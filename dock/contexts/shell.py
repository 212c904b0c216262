"""What is around every page: rail, project switcher, account."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from memory import changes, refs
from memory.models import Project
from memory.projects import names, queries
from memory.skills import queries as skills

_RAIL = [
    ("live", "Live", "bolt", "l"),
    ("search", "Search", "magnifying-glass", "q"),
    ("journal", "Journals", "calendar-days", "j"),
    ("session", "Sessions", "chat-bubble-left-right", "s"),
    ("memory", "Memories", "bookmark", "m"),
    ("skill", "Skills", "academic-cap", "k"),
    ("document", "Documents", "document-text", "d"),
    ("upkeep", "Upkeep", "wrench-screwdriver", ""),
    ("file", "Files", "folder", "f"),
    ("stats", "Stats", "chart-bar", ""),
    ("health", "Health", "heart", "h"),
]
_ENDS = [
    ("connect", "Connect", "arrows-right-left", ""),
    ("settings", "Settings", "cog-6-tooth", ""),
]
"""What stands at the end of the rail."""
_WITHIN = {
    "entry": "journal",
    "conflict": "memory",
    "review": "memory",
    "prompt": "memory",
    "import": "memory",
    "artifact": "file",
    "capture": "health",
    "project": "",
    "first": "live",
}
"""Nouns of addresses that the rail has under another one."""
_PAGES = {
    "live": "live",
    "search": "search",
    "stats": "stats",
    "health": "health",
    "file": "file-list",
    "connect": "connect",
    "settings": "settings",
}


@dataclass(frozen=True, slots=True)
class NavItem:
    """One link of the rail; `key` follows `g` on the keyboard."""

    name: str
    label: str
    url: str
    icon: str
    key: str
    is_current: bool
    count: int = 0
    count_label: str = ""
    tone: str = ""


@dataclass(frozen=True, slots=True)
class ProjectChoice:
    """One line of the project switcher."""

    name: str
    label: str
    url: str
    entries: int
    is_current: bool


@dataclass(frozen=True, slots=True)
class SearchBox:
    """The box of the top bar; `is_here` on the search page, where results follow what is typed."""

    url: str
    text: str
    is_here: bool


@dataclass(frozen=True, slots=True)
class Shell:
    """Everything base.html prints."""

    nav: list[NavItem]
    ends: list[NavItem]
    project: ProjectChoice | None
    projects: list[ProjectChoice]
    search: SearchBox
    all_url: str
    add_url: str
    rail_url: str
    initials: str
    account: str
    since: int
    version: str


def shell(request: HttpRequest) -> dict[str, object]:
    """Context processor: the shell of pages for people, computed when a template asks for it. Three queries."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated or request.path.startswith("/admin/"):
        return {}
    return {"shell": SimpleLazyObject(lambda: _shell(request))}


def _shell(request: HttpRequest) -> Shell:
    since = _since(request)  # before anything else is read
    projects = list(queries.brief())
    current = _current(request, projects)
    account = request.user.get_full_name() or request.user.get_username()  # type: ignore[union-attr]
    switch = _switch_base(request)
    choices = [_choice(project, switch, current) for project in projects]
    return Shell(
        nav=_nav(request, _RAIL, current, _counts(current, projects)),
        ends=_nav(request, _ENDS, current, {}),
        project=next((choice for choice in choices if choice.is_current), None),
        projects=choices,
        search=_search(request),
        all_url=switch,
        add_url=reverse("dock:project-add"),
        rail_url=_with_project(reverse("dock:rail"), current),
        initials="".join(word[0] for word in account.split()[:2]).upper() or "?",
        account=account,
        since=since,
        version=settings.VERSION,
    )


def _since(request: HttpRequest) -> int:
    """Return the change from which on the page has to be told; pages that show no memory may note it late."""
    since: int | None = getattr(request, "since", None)
    return changes.latest() if since is None else since


def _current(request: HttpRequest, projects: list[Project]) -> Project | None:
    """Return the project that the address names, in its query or in its path, or that the record belongs to."""
    matched = request.resolver_match
    wanted = (
        request.GET.get("project") or (matched and matched.kwargs.get("project")) or getattr(request, "project", "")
    )
    return next((one for one in projects if wanted and one.name == names.canonical(str(wanted))), None)


def _search(request: HttpRequest) -> SearchBox:
    is_here = _section(request) == "search"
    return SearchBox(_page("search"), request.GET.get("q", "") if is_here else "", is_here)


def _switch_base(request: HttpRequest) -> str:
    """Return the list page to land on after switching: the current one of the rail, with what is searched for."""
    text = _search(request).text
    page = _page(_section(request) or "live")
    return f"{page}?q={refs.query(text)}" if text else page


def _choice(project: Project, base: str, current: Project | None) -> ProjectChoice:
    entries: int = project.entry_count  # type: ignore[attr-defined]
    return ProjectChoice(project.name, project.name, _with_project(base, project), entries, project == current)


def _nav(
    request: HttpRequest,
    items: list[tuple[str, str, str, str]],
    current: Project | None,
    counts: dict[str, dict[str, object]],
) -> list[NavItem]:
    section = _section(request)
    return [
        NavItem(
            name=name,
            label=label,
            url=_with_project(_page(name), current),
            icon=icon,
            key=key,
            is_current=name == section,
            **counts.get(name, {}),  # type: ignore[arg-type]
        )
        for name, label, icon, key in items
    ]


def _counts(current: Project | None, projects: list[Project]) -> dict[str, dict[str, object]]:
    concerned = [current] if current else projects
    problems = sum(len(project.problems) for project in concerned)
    return {
        "skill": {
            "count": skills.counts(current).waiting,
            "count_label": "to review",
            "tone": "accent",
        },
        "health": {"count": problems, "count_label": "problems", "tone": "warn"},
    }


def _section(request: HttpRequest) -> str:
    """Return the rail's item that an address belongs to."""
    matched = request.resolver_match
    noun = (matched.url_name or "").split("-")[0] if matched else ""
    noun = _WITHIN.get(noun, noun)
    return noun if noun in {item[0] for item in (*_RAIL, *_ENDS)} else ""


def _page(name: str) -> str:
    return reverse(f"dock:{_PAGES.get(name, f'{name}-list')}")


def _with_project(url: str, project: Project | None) -> str:
    mark = "&" if "?" in url else "?"
    return f"{url}{mark}project={refs.query(project.name)}" if project else url
