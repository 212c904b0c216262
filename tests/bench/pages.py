"""Server time and queries of every dock page over 100,000 entries."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from memory import refs
from memory.audit import COMMAND
from memory.models import Document, Entry, Journal, Project, Session, SkillCandidate
from memory.projects import actions, sync
from tests.bench.result import Result, percentile
from tests.makers import make_generated_tree

ENTRIES = 100_000
ROUNDS = 15


def run() -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as directory:
        tree = Path(directory) / "harbor"
        make_generated_tree(tree, "--size", str(ENTRIES), "--quirks", "skills,project-md,user-md")
        project, _ = actions.add(path=str(tree), actor=COMMAND, at=timezone.now())
        sync.sync(project, at=timezone.now())
        browser = Client(headers={"host": "127.0.0.1"})
        browser.force_login(User.objects.create_superuser("bench"))
        for name, url in _pages(project).items():
            yield from _measure(browser, name, url)


def _pages(project: Project) -> dict[str, str]:
    named = f"?project={project.name}"
    day = Journal.objects.order_by("-entry_count").values_list("date", flat=True)[0]
    session = Session.objects.order_by("-last_activity_at")[0]
    skill, document = SkillCandidate.objects.all()[0], Document.objects.all()[0]
    return {
        "live": reverse("dock:live"),
        "journals": reverse("dock:journal-list") + named,
        "day": reverse("dock:journal-day", args=[day]) + named,
        "entry": refs.url(refs.entry(Entry.objects.all()[ENTRIES // 2])),
        "sessions": reverse("dock:session-list") + named,
        "sessions, filtered": reverse("dock:session-list") + named + "&q=lease",
        "session": refs.url(refs.session(session)),
        "skills": reverse("dock:skill-list") + named,
        "skill": refs.url(refs.skill(skill, project)),
        "documents": reverse("dock:document-list") + named,
        "document": refs.url(refs.document(document, project)),
        "files": reverse("dock:file-browser", args=[project.name]) + f"?path=memory/{day}.md",
        "health": reverse("dock:health"),
    }


def _measure(browser: Client, name: str, url: str) -> Iterator[Result]:
    with CaptureQueriesContext(connection) as queries:
        response = browser.get(url)
    count = len(queries)  # now: the log is emptied at the next request
    if response.status_code != 200:
        raise SystemExit(f"{url} answered {response.status_code}")
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        browser.get(url)
        times.append((time.perf_counter() - start) * 1000)
    yield Result("pages", f"{name}, p50 of {ROUNDS}, {count} queries", percentile(times, 50), "ms", 60)
