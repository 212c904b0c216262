"""The command itself: one event, from what the agent hands over to what it is told."""

from __future__ import annotations

import json
import sys
from urllib.parse import quote

from memsite.hook.document import as_document, is_guarded, is_worth_keeping
from memsite.hook.given import Json, notified, read_object
from memsite.hook.redaction import redacted
from memsite.hook.server import RECALL_WAITS, call, wait_seconds
from memsite.hook.spool import deliver, keep

STDIN_SECONDS = 2.0
LONGEST_QUERY = 2000
LONGEST_TEXT = 9000
"""Characters that are printed; agents cut what is longer than 10,000."""
SHORTEST_PROMPT = 10

_TELLS = {"SessionStart", "UserPromptSubmit"}
_CONTINUED = {"resume", "fork"}


def main(arguments: list[str]) -> int:
    """Handle one event; always return 0."""
    try:
        platform, event, *_ = [*arguments, "", ""]
        _handle(platform, event, arguments[2:])
    except Exception as exc:  # noqa: BLE001 - an agent must never stumble over its memory
        print(f"memdock hook: {type(exc).__name__}: {' '.join(str(exc).split())}", file=sys.stderr)
    return 0


def _handle(platform: str, event: str, rest: list[str]) -> None:
    given = notified(rest) if event == "notify" else read_object(STDIN_SECONDS)
    if not platform or is_guarded(given):
        _print(event, "")
        return
    document = as_document(platform, event, given)
    failure = keep(document) if is_worth_keeping(document, event, given) else None
    messages: list[int] = []
    text = ""
    if event in _TELLS and given.get("source") not in _CONTINUED:
        text, messages = _told(document, event, given)
    _print(event, text)
    for message in messages:
        call("POST", f"/api/v1/agent-inbox/{message}/ack", {}, wait_seconds())
    deliver(wait_seconds())
    if failure:
        raise failure


def _told(document: Json, event: str, given: Json) -> tuple[str, list[int]]:
    """Return what the server says to this agent, and which messages are in it; nothing when it is away."""
    session = document["session"]
    prompt = redacted(str(given.get("prompt") or "")) if event == "UserPromptSubmit" else ""
    parts: list[str] = []
    if event == "SessionStart" or (len(prompt) >= SHORTEST_PROMPT and not prompt.startswith("/")):
        body = {"session": session["id"], "cwd": session["cwd"], "query": prompt[:LONGEST_QUERY]}
        status, answer = call("POST", "/api/v1/recall", body, RECALL_WAITS * wait_seconds())
        if not status:
            return "", []
        parts.append(str(answer.get("text") or ""))
    inbox = f"/api/v1/agent-inbox?session={quote(session['id'], safe='')}"
    _, waiting = call("GET", inbox, None, wait_seconds())
    messages = [one for one in waiting.get("items") or [] if isinstance(one, dict) and isinstance(one.get("id"), int)]
    parts += [f"[memdock message {one['id']}] {one.get('text')}" for one in messages]
    text = "\n\n".join(filter(None, parts))[:LONGEST_TEXT]
    return f"<memdock-context>\n{text}\n</memdock-context>" if text else "", [one["id"] for one in messages]


def _print(event: str, text: str) -> None:
    """Say what the agent understands, in one write: nothing else may be on its standard output."""
    answer = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}} if text else {}
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
