"""`memdock search`: what is remembered about something."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memory.api.v1.schemas import search as schemas
from memory.journal.grammar import clean
from memory.management.base import MemdockCommand, add_json
from memory.models import Project
from memory.projects import queries
from memory.recall import relevance, snippets
from memory.search import backends, meaning
from memory.search.query import search
from memory.search.types import Filters, Hit, Results

LIMIT = 200


class Command(MemdockCommand):
    help = "search what is remembered"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("query", nargs="+", help="what to look for; after -- it may begin with a dash")
        parser.add_argument("--project", default="", help="one project only")
        parser.add_argument("--kind", default="", help="entry, session, skill, …")
        parser.add_argument("-k", dest="limit", type=_limit, default=10, help=f"how many hits, 1 to {LIMIT} (10)")
        add_json(parser)

    def handle(
        self, *args: object, query: list[str], project: str, kind: str, limit: int, as_json: bool, **options: object
    ) -> None:
        meaning.warm()  # no later search of this process would profit from a model that loads meanwhile
        backends.warm()
        found = search(" ".join(query), filters=Filters(project=_name(project), kind=kind), limit=limit)
        if said := _said(found):
            self.say(said)
        data = [schemas.Hit.of(hit).model_dump(mode="json") for hit in found.items]
        lines = [line for number, hit in enumerate(found.items, 1) for line in _lines(number, hit)]
        self.report(data, lines, as_json=as_json)


def _said(found: Results) -> str:
    if found.items:
        return found.hint
    if not Project.objects.exists():
        return "There is nothing to search yet: add a project with memdock add PATH."
    return f"Nothing was found. {found.hint}".strip()


def _limit(text: str) -> int:
    number = int(text)
    if not 1 <= number <= LIMIT:
        raise argparse.ArgumentTypeError(f"{text} is not between 1 and {LIMIT}")
    return number


_limit.__name__ = "number"  # what argparse calls a value that is none


def _name(project: str) -> str:
    found = queries.find(project) if project else None
    if project and found is None:
        raise CommandError(f"There is no project {project}.")
    return found.name if found else ""


def _lines(number: int, hit: Hit) -> Iterator[str]:
    moment = timezone.localtime(hit.when).strftime("%Y-%m-%d %H:%M")
    yield clean(f"{number}. {' '.join(hit.title.split()) or 'Untitled'}")
    yield clean(f"   {hit.ref} · {hit.project} · {moment} · {relevance.word(hit.relevance)}")
    if text := snippets.plain(hit.snippet):
        yield clean(f"   {text}")
