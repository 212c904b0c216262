"""A provider of MemSearch's shared configuration: `[llm.providers.<name>]` of four types, over HTTP."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import httpx

from memory.capture.summarizers import prompt
from memory.capture.summarizers.base import Summary, Unavailable
from memory.capture.summarizers.bullets import bullets
from memory.configuration import keys, memsearch
from memory.configuration.memsearch import Configuration, Unset
from memory.models import Capture
from memory.transcripts import fields
from memory.transcripts.conversation import Json, JsonObject

name = "custom-llm"

TIMEOUT = 30.0
_MOST_TOKENS = 1500
_MODELS = {"openai": "gpt-5-mini", "anthropic": "claude-sonnet-4-6", "gemini": "gemini-3-flash-preview"}
_URLS = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "gemini": "https://generativelanguage.googleapis.com",
}
_KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "gemini": "GEMINI_API_KEY"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """One provider, ready to be asked; `kind` is openai, anthropic or gemini."""

    kind: str
    model: str
    url: str
    key: str


@dataclass(frozen=True, slots=True)
class _Question:
    """What a provider is asked, and how much of its time and words that is worth."""

    provider: Provider
    system: str
    text: str
    timeout: float
    most_tokens: int


def summarize(capture: Capture, *, agent_name: str) -> Summary:
    """Return the summary of the configured provider. Raises Unavailable."""
    configuration = memsearch.effective(capture.project)
    try:
        provider = chosen(configuration, f"plugins.{capture.platform}.summarize")
        told = prompt.text(configuration, agent_name)
    except Unset as exc:
        raise Unavailable(str(exc)) from exc
    said = ask(
        provider,
        told,
        capture.rendered,
        timeout=configuration.number(keys.TIMEOUT) or TIMEOUT,
        most_tokens=_MOST_TOKENS,
    )
    return replace(said, text=bullets(said.text))


def chosen(configuration: Configuration, plugin: str) -> Provider:
    """Return the provider of a plugin: its own, else `llm.provider`, else `compact.llm_provider`.

    Raises Unavailable for a name that stands for none, and Unset.
    """
    wanted = configuration.text(f"{plugin}.provider")
    wanted = "" if wanted == "native" else wanted
    wanted = wanted or configuration.text("llm.provider") or configuration.text("compact.llm_provider")
    table = f"llm.providers.{wanted}"
    kind = configuration.text(f"{table}.type") or wanted
    shared = "openai" if kind == "openai-compatible" else kind
    if shared not in _MODELS:
        raise Unavailable(f"Unknown LLM provider '{wanted}'")
    model = configuration.text(f"{plugin}.model") or configuration.text(f"{table}.model")
    key = configuration.text(f"{table}.api_key") or configuration.text("llm.api_key")
    url = configuration.text(f"{table}.base_url") or configuration.text("llm.base_url")
    if kind == "openai-compatible" and not url:
        raise Unavailable(f"provider {wanted} has no base_url")
    return Provider(
        kind=shared,
        model=model or configuration.text("llm.model") or _MODELS[shared],
        url=(url or _URLS[shared]).rstrip("/"),
        key=key or os.environ.get(_KEYS[shared], ""),
    )


def ask(provider: Provider, system: str, text: str, *, timeout: float, most_tokens: int) -> Summary:
    """Ask once, and return what the provider says, as it is. Raises Unavailable with what went wrong."""
    question = _Question(provider, system, text, timeout, most_tokens)
    try:
        return _ASK[provider.kind](question)
    except httpx.TimeoutException as exc:
        raise Unavailable("summarization timed out") from exc
    except (httpx.HTTPError, httpx.InvalidURL) as exc:
        raise Unavailable(f"the provider cannot be reached: {type(exc).__name__}") from exc


def _openai(asked: _Question) -> Summary:
    provider = asked.provider
    messages = [{"role": "system", "content": asked.system}, {"role": "user", "content": asked.text}]
    headers = {"Authorization": f"Bearer {provider.key}"} if provider.key else {}
    body = {"model": provider.model, "messages": messages}
    answer = _post(asked, f"{provider.url}/chat/completions", headers, body)
    choice = next(fields.records(answer.get("choices")), {})
    said = fields.joined(fields.record(choice.get("message")).get("content"))
    return _summary(provider, said, answer.get("usage"), "prompt_tokens", "completion_tokens")


def _anthropic(asked: _Question) -> Summary:
    provider = asked.provider
    headers = {"x-api-key": provider.key, "anthropic-version": "2023-06-01"}
    messages = [{"role": "user", "content": asked.text}]
    body = {
        "model": provider.model,
        "max_tokens": asked.most_tokens,
        "system": asked.system,
        "messages": messages,
    }
    answer = _post(asked, f"{provider.url.removesuffix('/v1')}/v1/messages", headers, body)
    return _summary(
        provider, fields.joined(answer.get("content")), answer.get("usage"), "input_tokens", "output_tokens"
    )


def _gemini(asked: _Question) -> Summary:
    provider = asked.provider
    body = {
        "systemInstruction": {"parts": [{"text": asked.system}]},
        "contents": [{"role": "user", "parts": [{"text": asked.text}]}],
    }
    url = f"{provider.url.removesuffix('/v1beta')}/v1beta/models/{provider.model}:generateContent"
    answer = _post(asked, url, {"x-goog-api-key": provider.key}, body)
    candidate = fields.record(next(fields.records(answer.get("candidates")), {}).get("content"))
    said = "\n".join(fields.text(part.get("text")) for part in fields.records(candidate.get("parts")))
    return _summary(provider, said, answer.get("usageMetadata"), "promptTokenCount", "candidatesTokenCount")


_ASK: dict[str, Callable[[_Question], Summary]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "gemini": _gemini,
}


def _post(asked: _Question, url: str, headers: dict[str, str], body: Mapping[str, object]) -> JsonObject:
    response = httpx.post(url, headers=headers, json=body, timeout=asked.timeout)
    try:
        answer = fields.record(response.json())
    except (ValueError, RecursionError):
        answer = {}
    if not response.is_success:
        error = answer.get("error")
        said = fields.text(fields.record(error).get("message")) or fields.text(error)
        raise Unavailable(f"the provider answered {response.status_code}" + (f": {said[:200]}" if said else ""))
    return answer


def _summary(provider: Provider, said: str, usage: Json, given: str, taken: str) -> Summary:
    counts = fields.record(usage)
    return Summary(
        text=said,
        model=provider.model,
        input_tokens=fields.number(counts.get(given)) or 0,
        output_tokens=fields.number(counts.get(taken)) or 0,
    )
