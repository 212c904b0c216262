"""What the command line asks of a benchmark; handed down to the processes that run them."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass

_SIZES = "BENCH_SIZES"
_MEMSEARCH = "BENCH_MEMSEARCH"
_CRASHES = "BENCH_CRASHES"


@dataclass(frozen=True, slots=True)
class Options:
    """Sizes to which the search bench grows, and whether memsearch, which takes minutes, is measured beside.

    `with_crashes` has the capture bench kill MemDock's processes instead of timing them.
    """

    sizes: tuple[int, ...] = ()
    with_memsearch: bool = True
    with_crashes: bool = False


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of single benches."""
    parser.add_argument("--sizes", default="", metavar="N,N", help="search: further sizes, as 50000,100000,200000")
    parser.add_argument("--no-memsearch", action="store_true", help="search: leave memsearch out, which takes minutes")
    parser.add_argument("--crashes", action="store_true", help="capture: kill MemDock's processes meanwhile; minutes")


def choose(given: argparse.Namespace) -> None:
    """Keep what was given for `chosen`, in this process and those that it starts. Raises ValueError."""
    [int(size) for size in given.sizes.split(",") if size]
    os.environ[_SIZES] = given.sizes
    os.environ[_MEMSEARCH] = "no" if given.no_memsearch else "yes"
    os.environ[_CRASHES] = "yes" if given.crashes else "no"


def chosen() -> Options:
    sizes = tuple(int(size) for size in os.environ.get(_SIZES, "").split(",") if size)
    return Options(sizes, os.environ.get(_MEMSEARCH) != "no", os.environ.get(_CRASHES) == "yes")
