"""Replies of models are read leniently, and what is no answer is never taken for one."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.maintenance import replies
from memory.maintenance.replies import Nonsense
from tests.memory.maintenance.models import none, replace, skill, skills


@pytest.mark.parametrize(
    "said",
    [
        replace("# A"),
        f"```json\n{replace('# A')}\n```",
        f'Thinking {{of}} [this] {{"a": 1}}\n{none()}\nNo, better:\n{replace("# A")}\nDone {{.',
        '{"action": "replace", "content": "# A\n", "reason": "a raw line end"}',
        f"[memsearch] log line {{ without an end\n{replace('# A')}",
    ],
)
def test_the_last_object_with_an_action_wins(said: str) -> None:
    found = replies.document(said)

    assert (found.action, found.text) == ("replace", "# A\n")


@pytest.mark.parametrize(
    "said",
    [
        '{"action": "replace", "reason": "cut", "content": "# A\\n\\nExample: ' + none(),
        '{"action": "replace", "content": "say "hello" to ' + none() + '"}',
        '[{"action": "none"}]',
        '{"answer": {"action": "none"}}',
        replace("<private>x</private>"),
        replace("x" * 1024 * 1024),
        json.dumps({"action": "replace", "content": ["# A"]}),
        json.dumps({"action": ["none"]}),
        '{"a":' * 100_000,
        "[" * 100_000,
    ],
)
def test_what_is_broken_is_no_answer(said: str) -> None:
    with pytest.raises(Nonsense):
        replies.document(said)


def test_skills_are_taken_one_by_one() -> None:
    said = skills(
        skill("run-tests"),
        skill("empty", body=" "),
        skill("huge", body="x" * 100_000),
        skill("odd", occurrences=True, sources=["a.md", 3, {"b": 1}], reason=None, description="Two\nlines."),
        skill("secret", body="Say <private>4711</private>."),
    )

    found = {one.name: one for one in replies.skills(f"Here:\n{said}")}

    assert list(found) == ["run-tests", "odd", "secret"]
    assert (found["odd"].occurrences, found["odd"].sources) == (None, ("a.md",))
    assert found["odd"].description == "Two lines."
    assert found["secret"].body == "Say [REDACTED]."


@pytest.mark.parametrize("said", ["", "none", "{}", '{"skills": {}}', none()])
def test_skills_need_a_list(said: str) -> None:
    with pytest.raises(Nonsense):
        replies.skills(said)


@given(st.text(), st.text(), st.text(alphabet='{}[]"\\,: an\n'))
def test_whatever_stands_around_it_the_content_is_whole_or_refused(content: str, reason: str, noise: str) -> None:
    try:
        found = replies.document(f"{noise}\n{replace(content, reason)}")
    except Nonsense:
        return
    assert found.text.strip() == replies.document(replace(content, reason)).text.strip()


@given(st.text(alphabet='{}[]"\\ action:none,replace') | st.text())
def test_anything_is_read_or_refused(said: str) -> None:
    for read in (replies.document, replies.skills):
        try:
            read(said)
        except Nonsense:
            continue
