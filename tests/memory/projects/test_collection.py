"""The collection names that MemSearch's own script gives."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.projects.collection import collection, of_path

LONG = "/tmp/x/--Ünïcode__Très-Long-Project-Name-That-Exceeds-Forty-Characters-Total"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/home/alice/My App (v2.0)", "ms_my_app_v2_0_a2bc7ced"),
        ("/srv/project_one-two", "ms_project_one_two_82bb7f59"),
        ("/home/bob/web", "ms_web_1ca65c86"),
        ("/tmp/日本語", "ms__66d34d0e"),
        ("/", "ms__8a5edab2"),
        (LONG, "ms_n_code_tr_s_long_project_name_that_excee_94712eb2"),
    ],
)
def test_names_the_collection_as_memsearch_does(path: str, name: str) -> None:
    assert of_path(path) == name
    assert collection(Path(path)) == name


def test_normalises_a_path_that_does_not_exist() -> None:
    assert collection(Path("/home/alice/../bob/./web/")) == "ms_web_1ca65c86"


def test_knows_no_two_leading_slashes() -> None:
    assert of_path("//srv/project_one-two") == of_path("/srv/project_one-two")


def test_follows_links(tmp_path: Path) -> None:
    (tmp_path / "harbor").mkdir()
    (tmp_path / "link").symlink_to("harbor")
    assert collection(tmp_path / "link") == collection(tmp_path / "harbor")


def test_survives_links_that_go_round_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    assert collection(tmp_path / "loop").startswith("ms_loop_")


def test_takes_a_relative_path_from_where_the_process_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert collection(Path("web")) == of_path(os.path.realpath(tmp_path / "web"))


def test_may_end_the_name_with_an_underscore_where_it_is_cut() -> None:
    assert of_path("/" + "a" * 39 + "-b").startswith("ms_" + "a" * 39 + "__")


@given(st.lists(st.binary(min_size=1, max_size=60).filter(lambda part: not set(part) & {0, 47})))
def test_names_any_directory_in_plain_ascii(parts: list[bytes]) -> None:
    raw = b"/" + b"/".join(parts)
    name = of_path(os.fsdecode(raw))
    assert re.fullmatch(r"ms_[a-z0-9_]{0,40}_[0-9a-f]{8}", name)
    assert name.endswith(hashlib.sha256(raw).hexdigest()[:8])
