"""What the command line asks of a benchmark; handed down to the processes that run them."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass

_SIZES = "BENCH_SIZES"
_MEMSEARCH = "BENCH_MEMSEARCH"


@dataclass(frozen=True, slots=True)
class Options:
    """Sizes to which the search bench grows, and whether memsearch, which takes minutes, is measured beside."""

    sizes: tuple[int, ...] = ()
    with_memsearch: bool = True


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the search bench."""
    parser.add_argument("--sizes", default="", metavar="N,N", help="search: further sizes, as 50000,100000,200000")
    parser.add_argument("--no-memsearch", action="store_true", help="search: leave memsearch out, which takes minutes")


def choose(given: argparse.Namespace) -> None:
    """Keep what was given for `chosen`, in this process and those that it starts. Raises ValueError."""
    [int(size) for size in given.sizes.split(",") if size]
    os.environ[_SIZES] = given.sizes
    os.environ[_MEMSEARCH] = "no" if given.no_memsearch else "yes"


def chosen() -> Options:
    sizes = tuple(int(size) for size in os.environ.get(_SIZES, "").split(",") if size)
    return Options(sizes, os.environ.get(_MEMSEARCH) != "no")
