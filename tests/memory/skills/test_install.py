"""Copies of skills: put where agents read them, taken away and put back, and nowhere else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memory.audit import COMMAND
from memory.models import Change, ReplacedCopy, SkillCopy, SkillJob
from memory.skills import jobs, review, store, targets
from memory.skills.errors import BadTarget, CopyDiffers, NotPossible, TargetNotOffered
from tests.memory.skills.desks import AGENTS, CLAUDE, HOME, Desk, outcomes

pytestmark = pytest.mark.django_db


def _hash(path: Path) -> str:
    return store.blob_hash(path.read_bytes())


def test_installs_into_every_chosen_target_and_records_it(desk: Desk) -> None:
    job = desk.install(CLAUDE, HOME)
    assert (job.state, outcomes(job), job.error) == ("done", ["installed", "installed"], "")
    assert desk.copy(CLAUDE).read_bytes() == desk.copy(HOME).read_bytes() == desk.text()
    meta = desk.meta()
    assert (meta["status"], meta["installed_hash"]) == ("installed", meta["content_hash"])
    assert meta["installed_paths"] == sorted([str(desk.copy(CLAUDE)), str(desk.copy(HOME))])
    skill = desk.skill()
    assert (skill.status, skill.pending, skill.review) == ("installed", "", "approved")
    assert set(skill.copies.values_list("target", "state")) == {(CLAUDE, "current"), (HOME, "current")}
    assert Change.objects.filter(kind="skill.installed", ref="skill:harbor/tide").count() == 1


def test_nothing_is_installed_before_the_job_is_done(desk: Desk) -> None:
    decision = desk.decide("install", targets=[CLAUDE])
    assert decision.job.state == "queued"
    assert [result["outcome"] for result in decision.job.results] == ["waiting"]
    assert not desk.copy().exists()
    assert desk.meta()["status"] == "candidate"


def test_approving_installs_nothing(desk: Desk) -> None:
    desk.decide("approve")
    assert jobs.run_due(at=desk.skill().updated_at) == 0
    assert not desk.copy().exists()


@pytest.mark.parametrize("names", [["/etc"], ["../elsewhere"], [".claude"], [""], [CLAUDE, "/tmp"], []])
def test_takes_only_targets_that_are_offered(desk: Desk, names: list[str]) -> None:
    with pytest.raises(BadTarget):
        desk.decide("install", targets=names)
    assert not SkillJob.objects.exists()


def test_a_copy_edited_by_hand_is_replaced_only_by_a_person_who_saw_it(desk: Desk) -> None:
    """Case B72: installed, edited by hand, evolved, installed again."""
    desk.install()
    before = desk.meta()
    desk.copy().write_text("# My own\n")
    desk.propose(body="# Import tide tables\n\nAnother text.")
    desk.sync()
    assert SkillCopy.objects.get().state == "edited"
    assert targets.find(desk.project, CLAUDE, desk.skill()).asks

    with pytest.raises(CopyDiffers) as refusal:
        desk.decide("install", targets=[CLAUDE])
    assert refusal.value.targets == {CLAUDE: _hash(desk.copy())}
    assert desk.copy().read_text() == "# My own\n"
    assert desk.meta()["installed_hash"] == before["installed_hash"]
    with pytest.raises(CopyDiffers):
        desk.decide("install", targets=[CLAUDE], overwrite={CLAUDE: before["installed_hash"]})

    job = desk.install(CLAUDE, overwrite=refusal.value.targets)
    assert outcomes(job) == ["installed"]
    assert desk.copy().read_bytes() == desk.text()
    assert bytes(ReplacedCopy.objects.get().content) == b"# My own\n"

    job = desk.act("restore", CLAUDE)
    assert (job.state, outcomes(job)) == ("done", ["restored"])
    assert desk.copy().read_text() == "# My own\n"
    assert SkillCopy.objects.get().state == "edited"


def test_a_file_that_was_never_installed_from_here_is_in_the_way(desk: Desk) -> None:
    desk.copy().parent.mkdir(parents=True)
    desk.copy().write_text("# Somebody's\n")
    with pytest.raises(CopyDiffers):
        desk.decide("install", targets=[CLAUDE])
    assert targets.find(desk.project, CLAUDE, desk.skill()).copy_state == "foreign"


def test_an_older_text_of_the_skill_is_updated_without_asking_and_kept(desk: Desk) -> None:
    desk.install()
    old = desk.copy().read_bytes()
    desk.propose(body="# Another")
    assert desk.skill().pending == "updated"
    assert outcomes(desk.install()) == ["installed"]
    assert bytes(ReplacedCopy.objects.get().content) == old
    assert desk.skill().pending == ""

    assert outcomes(desk.act("restore", CLAUDE)) == ["restored"]
    assert desk.copy().read_bytes() == old
    assert desk.meta()["installed_hash"] == store.blob_hash(old)
    assert desk.skill().pending == "updated"


def test_what_meta_json_claims_is_no_leave_to_replace_a_file(desk: Desk) -> None:
    """Anybody who can write the record could name a person's own file there as installed."""
    desk.copy().parent.mkdir(parents=True)
    desk.copy().write_text("# My own\n")
    record = desk.store / "tide" / "meta.json"
    record.write_text(
        record.read_text().replace('"installed_paths": []', f'"installed_paths": ["{desk.copy()}"]')[:-2]
        + f', "installed_hash": "{_hash(desk.copy())}"}}\n'
    )
    desk.sync()
    with pytest.raises(CopyDiffers):
        desk.decide("install", targets=[CLAUDE])


def test_a_file_that_comes_between_asking_and_doing_stays(desk: Desk) -> None:
    job = desk.decide("install", targets=[CLAUDE, AGENTS]).job
    desk.copy().parent.mkdir(parents=True)
    desk.copy().write_text("# Mine\n")
    jobs.run_due(at=job.created_at)
    job.refresh_from_db()
    assert (job.state, outcomes(job)) == ("failed", ["differs", "installed"])
    assert desk.copy().read_text() == "# Mine\n"
    assert desk.meta()["installed_paths"] == [str(desk.copy(AGENTS))]


def test_a_text_that_changes_between_asking_and_doing_is_not_installed(desk: Desk) -> None:
    job = desk.decide("install", targets=[CLAUDE]).job
    desk.propose(body="# Evolved meanwhile")
    jobs.run_due(at=job.created_at)
    job.refresh_from_db()
    assert (job.state, outcomes(job)) == ("failed", ["failed"])
    assert "changed" in job.error
    assert job.error.endswith("Nothing was written.")
    assert not desk.copy().exists()


def test_uninstalls_and_installs_again(desk: Desk) -> None:
    desk.install(CLAUDE, HOME)
    job = desk.act("uninstall", CLAUDE)
    assert (job.state, outcomes(job)) == ("done", ["uninstalled"])
    assert not desk.copy().parent.exists()
    assert (desk.meta()["status"], desk.meta()["installed_paths"]) == ("installed", [str(desk.copy(HOME))])
    desk.act("uninstall")
    meta = desk.meta()
    assert (meta["status"], meta["installed_paths"], "installed_hash" in meta) == ("candidate", [], False)
    assert (desk.skill().pending, SkillCopy.objects.count()) == ("new", 0)
    assert Change.objects.filter(kind="skill.uninstalled").count() == 2
    assert outcomes(desk.install()) == ["installed"]
    assert outcomes(desk.install()) == ["same"]


def test_uninstalling_keeps_other_files_and_asks_about_edits(desk: Desk) -> None:
    desk.install()
    desk.copy().write_text("# Edited\n")
    (desk.copy().parent / "notes.txt").write_text("mine")
    with pytest.raises(CopyDiffers) as refusal:
        desk.decide("uninstall", targets=[CLAUDE])
    job = desk.act("uninstall", CLAUDE, overwrite=refusal.value.targets)
    assert outcomes(job) == ["uninstalled"]
    assert (desk.copy().parent / "notes.txt").read_text() == "mine"
    assert outcomes(desk.act("restore", CLAUDE)) == ["restored"]
    assert desk.copy().read_text() == "# Edited\n"


def test_uninstalls_only_what_is_installed(desk: Desk) -> None:
    with pytest.raises(BadTarget):
        desk.decide("uninstall", targets=[CLAUDE])
    with pytest.raises(BadTarget):
        desk.decide("uninstall")
    with pytest.raises(BadTarget):
        desk.decide("restore", targets=[CLAUDE])


def test_a_copy_that_is_gone_is_uninstalled_by_forgetting_it(desk: Desk) -> None:
    desk.install()
    desk.copy().unlink()
    desk.sync()
    assert SkillCopy.objects.get().state == "missing"
    assert outcomes(desk.act("uninstall")) == ["missing"]
    assert desk.meta()["installed_paths"] == []


def _is_file(desk: Desk) -> None:
    (desk.root / ".claude").mkdir()
    (desk.root / CLAUDE).write_text("no folder")


def _is_link(desk: Desk) -> None:
    (desk.root / ".claude").mkdir()
    (desk.home / "elsewhere").mkdir()
    (desk.root / CLAUDE).symlink_to(desk.home / "elsewhere")


def _is_below_a_link(desk: Desk) -> None:
    (desk.home / "elsewhere").mkdir()
    (desk.root / ".claude").symlink_to(desk.home / "elsewhere")


def _has_linked_folder(desk: Desk) -> None:
    (desk.root / CLAUDE).mkdir(parents=True)
    (desk.home / "elsewhere").mkdir()
    (desk.root / CLAUDE / "tide").symlink_to(desk.home / "elsewhere")


def _has_linked_copy(desk: Desk) -> None:
    desk.copy().parent.mkdir(parents=True)
    (desk.home / "elsewhere").mkdir()
    desk.copy().symlink_to(desk.home / "elsewhere" / "SKILL.md")


def _has_a_folder_for_a_copy(desk: Desk) -> None:
    desk.copy().mkdir(parents=True)


def _has_a_pipe_for_a_copy(desk: Desk) -> None:
    desk.copy().parent.mkdir(parents=True)
    os.mkfifo(desk.copy())


def _has_a_huge_copy(desk: Desk) -> None:
    desk.copy().parent.mkdir(parents=True)
    with desk.copy().open("wb") as file:
        file.truncate(3 * 1024**3)


ODD = [
    _is_file,
    _is_link,
    _is_below_a_link,
    _has_linked_folder,
    _has_linked_copy,
    _has_a_folder_for_a_copy,
    _has_a_pipe_for_a_copy,
    _has_a_huge_copy,
]


@pytest.mark.parametrize("spoil", ODD)
def test_a_target_that_cannot_be_written_is_refused_with_its_reason(desk: Desk, spoil: object) -> None:
    assert callable(spoil)
    spoil(desk)
    with pytest.raises(BadTarget) as refusal:
        desk.decide("install", targets=[CLAUDE])
    assert str(refusal.value).endswith("Nothing was written.")
    assert not list((desk.home / "elsewhere").glob("*"))


@pytest.mark.parametrize("spoil", ODD)
def test_a_target_that_is_spoiled_after_it_was_asked_for_fails_truthfully(desk: Desk, spoil: object) -> None:
    assert callable(spoil)
    job = desk.decide("install", targets=[CLAUDE]).job
    spoil(desk)
    jobs.run_due(at=job.created_at)
    job.refresh_from_db()
    assert (job.state, outcomes(job)) == ("failed", ["failed"])
    assert job.results[0]["error"].endswith("Nothing was written.")
    assert job.results[0]["error"] in job.error
    assert not list((desk.home / "elsewhere").glob("*"))
    assert desk.meta()["status"] == "candidate"


def test_offers_what_memsearch_is_set_up_for_and_never_the_store_itself(desk: Desk) -> None:
    (desk.home / ".memsearch").mkdir()
    (desk.home / ".memsearch" / "config.toml").write_text(
        '[plugins.codex.memory_to_skill]\npaths = ["tools/skills", ".claude/skills", ".memsearch/skill-candidates", "/"]\n'
        f'[plugins.dsh.memory_to_skill]\npaths = ["~/own", "{desk.home.parent}/shared", "~nobody-of-that-name/x"]\n'
    )
    names = [target.name for target in targets.offered(desk.project)]
    own = ["tools/skills", "~/own", f"{desk.home.parent}/shared", "~nobody-of-that-name/x"]
    assert names == [CLAUDE, AGENTS, ".openclaw/skills", HOME, *own]
    assert outcomes(desk.install(*own[:3])) == ["installed"] * 3
    assert (desk.root / "tools/skills/tide/SKILL.md").exists()
    assert (desk.home / "own/tide/SKILL.md").exists()
    assert (desk.home.parent / "shared/tide/SKILL.md").exists()
    with pytest.raises(TargetNotOffered):
        targets.find(desk.project, ".memsearch/skill-candidates")


def test_a_place_that_is_read_only_is_said(desk: Desk) -> None:
    (desk.home / ".memsearch").mkdir()
    (desk.home / ".memsearch" / "config.toml").write_text('[plugins.dsh.memory_to_skill]\npaths = ["/sys/skills"]\n')
    job = desk.install("/sys/skills")
    assert (job.state, outcomes(job)) == ("failed", ["failed"])
    assert "read-only" in job.error
    assert desk.meta()["status"] == "candidate"


def test_a_broken_record_lets_nothing_be_installed(desk: Desk) -> None:
    job = desk.decide("install", targets=[CLAUDE]).job
    (desk.store / "tide" / "meta.json").write_text('{"status": ')
    with pytest.raises(review.SkillError):
        desk.sync()
        desk.decide("install", targets=[CLAUDE])
    jobs.run_due(at=job.created_at)
    job.refresh_from_db()
    assert (job.state, outcomes(job)) == ("failed", ["failed"])
    assert "not valid JSON" in job.error
    assert not desk.copy().exists()
    assert (desk.store / "tide" / "meta.json").read_text() == '{"status": '
    with pytest.raises(NotPossible):
        desk.decide("approve")


def test_unknown_keys_of_the_record_stay(desk: Desk) -> None:
    record = desk.store / "tide" / "meta.json"
    record.write_text(record.read_text().replace('"name"', '"x_rating": [1, {"b": null}],\n  "name"', 1))
    desk.sync()
    desk.install()
    desk.act("uninstall")
    assert next(iter(desk.meta().items())) == ("x_rating", [1, {"b": None}])


def test_a_rejected_text_is_not_installed(desk: Desk) -> None:
    desk.decide("reject", note="Too dangerous")
    with pytest.raises(NotPossible):
        desk.decide("install", targets=[CLAUDE])
    desk.decide("reopen")
    assert desk.decide("install", targets=[CLAUDE]).actor_label == COMMAND.label


def test_a_job_that_cannot_go_on_still_records_what_it_had_done(desk: Desk) -> None:
    """Its worker died after the copy was in place, and the text changed before the next one came."""
    job = desk.decide("install", targets=[CLAUDE, AGENTS]).job
    desk.copy().parent.mkdir(parents=True)
    desk.copy().write_bytes(desk.text())
    desk.propose(body="# Evolved meanwhile")
    jobs.run_due(at=job.created_at)
    job.refresh_from_db()
    assert (job.state, outcomes(job)) == ("failed", ["same", "failed"])
    meta = desk.meta()
    assert (meta["installed_paths"], meta["installed_hash"]) == ([str(desk.copy())], job.decision.content_hash)
    assert meta["content_hash"] == desk.skill().content_hash != meta["installed_hash"]
    assert desk.skill().pending == "updated"


def test_a_job_on_a_skill_that_is_gone_says_so(desk: Desk) -> None:
    job = desk.decide("install", targets=[CLAUDE]).job
    (desk.store / "tide").rename(desk.home / "tide")
    desk.sync()
    jobs.run_due(at=job.created_at)
    job.refresh_from_db()
    assert (job.state, job.error) == ("failed", "The skill is gone. Nothing was written.")


def test_a_job_is_not_tried_for_ever(desk: Desk) -> None:
    job = desk.decide("install", targets=[CLAUDE]).job
    SkillJob.objects.filter(pk=job.pk).update(
        state="running", attempts=jobs.ATTEMPTS, started_at=job.created_at - 2 * jobs.LEASE
    )
    jobs.run_due(at=job.created_at)
    job.refresh_from_db()
    assert (job.state, outcomes(job)) == ("failed", ["waiting"])
    assert not desk.copy().exists()


def test_a_job_that_another_machine_does_is_left_alone(desk: Desk) -> None:
    job = desk.decide("install", targets=[CLAUDE]).job
    SkillJob.objects.filter(pk=job.pk).update(state="running", attempts=1, started_at=job.created_at)
    assert jobs.run_due(at=job.created_at) == 0
    later = desk.decide("install", targets=[AGENTS]).job
    assert jobs.run_due(at=job.created_at) == 0
    later.refresh_from_db()
    assert later.state == "queued"
    jobs.run_due(at=job.created_at + 2 * jobs.LEASE)
    job.refresh_from_db()
    assert (job.state, desk.copy().exists()) == ("done", True)
