"""Images in events."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.artifacts import attachments
from memory.artifacts.errors import ArtifactError
from tests.memory.artifacts.parts import image_block, png

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.just(image_block(png())),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["type", "attachment", "data", "x"]), inner, max_size=4)
    ),
    max_leaves=30,
)


def ids(value: Any) -> list[str]:
    return [image.id for image in attachments.images(value)]


def wrapped(value: Any, depth: int) -> Any:
    for number in range(depth):
        value = [value] if number % 2 else {"content": value}
    return value


@given(value=JSON, depth=st.integers(0, 60))
def test_finds_every_image_at_any_depth_once(value: Any, depth: int) -> None:
    found = ids([value, wrapped(image_block(png(), "deep"), depth), wrapped(image_block(png(), "deep"), 3)])
    assert found.count("deep") == 1
    assert set(found) <= {"deep", "att-1"}


def test_keeps_their_order_and_the_bytes_of_whichever_has_them() -> None:
    bare = image_block(png(), "b", is_inline=False)
    assert ids([image_block(png(), "a"), bare, image_block(png(), "c"), image_block(png(), "b")]) == ["a", "b", "c"]
    assert attachments.images([bare, image_block(png(), "b"), bare])[0].data


@pytest.mark.parametrize(
    "wrong",
    [
        {"attachmentId": ""},
        {"attachmentId": 7},
        {"mediaType": "image/svg+xml"},
        {"mediaType": None},
        {"bytes": -1},
        {"bytes": 1.5},
        {"bytes": True},
        {"width": 0},
        {"height": "1"},
        {"name": 3},
    ],
)
def test_leaves_out_what_is_no_valid_attachment(wrong: dict[str, Any]) -> None:
    block = image_block(png())
    block["attachment"] |= wrong
    assert ids(block) == []


def test_reads_the_bytes_where_dsh_keeps_them(tmp_path: Path, settings: Any) -> None:
    settings.MEMDOCK_TRANSCRIPT_ROOTS = {"dsh": [tmp_path / ".dsh" / "sessions"]}
    data = png(colour=9)
    name = hashlib.sha256(data).hexdigest()
    place = tmp_path / ".dsh" / "attachments" / "v1" / "objects" / name[:2]
    place.mkdir(parents=True)
    (place / name).write_bytes(data)
    [image] = attachments.images(image_block(data, f"sha256:{name}", is_inline=False))
    with attachments.opened(image) as file:
        assert file.read() == data


@pytest.mark.parametrize("key", ["../../secret", "sha256:" + "0" * 64, "sha256:../../x", "sha256:" + "A" * 64])
def test_an_id_leads_nowhere_else(tmp_path: Path, settings: Any, key: str) -> None:
    settings.MEMDOCK_TRANSCRIPT_ROOTS = {"dsh": [tmp_path / ".dsh" / "sessions"]}
    folder = tmp_path / ".dsh" / "attachments" / "v1" / "objects" / "00"
    folder.mkdir(parents=True)
    (tmp_path / "secret").write_bytes(png())
    (folder / ("0" * 64)).symlink_to(tmp_path / "secret")
    [image] = attachments.images(image_block(png(), key, is_inline=False))
    with pytest.raises(ArtifactError, match="attachment store"):
        attachments.opened(image)
