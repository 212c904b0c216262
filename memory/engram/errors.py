"""Why something asked in Engram's words cannot be done; doors turn these into their own kind of answer."""

from __future__ import annotations


class EngramError(Exception):
    """The root of all refusals.

    `message` is one sentence in Engram's wording, `code` is Engram's name for the case ("" where it has none), and
    `fields` is what a reply carries beside them.
    """

    message = "the request cannot be done"
    code = ""

    def __init__(self, message: str = "", *, code: str = "", **fields: object) -> None:
        """Take the class's own message and code unless others are given."""
        self.message = message or type(self).message
        self.code = code or type(self).code
        self.fields: dict[str, object] = fields
        super().__init__(self.message)


class Invalid(EngramError):
    """A value that cannot be taken."""

    message = "invalid request"


class NotFound(EngramError):
    """Nothing of this id, or it is deleted."""

    message = "not found"


class SessionNotFound(NotFound):
    """No session of this id is registered."""

    message = "session not found"


class SessionEnded(EngramError):
    """The session has ended and is not opened again."""

    message = "session has already ended"
    code = "session_already_ended"


class SessionConflict(EngramError):
    """The session belongs to another project."""

    message = "session ownership does not match write project"
    code = "session_project_conflict"


class IsolationConflict(EngramError):
    """An isolated session meets one that is not."""

    message = "session is already registered without isolation"
    code = "session_isolation_conflict"


class ProjectMismatch(EngramError):
    """The project of a save is not its session's."""

    message = "session project does not match requested project"
    code = "session_project_mismatch"


class OwnershipRequired(EngramError):
    """A save names no project and has no session to take one from."""

    message = "project ownership is required"
    code = "project_ownership_required"


class ExpectedProjectMismatch(EngramError):
    """The observation is not in the project that the caller expected."""

    message = "expected_project does not match observation owner"


class ReassignmentRefused(EngramError):
    """An edit would move the observation to another project."""

    message = "observation project cannot be reassigned"


class OperationConflict(EngramError):
    """The id of an operation comes back with another content."""

    message = "operation_id was already used with a different payload"


class EditConflict(EngramError):
    """A person edits a revision that is no longer the newest."""

    message = "this memory was changed in the meantime"
    code = "edit_conflict"


class StillHasObservations(EngramError):
    """A session cannot be deleted while observations name it."""

    message = "session still has observations"


class InvalidProject(Invalid):
    """A text that cannot name a project."""

    message = "invalid project"
    code = "invalid_project"


class UnknownProject(NotFound):
    """No memory is known under this name."""

    message = "project not found"
    code = "unknown_project"


class AmbiguousProject(EngramError):
    """A directory holds several repositories and is none itself."""

    message = "project resolution failed: ambiguous project: multiple git repos found in cwd"
    code = "ambiguous_project"


class ProjectUnresolved(EngramError):
    """The project of a directory cannot be told; nothing is guessed instead."""

    message = "project resolution failed"
    code = "project_resolution_failed"


class InvalidProjectConfig(ProjectUnresolved):
    """`.engram/config.json` is there and cannot be used."""
