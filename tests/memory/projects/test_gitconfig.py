"""Where `origin` is, read as git reads it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.projects import gitconfig


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ('[remote "origin"]\n\turl = git@example.org:team/harbor.git\n\tfetch = x', "git@example.org:team/harbor.git"),
        ('[core]\nurl = no\n[ REMOTE "origin" ] URL=/srv/harbor ; primary', "/srv/harbor"),
        ('[remote "origin"]\r\nurl = https://example.org/harbor\r\n', "https://example.org/harbor"),
        ('[remote "origin"]\nurl = "C:\\\\src\\\\har;bor" # mine\n', "C:\\src\\har;bor"),
        ('[remote "origin"]\nurl = /srv/har\\\nbor\n', "/srv/harbor"),
        ('[remote "origin"]\nurl = /srv/first\nurl = /srv/second\n', "/srv/first"),
        ("[remote.origin]\nurl = /srv/harbor\n", "/srv/harbor"),
        ('[remote "Origin"]\nurl = /srv/harbor\n', ""),
        ('[remote "upstream"]\nurl = /srv/harbor\n', ""),
        ('[remote "origin"]\npushurl = /srv/harbor\n', ""),
        ('# [remote "origin"]\nurl = /srv/harbor\n', ""),
        ('[remote "origin"]\n[branch "main"]\nurl = /srv/harbor\n', ""),
        ('[include]\npath = /etc/passwd\n[url "evil:"]\ninsteadOf = https:\n', ""),
        ("", ""),
    ],
)
def test_finds_the_first_url_of_origin(text: str, url: str) -> None:
    assert gitconfig.origin_url(text) == url


urls = st.text(alphabet='ab/:.@\\"#;~% ñ', min_size=1, max_size=12).map(str.strip).filter(bool)


@given(urls)
def test_reads_what_git_writes(url: str) -> None:
    found = _written(url)

    assert gitconfig.origin_url(found) == url


def _written(url: str) -> str:
    """Quote as git does when it writes a value."""
    escaped = url.replace("\\", "\\\\").replace('"', '\\"')
    quoted = f'"{escaped}"' if {";", "#"} & set(url) else escaped
    return f'[core]\n\tbare = false\n[remote "origin"]\n\turl = {quoted}\n'


@pytest.mark.parametrize("url", ['a;b "c" \\d', "#x", "plain", "a  b", 'q"'])
def test_agrees_with_git_itself(url: str, tmp_path: Path) -> None:
    file = tmp_path / "config"
    subprocess.run(["git", "config", "--file", file, "remote.origin.url", url], check=True)

    assert gitconfig.origin_url(file.read_text()) == url


@given(st.text())
def test_reads_any_text(text: str) -> None:
    assert isinstance(gitconfig.origin_url(f'[remote "origin"]\n{text}'), str)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("git@example.org:team/Harbor-API.git", "Harbor-API"),
        ("https://example.org/team/harbor.git/", "harbor"),
        ("ssh://git@example.org:22/~mira/harbor", "harbor"),
        ("host:harbor.git", "harbor"),
        ("C:\\src\\harbor", "harbor"),
        ("/srv/harbor/.git", "harbor"),
        ("https://example.org/my%20harbor.git", "my%20harbor"),
        ("", ""),
        ("/", ""),
        (".git", ""),
    ],
)
def test_names_a_repository_by_the_last_part(url: str, name: str) -> None:
    assert gitconfig.last_part(url) == name
