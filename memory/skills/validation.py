"""Checks of a candidate that a reviewer wants done before reading it; none of them decides anything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

from memory.descriptors import DiskError
from memory.disk import Tree
from memory.models import SkillCandidate
from memory.skills import evidence, frontmatter, secrets, store
from memory.texts import hidden

SIZE_LIMIT = 65_536
"""Bytes of a SKILL.md above which agents may not read it whole."""

NAMED = 3
"""Findings that a detail names; it says how many more there are."""

_MARKDOWN = MarkdownIt("commonmark")
_MARKDOWN.validateLink = lambda url: True  # type: ignore[method-assign]  # what it would drop is what is looked for
_WEB = {"http", "https", "mailto"}
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


@dataclass(frozen=True, slots=True)
class Check:
    """One check: whether it passed, what was looked at, and what was found where it did not pass."""

    ok: bool
    label: str
    detail: str = ""


def checks(skill: SkillCandidate) -> tuple[Check, ...]:
    """Do all checks. Looks at the disk for links that name files. Two queries."""
    fields, _ = frontmatter.split(skill.text)
    return (
        _has_front_matter(fields),
        _is_named_as_its_folder(skill, fields),
        _is_small_enough(skill),
        _hides_nothing(skill),
        _has_no_secrets(skill),
        _has_working_links(skill),
        _cites_what_exists(skill),
    )


def _has_front_matter(fields: dict[str, str]) -> Check:
    missing = [key for key in ("name", "description") if not fields.get(key, "").strip()]
    return Check(not missing, "Front matter has name and description", f"Missing: {_list(missing)}" if missing else "")


def _is_named_as_its_folder(skill: SkillCandidate, fields: dict[str, str]) -> Check:
    name = fields.get("name", "")
    is_same = name == skill.slug
    detail = "" if is_same else f'The name is "{hidden.visible(name)[:100]}", the folder "{hidden.visible(skill.slug)}"'
    return Check(is_same, "Name equals its folder", detail)


def _is_small_enough(skill: SkillCandidate) -> Check:
    size = len(skill.text.encode())
    return Check(size <= SIZE_LIMIT, f"{size:,} bytes, limit {SIZE_LIMIT:,}")


def _hides_nothing(skill: SkillCandidate) -> Check:
    found = hidden.reveal(skill.text)
    lines = [(name.lower(), skill.text.count("\n", 0, at) + 1) for at, name in found[:NAMED]]
    named = _list([f"{name} in line {line}" for name, line in lines], of=len(found))
    return Check(not found, "No hidden or bidirectional characters", named)


def _has_no_secrets(skill: SkillCandidate) -> Check:
    found = [f"line {one.line} looks like {one.kind}" for one in secrets.suspects(skill.text)]
    return Check(not found, "Nothing that looks like a secret", _list(found))


def _has_working_links(skill: SkillCandidate) -> Check:
    links = list(dict.fromkeys(_links(skill.body[:SIZE_LIMIT])))
    broken = [hidden.visible(link)[:100] for link in links if not _resolves(skill, link)]
    label = "No links" if not links else f"All {len(links)} links resolve" if len(links) > 1 else "The link resolves"
    web = sum(_scheme(link) in _WEB for link in links)
    detail = f"Not found: {_list(broken)}" if broken else "Addresses on the web are not fetched" if web else ""
    return Check(not broken, "Links resolve" if broken else label, detail)


def _cites_what_exists(skill: SkillCandidate) -> Check:
    missing = [hidden.visible(source)[:100] for source in evidence.missing(skill)]
    if not skill.sources:
        return Check(ok=True, label="No journals are cited")
    return Check(not missing, "All cited journals exist", f"Not found: {_list(missing)}" if missing else "")


def _scheme(link: str) -> str:
    return link.partition(":")[0].lower() if _SCHEME.match(link) else ""


def _links(body: str) -> Iterator[str]:
    for token in _MARKDOWN.parse(body):
        yield from _of(token)


def _of(token: Token) -> Iterator[str]:
    target = (
        token.attrGet("href") if token.type == "link_open" else token.attrGet("src") if token.type == "image" else ""
    )
    if target:
        yield str(target)
    for child in token.children or ():
        yield from _of(child)


def _resolves(skill: SkillCandidate, link: str) -> bool:
    """Tell whether a link leads somewhere: to the web, into the text itself, or to a file of the candidate or project."""
    if scheme := _scheme(link):
        return scheme in _WEB
    path = unquote(re.split(r"[?#]", link, maxsplit=1)[0])
    if not path:
        return True
    return _exists(Path(skill.project.memory_dir), f"{store.FOLDER}/{skill.slug}/{path.removeprefix('./')}") or (
        bool(skill.project.root) and _exists(Path(skill.project.root), path.removeprefix("./"))
    )


def _exists(root: Path, path: str) -> bool:
    try:
        with Tree(root) as tree:
            return tree.stat(path.rstrip("/")).kind in {"file", "dir"}
    except DiskError:
        return False


def _list(found: list[str], *, of: int = 0) -> str:
    more = max(of, len(found)) - NAMED
    return ", ".join(found[:NAMED]) + (f" and {more} more" if more > 0 else "")
