"""What a system is asked to do, and the numbers that it gives back as JSON on its standard output."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.result import percentile

type Numbers = dict[str, float]

QUESTIONS = 100
APPENDED = "zanzibarquay"
"""A word that nobody wrote before."""


@dataclass(frozen=True, slots=True)
class Job:
    """A project's directory, where the system may keep its index, and the address of the embeddings endpoint."""

    tree: Path
    place: Path
    endpoint: str

    @property
    def memory(self) -> Path:
        return self.tree / ".memsearch" / "memory"

    def questions(self) -> list[str]:
        """The planted questions, in five languages."""
        lines = (self.tree / "facts.jsonl").read_text().splitlines()[:QUESTIONS]
        return [json.loads(line)["question"] for line in lines]

    def append(self, number: int = 0) -> str:
        """Append an entry to the newest day; return the word by which it is found."""
        word = f"{APPENDED}{number}"
        with max(self.memory.glob("????-??-??.md")).open("a") as file:
            file.write(f"### 23:58\n<!-- session:bench turn:{word} db: -->\n- Moved the {word} crane\n\n")
        return word


def run(system: str, phase: str, job: Job) -> Numbers:
    """Let a system do its job in a process of its own."""
    command = [sys.executable, "-m", f"tests.bench.search.{system}", phase, str(job.tree), str(job.place), job.endpoint]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=_environment(job)).stdout
    numbers: Numbers = json.loads(told.splitlines()[-1])
    return numbers


def main(**phases: Callable[[Job], Numbers]) -> None:
    """Do what the command line says and print the numbers."""
    phase, tree, place, endpoint = sys.argv[1:]
    print(json.dumps(phases[phase](Job(Path(tree), Path(place), endpoint))))


def asked(questions: Sequence[str], search: Callable[[str], object]) -> Numbers:
    """Ask all questions, after a few to warm up; milliseconds, and the megabytes that the process holds then."""
    times = []
    for question in [*questions[:5], *questions]:
        start = time.perf_counter()
        search(question)
        times.append((time.perf_counter() - start) * 1000)
    return {"p50": percentile(times[5:], 50), "p95": percentile(times[5:], 95), "memory": resident()}


def timed(work: Callable[[], object]) -> float:
    """Return the seconds that it takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def resident() -> float:
    """Return this process's resident memory in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024**2


def _environment(job: Job) -> dict[str, str]:
    return os.environ | {
        "HOME": str(job.place),  # memsearch reads its configuration there
        "DJANGO_SETTINGS_MODULE": "memsite.settings",
        "MEMDOCK_DATA_DIR": str(job.place),
        "MEMDOCK_EMBEDDING": "openai:hashed",
        "MEMDOCK_EMBEDDING_URL": job.endpoint,
    }
