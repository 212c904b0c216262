"""The pages of artifacts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memory import refs
from memory.artifacts import blobs
from memory.models import Artifact, AuditEntry, Project
from tests.makers import make_project, make_tree
from tests.memory.artifacts.parts import TURN, image_block, png, resource, stored, take
from tests.memory.engram.makers import make_session

LIST = "/dock/artifacts/"
HTMX = {"HX-Request": "true"}
SCRIPT = '"><script>alert(1)</script>'


@pytest.fixture(autouse=True)
def _data(tmp_path: Path, settings: Any) -> None:
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()


@pytest.fixture
def harbor(db: None, tree: Path) -> Project:
    return make_project(make_tree(tree))


def make_file(
    root: Path, path: str = "notes.md", content: bytes = b"# Tides\n\n- High at *noon*\n", /, **over: Any
) -> Artifact:
    (root / path).write_bytes(content)
    session = {"sessionId": over.pop("session", "s1")}
    return stored(take({"resources": [resource(path, **over)]}, root, **session)["artifacts"][0])


def make_image(root: Path, content: bytes | None = None, name: str = "tides.png") -> Artifact:
    data = content or png(width=30, height=20)
    return stored(take({"events": [image_block(data, name, name=name)]}, root, point=TURN)["artifacts"][0])


def names(answer: object) -> list[str]:
    return [row.name for row in answer.context["page"].rows]  # type: ignore[attr-defined]


def body(answer: Any) -> bytes:
    return b"".join(answer.streaming_content)


def test_says_how_artifacts_come_to_be(browser: Client, db: None) -> None:
    assert "No artifacts yet" in browser.get(LIST).content.decode()


def test_lists_artifacts_the_latest_first(browser: Client, tree: Path, harbor: Project) -> None:
    make_file(tree, "a.txt"), make_file(tree, "b.txt"), make_image(tree)
    assert names(browser.get(LIST)) == ["tides.png", "b.txt", "a.txt"]


def test_filters_by_words_kind_type_session_and_project(
    browser: Client, tree: Path, harbor: Project, tmp_path: Path
) -> None:
    make_session("g/1?", project="harbor")
    other = tmp_path / "other"
    other.mkdir()
    make_file(tree, "notes.md", mediaType="text/markdown", session="g/1?")
    make_file(tree, "chart.pdf", b"%PDF-1.7")
    make_file(tree, "dump.bin", b"\0\1")
    make_image(tree)
    make_file(other, "elsewhere.txt", b"x")
    for query, found in {
        (("q", "NOTES"),): ["notes.md"],
        (("kind", "image-attachment"),): ["tides.png"],
        (("kind", "workspace-file"), ("project", "harbor")): ["dump.bin", "chart.pdf", "notes.md"],
        (("type", "image"),): ["tides.png"],
        (("type", "text"),): ["notes.md"],
        (("type", "pdf"),): ["chart.pdf"],
        (("type", "other"),): ["elsewhere.txt", "dump.bin"],
        (("session", "g/1?"),): ["notes.md"],
        (("kind", "nonsense"), ("type", "nonsense"), ("cursor", "nonsense"), ("project", "harbor")): [
            *("tides.png", "dump.bin", "chart.pdf", "notes.md"),
        ],
    }.items():
        assert names(browser.get(LIST, dict(query))) == found, query
    assert "No artifact fits" in browser.get(LIST, {"q": "zanzibar"}).content.decode()
    assert browser.get(LIST, {"project": "nowhere"}).status_code == 404


def test_pages_with_the_filters_in_its_links(browser: Client, tree: Path, harbor: Project) -> None:
    row = make_file(tree, "a.txt")
    for number in range(59):
        Artifact.objects.filter(pk=row.pk).update(name="a.txt")
        copy = Artifact.objects.get(pk=row.pk)
        copy.pk, copy.key = None, str(number)
        copy.save()
    first = browser.get(LIST, {"q": "a.txt", "project": "harbor"})
    second = browser.get(first.context["page"].next_url)
    shown = [row.url for page in (first, second) for row in page.context["page"].rows]
    assert len(shown) == len(set(shown)) == 60
    assert "project=harbor" in second.context["page"].url


def test_a_list_takes_as_many_queries_for_one_row_as_for_many(browser: Client, tree: Path, harbor: Project) -> None:
    make_session("s1", project="harbor")
    counts = []
    for number in (1, 20):
        for index in range(number):
            make_file(tree, f"{number}-{index}.txt", f"{number}-{index}".encode())
        with CaptureQueriesContext(connection) as told:
            browser.get(LIST)
        counts.append(len(told))
    assert counts[0] == counts[1]


def test_gives_htmx_the_rows_alone_and_history_the_page(browser: Client, tree: Path, harbor: Project) -> None:
    make_file(tree)
    rows = browser.get(LIST, headers=HTMX).content.decode()
    assert rows.strip().startswith('<div id="rows"')
    assert "<html" not in rows
    assert "<html" in browser.get(LIST, headers=HTMX | {"HX-History-Restore-Request": "true"}).content.decode()


def test_shows_an_artifact_with_what_is_known_of_it(browser: Client, tree: Path, harbor: Project) -> None:
    make_session("s/1?", project="harbor")
    row = make_file(tree, role="source", mediaType="text/markdown", session="s/1?")
    answer = browser.get(refs.url(refs.artifact(row)))
    told = answer.content.decode()
    assert row.blob
    for words in (
        "<em>noon</em>",
        f"{row.blob.byte_length} bytes",
        row.blob.digest,
        f"artifact:{row.pk}",
        "File of a workspace",
        "text/markdown",
    ):
        assert words in told
    assert browser.get(answer.context["page"].session_url).status_code == 200
    assert browser.get(answer.context["page"].project_url).status_code == 200
    fragment = browser.get(f"{LIST}{row.pk}/", headers=HTMX).content.decode()
    assert fragment.strip().startswith('<div id="artifact"')
    for nothing in (row.pk + 1, 2**70):
        assert browser.get(f"{LIST}{nothing}/").status_code == 404


def test_shows_text_as_files_do(browser: Client, tree: Path, harbor: Project) -> None:
    page = f"{LIST}{make_file(tree).pk}/"
    assert 'id="L3"' in browser.get(page, {"view": "text"}).content.decode()
    long = make_file(tree, "long.py", b"".join(b"line = %06d\n" % number for number in range(30_000)))
    start, end = (browser.get(f"{LIST}{long.pk}/", {"part": part}).content.decode() for part in ("head", "tail"))
    assert "000000" in start
    assert "029999" not in start
    assert "029999" in end
    assert "of 420,000 bytes" in start
    assert (
        "Binary file, no preview."
        in browser.get(f"{LIST}{make_file(tree, 'x.bin', bytes(range(256))).pk}/").content.decode()
    )
    assert "This file is empty." in browser.get(f"{LIST}{make_file(tree, 'empty.txt', b'').pk}/").content.decode()


def test_downloads_the_very_bytes_and_never_as_a_page(browser: Client, tree: Path, harbor: Project) -> None:
    content = b"<!doctype html><script>alert(1)</script>" + bytes(range(256)) * 3000
    row = make_file(tree, "page.html", content, mediaType="text/html", name="pägé\n.html")
    answer = browser.get(f"{LIST}{row.pk}/raw/")
    assert body(answer) == content
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["Content-Disposition"].startswith("attachment")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert answer["Content-Length"] == str(len(content))


def test_shows_an_image_by_its_bytes_alone(browser: Client, tree: Path, harbor: Project) -> None:
    row = make_image(tree)
    shown = browser.get(f"{LIST}{row.pk}/")
    assert f'<img src="{LIST}{row.pk}/image/" alt="tides.png" width="30" height="20">' in shown.content.decode()
    answer = browser.get(f"{LIST}{row.pk}/image/")
    assert body(answer) == png(width=30, height=20)
    assert answer["Content-Type"] == "image/png"
    assert answer["Content-Disposition"] == 'attachment; filename="tides.png"'
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_an_image_that_a_browser_should_not_decode_is_not_shown(browser: Client, tree: Path, harbor: Project) -> None:
    huge = bytearray(png())
    huge[16:24] = (50_000).to_bytes(4) * 2
    drawing = b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'
    rows = [
        make_image(tree, bytes(huge), "huge.png"),
        make_file(tree, "drawing.svg", drawing, mediaType="image/svg+xml"),
        make_file(tree, "fake.png", b"<html>", mediaType="image/png"),
        make_file(tree, "large.png", png() + b"\0" * (8 * 1024 * 1024)),
    ]
    for row in rows:
        assert "<img" not in browser.get(f"{LIST}{row.pk}/").content.decode()
        assert browser.get(f"{LIST}{row.pk}/image/").status_code == 404
        assert body(browser.get(f"{LIST}{row.pk}/raw/"))


def test_says_that_bytes_are_missing(browser: Client, tree: Path, harbor: Project) -> None:
    row = make_file(tree)
    assert row.blob
    blobs.delete(row.blob.digest)
    answer = browser.get(f"{LIST}{row.pk}/")
    assert "Its bytes are missing." in answer.content.decode()
    assert answer.context["page"].download_url == ""
    assert browser.get(f"{LIST}{row.pk}/raw/").status_code == 404


def test_an_artifact_whose_bytes_are_elsewhere_has_a_page(browser: Client, db: None) -> None:
    row = Artifact.objects.create(
        key="k",
        scope="s",
        origin="workspace-file",
        native_id="a",
        state="indexed",
        locator="drive:7",
        seen_at=timezone.now(),
    )
    assert browser.get(f"{LIST}{row.pk}/").status_code == 200
    assert names(browser.get(LIST)) == ["File of a workspace"]
    assert browser.get(f"{LIST}{row.pk}/raw/").status_code == 404


def test_deletes_and_takes_that_back(browser: Client, owner: User, tree: Path, harbor: Project) -> None:
    row = make_file(tree)
    page = f"{LIST}{row.pk}/"
    answer = browser.post(browser.get(page).context["page"].delete_url)
    assert answer["Location"] == f"{LIST}?project=harbor"
    [message] = get_messages(answer.wsgi_request)
    assert str(message) == "“notes.md” is deleted."
    assert names(browser.get(LIST)) == []
    deleted = browser.get(page)
    assert "Its bytes are removed for good after" in deleted.content.decode()
    for gone in ("raw/", "image/"):
        assert browser.get(page + gone).status_code == 404
    again = browser.post(f"{page}delete/")
    assert [str(one) for one in get_messages(again.wsgi_request)] == ["This artifact is deleted already."]

    assert message.extra_tags == deleted.context["page"].restore_url
    for _ in range(2):
        assert browser.post(message.extra_tags)["Location"] == page
    assert names(browser.get(LIST)) == ["notes.md"]
    acts = AuditEntry.objects.filter(actor=owner, target=f"artifact:{row.pk}").order_by("pk")
    assert list(acts.values_list("action", flat=True)) == ["artifact.deleted", "artifact.restored"]


def test_only_who_may_delete_does(client: Client, guest: User, tree: Path, harbor: Project) -> None:
    row = make_file(tree)
    client.force_login(guest)
    assert client.get(f"{LIST}{row.pk}/").context["page"].delete_url == ""
    for act in ("delete", "restore"):
        assert client.post(f"{LIST}{row.pk}/{act}/").status_code == 403
    assert Artifact.objects.get().deleted_at is None


def test_pages_are_read_and_acts_are_posted(browser: Client, tree: Path, harbor: Project) -> None:
    page = f"{LIST}{make_file(tree).pk}/"
    for address in (LIST, page, f"{page}raw/", f"{page}image/"):
        assert browser.post(address).status_code == 405
    for act in ("delete", "restore"):
        assert browser.get(f"{page}{act}/").status_code == 405
        assert browser.post(f"{LIST}{2**40}/{act}/").status_code == 404


def test_hostile_names_are_text(browser: Client, tree: Path, harbor: Project) -> None:
    make_session(f"s{SCRIPT}", project="harbor")
    row = make_file(tree, "x.md", f"{SCRIPT}\n<img src=x onerror=alert(1)>".encode(), name=SCRIPT, session=f"s{SCRIPT}")
    for address in (LIST, f"{LIST}?q=%3Cscript", f"{LIST}{row.pk}/", f"{LIST}{row.pk}/?view=text"):
        told = browser.get(address).content.decode()
        assert "<script>alert" not in told
        assert "<img src=x" not in told
    assert browser.get(browser.get(LIST).context["page"].rows[0].session_url).status_code == 200


def test_is_found_from_its_session_and_from_the_files(browser: Client, tree: Path, harbor: Project) -> None:
    session = make_session("s1", project="harbor")
    told = browser.get(refs.url(refs.session(session)))
    assert told.context["page"].artifacts == 0
    make_file(tree)
    page = browser.get(refs.url(refs.session(session))).context["page"]
    assert names(browser.get(page.artifacts_url)) == ["notes.md"]
    assert f'href="{LIST}?project=harbor"' in browser.get("/dock/files/harbor/").content.decode()
    live = browser.get("/dock/").content.decode()
    assert "notes.md" in live
