"""`memdock sign-in-link`: a fresh one-time link."""

from __future__ import annotations

from django.core.management.base import CommandParser
from django.utils import timezone

from memory.management.base import MemdockCommand, add_json
from memory.people import actions, links, queries


class Command(MemdockCommand):
    help = "print a fresh link that signs a browser in once"
    expected = (actions.UnknownPerson,)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user", nargs="?", default="", help="whom it signs in; the owner without it")
        add_json(parser)

    def handle(self, *, user: str, as_json: bool, **options: object) -> None:
        username, now = user or queries.owner_name(), timezone.now()
        url = links.url(actions.issue(username=username, at=now))
        data = {"url": url, "user": username, "expires_at": now + actions.LIFETIME}
        self.report(data, [url], as_json=as_json)
