"""Which project a directory belongs to, shown on real repositories."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.engram.errors import InvalidProject, InvalidProjectConfig, ProjectUnresolved
from memory.models import Project, ProjectAlias, Session
from memory.projects import children, detection, directories
from memory.projects.detection import Detected, current
from tests.makers import make_project, make_tree
from tests.memory.engram.counting import costs
from tests.memory.projects.git import git, make_repository

pytestmark = pytest.mark.django_db

NOW = timezone.now()


def found(cwd: Path | str) -> tuple[str, str]:
    detected = current(str(cwd))
    assert (detected.error_hint == "") == (detected.source != "ambiguous")
    return detected.project, detected.source


def bind(directory: Path, text: str) -> None:
    (directory / ".engram").mkdir(parents=True)
    (directory / ".engram" / "config.json").write_text(text)


def name(directory: Path, project: str) -> None:
    bind(directory, json.dumps({"project_name": project}))


def test_takes_the_name_of_the_remote(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "checkout", origin="git@example.org:team/Harbor--API.git")
    (repo / "src" / "pkg").mkdir(parents=True)

    for directory in (repo, repo / "src" / "pkg", repo / ".git" / "refs"):
        assert current(str(directory)) == Detected(
            project="harbor-api", source="git_remote", path=str(repo), cwd=str(directory)
        )


def test_takes_the_name_of_the_root_where_there_is_no_remote(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "Harbor")
    git(repo, "remote", "add", "upstream", "https://example.org/other.git")
    (repo / "src").mkdir()

    assert found(repo / "src") == ("harbor", "git_root")


def test_a_remote_without_a_name_leaves_the_roots(tmp_path: Path) -> None:
    assert found(make_repository(tmp_path / "harbor", origin="/")) == ("harbor", "git_root")


def test_a_linked_worktree_is_its_primary_checkouts_project(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo")
    git(repo, "worktree", "add", "-q", "../repo-wt")
    (tmp_path / "repo-wt" / "src").mkdir()

    assert found(tmp_path / "repo-wt" / "src") == ("repo", "git_root")
    assert current(str(tmp_path / "repo-wt")).path == str(tmp_path / "repo-wt")
    name(repo, "harbor")
    assert found(tmp_path / "repo-wt" / "src") == ("harbor", "config")


def test_a_worktree_whose_primary_checkout_is_out_of_sight_keeps_its_name(tmp_path: Path) -> None:
    (tmp_path / "wt").mkdir()
    (tmp_path / "wt" / ".git").write_text("gitdir: /host/src/Harbor/.git/worktrees/wt\n")

    assert found(tmp_path / "wt") == ("harbor", "git_root")


@pytest.mark.parametrize("bare", ["harbor.git", "harbor/.bare"])
def test_a_worktree_of_a_bare_repository_has_its_name(tmp_path: Path, bare: str) -> None:
    repo = make_repository(tmp_path / "made-from")
    git(tmp_path, "clone", "-q", "--bare", str(repo), bare)
    git(tmp_path / bare, "remote", "remove", "origin")
    git(tmp_path / bare, "worktree", "add", "-q", "--detach", str(tmp_path / "wt"))

    assert found(tmp_path / "wt") == ("harbor", "git_root")


def test_a_submodule_is_a_project_of_its_own(tmp_path: Path) -> None:
    inner = make_repository(tmp_path / "tides")
    outer = make_repository(tmp_path / "harbor")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "vendor/tides")

    assert found(outer / "vendor" / "tides") == ("tides", "git_remote")


def test_a_configured_name_wins_and_is_looked_for_up_to_the_root(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo", origin="/srv/harbor-api.git")
    (repo / "a" / "b").mkdir(parents=True)
    name(tmp_path, "outside")
    name(repo, " Harbor-Gateway ")

    assert current(str(repo / "a" / "b")) == Detected(
        project="harbor-gateway", source="config", path=str(repo), cwd=str(repo / "a" / "b")
    )
    name(repo / "a", "inner")
    assert found(repo / "a" / "b") == ("inner", "config")


def test_outside_of_git_only_the_directory_itself_is_asked(tmp_path: Path) -> None:
    name(tmp_path, "all of it")
    (tmp_path / "notes").mkdir()

    assert found(tmp_path) == ("all of it", "config")
    assert found(tmp_path / "notes") == ("notes", "dir_basename")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        "null",
        '{"project_name": ""}',
        '{"project_name": " "}',
        '{"project_name": 3}',
        '{"project_name": "a/b"}',
        '{"project_name": "a\\\\b"}',
        '{"project_name": "a\\u0000b"}',
        '{"project_name": "\\ud800"}',
        '{"project_name": "' + "x" * 70_000 + '"}',
        "[" * 60_000,
    ],
)
def test_a_configuration_that_cannot_be_used_is_an_error(tmp_path: Path, text: str) -> None:
    repo = make_repository(tmp_path / "repo")
    bind(repo, text)

    with pytest.raises(InvalidProjectConfig) as failed:
        current(str(repo))
    assert failed.value.code == "project_resolution_failed"
    assert "config.json" in failed.value.message


def test_a_configuration_that_is_no_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a" / ".engram" / "config.json").mkdir(parents=True)
    (tmp_path / "b" / ".engram").mkdir(parents=True)
    os.mkfifo(tmp_path / "b" / ".engram" / "config.json")

    for directory in ("a", "b"):
        with pytest.raises(InvalidProjectConfig):
            current(str(tmp_path / directory))


def test_reads_a_configuration_with_a_byte_order_mark(tmp_path: Path) -> None:
    bind(tmp_path, '\ufeff{"project_name": "harbor", "other": 1}')

    assert found(tmp_path) == ("harbor", "config")


def test_the_name_that_engram_kept_outlives_the_remote(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo", origin="/srv/renamed.git")
    identity = repo / ".git" / "engram-project-identity.json"
    identity.write_text('{"version": 1, "id": "' + "a" * 32 + '", "project": "harbor"}')
    before = sorted(path for path in repo.rglob("*"))

    assert found(repo) == ("harbor", "git_remote")
    assert sorted(path for path in repo.rglob("*")) == before
    for text in ("{", "[]", '{"project": 1}', '{"project": "a/b"}'):
        identity.write_text(text)
        with pytest.raises(ProjectUnresolved):
            current(str(repo))


def test_takes_the_only_repository_below(tmp_path: Path) -> None:
    make_repository(tmp_path / "checkout", origin="/srv/harbor.git")
    for skipped in (".hidden", "node_modules", "vendor", "target"):
        make_repository(tmp_path / skipped)
    (tmp_path / "notes").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "vendor")

    assert current(str(tmp_path)) == Detected(
        project="harbor",
        source="git_child",
        path=str(tmp_path / "checkout"),
        cwd=str(tmp_path),
        warning="auto-promoted child repository: checkout",
    )


def test_names_every_repository_below_when_there_are_several(tmp_path: Path) -> None:
    for number in range(12):
        make_repository(tmp_path / f"harbor-{number:02}")
    name(tmp_path / "harbor-03", "gateway")
    make_tree(tmp_path / "harbor-05")
    make_project(tmp_path / "harbor-05", name="tides")

    with costs(4):
        detected = current(str(tmp_path))
    expected = {f"harbor-{number:02}" for number in range(12)} - {"harbor-03", "harbor-05"} | {"gateway", "tides"}
    assert (detected.project, detected.source, detected.path) == ("", "ambiguous", str(tmp_path))
    assert detected.available == tuple(sorted(expected))
    assert detected.error_hint == "ambiguous project: multiple git repos found in cwd"


def test_a_repository_and_its_worktree_are_one_project(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo")
    git(repo, "worktree", "add", "-q", "../repo-wt")

    assert found(tmp_path) == ("repo", "git_child")


def test_a_scan_that_takes_too_long_finds_nothing(tmp_path: Path) -> None:
    make_repository(tmp_path / "harbor")

    assert children.below(tmp_path, budget_s=0) == []
    assert [repository.root.name for repository in children.below(tmp_path, budget_s=60)] == ["harbor"]


def test_a_directory_without_a_repository_has_its_own_name(tmp_path: Path) -> None:
    for directory in ("Notes", "-notes", "broken"):
        (tmp_path / directory).mkdir()
    (tmp_path / "broken" / ".git").mkdir()

    assert found(tmp_path / "Notes") == ("notes", "dir_basename")
    assert found(tmp_path / "-notes") == ("-notes", "dir_basename")
    assert found(tmp_path / "broken") == ("broken", "dir_basename")
    assert found("/") == ("unknown", "dir_basename")


def test_a_relative_path_is_the_servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_repository(tmp_path / "-harbor")
    monkeypatch.chdir(tmp_path / "-harbor")

    assert found("") == found(" ") == found(".") == ("-harbor", "git_root")
    assert current("").cwd == str(tmp_path / "-harbor")
    monkeypatch.chdir(tmp_path)
    assert found("-harbor") == ("-harbor", "git_root")


def test_warns_that_a_home_directory_is_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    assert "home directory" in current(str(tmp_path)).warning
    (tmp_path / "src").mkdir()
    assert current(str(tmp_path / "src")).warning == ""


def test_engram_project_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name(tmp_path, "configured")
    monkeypatch.setenv("ENGRAM_PROJECT", " Harbor ")

    assert found(tmp_path) == ("harbor", "process_override")
    monkeypatch.setenv("ENGRAM_PROJECT", "a/b")
    with pytest.raises(InvalidProject):
        current(str(tmp_path))
    monkeypatch.setenv("ENGRAM_PROJECT", " ")
    assert found(tmp_path) == ("configured", "config")


def test_what_lies_in_a_registered_project_belongs_to_it(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo", origin="/srv/other.git")
    git(repo, "worktree", "add", "-q", "../repo-wt")
    make_project(make_tree(repo), name="harbor")
    (repo / "src").mkdir()

    with costs(2):
        assert current(str(repo / "src")) == Detected(
            project="harbor", source="config", path=str(repo), cwd=str(repo / "src")
        )
    assert found(tmp_path / "repo-wt") == ("harbor", "config")
    name(repo, "gateway")
    assert found(repo / "src") == ("gateway", "config")


def test_the_innermost_registered_project_counts(tmp_path: Path) -> None:
    make_project(make_tree(tmp_path / "outer"), name="outer")
    make_project(make_tree(tmp_path / "outer" / "inner"), name="inner")

    assert found(tmp_path / "outer" / "inner" / ".memsearch") == ("inner", "config")
    assert found(tmp_path / "outer" / ".memsearch") == ("outer", "config")


def test_a_name_that_was_merged_gives_the_one_that_it_went_to(tmp_path: Path) -> None:
    ProjectAlias.objects.create(project=Project.objects.create(name="harbor"), name="harbor-api")

    assert found(make_repository(tmp_path / "a" / "harbor-api")) == ("harbor", "git_root")
    assert found(tmp_path / "a") == ("harbor", "git_child")
    assert found("C:\\work\\Harbor-API") == ("harbor", "dir_basename")


@pytest.mark.parametrize(
    ("cwd", "project"),
    [
        ("C:\\work\\Harbor-Api", "harbor-api"),
        ("c:/work/harbor-api/", "harbor-api"),
        ("\\\\server\\share\\harbor", "harbor"),
        ("/nowhere/on/this/machine", "machine"),
        ("C:\\", "c:"),
        ("/nowhere/a\0b", "a\ufffdb"),
        ("/nowhere/\ud800", "?"),
        ("/nowhere/" + "x" * 300, "unknown"),
        ("/nowhere" * 3_000, "nowhere"),
    ],
)
def test_an_unseen_directory_has_its_own_name(cwd: str, project: str) -> None:
    assert found(cwd) == (project, "dir_basename")


def test_an_unseen_directory_belongs_to_what_was_told_of_it() -> None:
    harbor, tides = (Project.objects.create(name=one) for one in ("harbor", "tides"))
    directories.tell("C:\\work\\repo", harbor, at=NOW)
    directories.tell("c:/work/repo/tides/", tides, at=NOW)

    assert current("c:\\work\\repo\\src") == Detected(
        project="harbor", source="config", path="C:\\work\\repo", cwd="c:\\work\\repo\\src"
    )
    assert found("C:/work/repo/tides/src") == ("tides", "config")
    assert found("C:/work/repository") == ("repository", "dir_basename")


def test_an_unseen_directory_belongs_to_the_project_of_its_last_session() -> None:
    for key, project in (("s1", "old"), ("s2", "harbor")):
        Session.objects.create(
            project=Project.objects.create(name=project),
            key=key,
            external_id=key,
            directory="/nowhere/repo",
            started_at=NOW,
            last_activity_at=NOW,
        )

    assert found("/nowhere/repo/") == ("harbor", "git_root")
    assert found("/nowhere") == ("nowhere", "dir_basename")


def test_what_was_told_of_a_seen_directory_comes_before_guesses(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo", origin="/srv/other.git")
    (repo / "src").mkdir()
    directories.tell(str(repo), Project.objects.create(name="harbor"), at=NOW)
    directories.tell(str(tmp_path), Project.objects.create(name="outside"), at=NOW)

    assert found(repo / "src") == ("harbor", "config")
    assert found(tmp_path) == ("outside", "config")


def test_runs_nothing_of_a_hostile_repository(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo")
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    with (repo / ".git" / "config").open("a") as config:
        config.write(f"[core]\nfsmonitor = {trap}\nhooksPath = {tmp_path}\nsshCommand = {trap}\npager = {trap}\n")
        config.write(f'[include]\npath = {trap}\n[remote "origin"]\nurl = ext::{trap} %S harbor\n')

    assert current(str(repo)).source == "git_remote"
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize("special", ["commondir", "config", "engram-project-identity.json"])
def test_is_not_held_up_by_special_files(tmp_path: Path, special: str) -> None:
    gitdir = tmp_path / "gitdir"
    gitdir.mkdir()
    (gitdir / "HEAD").write_text("ref: refs/heads/main\n")
    os.mkfifo(gitdir / special)
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / ".git").write_text("gitdir: ../gitdir\n")

    if special == "engram-project-identity.json":
        with pytest.raises(ProjectUnresolved):
            current(str(tmp_path / "repo"))
    else:
        assert found(tmp_path / "repo") == ("repo", "git_root")


@pytest.mark.parametrize("pointer", ["", "gitdir:", "gitdir: \0", "gitdir: nowhere", "\udcff", "x" * 20_000])
def test_a_pointer_that_leads_nowhere_is_no_repository(tmp_path: Path, pointer: str) -> None:
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / ".git").write_bytes(pointer.encode(errors="surrogateescape"))

    assert found(tmp_path / "repo") == ("repo", "dir_basename")


def test_leaves_alone_names_that_are_no_text(tmp_path: Path) -> None:
    odd = os.fsencode(tmp_path) + b"/\xff"
    os.mkdir(odd)
    os.mkdir(odd + b"/.git")
    (Path(os.fsdecode(odd)) / ".git" / "HEAD").write_text("x")
    (tmp_path / "link").symlink_to(os.fsdecode(odd))

    assert found(tmp_path)[1] == "dir_basename"
    assert found(tmp_path / "link") == ("link", "dir_basename")


@settings(max_examples=60)
@given(st.one_of(st.text(), st.lists(st.sampled_from(["C:", "..", ".", "", "-a", "é", "\\", "%00"])).map("/".join)))
def test_answers_for_any_path(cwd: str) -> None:
    detected = current(f"/nowhere/{cwd}")

    assert detected.project
    assert detected.source == "dir_basename" or directories.seen(f"/nowhere/{cwd}")


def test_names_its_sources_as_clients_know_them() -> None:
    known = {"config", "git_remote", "git_root", "git_child", "dir_basename", "process_override", "ambiguous"}

    assert set(detection.Source.__value__.__args__) == known
