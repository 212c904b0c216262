"""Summarizers give bullets or one clear reason, and fall back to nothing."""

from __future__ import annotations

import json
import os
import stat
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from memory.capture.summarizers import choice, claude, codex, custom_llm, dsh_headless, extractive, programs
from memory.capture.summarizers.base import Summarizer, Summary, Unavailable
from memory.capture.summarizers.bullets import bullets
from memory.models import Capture, Project, Session, Setting
from tests.waiting import wait_until

RENDERED = """=== Turn 3 ===

[User]: Why does the importer skip rows?

[Tool call]: bash {"command": "pytest tests/test_importer.py"}
[Tool error]: AssertionError: 3 != 4

[Assistant]: The importer trims trailing blanks.
Fixed in src/importer.py."""


@pytest.fixture
def capture(db: None) -> Capture:
    project = Project.objects.create(name="harbor")
    at = timezone.now()
    session = Session.objects.create(project=project, key="s1", external_id="s1", started_at=at, last_activity_at=at)
    return Capture.objects.create(
        project=project,
        session=session,
        platform="dsh",
        turn="3",
        question="Why does the importer skip rows?",
        rendered=RENDERED,
        occurred_at=at,
        next_attempt_at=at,
    )


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Put a program on PATH, in front of any real one of its name."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    def put(name: str, script: str) -> None:
        path = folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(path.stat().st_mode | stat.S_IEXEC)

    return put


def settle(key: str, value: object) -> None:
    Setting.objects.create(project=None, key=key, value=value)


def test_extractive_tells_request_tools_files_errors_and_outcome(capture: Capture) -> None:
    text = extractive.summarize(capture, agent_name="Codex").text

    assert text.splitlines() == [
        "- User asked: Why does the importer skip rows?",
        "- Codex used bash",
        "- Files: tests/test_importer.py, src/importer.py",
        "- Error: AssertionError: 3 != 4",
        "- Answer: The importer trims trailing blanks.",
        "- Fixed in src/importer.py.",
    ]
    assert extractive.summarize(capture, agent_name="Codex").text == text


def test_only_bullets_are_taken() -> None:
    said = "# Summary\n\nHere it is:\n- User asked\n  - a detail\n* Did it\n```\n<b>bye</b>"

    assert bullets(said) == "- User asked\n  - a detail\n- Did it"


@pytest.mark.parametrize(("said", "reason"), [("", "empty output"), ("<html>\n# No", "no bullets")])
def test_what_has_no_bullets_is_no_summary(said: str, reason: str) -> None:
    with pytest.raises(Unavailable, match=reason):
        bullets(said)


@given(st.text())
def test_bullets_are_bullets_whatever_was_said(said: str) -> None:
    try:
        lines = bullets(said).split("\n")
    except Unavailable:
        return
    assert all(line.lstrip(" ").startswith("- ") for line in lines)


def test_dsh_is_run_headless_and_is_not_captured_itself(
    capture: Capture, install: Callable[[str, str], None], tmp_path: Path
) -> None:
    install("dsh", f'env > {tmp_path}/env; printf "%s" "$3" > {tmp_path}/task; echo "- User asked about rows"')

    summary = dsh_headless.summarize(capture, agent_name="DeepSeek Harness")

    assert summary.text == "- User asked about rows"
    assert "MEMDOCK_DISABLE=1" in (tmp_path / "env").read_text()
    assert (tmp_path / "task").read_text().endswith(RENDERED)


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ('echo "dsh: AUTH: nope" >&2; exit 1', "dsh: AUTH: nope"),
        ("exit 3", "dsh exited with status 3"),
        ("exit 0", "summarizer returned empty output"),
        ('echo "<html># Sorry</html>"', "summarizer returned no bullets"),
    ],
)
def test_a_program_that_fails_is_a_reason(
    capture: Capture, install: Callable[[str, str], None], script: str, reason: str
) -> None:
    install("dsh", script)

    with pytest.raises(Unavailable, match=reason):
        dsh_headless.summarize(capture, agent_name="DSH")


def test_a_program_that_hangs_is_ended_with_its_children(install: Callable[[str, str], None], tmp_path: Path) -> None:
    install("hang", f"sleep 600 & echo $! > {tmp_path}/child; wait")

    with pytest.raises(Unavailable, match="summarizer timed out"):
        programs.run([programs.found("hang")], timeout=0.5)

    child = int((tmp_path / "child").read_text())
    wait_until(lambda: not _is_running(child))


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_program_that_is_not_there_is_said(capture: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("DSH_CLI", raising=False)

    with pytest.raises(Unavailable, match="dsh CLI not found; set DSH_CLI"):
        dsh_headless.summarize(capture, agent_name="DSH")


def test_claude_tells_its_price_and_its_error(capture: Capture, install: Callable[[str, str], None]) -> None:
    answer = {"is_error": False, "result": "- User asked", "usage": {"input_tokens": 7}, "total_cost_usd": 0.001}
    install("claude", f"cat > /dev/null; echo '{json.dumps(answer)}'")
    summary = claude.summarize(capture, agent_name="Claude Code")
    assert (summary.text, summary.input_tokens, str(summary.cost_usd)) == ("- User asked", 7, "0.001")

    install("claude", """echo '{"is_error": true, "subtype": "success", "result": "Not logged in"}'""")
    with pytest.raises(Unavailable, match="Not logged in"):
        claude.summarize(capture, agent_name="Claude Code")


def test_codex_answers_in_its_file_with_all_servers_off(
    capture: Capture, install: Callable[[str, str], None], tmp_path: Path
) -> None:
    install(
        "codex",
        f'if [ "$1" = mcp ]; then echo \'[{{"name": "memdock"}}]\'; exit 0; fi\n'
        f'echo "$@" > {tmp_path}/argv\nwhile [ "$1" != -o ]; do shift; done; echo "- User asked" > "$2"',
    )

    assert codex.summarize(capture, agent_name="Codex").text == "- User asked"
    assert "mcp_servers.memdock.enabled=false" in (tmp_path / "argv").read_text()


class _Provider(BaseHTTPRequestHandler):
    """Answers as each kind of provider does."""

    asked: list[tuple[str, dict[str, str], Any]]
    status = 200

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append((self.path, dict(self.headers), body))
        if self.status != 200:
            return self._answer({"error": {"message": "no such model"}})
        text = "- User asked"
        if "generateContent" in self.path:
            usage = {"promptTokenCount": 3, "candidatesTokenCount": 4}
            return self._answer({"candidates": [{"content": {"parts": [{"text": text}]}}], "usageMetadata": usage})
        if self.path.endswith("/v1/messages"):
            usage = {"input_tokens": 3, "output_tokens": 4}
            return self._answer({"content": [{"type": "text", "text": text}], "usage": usage})
        usage = {"prompt_tokens": 3, "completion_tokens": 4}
        return self._answer({"choices": [{"message": {"content": text}}], "usage": usage})

    def _answer(self, value: object) -> None:
        data = json.dumps(value).encode()
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def provider() -> Iterator[tuple[str, type[_Provider]]]:
    handler = type("Handler", (_Provider,), {"asked": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", handler
        server.shutdown()


@pytest.mark.parametrize("kind", ["openai", "openai-compatible", "anthropic", "gemini"])
def test_each_type_of_provider_is_asked_in_its_own_words(
    capture: Capture, provider: tuple[str, type[_Provider]], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, handler = provider
    monkeypatch.setenv("MY_KEY", "secret-key")
    settle("plugins.dsh.summarize.provider", "mine")
    table = {"type": kind, "model": "m-1", "base_url": url, "api_key": "env:MY_KEY"}
    for key, value in table.items():
        settle(f"llm.providers.mine.{key}", value)

    summarizer: Summarizer = choice.choose(capture)
    summary = summarizer.summarize(capture, agent_name="DeepSeek Harness")

    assert summary == Summary(text="- User asked", model="m-1", input_tokens=3, output_tokens=4)
    ((path, headers, body),) = handler.asked
    assert "secret-key" in str(headers)
    assert "m-1" in path + str(body)
    assert "trailing blanks" in str(body)
    assert "DeepSeek Harness" in str(body)


def test_a_provider_that_refuses_is_a_reason(capture: Capture, provider: tuple[str, type[_Provider]]) -> None:
    url, handler = provider
    handler.status = 404
    settle("llm.provider", "openai")
    settle("llm.base_url", url)
    settle("capture.summarizer", "custom-llm")

    with pytest.raises(Unavailable, match="the provider answered 404: no such model"):
        choice.choose(capture).summarize(capture, agent_name="DSH")


def test_an_unset_variable_is_a_reason(capture: Capture) -> None:
    settle("llm.provider", "openai")
    settle("llm.api_key", "env:NO_SUCH_VARIABLE_HERE")

    with pytest.raises(Unavailable, match="'NO_SUCH_VARIABLE_HERE'"):
        custom_llm.summarize(capture, agent_name="DSH")


@pytest.mark.parametrize(
    ("platform", "provider_name", "name"),
    [
        ("dsh", "", "dsh-headless"),
        ("dsh", "native", "dsh-headless"),
        ("dsh", "openai", "custom-llm"),
        ("claude-code", "native", "claude"),
        ("codex", "", "codex"),
    ],
)
def test_auto_takes_a_configured_provider_or_the_agents_own_command(
    capture: Capture, platform: str, provider_name: str, name: str
) -> None:
    capture.platform = platform
    if provider_name:
        settle(f"plugins.{platform}.summarize.provider", provider_name)

    assert choice.choose(capture).name == name
