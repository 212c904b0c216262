"""The plugins of this process, in the order in which they were registered."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from inspect import iscoroutine
from threading import RLock

from memory.service.errors import RegistrationError
from memory.service.plugins import ChangeSource, Filtering, MemoryPlugin
from memory.service.routing import Settings
from memory.service.types import Call, Filter

ENTRY_POINTS = "memdock.plugins"
"""The group in which an installed package names its plugins: each entry is a plugin, or a callable that makes one."""

LONGEST_ID = 200
"""Characters of a plugin's id."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class Registration:
    """A plugin, the filter that was given with it and who brought it; `dispose` takes it away, any number of times."""

    id: str
    plugin: MemoryPlugin
    registry: Registry
    filter: Filter | None = None
    origin: str = ""

    @property
    def is_followable(self) -> bool:
        return isinstance(self.plugin, ChangeSource)

    def accepts(self, call: Call, settings: Settings) -> bool:
        """Tell whether a call goes to this plugin: first what the user says, then its own filter, then the given one.

        The filters have a copy for themselves. Raises whatever a filter raises.
        """
        if not settings.policy(self.id).allows(call):
            return False
        filters: list[Filter] = [self.plugin.accepts] if isinstance(self.plugin, Filtering) else []
        filters += [self.filter] if self.filter else []
        own = Call(call.operation, call.meta.copy()) if filters else call
        return all(_answer(one(own)) for one in filters)

    def dispose(self) -> None:
        """Take the plugin away; a later registration of the same id stays."""
        self.registry.remove(self)


type Listener = Callable[[], None]


@dataclass(slots=True)
class Registry:
    """Registrations by id. Listeners are told, in the thread that changes something, that something changed."""

    problems: dict[str, str] = field(default_factory=dict)
    """Entry points that could not be loaded, and why."""
    _rows: dict[str, Registration] = field(default_factory=dict)
    _listeners: list[Listener] = field(default_factory=list)
    _lock: RLock = field(default_factory=RLock)

    def register(self, plugin: MemoryPlugin, *, filter: Filter | None = None, origin: str = "") -> Registration:  # noqa: A002
        """Add a plugin. Raises RegistrationError for a blank or a known id, and for what is no plugin."""
        plugin_id = getattr(plugin, "id", None)
        if not isinstance(plugin_id, str) or not plugin_id.strip():
            raise RegistrationError("a memory plugin needs an id")
        if len(plugin_id) > LONGEST_ID or not plugin_id.isprintable():
            raise RegistrationError(f"the id of a memory plugin is at most {LONGEST_ID} characters in one line")
        missing = [name for name in ("update", "retrieve") if not callable(getattr(plugin, name, None))]
        if missing:
            raise RegistrationError(f"the memory plugin {plugin_id} has no {missing[0]}")
        with self._lock:
            if plugin_id in self._rows:
                raise RegistrationError(f"a memory plugin {plugin_id} is registered already")
            row = self._rows[plugin_id] = Registration(plugin_id, plugin, self, filter, origin)
        self._tell()
        return row

    def remove(self, row: Registration) -> None:
        with self._lock:
            if self._rows.get(row.id) is not row:
                return
            del self._rows[row.id]
        self._tell()

    def load(self) -> None:
        """Register what installed packages offer; one that fails is a problem and keeps nobody else away."""
        for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda entry: (_origin(entry), entry.name)):
            try:
                found = entry.load()
                plugin = found() if isinstance(found, type) or not hasattr(found, "update") else found
                self.register(plugin, origin=_origin(entry))
            except (Exception, SystemExit) as exc:
                logger.exception("the memory plugin %s cannot be loaded", entry.name)
                self.problems[entry.name] = f"{type(exc).__name__}: {exc}"

    def rows(self) -> list[Registration]:
        """Return all registrations in their order."""
        with self._lock:
            return list(self._rows.values())

    def find(self, plugin_id: str) -> Registration | None:
        with self._lock:
            return self._rows.get(plugin_id)

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Let a listener know of every registration and removal until the returned function is called."""
        with self._lock:
            self._listeners.append(listener)

        def stop() -> None:
            with self._lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)

        return stop

    def __iter__(self) -> Iterator[Registration]:
        return iter(self.rows())

    def _tell(self) -> None:
        with self._lock:
            listeners = list(self._listeners)
        for listener in listeners:
            listener()


def _answer(value: object) -> bool:
    if iscoroutine(value):
        value.close()
        raise TypeError("a filter has to answer at once, but it is a coroutine")
    return bool(value)


def _origin(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist else entry.value


plugins = Registry()
"""The plugins of this process: built-in ones first, then those of installed packages."""
