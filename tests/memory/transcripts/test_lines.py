"""Lines of any file: split where they end, read where they are whole, counted where they are not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from memory.disk import Tree
from memory.transcripts.conversation import Json, JsonObject
from memory.transcripts.limits import LIMITS, Limits
from memory.transcripts.lines import Tally, objects, parsed, split

_values: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
_lines: st.SearchStrategy[list[JsonObject]] = st.lists(st.dictionaries(st.text(), _values, max_size=4), max_size=6)


def written(lines: list[JsonObject]) -> bytes:
    return b"".join(json.dumps(line, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n" for line in lines)


def cut(data: bytes, places: list[int]) -> list[bytes]:
    """Cut bytes into pieces at these places, as reading in chunks does."""
    ends = sorted({place % (len(data) + 1) for place in places} | {len(data)})
    return [data[start:end] for start, end in zip([0, *ends], ends, strict=False)]


@given(lines=st.lists(st.binary().filter(lambda line: b"\n" not in line)), places=st.lists(st.integers(0, 10**6)))
def test_lines_end_at_a_line_feed_wherever_the_chunks_end(lines: list[bytes], places: list[int]) -> None:
    data = b"".join(line + b"\n" for line in lines)
    assert list(split(cut(data, places), LIMITS, Tally())) == lines


@given(lines=_lines, rest=st.binary(max_size=20).filter(lambda rest: b"\n" not in rest))
def test_a_last_line_without_its_end_is_not_there_yet(lines: list[JsonObject], rest: bytes) -> None:
    data = written(lines) + b'{"whole":true}' + rest
    assert len(list(split([data], LIMITS, Tally()))) == len(lines)


@given(lines=_lines)
def test_objects_come_back_as_they_were_written(lines: list[JsonObject]) -> None:
    tally = Tally()
    assert [parsed(line, tally) for line in split([written(lines)], LIMITS, tally)] == lines
    assert tally.sentences() == ()


@given(data=st.binary())
def test_any_line_is_an_object_or_counted_or_blank(data: bytes) -> None:
    tally = Tally()
    found = parsed(data, tally)
    is_blank = not data.decode("utf-8", "replace").strip()
    assert tally.skipped == (found is None and not is_blank)


@given(before=st.text(max_size=30), line=st.dictionaries(st.text(), _values, max_size=3))
def test_a_line_that_is_glued_to_a_torn_one_is_found(before: str, line: JsonObject) -> None:
    whole: JsonObject = {"type": "user", **line, "type": "user"}  # noqa: F601 - it comes first, and is the last word
    torn = json.dumps({"timestamp": "2026", "text": before + "…"})[:-3]
    assert parsed((torn + json.dumps(whole)).encode(), Tally()) == whole


@given(size=st.integers(0, 60), places=st.lists(st.integers(0, 200)))
def test_a_line_over_the_limit_is_skipped_and_the_next_one_read(size: int, places: list[int]) -> None:
    tally = Tally()
    data = b"x" * size + b"\nshort\n"
    found = list(split(cut(data, places), Limits(line=30), tally))
    assert found == ([b"x" * size] if size <= 30 else []) + [b"short"]
    assert tally.skipped == (size > 30)


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\u0085", "\r", "\v", "\f", "\x1c"])
def test_other_separators_do_not_end_a_line(separator: str) -> None:
    line = json.dumps({"text": f"one{separator}two"}, ensure_ascii=False).encode()
    assert list(split([line + b"\n"], LIMITS, Tally())) == [line]


@given(lines=_lines, frames=st.integers(1, 4), size=st.booleans())
def test_compressed_files_give_the_same_lines(
    tmp_path_factory: pytest.TempPathFactory, lines: list[JsonObject], frames: int, *, size: bool
) -> None:
    folder = tmp_path_factory.mktemp("packed", numbered=True)
    pack = zstandard.ZstdCompressor(write_checksum=True, write_content_size=size).compress
    parts = [written(lines[at::frames]) for at in range(frames)]
    (folder / "file").write_bytes(b"".join(map(pack, parts)))
    assert found(folder) == [line for at in range(frames) for line in lines[at::frames]]


def test_what_stands_before_damage_in_a_compressed_file_is_kept(tmp_path: Path) -> None:
    pack = zstandard.ZstdCompressor(write_checksum=True).compress
    (tmp_path / "file").write_bytes(pack(b'{"a":1}\n{"a":2}\n') + b"\x28\xb5\x2f\xfd\x04\x58" + b"\xff" * 99)
    tally = Tally()
    assert found(tmp_path, tally=tally) == [{"a": 1}, {"a": 2}]
    assert any("damaged" in note for note in tally.notes)


def test_a_file_that_unpacks_to_very_much_is_left_early(tmp_path: Path) -> None:
    zeros = zstandard.ZstdCompressor().compress(bytes(64 * 1024 * 1024))
    (tmp_path / "file").write_bytes(zstandard.ZstdCompressor().compress(b'{"a":1}\n') + zeros)
    tally = Tally()
    assert found(tmp_path, limits=Limits(line=1024, decoded=1024 * 1024), tally=tally) == [{"a": 1}]
    assert any("larger" in note for note in tally.notes)


def test_lines_that_are_written_while_a_file_is_read_wait_for_the_next_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b'{"a":1}\n{"a":2}\n')
    with Tree(tmp_path) as tree:
        reading = objects(tree, "file", LIMITS, Tally())
        assert next(reading) == {"a": 1}
        with (tmp_path / "file").open("ab") as file:
            file.write(b'{"a":3}\n')
        assert list(reading) == [{"a": 2}]


def found(folder: Path, *, limits: Limits = LIMITS, tally: Tally | None = None) -> list[JsonObject]:
    with Tree(folder) as tree:
        return list(objects(tree, "file", limits, tally or Tally()))
