"""Copies of skills that agents read: looked after, whoever put them there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.models import Change, SkillCandidate, SkillCopy
from memory.skills import copies, store, targets
from memory.skills.targets import Target
from tests.memory.skills.desks import CLAUDE, Desk

pytestmark = pytest.mark.django_db


def _claim(desk: Desk, *paths: str, installed_hash: str = "") -> None:
    """Write into the record that copies were installed, as another tool does."""
    meta = desk.meta() | {"status": "installed", "installed_paths": [*paths]}
    meta["installed_hash"] = installed_hash or meta["content_hash"]
    (desk.store / "tide" / "meta.json").write_text(json.dumps(meta))
    desk.sync()


def _state() -> str:
    return SkillCopy.objects.get().state


def test_notices_what_becomes_of_a_copy(desk: Desk) -> None:
    desk.install()
    text = desk.copy().read_bytes()
    row = SkillCopy.objects.get()
    assert (row.target, row.state, row.content_hash) == (CLAUDE, "current", store.blob_hash(text))
    for change, state in ((b"# Edited\n", "edited"), (None, "missing"), (text, "current")):
        if change is None:
            desk.copy().unlink()
        else:
            desk.copy().write_bytes(change)
        changes = Change.objects.count()
        desk.sync()
        desk.sync()
        assert _state() == state
        assert Change.objects.count() == changes + 1
    assert SkillCopy.objects.get().installed_text == text.decode()


def test_keeps_the_text_that_was_installed_beside_an_edited_copy(desk: Desk) -> None:
    desk.install()
    installed = desk.text().decode()
    desk.copy().write_text("# Edited\n")
    desk.propose(body="# Evolved")
    row = SkillCopy.objects.get()
    assert (row.state, row.installed_text, copies.text(row)) == ("edited", installed, "# Edited\n")


def test_finds_an_old_text_in_the_store_of_memsearch(desk: Desk) -> None:
    """Both tools may have worked on a candidate before MemDock saw it."""
    old = desk.text()
    desk.propose(body="# Evolved")
    desk.skill().revisions.filter(content_hash=store.blob_hash(old)).delete()
    desk.copy().parent.mkdir(parents=True)
    desk.copy().write_bytes(old)
    _claim(desk, str(desk.copy()), installed_hash=store.blob_hash(old))
    assert (_state(), SkillCopy.objects.get().installed_text) == ("current", old.decode())
    assert not targets.find(desk.project, CLAUDE, desk.skill()).asks


def test_a_copy_elsewhere_is_looked_at_and_no_target(desk: Desk) -> None:
    other = desk.home / "tools" / "tide" / "SKILL.md"
    other.parent.mkdir(parents=True)
    other.write_bytes(desk.text())
    _claim(desk, str(other))
    assert SkillCopy.objects.get().target == str(desk.home / "tools")
    assert _state() == "current"


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "{home}/private", "{home}/../home/tide/SKILL.md", "tide/SKILL.md", "/tide/SKILL.md", ""]
)
def test_a_record_cannot_have_any_file_opened(desk: Desk, path: str) -> None:
    (desk.home / "private").write_text("zanzibar")
    (desk.home / "tide").mkdir()
    (desk.home / "tide" / "SKILL.md").write_text("zanzibar")
    _claim(desk, path.format(home=desk.home))
    row = SkillCopy.objects.get()
    assert (row.state, row.content_hash) == ("unreadable", "")
    assert copies.text(row) is None


def test_follows_no_link_to_a_copy(desk: Desk) -> None:
    (desk.home / "private").write_text("zanzibar")
    desk.copy().parent.mkdir(parents=True)
    desk.copy().symlink_to(desk.home / "private")
    _claim(desk, str(desk.copy()))
    assert (_state(), SkillCopy.objects.get().content_hash) == ("unreadable", "")


def test_forgets_copies_that_the_record_forgot(desk: Desk) -> None:
    desk.install()
    _claim(desk)
    assert not SkillCopy.objects.exists()


def test_one_hundred_paths_cost_fifty_looks(desk: Desk) -> None:
    _claim(desk, *(f"/nowhere/{number}/tide/SKILL.md" for number in range(100)))
    assert SkillCopy.objects.count() == copies.MOST


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=8)
PATHS = st.lists(st.one_of(st.sampled_from(["..", ".", "tide", "SKILL.md", ""]), NAMES), max_size=6).map("/".join)
OFFERED = [Target(name="t", path="/srv/p/.claude/skills", note="", base="/srv/p")]


@given(PATHS.flatmap(lambda path: st.sampled_from([path, f"/{path}", f"/{path}/tide/SKILL.md"])))
def test_only_a_path_of_a_copy_leads_somewhere(path: str) -> None:
    place = copies.place(SkillCandidate(slug="tide"), path, OFFERED)
    if place is None:
        return
    assert Path(place.base, *place.names, "SKILL.md") == Path(path)
    assert ".." not in Path(path).parts
    assert place.base.startswith("/")
    assert path.endswith("/tide/SKILL.md")


@given(st.lists(NAMES | st.sampled_from(["..", ".", "~", "", "/", "//"]), min_size=1, max_size=5).map("/".join))
def test_a_configured_path_is_a_plain_absolute_folder(path: str) -> None:
    target = targets.configured("/srv/p", "/home/m", "dsh", path)
    if target is None:
        return
    assert target.path.startswith("/")
    assert target.path == str(Path(target.path))
    assert ".." not in Path(target.path).parts
    assert target.names()
    assert Path(target.base, *target.names()) == Path(target.path)
