"""What MemDock remembers: one file a noun."""

from __future__ import annotations

from memory.models.audit import AuditEntry
from memory.models.capture import Capture, InboxMessage, Injection, PendingEvent, Setting
from memory.models.change import Change, Marker
from memory.models.document import Document, DocumentRevision
from memory.models.exchange import ImportedChunk, ImportRun
from memory.models.journal import Entry, Journal
from memory.models.observation import Observation, ObservationVersion, Relation
from memory.models.project import Project, ProjectAlias, ProjectDirectory, ProjectMerge
from memory.models.prompt import Prompt, Tombstone
from memory.models.saved_search import SavedSearch
from memory.models.search import SearchDocument, SearchVectors
from memory.models.session import Session
from memory.models.sign_in import SignInLink
from memory.models.skill import SkillCandidate, SkillRevision
from memory.models.token import ApiToken

__all__ = [
    "ApiToken",
    "AuditEntry",
    "Capture",
    "Change",
    "Document",
    "DocumentRevision",
    "Entry",
    "ImportRun",
    "ImportedChunk",
    "InboxMessage",
    "Injection",
    "Journal",
    "Marker",
    "Observation",
    "ObservationVersion",
    "PendingEvent",
    "Project",
    "ProjectAlias",
    "ProjectDirectory",
    "ProjectMerge",
    "Prompt",
    "Relation",
    "SavedSearch",
    "SearchDocument",
    "SearchVectors",
    "Session",
    "Setting",
    "SignInLink",
    "SkillCandidate",
    "SkillRevision",
    "Tombstone",
]
