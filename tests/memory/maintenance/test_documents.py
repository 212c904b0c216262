"""PROJECT.md and USER.md are replaced as a whole, with their history, and never over what somebody wrote meanwhile."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from django.utils import timezone

from memory.audit import COMMAND
from memory.maintenance import documents, files
from memory.maintenance.places import Place
from memory.models import AuditEntry, Change, Document, DocumentRevision, Project, UpkeepRun
from memory.projects import sync
from tests import untouched
from tests.memory.maintenance.models import Model, install_claude, none, replace
from tests.memory.maintenance.scenes import memory, run, settle, write_more


def revisions(project: Project, name: str = "PROJECT.md") -> list[str]:
    rows = DocumentRevision.objects.filter(document__project=project, document__name=name)
    return list(rows.order_by("number").values_list("text", flat=True))


def test_a_document_is_made_replaced_and_left_alone(harbor: Project, model: Model) -> None:
    model.says(replace("# Harbor\n\nUses leases.\n"))
    made = run(harbor)
    assert (made.state, made.action, made.reason, made.error) == ("done", "replace", "A decision.", "")
    assert memory(harbor, "PROJECT.md").read_text() == "# Harbor\n\nUses leases.\n"

    write_more(harbor)
    model.says(f"Sure, here it is:\n```json\n{replace('# Harbor\n\nUses leases of 30 s.')}\n```\nBye.")
    assert run(harbor).action == "replace"
    assert revisions(harbor) == ["# Harbor\n\nUses leases.\n", "# Harbor\n\nUses leases of 30 s.\n"]

    write_more(harbor, "- Had lunch")
    model.says(none())
    before = untouched.facts(memory(harbor, "PROJECT.md"))
    assert run(harbor).action == "none"
    assert untouched.facts(memory(harbor, "PROJECT.md")) == before

    write_more(harbor, "- Said it again")
    model.says(replace("# Harbor\n\nUses leases of 30 s."))
    same = run(harbor)
    assert (same.action, same.reason) == ("none", "The document says this already.")
    assert untouched.facts(memory(harbor, "PROJECT.md")) == before


def test_a_run_says_what_it_was_and_what_it_took(harbor: Project, model: Model) -> None:
    model.says(replace("# Harbor"))

    made = run(harbor, actor=COMMAND)

    assert (made.platform, made.provider, made.model) == ("dsh", "stub", "m-1")
    assert (made.input_tokens, made.output_tokens) == (1200, 34)
    assert made.input_digest.startswith("sha256:")
    assert made.output_path == str(memory(harbor, "PROJECT.md"))
    assert (made.before, made.after) == ("", "# Harbor\n")
    assert made.started_at and made.finished_at and made.duration_ms is not None
    assert Change.objects.filter(kind="maintenance.ran", ref=f"upkeep:{made.pk}", project=harbor).count() == 1
    acts = AuditEntry.objects.filter(target=f"upkeep:{made.pk}").values_list("action", flat=True)
    assert sorted(acts) == ["upkeep.asked", "upkeep.ran"]


def test_the_model_sees_the_document_and_the_journals_as_material_without_private_blocks(
    harbor: Project, model: Model
) -> None:
    memory(harbor, "USER.md").write_text("Likes ```` fences ```` and order.\n")
    write_more(harbor, "- Told <private>the code 4711</private> to nobody")

    run(harbor, "user_profile")

    assert "Likes ```` fences" in model.shown
    assert "`````markdown" in model.shown
    assert "<!-- source:2026-01-05.md -->" in model.shown
    assert "Decided to use leases" in model.shown
    assert "4711" not in model.shown
    assert str(harbor.root) not in str(model.asked)
    assert not {"tools", "functions"} & set(model.asked[-1])


def test_the_agents_own_program_is_asked_without_tools(harbor: Project, programs: Path) -> None:
    install_claude(programs, replace("# Harbor"))

    made = run(harbor)

    assert (made.action, made.platform, made.provider, made.model) == ("replace", "claude-code", "native", "sonnet")
    assert str(made.cost_usd) == "0.012500"
    arguments = (programs / "arguments").read_text().split("\n")
    assert arguments[arguments.index("--tools") + 1] == ""
    assert "Decided to use leases" in (programs / "shown").read_text()
    assert "MEMDOCK_DISABLE=1" in (programs / "env").read_text()


def test_a_program_that_is_missing_is_a_reason(harbor: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    made = run(harbor, platform="claude-code")

    assert (made.state, made.action, made.error) == ("failed", "error", "claude is not installed")


@pytest.mark.parametrize(
    "said",
    ["", "I cannot do that.", '{"action": "delete"}', '{"action": "replace", "content": "  "}', '{"action": "repl'],
)
def test_nonsense_changes_nothing_and_is_said(harbor: Project, model: Model, said: str) -> None:
    memory(harbor, "PROJECT.md").write_text("# Mine\n")
    model.says(said)

    made = run(harbor, actor=COMMAND)

    assert (made.state, made.action) == ("failed", "error")
    assert made.error.startswith("The model ")
    assert memory(harbor, "PROJECT.md").read_text() == "# Mine\n"
    assert AuditEntry.objects.get(action="upkeep.ran").detail["error"] == made.error


def test_what_somebody_wrote_meanwhile_is_kept(harbor: Project, model: Model) -> None:
    document = memory(harbor, "PROJECT.md")
    document.write_text("# Old\n")
    memory(harbor, ".PROJECT.md.memdock-1").write_text("# Ha")  # of a writer that was killed

    def answer(shown: str) -> str:
        document.write_text("# Mine\n")
        return replace("# New")

    model.answer = answer
    made = run(harbor)

    assert (made.state, made.action) == ("failed", "error")
    assert "changed on disk" in made.error
    assert document.read_text() == "# Mine\n"
    assert not memory(harbor, ".PROJECT.md.memdock-1").exists()

    model.says(replace("# Mine\n\nAnd new."))
    assert run(harbor).action == "replace"
    assert revisions(harbor)[-2:] == ["# Mine\n", "# Mine\n\nAnd new.\n"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"Mine: <private>4711</private>\n", "private block"),
        (b"# Caf\xe9\n", "not valid UTF-8"),
        (b"x" * 1024 * 1024 + b"x", "larger than 1 MB"),
    ],
)
def test_a_document_that_would_lose_something_is_left_alone(
    harbor: Project, model: Model, content: bytes, reason: str
) -> None:
    memory(harbor, "PROJECT.md").write_bytes(content)

    made = run(harbor)

    assert reason in made.error
    assert model.asked == []
    assert memory(harbor, "PROJECT.md").read_bytes() == content


def test_a_link_is_not_followed(harbor: Project, model: Model, tmp_path: Path) -> None:
    (tmp_path / "target").write_text("# Elsewhere\n")
    memory(harbor, "PROJECT.md").symlink_to(tmp_path / "target")
    model.says(replace("# New"))

    assert "links are not followed" in run(harbor).error
    assert (tmp_path / "target").read_text() == "# Elsewhere\n"


def test_other_places_are_below_the_project_or_named_by_the_person(
    harbor: Project, model: Model, home: Path, tmp_path: Path
) -> None:
    model.says(replace("# Harbor"))
    for written, path in (
        ("docs/deep/PROJECT.md", Path(harbor.root, "docs/deep/PROJECT.md")),
        ("~/notes/harbor.md", home / "notes/harbor.md"),
        (str(tmp_path / "out/p.md"), tmp_path / "out/p.md"),
    ):
        settle("plugins.dsh.project_review.output_file", written)
        made = run(harbor, force=True)
        assert (made.action, made.output_path, path.read_text()) == ("replace", str(path), "# Harbor\n")

    settle("plugins.dsh.project_review.output_file", "../outside.md")
    assert "leads out of its folder" in run(harbor, force=True).error
    assert not (tmp_path / "outside.md").exists()


def test_a_projects_own_file_names_no_place(harbor: Project, model: Model, tmp_path: Path) -> None:
    evil = tmp_path / "evil.md"
    Path(harbor.root, ".memsearch.toml").write_text(f'[plugins.dsh.project_review]\noutput_file = "{evil}"\n')
    model.says(replace("# Harbor"))

    assert run(harbor).output_path == str(memory(harbor, "PROJECT.md"))
    assert not evil.exists()


def test_a_folder_that_is_a_link_leads_nowhere(harbor: Project, model: Model, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    Path(harbor.root, "docs").symlink_to(tmp_path / "outside")
    settle("plugins.dsh.project_review.output_file", "docs/PROJECT.md")
    model.says(replace("# Harbor"))

    assert run(harbor).state == "failed"
    assert list((tmp_path / "outside").iterdir()) == []


def test_a_dry_run_shows_and_writes_nothing(harbor: Project, model: Model) -> None:
    memory(harbor, "PROJECT.md").write_text("# Old\n")
    before = untouched.below(memory(harbor))
    model.says(replace("# New"))

    made = run(harbor, is_dry_run=True)

    assert (made.state, made.action, made.before, made.after) == ("done", "replace", "# Old\n", "# New\n")
    assert untouched.below(memory(harbor)) == before


def test_an_earlier_revision_comes_back_and_what_was_there_stays(harbor: Project, model: Model) -> None:
    for text in ("# One", "# Two"):
        write_more(harbor, f"- {text}")
        model.says(replace(text))
        run(harbor)
    first = DocumentRevision.objects.get(number=1)

    documents.restore(revision_pk=first.pk, actor=COMMAND, at=timezone.now())

    assert memory(harbor, "PROJECT.md").read_text() == "# One\n"
    assert revisions(harbor) == ["# One\n", "# Two\n", "# One\n"]
    assert AuditEntry.objects.get(action="document.restored").detail == {"revision": 1}


def test_nothing_comes_back_over_an_edit_that_was_not_seen(harbor: Project, model: Model) -> None:
    memory(harbor, "PROJECT.md").write_text("# One\n")
    sync.sync(harbor, at=timezone.now())
    memory(harbor, "PROJECT.md").write_text("# Unseen\n")

    with pytest.raises(files.Changed):
        documents.restore(revision_pk=DocumentRevision.objects.get().pk, actor=COMMAND, at=timezone.now())

    assert memory(harbor, "PROJECT.md").read_text() == "# Unseen\n"
    assert revisions(harbor) == ["# One\n", "# Unseen\n"]


def test_the_permissions_of_a_document_stay(harbor: Project, model: Model) -> None:
    memory(harbor, "PROJECT.md").write_text("# Old\n")
    memory(harbor, "PROJECT.md").chmod(0o664)
    model.says(replace("# New"))

    run(harbor)

    assert memory(harbor, "PROJECT.md").stat().st_mode & 0o777 == 0o664


def test_what_a_killed_writer_left_is_cleared_away(tree: Path) -> None:
    (tree / ".PROJECT.md.memdock-1").write_text("# Ha")
    (tree / ".PROJECT.md.swp").write_text("somebody's editor")

    files.replace(Place(tree, "PROJECT.md"), "# Harbor\n", base="")

    assert sorted(os.listdir(tree)) == [".PROJECT.md.swp", "PROJECT.md"]


def test_a_disk_that_is_away_is_no_empty_one(harbor: Project, model: Model) -> None:
    memory(harbor).rename(Path(harbor.root, "away"))

    made = run(harbor)

    assert made.state == "failed"
    assert not memory(harbor).exists()
    assert Document.objects.count() == 0
    assert UpkeepRun.objects.get().action == "error"
