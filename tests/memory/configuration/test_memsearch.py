"""The layers of the configuration, from the defaults up to what was chosen for one project."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.configuration import memsearch
from memory.models import Project, Setting
from tests.memory.configuration.conftest import configure

pytestmark = pytest.mark.django_db

KEY = "chunking.max_chunk_size"


def test_each_layer_wins_over_those_beneath_and_hides_none(home: Path, tree: Path) -> None:
    configure(home, "[chunking]\nmax_chunk_size = 1000\n")
    (tree / ".memsearch.toml").write_text("[chunking]\nmax_chunk_size = 900\n")
    project = Project.objects.create(name="harbor", root=str(tree))
    Setting.objects.create(project=None, key=KEY, value=800)
    Setting.objects.create(project=project, key=KEY, value=700)

    value: memsearch.Value | None = memsearch.effective(project).values[KEY]
    layers = []
    while value:
        layers.append((value.source, value.value))
        value = value.beneath

    assert layers == [
        ("this project", 700),
        ("MemDock", 800),
        (".memsearch.toml", 900),
        ("config.toml", 1000),
        ("default", 1500),
    ]
    assert memsearch.effective().values[KEY].without("MemDock").value == 1000


def test_a_project_that_was_never_saved_has_what_holds_for_all() -> None:
    Setting.objects.create(project=None, key=KEY, value=800)

    assert memsearch.effective(Project()).number(KEY) == 800


def test_what_a_projects_own_file_may_not_say_is_left_out_and_told_once(tree: Path) -> None:
    names = "".join(f'[llm.providers.p{number}]\nbase_url = "http://evil"\n' for number in range(500))
    (tree / ".memsearch.toml").write_text(f'[llm]\napi_key = "s3cret"\n{names}')

    found = memsearch.effective(Project.objects.create(name="harbor", root=str(tree)))

    assert found.text("llm.api_key") == ""
    assert found.provider_names() == []
    [problem] = found.problems
    assert "llm.api_key" in problem
    assert "498 more" in problem
    assert "s3cret" not in problem


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[watch]\ndebounce_ms = 'soon'", "watch.debounce_ms"),
        ("[watch]\ndebounce_ms = true", "watch.debounce_ms"),
        ("[recall]\nenabled = 'perhaps'", "recall.enabled"),
    ],
)
def test_a_value_of_the_wrong_kind_is_a_problem_and_no_value(home: Path, text: str, key: str) -> None:
    configure(home, text)

    found = memsearch.effective()

    assert found.values[key].source == "default"
    assert [problem.startswith(f"config.toml: {key} cannot be ") for problem in found.problems] == [True]


def test_switches_and_numbers_may_be_words_and_variables(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(home, '[recall]\nenabled = "off"\n[capture]\ndaily_summaries = "env:MOST"\nsubagents = "env:DEEP"\n')
    monkeypatch.setenv("MOST", "7")
    found = memsearch.effective()

    assert not found.flag("recall.enabled")
    assert found.number("capture.daily_summaries") == 7
    assert found.problems == ()
    assert found.unset_variable("capture.subagents") == "DEEP"
    assert found.unset_variable("capture.daily_summaries") == ""


def test_secrets_and_passwords_are_never_shown(home: Path) -> None:
    configure(
        home,
        '[llm]\napi_key = "s3cret"\n[llm.providers.a]\napi_key = "env:HOUSE"\nbase_url = "http://u:s3cret@h/v1"\n'
        '[milvus]\ntoken = "s3cret"\nuri = "http://u:s3cret@h"\n',
    )
    found = memsearch.effective()

    told = {key: found.shown(key) for key in found.values}
    assert "s3cret" not in str(told)
    assert told["llm.api_key"] == "••••"
    assert told["llm.providers.a.api_key"] == "env:HOUSE"
