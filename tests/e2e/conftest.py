"""A real `memdock up` over a copy of the sample, and a real Chromium in which the owner is signed in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.databases import own_database
from tests.e2e.complaints import complaints_of
from tests.places import FIXTURES
from tests.servers import Server, running
from tests.waiting import DEADLINE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

PATIENCE_MS = DEADLINE * 1000
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


@dataclass(frozen=True, slots=True)
class Dock:
    """A running MemDock, its environment, and the project directory that it watches."""

    server: Server
    environment: dict[str, str]
    project: Path

    def url(self, path: str) -> str:
        return self.server.url + path

    def journal(self, day: str) -> Path:
        return self.project / ".memsearch" / "memory" / f"{day}.md"

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run `memdock …` against the same data."""
        return subprocess.run(
            [sys.executable, "-m", "memsite.cli", *arguments],
            env=os.environ | self.environment,
            capture_output=True,
            text=True,
            check=True,
        )


@pytest.fixture(scope="session")
def dock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dock]:
    if not FIXTURES.is_dir():
        pytest.skip("the sample is not here")
    project = tmp_path_factory.mktemp("src") / "harbor-api"
    shutil.copytree(FIXTURES / "sample" / "harbor-api", project)
    for path in [project, *project.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    data = {"MEMDOCK_DATA_DIR": str(tmp_path_factory.mktemp("data"))}
    with own_database() as database, running(**data, **database) as server:
        dock = Dock(server, data | database, project)
        dock.command("add", str(project))
        yield dock


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    executable = shutil.which("chromium") or shutil.which("chromium-browser")
    if not executable:
        pytest.skip("no chromium on this machine")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS, timeout=PATIENCE_MS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def signed_in(dock: Dock, chromium: Browser) -> Any:
    """Sign in as a person does, by the printed link and its button; return the cookies."""
    context = chromium.new_context()
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto(dock.server.sign_in)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(dock.url("/dock/**"))
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture
def context(chromium: Browser, signed_in: Any) -> Iterator[BrowserContext]:
    context = chromium.new_context(storage_state=signed_in, viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page that must stay free of script errors and CSP violations."""
    page = context.new_page()
    complaints = complaints_of(page)
    page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
    yield page
    page.close()
    assert complaints == []
