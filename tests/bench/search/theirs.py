"""memsearch with Milvus Lite: its Python package in a warm process, and its command."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import Any

from memsearch import MemSearch  # type: ignore[import-untyped]

from tests.bench.search.job import Job, Numbers, asked, main, timed
from tests.bench.search.vectors import MODEL

COLLECTION = "ms_bench_00000000"


def build(job: Job) -> Numbers:
    with _opened(job) as store:
        return {"build": timed(lambda: asyncio.run(store.index()))}


def ask(job: Job) -> Numbers:
    """Ask in this process, then find an entry that is appended, by its package and by its command."""
    with asyncio.Runner() as runner, _opened(job) as store:
        numbers = asked(job.questions(), lambda question: runner.run(store.search(question, top_k=10)))

        def find(word: str) -> None:
            runner.run(store.index())
            assert any(word in hit["content"] for hit in runner.run(store.search(word, top_k=10))), word

        word = job.append()
        numbers["appended"] = timed(lambda: find(word))
    numbers["command"] = timed(lambda: _command(job, "search", "what port does it listen on"))
    word = job.append(1)

    def find_by_command() -> None:
        _command(job, "index", str(job.memory))
        assert word in _command(job, "search", word)

    return numbers | {"command_appended": timed(find_by_command)}


def _opened(job: Job) -> Any:
    return MemSearch(
        [job.memory],
        embedding_provider="openai",
        embedding_model=MODEL,
        embedding_base_url=job.endpoint,
        embedding_api_key="none",
        milvus_uri=str(job.place / "milvus.db"),
        collection=COLLECTION,
    )


def _command(job: Job, name: str, argument: str) -> str:
    options = ["--provider", "openai", "--model", MODEL, "--base-url", job.endpoint, "--api-key", "none"]
    options += ["--milvus-uri", str(job.place / "milvus.db"), "--collection", COLLECTION]
    command = [sys.executable, "-m", "memsearch", name, argument, *options]
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=job.place).stdout


if __name__ == "__main__":
    main(build=build, ask=ask)
