"""The keys of MemSearch's configuration and of MemDock's own settings, with their defaults."""

from __future__ import annotations

import re

PLATFORMS = ("claude-code", "codex", "opencode", "openclaw", "dsh")
TASKS = ("project_review", "user_profile", "memory_to_skill")

type Scalar = str | int | bool | float | list[str]

_GENERAL: dict[str, Scalar] = {
    "milvus.uri": "~/.memsearch/milvus.db",
    "milvus.token": "",
    "milvus.collection": "memsearch_chunks",
    "embedding.provider": "openai",
    "embedding.model": "",
    "embedding.batch_size": 0,
    "embedding.base_url": "",
    "embedding.api_key": "",
    "compact.llm_provider": "openai",
    "compact.llm_model": "",
    "compact.prompt_file": "",
    "compact.base_url": "",
    "compact.api_key": "",
    "chunking.max_chunk_size": 1500,
    "chunking.overlap_lines": 2,
    "indexing.ignore_files": [],
    "indexing.exclude": [],
    "watch.debounce_ms": 1500,
    "reranker.model": "",
    "llm.provider": "",
    "llm.model": "",
    "llm.base_url": "",
    "llm.api_key": "",
    "prompts.compact": "",
    "prompts.summarize": "",
    "prompts.project_review": "",
    "prompts.user_profile": "",
    "prompts.memory_to_skill": "",
}
_OUTPUTS = {"project_review": ".memsearch/PROJECT.md", "user_profile": ".memsearch/USER.md"}

OWN: dict[str, Scalar] = {
    "capture.enabled": True,
    "capture.summarizer": "",  # "" chooses as the agent's MemSearch plugin does
    "capture.subagents": False,
    "capture.daily_summaries": 500,
    "recall.enabled": True,
    "recall.session_start": False,
    "documents.approval": False,
}
"""MemDock's own settings; those that no file of MemSearch's knows."""

TRUSTED_IN_A_PROJECT = frozenset(
    {
        "milvus.collection",
        "embedding.batch_size",
        "chunking.max_chunk_size",
        "chunking.overlap_lines",
        "indexing.ignore_files",
        "indexing.exclude",
        "watch.debounce_ms",
    }
)
"""What a project's own `.memsearch.toml` may set; anybody may have written that file."""

PROVIDER = re.compile(r"llm\.providers\.([^.]+)\.(type|model|base_url|api_key)")


def defaults() -> dict[str, Scalar]:
    """Return every key that has a default. Source: MemSearch 0.4.23's `config list`."""
    values = dict(_GENERAL)
    for platform in PLATFORMS:
        plugin = f"plugins.{platform}"
        values |= {f"{plugin}.summarize.{key}": value for key, value in _summarize().items()}
        for task in TASKS:
            values |= {f"{plugin}.{task}.{key}": value for key, value in _task(task).items()}
    return values | OWN


def is_known(key: str) -> bool:
    """Tell whether MemSearch or MemDock reads this key."""
    return key in defaults() or PROVIDER.fullmatch(key) is not None


def is_secret(key: str) -> bool:
    """Tell whether the value is shown to nobody."""
    return key.endswith((".api_key", ".token"))


def _summarize() -> dict[str, Scalar]:
    return {"enabled": True, "provider": "", "model": ""}


def _task(task: str) -> dict[str, Scalar]:
    common: dict[str, Scalar] = {
        "enabled": False,
        "provider": "native",
        "model": "",
        "min_interval_hours": 24,
        "input_dir": ".memsearch/memory",
    }
    if task in _OUTPUTS:
        return common | {"output_file": _OUTPUTS[task]}
    return common | {"min_occurrences": 3, "paths": []}
