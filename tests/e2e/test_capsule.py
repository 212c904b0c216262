"""The capsule in a frame of a page of another origin, as a composer of an agent frames it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

import pytest

from tests.databases import own_database
from tests.e2e.conftest import PATIENCE_MS, Dock
from tests.e2e.yards import VIOLATIONS, Yard, axe_script, make_yard
from tests.servers import running

pytest.importorskip("playwright", reason="the group browser is not installed: no tests in a real Chromium")

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FrameLocator


class Host(BaseHTTPRequestHandler):
    """A page of somebody else that frames what its path names."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        frame = unquote(self.path[1:])
        self.wfile.write(f'<!doctype html><iframe width="320" height="600" src="{escape(frame)}"></iframe>'.encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def hosting() -> Iterator[str]:
    """Serve pages of another origin until the block ends."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Host) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_the_capsule_lives_in_a_frame_of_a_named_origin_alone(chromium: Browser, tmp_path: Path) -> None:
    with hosting() as named, hosting() as other, own_database() as database:
        data = {"MEMDOCK_DATA_DIR": str(tmp_path / "data"), "MEMDOCK_EMBED_ORIGINS": named} | database
        with running(**data) as server:
            dock = Dock(server, data, tmp_path)
            yard = make_yard(dock, tmp_path, "slip", "anchor-watch", "berth-plan")
            context = chromium.new_context(viewport={"width": 360, "height": 700})
            context.set_default_timeout(PATIENCE_MS)
            page = context.new_page()
            page.goto(f"{named}/{quote(dock.url('/dock/capsule/?session=s1'), safe='')}")
            page.frame_locator("iframe").get_by_text("Signed out").wait_for()
            page.goto(server.sign_in)
            page.get_by_role("button", name="Sign in").click()
            page.wait_for_url(dock.url("/dock/**"))

            page.goto(f"{other}/{quote(dock.url('/dock/capsule/?session=s1'), safe='')}")
            page.wait_for_load_state("networkidle")
            assert page.frames[1].locator(".capsule").count() == 0

            page.goto(f"{named}/{quote(dock.url('/dock/capsule/?session=s1'), safe='')}")
            use_the_capsule(page.frame_locator("iframe"), yard)
            framed = page.frames[1]
            framed.evaluate(axe_script())
            assert framed.evaluate(VIOLATIONS) == []
            assert framed.evaluate("document.documentElement.scrollWidth") <= 320
            context.close()


def use_the_capsule(capsule: FrameLocator, yard: Yard) -> None:
    """Read, approve, look at a file, and see what is proposed meanwhile."""
    capsule.locator(".conn[data-state=live]").wait_for()
    capsule.locator("summary.capsule-bar").click()
    capsule.locator("#capsule-panel .row").nth(0).get_by_role("link", name="Read first").click()
    capsule.get_by_text("Look at the anchor-watch.").wait_for()
    capsule.get_by_role("button", name="Approve", exact=True).click()
    capsule.get_by_text("Approved.").wait_for()
    assert capsule.locator("#capsule-bar .count").inner_text().startswith("1")

    capsule.get_by_role("link", name="Files").click()
    capsule.get_by_role("treeitem", name="memory").click()
    capsule.get_by_role("treeitem", name="2026-01-05.md").click()
    capsule.locator("#pane").get_by_text("Watched the anchor").wait_for()

    yard.propose("crane-check", "Look up.")
    capsule.locator("#capsule-bar .count").get_by_text("2").wait_for()
