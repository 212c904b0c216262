"""Skill candidates of the API."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest

from memory.models import Project, SkillCandidate
from memory.skills import store
from tests.makers import make_project, make_tree
from tests.memory.api.callers import ROOT, make_program, read, refused, walk

pytestmark = pytest.mark.django_db

KEYS = {
    "project",
    "slug",
    "title",
    "description",
    "status",
    "review",
    "content_hash",
    "installed_hash",
    "pending",
    "occurrences",
    "sources",
    "reason",
    "installed_paths",
    "problems",
    "body",
    "targets",
    "decisions",
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test looks into the home directory of whoever runs it."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def test_lists_the_candidates_of_the_sample(sample: Project) -> None:
    found = walk(make_program(), "/projects/harbor-api/skills", limit=1)
    assert {item["slug"]: (item["status"], item["pending"]) for item in found} == {
        "import-tide-tables": ("installed", "updated"),
        "review-a-migration": ("broken", None),
        "rollback-a-bad-deploy": ("candidate", "new"),
        "trace-a-lease-race": ("installed", None),
    }
    assert [item["slug"] for item in found] == sorted(item["slug"] for item in found)


def test_describes_a_candidate_as_the_list_does(sample: Project) -> None:
    program = make_program()
    for item in read(program, "/projects/harbor-api/skills")["items"]:
        assert set(item) == KEYS
        assert read(program, f"/projects/harbor-api/skills/{item['slug']}") == item


def test_tells_what_is_on_disk_now(sample: Project) -> None:
    found = read(make_program(), "/projects/harbor-api/skills/rollback-a-bad-deploy")
    content = (Path(sample.memory_dir) / "skill-candidates" / "rollback-a-bad-deploy" / "SKILL.md").read_bytes()
    assert found["content_hash"] == store.blob_hash(content)
    assert found["body"].strip() in content.decode()
    assert found["sources"]
    assert (found["review"], found["decisions"]) == ("pending", [])
    assert {target["name"]: target["copy_state"] for target in found["targets"]} == {
        ".claude/skills": "none",
        ".agents/skills": "none",
        ".openclaw/skills": "none",
        "~/.agents/skills": "none",
    }
    assert all(target["note"].endswith("not there yet") for target in found["targets"])


def test_says_why_a_candidate_is_broken(sample: Project) -> None:
    found = read(make_program(), "/projects/harbor-api/skills/review-a-migration")
    assert found["problems"]
    assert found["occurrences"] is None


@pytest.mark.parametrize("slug", ["a b", "<b>", "~x", "100%", "技能"])
def test_finds_a_candidate_whatever_its_directory_is_called(tree: Path, slug: str) -> None:
    make_project(make_tree(tree, None, **{f"skill-candidates/{slug}/SKILL.md": "# Title\n"}))
    assert SkillCandidate.objects.get().slug == slug
    assert read(make_program(), f"/projects/harbor/skills/{quote(slug)}")["slug"] == slug


@pytest.mark.parametrize("path", ["projects/none/skills", "projects/none/skills/x", "projects/harbor-api/skills/x%00"])
def test_says_what_does_not_exist(sample: Project, path: str) -> None:
    refused(make_program().get(f"{ROOT}/{path}"), 404, "not_found")
