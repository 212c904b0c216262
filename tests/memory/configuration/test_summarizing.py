"""Which summarizer a turn gets, why it could not work, and a try of it."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from memory.configuration import memsearch, summarizing
from memory.models import Capture, Project, Setting

pytestmark = pytest.mark.django_db


def settle(key: str, value: object) -> None:
    Setting.objects.create(project=None, key=key, value=value)


def install(name: str, script: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


@pytest.mark.parametrize(
    ("platform", "name", "reason"),
    [
        ("claude-code", "claude", "claude is not installed"),
        ("codex", "codex", "codex is not installed"),
        ("dsh", "dsh-headless", "dsh CLI not found; set DSH_CLI or install dsh on PATH for summarizeMode=dsh-headless"),
        (
            "openclaw",
            "dsh-headless",
            "dsh CLI not found; set DSH_CLI or install dsh on PATH for summarizeMode=dsh-headless",
        ),
    ],
)
def test_what_is_not_installed_is_said_before_a_turn_needs_it(platform: str, name: str, reason: str) -> None:
    assert summarizing.status(None, platform, memsearch.effective()) == summarizing.Status(name, reason)


def test_a_provider_says_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    def told() -> str:
        return summarizing.status(None, "codex", memsearch.effective()).reason

    settle("plugins.codex.summarize.provider", "anthropic")
    assert told() == "no API key is set for the provider anthropic"
    settle("llm.api_key", "env:HOUSE_KEY")
    assert "'HOUSE_KEY'" in told()
    monkeypatch.setenv("HOUSE_KEY", "k")
    assert told() == ""
    Setting.objects.filter(key__startswith="plugins").update(value="nobody")
    assert told() == "Unknown LLM provider 'nobody'"


def test_a_key_of_the_environment_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    settle("plugins.codex.summarize.provider", "gemini")
    monkeypatch.setenv("GEMINI_API_KEY", "k")

    assert summarizing.status(None, "codex", memsearch.effective()).reason == ""


def test_dsh_is_found_where_it_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install("my-dsh", "exit 0", tmp_path / "tools", monkeypatch)
    monkeypatch.setenv("DSH_CLI", "my-dsh --quiet")

    assert summarizing.status(None, "dsh", memsearch.effective()).reason == ""


def test_a_try_gives_the_bullets_and_writes_nothing() -> None:
    settle("capture.summarizer", "extractive")

    for project in (None, Project.objects.create(name="harbor")):
        trial = summarizing.attempt(project, "codex")
        assert trial.name == "extractive"
        assert trial.text.startswith(f"- User asked: {summarizing.QUESTION}")
        assert trial.reason == ""
    assert not Capture.objects.exists()


def test_a_try_of_what_fails_gives_the_reason_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert summarizing.attempt(None, "claude-code").reason == "claude is not installed"

    install("claude", 'echo "Not signed in" >&2; exit 1', tmp_path / "bin", monkeypatch)
    trial = summarizing.attempt(None, "claude-code")
    assert (trial.name, trial.text, trial.reason) == ("claude", "", "Not signed in")
