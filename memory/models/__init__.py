"""What MemDock remembers: one file a noun."""

from __future__ import annotations

from memory.models.audit import AuditEntry
from memory.models.change import Change, Marker
from memory.models.document import Document, DocumentRevision
from memory.models.journal import Entry, Journal
from memory.models.project import Project, ProjectAlias
from memory.models.search import SearchDocument, SearchVectors
from memory.models.session import Session
from memory.models.sign_in import SignInLink
from memory.models.skill import SkillCandidate, SkillRevision
from memory.models.token import ApiToken

__all__ = [
    "ApiToken",
    "AuditEntry",
    "Change",
    "Document",
    "DocumentRevision",
    "Entry",
    "Journal",
    "Marker",
    "Project",
    "ProjectAlias",
    "SearchDocument",
    "SearchVectors",
    "Session",
    "SignInLink",
    "SkillCandidate",
    "SkillRevision",
]
