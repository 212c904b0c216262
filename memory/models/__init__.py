"""What MemDock remembers: one file a noun."""

from __future__ import annotations

from memory.models.artifact import Artifact, Blob
from memory.models.audit import AuditEntry
from memory.models.capture import Capture, InboxMessage, Injection, PendingEvent, Setting
from memory.models.change import Change, Marker
from memory.models.document import Document, DocumentRevision
from memory.models.exchange import ImportedChunk, ImportRun
from memory.models.fact import Fact, FactVersion
from memory.models.journal import Entry, Journal
from memory.models.maintenance import DocumentProposal, UpkeepRun
from memory.models.observation import Observation, ObservationVersion, Relation
from memory.models.project import Project, ProjectAlias, ProjectDirectory, ProjectMerge
from memory.models.prompt import Prompt, Tombstone
from memory.models.saved_search import SavedSearch
from memory.models.search import SearchDocument, SearchVectors
from memory.models.service import LoopUpdate, PluginHealth, SubscriptionCursor, UpdateReceipt
from memory.models.session import Session
from memory.models.sign_in import SignInLink
from memory.models.skill import SkillCandidate, SkillRevision
from memory.models.skill_desk import ReplacedCopy, SkillCopy, SkillDecision, SkillJob, SkillReading
from memory.models.token import ApiToken

__all__ = [
    "ApiToken",
    "Artifact",
    "AuditEntry",
    "Blob",
    "Capture",
    "Change",
    "Document",
    "DocumentProposal",
    "DocumentRevision",
    "Entry",
    "Fact",
    "FactVersion",
    "ImportRun",
    "ImportedChunk",
    "InboxMessage",
    "Injection",
    "Journal",
    "LoopUpdate",
    "Marker",
    "Observation",
    "ObservationVersion",
    "PendingEvent",
    "PluginHealth",
    "Project",
    "ProjectAlias",
    "ProjectDirectory",
    "ProjectMerge",
    "Prompt",
    "Relation",
    "ReplacedCopy",
    "SavedSearch",
    "SearchDocument",
    "SearchVectors",
    "Session",
    "Setting",
    "SignInLink",
    "SkillCandidate",
    "SkillCopy",
    "SkillDecision",
    "SkillJob",
    "SkillReading",
    "SkillRevision",
    "SubscriptionCursor",
    "Tombstone",
    "UpdateReceipt",
    "UpkeepRun",
]
