"""Anchors and files that mean harm, or are damaged: words for people, never a traceback, never a foreign file."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from memory.disk import Tree
from memory.transcripts.conversation import Transcript
from memory.transcripts.find import locate
from memory.transcripts.limits import LIMITS, Limits
from memory.transcripts.lines import Tally, objects
from memory.transcripts.places import Unavailable
from memory.transcripts.reading import read
from tests.memory.transcripts.homes import WHOLE, Home, Truth

SECRET = "the secret of another file"


def reason(home: Home, session: Truth, *, path: str, ident: str | None = None) -> tuple[str, str]:
    """Say why a session cannot be had; fail where it can."""
    with pytest.raises(Unavailable) as caught:
        name = session["session"] if ident is None else ident
        read(locate(platform=session["platform"], path=path, session=name, known=home.roots))
    return caught.value.reason, str(caught.value)


def claude(home: Home) -> tuple[Truth, Path]:
    session = home.session("claude-code", "rewind")
    return session, home.path / session["path"]


def test_a_path_outside_the_known_folders_is_not_opened(home: Home, tmp_path: Path) -> None:
    session, path = claude(home)
    copy = tmp_path / path.name
    shutil.copyfile(path, copy)
    why, words = reason(home, session, path=str(copy), ident="")
    assert why == "outside"
    assert "outside the known transcript folders" in words


def test_a_path_outside_the_known_folders_still_leads_by_its_session(home: Home) -> None:
    session, path = claude(home)
    place = locate(platform="claude-code", path="/etc/passwd", session=session["session"], known=home.roots)
    assert place.root / place.path == path
    assert not place.by_path


@pytest.mark.parametrize(
    "path",
    [
        "{root}/../../.ssh/id.jsonl",
        "{root}/a/../../../.ssh/id.jsonl",
        "{root}/../projects/../../secret/x.jsonl",
        "{root}//etc/x.jsonl",
        "{root}/a/b\0c.jsonl",
        "{root}/a/\udc80.jsonl",
        "{root}/" + "x" * 5000 + "/y.jsonl",
        "{root}/a/b.txt",
        "{root}/",
        "{root}",
    ],
)
def test_a_path_that_climbs_or_is_no_name_leads_nowhere(home: Home, path: str) -> None:
    session, _ = claude(home)
    root = str(home.roots["claude-code"][0])
    assert reason(home, session, path=path.format(root=root), ident="")[0] in {"gone", "outside"}


@pytest.mark.parametrize("ident", ["../../secret", "..", "a/b", "\0", "\udc80", "*", "x" * 5000, "' or 1=1 --"])
@pytest.mark.parametrize("platform", ["claude-code", "codex", "openclaw", "opencode", "dsh"])
def test_a_session_id_is_a_name_and_nothing_else(home: Home, platform: str, ident: str) -> None:
    session = home.session(platform)
    assert reason(home, session, path="", ident=ident)[0] == "gone"


@pytest.mark.parametrize("target", ["file", "folder"])
def test_links_are_not_followed(own_home: Home, tmp_path: Path, target: str) -> None:
    session, path = claude(own_home)
    secret = tmp_path / "secret"
    place = path if target == "file" else path.parent
    shutil.move(place, secret)
    place.symlink_to(secret)
    why, words = reason(own_home, session, path=str(path))
    assert why == "refused"
    assert "link" in words


def test_a_link_in_the_place_of_a_side_file_gives_its_preview_only(own_home: Home, tmp_path: Path) -> None:
    session, path = claude(own_home)
    (side,) = [own_home.path / name for name in session["files"] if "tool-results" in name]
    secret = tmp_path / "secret.txt"
    secret.write_text(SECRET)
    side.unlink()
    side.symlink_to(secret)
    transcript = read(own_home.place(session), context=WHOLE)
    assert SECRET not in repr(transcript)
    assert "Output too large" in repr(transcript)
    assert path.is_file()


def test_a_side_file_is_read_only_from_its_own_session(own_home: Home, tmp_path: Path) -> None:
    session, path = claude(own_home)
    secret = tmp_path / "tool-results" / "secret.txt"
    secret.parent.mkdir()
    secret.write_text(SECRET)
    text = path.read_text(encoding="utf-8")
    changed = re.sub(r'(?<=:")[^"]*/tool-results/[^"/]+\.txt(?=")', str(secret), text)
    assert str(secret) in changed
    path.write_text(changed, encoding="utf-8")
    assert SECRET not in repr(read(own_home.place(session), context=WHOLE))


def test_a_fifo_does_not_hold_the_reader(own_home: Home) -> None:
    session, path = claude(own_home)
    path.unlink()
    os.mkfifo(path)
    assert reason(own_home, session, path=str(path)) == ("refused", "This is not a regular file.")


def test_a_file_that_was_deleted_is_gone_and_says_who_did_it(own_home: Home) -> None:
    session, path = claude(own_home)
    path.unlink()
    why, words = reason(own_home, session, path=str(path))
    assert why == "gone"
    assert "30 days" in words


@pytest.mark.parametrize("path", [r"C:\Users\dev\.claude\projects\a\b.jsonl", "/home/dev/.claude/projects/a/b.jsonl"])
def test_a_path_of_another_home_is_on_another_machine(home: Home, path: str) -> None:
    session, _ = claude(home)
    why, words = reason(home, session, path=path, ident="5f3c")
    assert why == "elsewhere"
    assert "another machine" in words


def test_an_agent_that_never_ran_here_is_on_another_machine(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="another machine"):
        locate(platform="codex", path="", session="x", known={"codex": (tmp_path / "absent",)})


@pytest.mark.parametrize("platform", ["", "cursor", "../codex"])
def test_an_agent_without_a_reader_has_an_unknown_format(platform: str) -> None:
    with pytest.raises(Unavailable, match="unknown format"):
        locate(platform=platform, path="/x", session="y")


def test_a_file_that_goes_between_finding_and_reading_is_gone(own_home: Home) -> None:
    session, path = claude(own_home)
    place = own_home.place(session)
    path.unlink()
    with pytest.raises(Unavailable, match="gone"):
        read(place)


NOT_A_CONVERSATION: list[tuple[str, bytes]] = [
    ("nothing", b""),
    ("text", b"Dear diary,\ntoday nothing happened.\n"),
    ("other JSON", b'{"name":"package","version":"1"}\n[1,2]\n"x"\n'),
    ("zeros", b"\0" * 10_000),
    ("random", bytes(range(256)) * 64),
    ("half of a zstd header", b"\x28\xb5\x2f\xfd"),
    ("zstd with nonsense", b"\x28\xb5\x2f\xfd\x04\x58" + b"\xff" * 999),
    ("deep", b"[" * 200_000 + b"\n" + b'{"a":' * 200_000 + b"\n"),
    ("large number", b'{"type":' + b"9" * 100_000 + b"}\n"),
]


@pytest.mark.parametrize(("name", "data"), NOT_A_CONVERSATION)
@pytest.mark.parametrize("platform", ["claude-code", "codex", "openclaw", "opencode", "dsh"])
def test_what_is_no_conversation_has_an_unknown_format(own_home: Home, platform: str, name: str, data: bytes) -> None:
    session = own_home.session(platform)
    (own_home.path / session["path"]).write_bytes(data)
    why, words = reason(own_home, session, path=str(own_home.path / session["path"]))
    assert (why, platform) == ("unknown", platform) or (name, why) == ("nothing", "gone")
    assert "unknown format" in words or name == "nothing"


@pytest.mark.parametrize("platform", ["claude-code", "codex", "openclaw", "dsh"])
def test_a_file_cut_anywhere_is_read_up_to_there(own_home: Home, platform: str) -> None:
    session = own_home.session(platform)
    path = own_home.path / session["path"]
    data = path.read_bytes()
    whole = [turn.user for turn in own_home.all_of(session).turns]
    lengths: list[int] = []
    for end in [at + 3 for at, sign in enumerate(data) if sign == ord("\n")][5::9]:
        path.write_bytes(data[:end])
        lengths.append(len(own_home.all_of(session).turns))
    assert lengths == sorted(lengths)
    assert lengths[0] < 3 < lengths[-1] <= len(whole)


def test_a_line_that_is_too_long_is_skipped_and_told(own_home: Home) -> None:
    session, path = claude(own_home)
    with path.open("ab") as file:
        file.write(b'\n{"type":"user","message":{"content":"' + b"x" * 400_000 + b'"}}\n')
    transcript = read(own_home.place(session), limits=Limits(line=200_000))
    assert transcript.turns
    assert any("could not be read" in note for note in transcript.notes)


def test_a_stream_that_never_ends_is_left_early(own_home: Home) -> None:
    session = own_home.session("dsh", "many-frames")
    transcript = read(own_home.place(session), limits=Limits(decoded=20_000))
    assert transcript.turns
    assert any("larger" in note for note in transcript.notes)


def test_what_is_shown_at_once_is_bounded_and_the_turn_asked_for_stays(home: Home) -> None:
    session = home.session("claude-code", "huge-output")
    turn = session["turns"][3]["id"]
    transcript = read(home.place(session), turn=turn, limits=Limits(total=500))
    assert [shown.id for shown in transcript.turns] == [turn]
    assert transcript.truncated


def test_a_turn_with_more_of_everything_than_anybody_reads_is_cut(own_home: Home) -> None:
    session, path = claude(own_home)
    block: dict[str, object] = {
        "type": "tool_use",
        "name": "Write",
        "input": {"text": "y" * 5_000, "more": ["z" * 5_000] * 9},
    }
    lines = [
        _assistant(number, [{"type": "text", "text": "x" * 90_000}, block | {"id": str(number)}])
        for number in range(60)
    ]
    path.write_text("\n".join([_user("Write."), *lines]) + "\n", encoding="utf-8")
    (turn,) = read(own_home.place(session), limits=Limits(tools=50)).turns
    assert turn.is_truncated
    assert len(turn.tools) == 50
    assert len(repr(turn)) < Limits().turn + 20_000


WRONG: list[object] = [
    None,
    1,
    -1.5,
    True,
    "x",
    [],
    {},
    [None],
    [[]],
    {"type": 1},
    [{"type": "text", "text": 5}],
    1e300,
]


@pytest.mark.parametrize("platform", ["claude-code", "codex", "openclaw", "dsh"])
@pytest.mark.parametrize("value", WRONG, ids=repr)
def test_fields_of_the_wrong_type_count_as_absent(own_home: Home, platform: str, value: object) -> None:
    def spoil(key: str, line: dict[str, object]) -> dict[str, object]:
        return {name: value if name == key else _deeper(inner, spoil, key) for name, inner in line.items()}

    session = own_home.session(platform, "fork") if platform != "openclaw" else own_home.session(platform, "reset")
    path = own_home.path / session["path"]
    plain = _plain(own_home, session)
    keys = sorted({key for line in plain for key in _keys(line)} - {"type"})
    assert len(keys) > 10
    for key in keys:
        path.write_text("".join(json.dumps(spoil(key, line)) + "\n" for line in plain), encoding="utf-8")
        _shown_or_unavailable(own_home, session)


def test_a_database_of_another_shape_has_an_unknown_format(own_home: Home) -> None:
    session = own_home.session("opencode", "v2-tables")
    path = own_home.path / session["path"]
    path.unlink()
    with sqlite3.connect(path) as database:
        database.executescript("create table session (id); create table message (id); create table part (id);")
        database.execute("insert into session values (?)", (session["session"],))
    database.close()
    assert reason(own_home, session, path=str(path))[0] == "unknown"


def test_a_broken_database_does_not_hide_a_session_in_another(own_home: Home) -> None:
    session = own_home.session("opencode", "v2-tables")
    named = own_home.path / ".local/share/opencode/opencode.db"
    named.write_bytes(b"SQLite format 3\0 but no more")
    place = locate(platform="opencode", path=str(named), session=session["session"], known=own_home.roots)
    assert place.path == "opencode-next.db"


def test_a_broken_database_does_not_hide_a_file(own_home: Home) -> None:
    session = own_home.session("openclaw", "branch")
    store = own_home.path / ".openclaw/agents/main/agent/openclaw-agent.sqlite"
    store.parent.mkdir()
    store.write_bytes(b"no database at all, and longer than a header, which has a hundred bytes " * 9)
    path = str(own_home.path / session["path"])
    for hint in (path, ""):
        place = locate(platform="openclaw", path=hint, session=session["session"], known=own_home.roots)
        assert path.endswith(place.path)
    assert reason(own_home, session, path="", ident="of nobody")[0] == "unknown"


def test_a_view_in_the_place_of_a_table_is_not_asked(own_home: Home) -> None:
    session = own_home.session("opencode", "fork")
    path = own_home.path / session["path"]
    endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select i as id, i as message_id from n"
    with sqlite3.connect(path) as database:
        database.executescript(f"drop table part; create view part as {endless};")
    database.close()
    assert reason(own_home, session, path=str(path))[0] == "gone"


def _shown_or_unavailable(home: Home, session: Truth) -> Transcript | None:
    try:
        return home.all_of(session)
    except Unavailable as error:
        assert str(error).endswith(".")
        return None


def _plain(home: Home, session: Truth) -> list[dict[str, object]]:
    """Read the lines of a file, and leave it uncompressed."""
    place = home.place(session)
    with Tree(place.root) as tree:
        return [dict(line) for line in objects(tree, place.path, LIMITS, Tally())]


def _deeper(value: object, change: Callable[[str, dict[str, object]], object], key: str) -> object:
    if isinstance(value, dict):
        return change(key, value)
    return [_deeper(inner, change, key) for inner in value] if isinstance(value, list) else value


def _keys(value: object) -> set[str]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    own = set(value) if isinstance(value, dict) else set()
    return own.union(*(_keys(part) for part in inner))


def _user(text: str) -> str:
    return json.dumps({"type": "user", "uuid": "u", "message": {"role": "user", "content": text}})


def _assistant(number: int, content: list[dict[str, object]]) -> str:
    message = {"id": f"m{number}", "role": "assistant", "content": content, "stop_reason": "end_turn"}
    return json.dumps({"type": "assistant", "uuid": f"a{number}", "message": message})
