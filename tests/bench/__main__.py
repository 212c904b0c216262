"""`python -m tests.bench [NAME …] [--json]`: runs the benchmarks in a data directory of their own."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict

from tests.bench import options
from tests.bench.result import Result

NAMES = ["up", "read", "pages", "live", "recall", "search", "imports", "wire", "capture", "service"]


def main() -> None:
    parser = argparse.ArgumentParser(prog="memdock bench", description="Measure MemDock on this machine.")
    parser.add_argument("name", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--json", action="store_true")
    options.add(parser)
    given = parser.parse_args()
    if unknown := set(given.name) - set(NAMES):
        parser.error(f"no benchmark named {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    try:
        options.choose(given)
    except ValueError as exc:
        parser.error(f"--sizes: {exc}")
    names = given.name or NAMES
    results = measure(names[0]) if len(names) == 1 else apart(names)
    if given.json:
        print(json.dumps([asdict(result) for result in results], indent=2))
        return
    print(f"{os.cpu_count()} cores, Python {platform.python_version()}")
    for result in results:
        print(line(result), flush=True)


def apart(names: list[str]) -> Iterator[Result]:
    """Run each benchmark in a process and a data directory of its own."""
    for name in names:
        command = [sys.executable, "-m", "tests.bench", name, "--json"]
        told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        yield from (Result(**one) for one in json.loads(told))


def measure(name: str) -> Iterator[Result]:
    directory = tempfile.mkdtemp(prefix="memdock-bench-")
    os.environ |= {"MEMDOCK_DATA_DIR": directory, "DJANGO_SETTINGS_MODULE": "memsite.settings"}
    try:
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        yield from importlib.import_module(f"tests.bench.{name}").run()
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def line(one: Result) -> str:
    goal = f"goal {'>' if one.is_floor else '<'} {one.goal:g} {one.unit}" if one.goal is not None else ""
    return f"{one.bench:6} {one.what:52} {one.value:10.1f} {one.unit:8} {goal}".rstrip()


if __name__ == "__main__":
    main()
