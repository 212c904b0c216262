"""`memdock hook PLATFORM EVENT`: what an agent runs at its events. The standard library only, and never in its way.

Reads the agent's JSON from standard input, keeps it in the spool, asks what the agent should be told, prints that, and
tries to deliver what it kept. Whatever goes wrong, the agent goes on: exit 0, and at most one line on stderr.
"""

from __future__ import annotations

import json
import os
import queue
import re
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

STDIN_SECONDS = 2.0
LONGEST_STDIN_SECONDS = 10.0
WAIT_SECONDS = 0.3
"""How long an answer is waited for, unless MEMDOCK_HOOK_WAIT says so: a MemDock that is far away takes longer."""
LONGEST_WAIT_SECONDS = 30.0
RECALL_WAITS = 4
"""Recall may take so many times longer than anything else."""
LONGEST_QUERY = 2000
LONGEST_TEXT = 9000
"""Characters that are printed; agents cut what is longer than 10,000."""
SHORTEST_PROMPT = 10
FOLDER = "spool"
REFUSED = "spool-refused"
TOKEN_FILE = "hook-token"  # noqa: S105 - a name

type Json = dict[str, Any]

_LARGEST_ANSWER = 1 << 20
_DEEPEST = 40
_DELIVERED_AT_ONCE = 20
_GUARDS = ("MEMSEARCH_DISABLE", "MEMSEARCH_NO_WATCH", "MEMSEARCH_DSH_SUMMARIZE")
_PRIVATE = re.compile(r"<(/?)private\b[^<>]*>?", re.IGNORECASE)
_TELLS = {"SessionStart", "UserPromptSubmit"}
_CONTINUED = {"resume", "fork"}
_UNCLEAR = 400
"""Not taken, now and later; whether for what it says, or for a Host or a proxy, is not known."""
_NEVER_TAKEN = {413, 422}


def main(arguments: list[str]) -> int:
    """Handle one event; always return 0."""
    try:
        platform, event, *_ = [*arguments, "", ""]
        _handle(platform, event, arguments[2:])
    except Exception as exc:  # noqa: BLE001 - an agent must never stumble over its memory
        print(f"memdock hook: {type(exc).__name__}: {' '.join(str(exc).split())}", file=sys.stderr)
    return 0


def _handle(platform: str, event: str, rest: list[str]) -> None:
    given = _notified(rest) if event == "notify" else _read_json(STDIN_SECONDS)
    if not platform or _is_guarded(given):
        _print(event, "")
        return
    document = _document(platform, event, given)
    failure = _keep(document) if _is_worth_keeping(document, event, given) else None
    messages: list[int] = []
    text = ""
    if event in _TELLS and given.get("source") not in _CONTINUED:
        text, messages = _told(document, event, given)
    _print(event, text)
    for message in messages:
        _call("POST", f"/api/v1/agent-inbox/{message}/ack", {}, _wait_seconds())
    _deliver(_wait_seconds())
    if failure:
        raise failure


def _notified(rest: list[str]) -> Json:
    """Codex hands its event over as the last argument; what the person had there before is run first."""
    *options, payload = rest or [""]
    if options[:1] == ["--then"] and options[1:]:
        import subprocess

        with suppress(OSError):
            subprocess.Popen(  # noqa: S603 - the person's own command, as their configuration had it
                [*options[1:], payload], stdin=subprocess.DEVNULL, start_new_session=True
            )
    return _object(payload)


def _read_json(seconds: float) -> Json:
    """Read until one whole JSON value is there, the input ends, or nothing came for a while: some shells never close it.

    What comes slowly on a busy machine is waited for, up to LONGEST_STDIN_SECONDS in all.
    """
    pieces: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(pieces,), daemon=True).start()
    data, until = bytearray(), time.monotonic() + LONGEST_STDIN_SECONDS
    while (left := until - time.monotonic()) > 0:
        try:
            piece = pieces.get(timeout=min(seconds, left))
        except queue.Empty:
            break
        data += piece
        if not piece:
            break
        is_pause = pieces.empty()  # while more is there already, an end is not looked for: each look reads it all
        if is_pause and piece.rstrip().endswith(b"}") and (found := _object(data.decode("utf-8-sig", "replace"))):
            return found
    return _object(data.decode("utf-8-sig", "replace"))


def _read(pieces: queue.SimpleQueue[bytes]) -> None:
    """Put what comes in into a queue, an empty piece at the end: waiting for a pipe with a limit works on no Windows."""
    piece = b"more"
    while piece:
        try:
            piece = os.read(0, 1 << 16)
        except OSError:
            piece = b""
        pieces.put(piece)


def _object(text: str) -> Json:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _is_guarded(given: Json) -> bool:
    """Tell whether this is an agent that MemDock or MemSearch runs itself, or one that is to be left alone."""
    if os.environ.get("MEMDOCK_DISABLE", "") not in {"", "0"} or "MEMSEARCH_IN_STOP_WORKER" in os.environ:
        return True
    if any(os.environ.get(name) == "1" for name in _GUARDS):
        return True
    try:
        return Path(str(given.get("cwd") or Path.cwd())).resolve().is_relative_to(_data_dir().resolve())
    except (OSError, ValueError):
        return False


def _document(platform: str, event: str, given: Json) -> Json:
    """Make the capture document (contract section 6); private blocks do not leave this process."""
    session = str(given.get("session_id") or given.get("thread-id") or "")
    cwd = given.get("cwd") or str(Path.cwd())
    if platform == "claude-code":  # where the session started; the other one follows every `cd`
        cwd = os.environ.get("CLAUDE_PROJECT_DIR") or cwd
    facts: Json = {"id": session, "cwd": str(cwd)}
    transcript = given.get("transcript_path")
    if event.startswith("Subagent") and given.get("agent_id"):
        facts |= {"id": f"{session}/{given['agent_id']}", "parent_session": session, "origin": "subagent"}
        transcript = given.get("agent_transcript_path") or transcript
    document: Json = {
        "platform": platform,
        "session": facts,
        "final": event == "SessionEnd" and given.get("reason") != "resume",
        "transcript": transcript if isinstance(transcript, str) else None,
        "events": [given if event == "notify" else {"hook_event_name": event} | given],
    }
    return {key: _without_private(value) for key, value in document.items()}


def _is_worth_keeping(document: Json, event: str, given: Json) -> bool:
    """Leave out what names no session, and the helper with which Claude Code compacts."""
    return bool(document["session"]["id"]) and not (event == "SubagentStop" and given.get("agent_type") == "")


def _without_private(value: Any, depth: int = 0) -> Any:
    if isinstance(value, str):
        return _redacted(value)
    if isinstance(value, (dict, list)) and depth >= _DEEPEST:
        return "…"
    if isinstance(value, dict):
        return {_redacted(key): _without_private(inner, depth + 1) for key, inner in value.items()}
    return [_without_private(inner, depth + 1) for inner in value] if isinstance(value, list) else value


def _redacted(text: str) -> str:
    """Cut private blocks: those in blocks are one, and one without an end reaches to the end of the text."""
    kept: list[str] = []
    depth = start = 0
    for tag in _PRIVATE.finditer(text):
        is_opening = not tag[1]
        if is_opening and depth == 0:
            kept += [text[start : tag.start()], "[REDACTED]"]
        if is_opening or depth:
            depth += 1 if is_opening else -1
            start = tag.end()
    return "".join(kept if depth else [*kept, text[start:]])


def _data_dir() -> Path:
    return Path(os.environ.get("MEMDOCK_DATA_DIR") or "~/.memdock").expanduser()


def _keep(document: Json) -> OSError | None:
    """Write the document to the spool, whole or not at all, for its owner's eyes only; return what prevented it."""
    try:
        folder = _data_dir() / FOLDER
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        name = f"{time.time_ns():020d}-{os.getpid()}"
        draft = folder / f".{name}.tmp"
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(document, file)
        draft.replace(folder / f"{name}.json")
    except OSError as exc:
        return exc
    return None


def _told(document: Json, event: str, given: Json) -> tuple[str, list[int]]:
    """Return what the server says to this agent, and which messages are in it; nothing when it is away."""
    session = document["session"]
    prompt = _redacted(str(given.get("prompt") or "")) if event == "UserPromptSubmit" else ""
    parts: list[str] = []
    if event == "SessionStart" or (len(prompt) >= SHORTEST_PROMPT and not prompt.startswith("/")):
        body = {"session": session["id"], "cwd": session["cwd"], "query": prompt[:LONGEST_QUERY]}
        status, answer = _call("POST", "/api/v1/recall", body, RECALL_WAITS * _wait_seconds())
        if not status:
            return "", []
        parts.append(str(answer.get("text") or ""))
    inbox = f"/api/v1/agent-inbox?session={quote(session['id'], safe='')}"
    _, waiting = _call("GET", inbox, None, _wait_seconds())
    messages = [one for one in waiting.get("items") or [] if isinstance(one, dict) and isinstance(one.get("id"), int)]
    parts += [f"[memdock message {one['id']}] {one.get('text')}" for one in messages]
    text = "\n\n".join(filter(None, parts))[:LONGEST_TEXT]
    return f"<memdock-context>\n{text}\n</memdock-context>" if text else "", [one["id"] for one in messages]


def _print(event: str, text: str) -> None:
    """Say what the agent understands, in one write: nothing else may be on its standard output."""
    answer = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}} if text else {}
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def _wait_seconds() -> float:
    try:
        given = float(os.environ.get("MEMDOCK_HOOK_WAIT") or WAIT_SECONDS)
    except ValueError:
        return WAIT_SECONDS
    return min(given, LONGEST_WAIT_SECONDS) if given > 0 else WAIT_SECONDS  # "nan" is no time either


def _deliver(seconds: float) -> None:
    """Hand over what is in the spool, the oldest first; what is not taken now is taken by the worker, or next time.

    What the server says that it never takes is laid aside, as the worker does, so that it holds nobody up.
    """
    until = time.monotonic() + seconds
    for path in sorted((_data_dir() / FOLDER).glob("*.json"))[:_DELIVERED_AT_ONCE]:
        try:
            document = json.loads(path.read_bytes())
        except (OSError, ValueError):  # the worker was here first, or it will see
            continue
        status, _ = _call("POST", "/api/v1/events", document, until - time.monotonic())
        if 200 <= status < 300:
            path.unlink(missing_ok=True)
        elif status in _NEVER_TAKEN:
            _lay_aside(path)
        elif status != _UNCLEAR:
            return


def _lay_aside(path: Path) -> None:
    """Put a document where a person, and `memdock doctor`, find it."""
    refused = path.parent.parent / REFUSED
    with suppress(OSError):  # the worker was here first
        refused.mkdir(mode=0o700, exist_ok=True)
        path.replace(refused / path.name)


def _call(method: str, path: str, body: Json | None, seconds: float) -> tuple[int, Json]:
    """Return status and JSON of an answer; 0 where there is none. No proxy stands before one's own memory."""
    from http import client

    base = urlsplit(os.environ.get("MEMDOCK_URL") or f"http://127.0.0.1:{os.environ.get('MEMDOCK_PORT') or 7437}")
    kind = client.HTTPSConnection if base.scheme == "https" else client.HTTPConnection
    headers = {"Authorization": f"Bearer {_token()}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    if seconds <= 0:
        return 0, {}
    try:
        connection = kind(base.hostname or "", base.port, timeout=seconds)
        try:
            connection.request(method, base.path.rstrip("/") + path, data, headers)
            answer = connection.getresponse()
            found = _object(answer.read(_LARGEST_ANSWER).decode("utf-8", "replace"))
        finally:
            connection.close()
    except (OSError, ValueError, client.HTTPException):
        return 0, {}
    return answer.status, found if 200 <= answer.status < 300 else {}


def _token() -> str:
    if given := os.environ.get("MEMDOCK_TOKEN"):
        return given
    try:
        return (_data_dir() / TOKEN_FILE).read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
