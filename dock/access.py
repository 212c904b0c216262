"""Turns an id and a person into an object, or into 404: the only place where views find what they show.

Whoever is signed in may read everything in this dock; what changes something asks for a permission by name.
"""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import Http404

from dock.http import DockRequest
from memory.artifacts import queries as artifacts
from memory.capture import queries as captures
from memory.documents import queries as documents
from memory.engram import queries as engram
from memory.engram import relations
from memory.journal import queries as journals
from memory.maintenance import queries as upkeep
from memory.models import (
    Artifact,
    Capture,
    Document,
    DocumentProposal,
    DocumentRevision,
    Entry,
    ImportRun,
    Observation,
    Project,
    ProjectMerge,
    Prompt,
    Relation,
    SavedSearch,
    Session,
    SkillCandidate,
    UpkeepRun,
)
from memory.projects import queries as projects
from memory.search import saved
from memory.sessions import queries as sessions
from memory.skills import queries as skills


def chosen_project(request: DockRequest) -> Project | None:
    """Return the project that `?project=` names, None for all; 404 when there is no such project."""
    name = request.GET.get("project", "")
    return project(name) if name else None


def project(name: str) -> Project:
    return _found(projects.find(name), "project")


def merge(pk: int) -> ProjectMerge:
    return _found(ProjectMerge.objects.filter(pk=pk).first() if pk < 2**63 else None, "merge")


def entry(request: DockRequest, pk: int) -> Entry:
    found = _found(journals.entries().filter(pk=pk).first() if pk < 2**63 else None, "entry")
    request.project = found.project.name
    return found


def session(request: DockRequest, key: str) -> Session:
    found = _found(sessions.find(key), "session")
    request.project = found.project.name
    return found


def skill(owner: Project, slug: str) -> SkillCandidate:
    return _found(skills.find(owner, slug), "skill")


def document(owner: Project, name: str) -> Document:
    return _found(documents.find(owner, name), "document")


def revision(row: Document, number: int) -> DocumentRevision:
    return _found(row.revisions.filter(number=number).first() if number < 2**31 else None, "revision")


def memory(request: DockRequest, pk: int) -> Observation:
    """Return a memory, also one in the trash."""
    found = _found(engram.find(pk, may_be_deleted=True), "memory")
    request.project = found.project.name
    return found


def live_memory(request: DockRequest, pk: int) -> Observation:
    """Return a memory that is not in the trash."""
    found = _found(engram.find(pk), "memory")
    request.project = found.project.name
    return found


def prompt(request: DockRequest, pk: int) -> Prompt:
    found = _found(engram.find_prompt(pk), "prompt")
    request.project = found.project.name
    return found


def relation(pk: int) -> Relation:
    return _found(relations.find(pk) if pk < 2**63 else None, "relation")


def capture(pk: int) -> Capture:
    return _found(captures.find(pk) if pk < 2**63 else None, "capture")


def artifact(request: DockRequest, pk: int) -> Artifact:
    """Return an artifact, also a deleted one."""
    found = _found(artifacts.find(pk) if pk < 2**63 else None, "artifact")
    request.project = found.project.name if found.project else ""
    return found


def import_run(pk: int) -> ImportRun:
    return _found(ImportRun.objects.filter(pk=pk).first() if pk < 2**63 else None, "import")


def upkeep_run(request: DockRequest, pk: int) -> UpkeepRun:
    found = _found(upkeep.find(pk) if pk < 2**63 else None, "run")
    request.project = found.project.name
    return found


def proposal(pk: int) -> DocumentProposal:
    return _found(upkeep.find_proposal(pk) if pk < 2**63 else None, "proposal")


def saved_search(request: DockRequest, pk: int) -> SavedSearch:
    """Return a search of this person; those of others are not found."""
    return _found(saved.find(request.user, pk) if pk < 2**63 else None, "saved search")


def require(request: DockRequest, permission: str) -> None:
    """Raise PermissionDenied (403) unless the person has the permission."""
    if not request.user.has_perm(permission):
        raise PermissionDenied(permission)


def _found[Thing](thing: Thing | None, noun: str) -> Thing:
    if thing is None:
        raise Http404(f"There is no such {noun}.")
    return thing
