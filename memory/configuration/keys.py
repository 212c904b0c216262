"""The keys of MemSearch's configuration and of MemDock's own settings, with their defaults."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

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
    "capture.daily_tokens": 0,
    "capture.daily_cents": 0,
    "capture.timeout_seconds": 0,  # 0 leaves each summarizer its own
    "recall.enabled": True,
    "recall.session_start": False,
    "documents.approval": False,
    "artifacts.project_quota_mb": 1024,
    "artifacts.total_quota_mb": 10 * 1024,  # for all projects together: what one of them says of it is not read
    "agent_loop.retrieve.session_start": False,
    "agent_loop.retrieve.pre_step": True,
    "agent_loop.retrieve.turn_stopping": False,
    "agent_loop.retrieve.tool_post_execute": False,
    "agent_loop.store.agent_created": False,
    "agent_loop.store.agent_disposed": False,
    "agent_loop.store.request_error": False,
    "agent_loop.store.agent_error": False,
    "agent_loop.store.turn_end": True,
    "agent_loop.store.tool_result": False,
    "agent_loop.model_tools.retrieve": True,
    "agent_loop.model_tools.update": True,
    "agent_loop.recall.form": "text",
    "agent_loop.recall.every_step": False,
    "agent_loop.recall.budget": 6000,
}
"""MemDock's own settings; those that no file of MemSearch's knows."""
OWN |= {f"capture.summarizers.{platform}": "" for platform in PLATFORMS}  # "" is what capture.summarizer says

_OWN_GROUPS = frozenset(key.partition(".")[0] for key in OWN)

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

SUMMARIZER = "capture.summarizer"
SUMMARIZERS = ("auto", "dsh-headless", "claude", "codex", "custom-llm", "extractive", "off")
"""What `capture.summarizer` may be; empty means auto."""

TIMEOUT = "capture.timeout_seconds"

RECALL_FORM = "agent_loop.recall.form"
RECALL_FORMS = ("text", "json")
"""How MemDock's own memories are told before a step: as `/recall` words them, or among the results of all plugins."""

PROVIDER_TYPES = ("openai", "openai-compatible", "anthropic", "gemini")

_CHOICES = {SUMMARIZER: SUMMARIZERS, RECALL_FORM: RECALL_FORMS}
_CHOICES |= {f"{SUMMARIZER}s.{platform}": SUMMARIZERS for platform in PLATFORMS}

_NOT_OURS = re.compile(
    r"(milvus|embedding|chunking|indexing|watch|reranker)\..+|compact\.(?!llm_provider$).+|prompts\.compact"
)


@cache
def defaults() -> Mapping[str, Scalar]:
    """Return every key that has a default. Source: MemSearch 0.4.23's `config list`."""
    values = dict(_GENERAL)
    for platform in PLATFORMS:
        plugin = f"plugins.{platform}"
        values |= {f"{plugin}.summarize.{key}": value for key, value in _summarize().items()}
        for task in TASKS:
            values |= {f"{plugin}.{task}.{key}": value for key, value in _task(task).items()}
    return MappingProxyType(values | OWN)


def is_known(key: str) -> bool:
    """Tell whether MemSearch or MemDock reads this key."""
    return key in defaults() or PROVIDER.fullmatch(key) is not None


def is_misspelt(key: str) -> bool:
    """Tell whether a key is none although it stands among MemDock's own; what MemSearch does not know is its matter."""
    return key.partition(".")[0] in _OWN_GROUPS and not is_known(key)


def is_secret(key: str) -> bool:
    """Tell whether the value is shown to nobody."""
    return key.endswith((".api_key", ".token"))


def is_used(key: str) -> bool:
    """Tell whether MemDock acts on this key; the others are MemSearch's alone, or read from its file at the start."""
    return is_known(key) and _NOT_OURS.fullmatch(key) is None


def choices(key: str) -> tuple[str, ...]:
    """Return the values that a key may have, none where it may have any of its type."""
    if key in _CHOICES:
        return _CHOICES[key]
    found = PROVIDER.fullmatch(key)
    return PROVIDER_TYPES if found and found[2] == "type" else ()


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
