"""Whether a person finds every page: by links from the first one, never by its address alone."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import resolve, reverse
from django.urls.exceptions import Resolver404
from django.utils import timezone

from dock.urls import urlpatterns
from memory.engram import observations
from memory.models import Project
from memory.search import saved
from tests.memory.engram.makers import make_observation, make_prompt, make_session
from tests.samples import make_sample

NOT_LINKED = {"first-run", "capsule"}
"""The live page leads to the first steps while there is nothing; agents frame the capsule."""

LOOKED_AT = 2
"""Pages of one kind that are opened."""


class Reading(HTMLParser):
    """Collects what a page refers to in any of its attributes, and what it links to."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.named: set[str] = set()
        self.links: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value.partition("#")[0] for name, value in attrs if value and value.startswith("/")}
        self.named |= set(values.values())
        if tag == "a" and "href" in values:
            self.links.append(values["href"])


def crawl(browser: Client, start: str) -> Iterator[set[str]]:
    """Follow links, a few to each kind of page; yield what every page refers to."""
    waiting, opened, seen = [start], dict[str, int](), {start}
    while waiting:
        url = waiting.pop(0)
        kind = name_of(url)
        if opened.setdefault(kind, 0) == LOOKED_AT or not kind:
            continue
        opened[kind] += 1
        answer = browser.get(url, follow=True)
        assert answer.status_code == 200, url
        html = answer.getvalue().decode(errors="replace")
        if answer["Content-Type"].startswith("text/html"):
            reading = Reading(html)
            yield reading.named
            waiting += [link for link in reading.links if link not in seen]
            seen |= set(reading.links)


def name_of(url: str) -> str:
    try:
        found = resolve(url.partition("?")[0])
    except Resolver404:
        return ""
    return found.url_name or "" if found.app_names == ["dock"] else ""


@pytest.fixture
def remembered(db: None) -> Project:
    """Return a project in which there is some of everything."""
    project = make_sample()
    make_session(), make_observation(), make_prompt()
    observations.delete(pk=make_observation("Gone", content="x").pk, at=timezone.now())
    return project


def test_every_page_is_reached_by_links(browser: Client, owner: User, remembered: Project) -> None:
    saved.save(owner=owner, name="Leases", query="q=lease", at=timezone.now())
    named = {name_of(url) for found in crawl(browser, "/dock/") for url in found}

    alone = {pattern.name for pattern in urlpatterns if not pattern.pattern.converters}
    pages = {name for name in alone if b"<html" in browser.get(reverse(f"dock:{name}")).getvalue()}
    assert pages - named == NOT_LINKED
