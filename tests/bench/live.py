"""From a commit in another process to the fragment in a real browser."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright's loop runs in this thread; it never runs our queries

from django.utils import timezone
from playwright.sync_api import Page, sync_playwright

from memory.audit import COMMAND
from memory.models import Project
from memory.people import actions as people
from memory.people import links
from memory.people.queries import owner_name
from memory.projects import actions, sync
from tests.bench.result import Result, percentile
from tests.makers import make_entry_text, make_tree
from tests.servers import running

ROUNDS = 60
DAY = "2026-01-05"

_WATCH = """() => {
  window.seen = {};
  new MutationObserver(() => {
    for (const [title] of document.querySelector("main").innerText.matchAll(/Tide \\d+/g)) seen[title] ??= Date.now();
  }).observe(document.querySelector("main"), {childList: true, subtree: true, characterData: true});
}"""


def run() -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as directory, running(), sync_playwright() as playwright:
        project, _ = actions.add(path=str(make_tree(Path(directory))), actor=COMMAND, at=timezone.now())
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = chromium.new_page()
        page.goto(links.url(people.issue(username=owner_name(), at=timezone.now())))
        page.get_by_role("button", name="Sign in").click()
        page.locator(".conn[data-state=live]").wait_for()
        page.evaluate(_WATCH)
        late = [_round(page, project, Path(directory), number) for number in range(ROUNDS)]
        yield Result("live", f"commit elsewhere → in the browser, p50 of {ROUNDS}", percentile(late, 50), "ms")
        yield Result("live", f"commit elsewhere → in the browser, p95 of {ROUNDS}", percentile(late, 95), "ms", 150)
        appended = [_append(page, Path(directory), number) for number in range(ROUNDS, 2 * ROUNDS)]
        yield Result("live", f"append by a shell → in the browser, p95 of {ROUNDS}", percentile(appended, 95), "ms")
        chromium.close()


def _round(page: Page, project: Project, root: Path, number: int) -> float:
    """Write an entry and commit it at once, before the watcher looks; return ms from commit to screen."""
    _write(root, number)
    sync.sync(project, at=timezone.now())
    return _late(page, number, since=time.time())


def _append(page: Page, root: Path, number: int) -> float:
    _write(root, number)
    return _late(page, number, since=time.time())


def _write(root: Path, number: int) -> None:
    with (root / ".memsearch" / "memory" / f"{DAY}.md").open("a") as file:
        file.write(make_entry_text(turn=str(number), body=f"- Tide {number}"))


def _late(page: Page, number: int, *, since: float) -> float:
    """Wait for the title; the browser and this process read the same clock."""
    while True:
        seen = page.evaluate(f"window.seen['Tide {number}'] ?? null")
        if seen is not None:
            return float(seen) - since * 1000
        page.wait_for_timeout(20)
