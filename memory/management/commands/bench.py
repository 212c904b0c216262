"""`memdock bench`: measures MemDock on this machine."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

from django.core.management.base import BaseCommand, CommandError, CommandParser


class Command(BaseCommand):
    help = "measure MemDock on this machine, with data of its own"
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "name",
            nargs="*",
            metavar="NAME",
            help="up, read, pages, live, recall, search, imports, wire, capture, service; all by default",
        )
        parser.add_argument("--sizes", default="", metavar="N,N", help="search: further sizes, as 50000,100000,200000")
        parser.add_argument("--no-memsearch", action="store_true", help="search: leave memsearch out")
        parser.add_argument("--crashes", action="store_true", help="capture: kill MemDock's processes meanwhile")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(
        self, *, name: list[str], sizes: str, no_memsearch: bool, crashes: bool, json: bool, **_options: object
    ) -> None:
        if not find_spec("tests"):
            raise CommandError("The benchmarks are part of the source; run this in a checkout.")
        command = [sys.executable, "-m", "tests.bench", *name, f"--sizes={sizes}"]
        flags = {"--no-memsearch": no_memsearch, "--crashes": crashes, "--json": json}
        command += [flag for flag, is_set in flags.items() if is_set]
        if code := subprocess.run(command, check=False).returncode:  # noqa: S603 - our own module
            raise SystemExit(code)
