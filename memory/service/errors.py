"""What can go wrong at the service; each has a `code` for programs and a message for people."""

from __future__ import annotations


class ServiceError(Exception):
    """A call that the service refuses as a whole."""

    code = "service_error"


class BadRequest(ServiceError, ValueError):
    """A request that is no strict JSON, or lacks a part; the message names the field."""

    code = "bad_request"


class RequestConflict(ServiceError):
    """A `requestId` that was used before for other data."""

    code = "request_conflict"


class RequestBusy(ServiceError):
    """The same request is being worked on elsewhere, and did not end in time."""

    code = "request_busy"


class RegistrationError(ServiceError, ValueError):
    """A plugin that cannot be registered."""

    code = "registration"


class MemorySubscriptionError(Exception):
    """Why a subscription to a plugin broke; raised by plugins, handlers and cursor stores.

    `retryable`: reopening from the last durable cursor may help (a lost connection). `reset_required`: the plugin
    cannot go on from that cursor; the consumer has to read everything anew, delete the cursor and subscribe again.
    Any other exception counts as neither. Source: dsh-patchouli, `MemorySubscriptionError`.
    """

    def __init__(self, message: str, *, retryable: bool = False, reset_required: bool = False) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.reset_required = reset_required


class LeaseLost(MemorySubscriptionError):
    """Another process runs this consumer now; nothing of ours may be saved any more."""

    def __init__(self, plugin_id: str) -> None:
        super().__init__(f"another process follows {plugin_id} for this consumer now", retryable=True)
