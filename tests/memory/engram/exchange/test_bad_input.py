"""What cannot be read is one clear sentence, and stops nothing that can."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as profile
from hypothesis import strategies as st

from memory.engram.exchange import documents
from memory.engram.exchange.errors import CannotImport
from memory.models import Change, Observation, Project, Session
from tests.memory.engram.exchange import rows
from tests.memory.engram.exchange.sources import bring, write

pytestmark = pytest.mark.django_db

CHUNK: dict[str, Any] = {"sessions": [rows.session()], "observations": [rows.observation()], "prompts": None}


def make_directory(root: Path, chunks: dict[str, bytes], manifest: object = None) -> Path:
    """Write a `.engram` directory whose manifest names every chunk, or is another one."""
    folder = root / ".engram"
    (folder / "chunks").mkdir(parents=True)
    for name, data in chunks.items():
        (folder / "chunks" / f"{name}.jsonl.gz").write_bytes(data)
    told = {"version": 1, "chunks": [{"id": name} for name in chunks]} if manifest is None else manifest
    (folder / "manifest.json").write_text(told if isinstance(told, str) else json.dumps(told))
    return folder


def packed(value: object) -> bytes:
    return gzip.compress(json.dumps(value).encode())


BAD = {
    "empty": (b"", "not JSON"),
    "words": (b"plain words", "not JSON"),
    "breaks off": (b'{"version": "0.1.0", "observations": [', "not JSON"),
    "bytes": (b'{"version": "0.1.0", "observations": [{"title": "\xff"}]}', "not JSON: it is not UTF-8"),
    "list": (b'[{"version": "0.1.0"}, "sessions"]', "not JSON"),
    "nothing": (b"{}", "no export of Engram"),
    "backup": (b'\xef\xbb\xbf{"backup": true, "items": [{"id": 1}]}', "no export of Engram"),
    "other product": (b'{"version": "1.2", "memories": [{"id": 1}]}', "no export of Engram"),
    "other version": (b'{"version": "7.1", "sessions": [], "observations": []}', "version 7.1"),
    "number": (b'{"version": 2, "sessions": [], "observations": []}', "version 2"),
    "no version": (b'{"observations": []}', "does not tell its version"),
    "packed other": (gzip.compress(b'{"a": 1}'), "no export of Engram"),
    "packed words": (gzip.compress(b"words"), "not JSON"),
    "torn chunk": (packed(CHUNK)[:-20], "damaged"),
    "flipped chunk": (packed(CHUNK)[:40] + b"xxxx" + packed(CHUNK)[44:], "damaged"),
    "no gzip": (b"\x1f\x8bnot gzip at all", "damaged"),
    "no database": (b"SQLite format 3\0" + b"x" * 5000, "unknown format"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_is_nothing_of_ours_is_refused_in_one_line(tmp_path: Path, name: str) -> None:
    content, why = BAD[name]
    path = tmp_path / "file"
    path.write_bytes(content)

    with pytest.raises(CannotImport, match=why) as caught:
        bring(path)

    assert "\n" not in str(caught.value)
    assert (Change.objects.count(), Project.objects.count(), Session.objects.count()) == (0, 0, 0)


def test_a_path_that_leads_nowhere_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "empty").mkdir()
    for path in ("", "a\0b", tmp_path / "gone", tmp_path / "pipe", tmp_path / "empty", "~nobody-of-that-name/x"):
        with pytest.raises(CannotImport):
            bring(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_nobody_may_read_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "export.json", **CHUNK)
    path.chmod(0)
    with pytest.raises(CannotImport, match="cannot be read"):
        bring(path)


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "LARGEST", 5_000_000)
    bomb = b'{"observations": [{"title": "' + b"x" * 6_000_000 + b'"}]}'
    folder = make_directory(tmp_path, {"bomb": gzip.compress(bomb), "good": packed(CHUNK)})

    found = bring(folder).as_json()

    assert [(one["what"], "unpacks to more than" in one["why"]) for one in found["skipped"]] == [("chunk bomb", True)]
    assert Observation.objects.count() == 1


def test_one_bad_chunk_stops_no_other(tmp_path: Path) -> None:
    bad = {"torn": packed(CHUNK)[:30], "words": gzip.compress(b"words"), "other": packed({"a": 1}), "plain": b"words"}
    folder = make_directory(tmp_path, bad | {"good": packed(CHUNK)})
    (folder / "chunks" / "link.jsonl.gz").symlink_to(folder / "chunks" / "good.jsonl.gz")

    found = bring(folder).as_json()

    assert {one["what"] for one in found["skipped"]} == {f"chunk {name}" for name in (*bad, "link")}
    assert found["observations"]["new"] == 1


def test_a_directory_in_which_no_chunk_can_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CannotImport, match="Nothing in"):
        bring(make_directory(tmp_path, {"a": b"words", "b": b"words"}))


@pytest.mark.parametrize("manifest", ["{", "[]", '{"chunks": 7}', '{"chunks": [7, {"id": 8}, {"id": "../../x"}]}'])
def test_a_manifest_that_is_none_hides_no_chunk(tmp_path: Path, manifest: str) -> None:
    found = bring(make_directory(tmp_path, {"good": packed(CHUNK)}, manifest))

    assert found.count("observations", "new") == 1
    assert found.tally.problems


def test_an_empty_manifest_is_an_import_of_nothing(tmp_path: Path) -> None:
    found = bring(make_directory(tmp_path, {}, {"version": 1, "chunks": None})).as_json()

    assert (found["kind"], found["observations"]) == ("engram-directory", {"new": 0, "updated": 0, "same": 0})


@pytest.mark.parametrize("nothing", [[], None])
def test_an_export_of_nothing_is_one(tmp_path: Path, nothing: object) -> None:
    found = bring(write(tmp_path / "e.json", sessions=nothing, observations=nothing, prompts=nothing))

    assert (found.kind, found.tally.skipped, found.tally.problems) == ("engram-export", [], [])


def test_a_manifest_of_version_1_may_hold_owned_sessions(tmp_path: Path) -> None:
    owned = CHUNK | {"sessions": [rows.session(ownership_mode="project_owned")]}

    bring(make_directory(tmp_path, {"a": packed(owned)}))

    assert Session.objects.get().ownership_mode == "project_owned"


@pytest.mark.parametrize("name", ["", "x" * 201, "a\nb"])
def test_a_name_that_no_project_can_have_is_refused(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / "export.json", **CHUNK)
    if not name:
        bring(path, project=name)
        return
    with pytest.raises(CannotImport):
        bring(path, project=name)


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["s1", "obs-1", "2026-02-03"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=4,
)
keys = sorted(
    {*rows.session(), *rows.observation(), *rows.prompt(), *rows.relation(), "deleted_at", "entity", "pinned"}
)
elements = st.dictionaries(st.sampled_from(keys), anything, max_size=8) | anything
sections = st.sampled_from(["sessions", "observations", "prompts", "relations", "prompt_tombstones", "tombstones"])
mutations = st.fixed_dictionaries(
    {
        "entity": st.sampled_from(["session", "observation", "prompt", "relation", "x"]),
        "op": st.sampled_from(["upsert", "delete"]),
        "occurred_at": st.sampled_from(["2026-02-03 10:00:00", None, "9999-12-31 23:59:59-14:00"]),
        "payload": elements.map(json.dumps),
    }
)


@profile(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    document=st.dictionaries(sections, st.lists(elements, max_size=4), min_size=1),
    steps=st.lists(mutations, max_size=3),
)
def test_no_row_is_too_odd(tmp_path: Path, document: dict[str, Any], steps: list[Any]) -> None:
    path = write(tmp_path / "export.json", **{"observations": None} | document | {"mutations": steps})
    path.write_text(path.read_text().replace("NaN", "0").replace("-Infinity", "0").replace("Infinity", "0"))
    foreseen = bring(path, dry_run=True)

    assert foreseen.as_json() == bring(path).as_json() | {"dry_run": True}
    again = bring(path)
    assert not any(count for (_, outcome), count in again.tally.counts.items() if outcome != "same")
