"""Loads plugins by name, checks them, and sets broken ones aside."""

from __future__ import annotations

import difflib
import inspect
import logging
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

import pluggy

from ironhive.errors import IronHiveError, PluginError, UnknownNameError
from ironhive.hooks import specs
from ironhive.hooks.markers import PROJECT
from ironhive.plugins.index import PREFIX, Index, InstalledPlugin, scan

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

logger = logging.getLogger("ironhive.plugins")

_Item = TypeVar("_Item")

LOAD_SECONDS: Final = 10.0
"""How long importing and registering one plugin may take before it is set aside."""


HOOK_KINDS: Final = {
    "ironhive_provider": "provider",
    "ironhive_byo_presets": "provider",
    "ironhive_backend": "backend",
    "ironhive_guard": "guard",
    "ironhive_selector": "selector",
    "ironhive_classifier": "classifier",
    "ironhive_tools": "tool",
    "ironhive_instructions": "tool",
    "ironhive_commands": "command",
}
"""The hooks that plugins of one kind answer; the others are asked of everything that is loaded."""


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A plugin that was set aside, and why."""

    plugin: InstalledPlugin
    cause: str

    def __str__(self) -> str:
        where = f"{self.plugin.distribution} {self.plugin.version}".strip()
        return (
            f"{self.plugin.kind} plugin {self.plugin.name!r} of {where} is set aside: {self.cause}; update it, or "
            f"remove it with: pip uninstall {self.plugin.distribution}"
        )


class PluginManager:
    """The plugins of one host. Nothing is imported before a name is loaded.

    :param index: what is installed; scanned from ``sys.path`` by default.
    :param disabled: names (``name`` or ``kind:name``) that are never loaded.
    :param load_seconds: the limit for loading one plugin.
    """

    def __init__(
        self, index: Index | None = None, *, disabled: Iterable[str] = (), load_seconds: float = LOAD_SECONDS
    ) -> None:
        self.index = scan() if index is None else index
        self.disabled = frozenset(disabled)
        self._load_seconds = load_seconds
        self._pluggy = pluggy.PluginManager(PROJECT)
        self._pluggy.add_hookspecs(specs)
        self._loaded: dict[tuple[str, str], ModuleType] = {}
        self._quarantined: dict[tuple[str, str], Quarantined] = {}

    @property
    def hook(self) -> Any:
        """Calls the hooks of everything that is loaded: ``manager.hook.ironhive_tools(services=…)``."""
        return self._pluggy.hook

    def call(self, hook: str, **arguments: Any) -> Any:
        """Call a hook, and lay what goes wrong in a plugin at that plugin's door.

        :raises PluginError: an implementation raised something that is no error of ironhive's; the message names it.
        """
        try:
            return self._caller(hook)(**arguments)
        except IronHiveError:
            raise
        except Exception as error:  # a stranger's function
            message = f"plugin {self._culprit(error)} failed in {hook}: {_one_line(error)}"
            raise PluginError(message) from error

    def _caller(self, hook: str) -> Any:
        """A hook as it concerns the modules that are loaded as plugins of its kind: one module may be several."""
        kind = HOOK_KINDS.get(hook)
        if kind is None:
            return getattr(self._pluggy.hook, hook)
        wanted = [module for (loaded_kind, _), module in self._loaded.items() if loaded_kind == kind]
        others = [module for module in self._loaded.values() if module not in wanted]
        return self._pluggy.subset_hook_caller(hook, others)

    def collect(self, hook: str, item_type: type[_Item], **arguments: Any) -> list[_Item]:
        """All that the plugins hand over for a hook that gives lists, in the order in which they were loaded.

        :raises PluginError: as :meth:`call`, or something else than a list of ``item_type`` was handed over.
        """
        found: list[_Item] = []
        for group in reversed(self.call(hook, **arguments)):  # pluggy asks the last one first
            items = list(group) if isinstance(group, Iterable) and not isinstance(group, str) else [group]
            strange = [item for item in items if not isinstance(item, item_type)]
            if strange:
                message = (
                    f"a plugin handed {strange[0]!r:.80} over for {hook}; a list of {item_type.__name__} is expected"
                )
                raise PluginError(message)
            found += items
        return found

    def _culprit(self, error: BaseException) -> str:
        names = {module.__name__: f"{name!r} ({kind})" for (kind, name), module in self._loaded.items()}
        frame = error.__traceback__
        while frame is not None:
            where = frame.tb_frame.f_globals.get("__name__", "")
            if where in names:
                return names[where]
            frame = frame.tb_next
        return "unknown"

    @property
    def quarantined(self) -> tuple[Quarantined, ...]:
        """The plugins that were set aside so far."""
        return tuple(self._quarantined.values())

    def loaded(self, kind: str) -> tuple[str, ...]:
        """The names of one kind that are in use."""
        return tuple(name for loaded_kind, name in self._loaded if loaded_kind == kind)

    def load(self, kind: str, names: Iterable[str] | None = None) -> tuple[str, ...]:
        """Load plugins of one kind, all installed ones by default, and return the names that are usable.

        A broken plugin is set aside with one warning and the others go on.
        """
        wanted = self.index.names(kind) if names is None else tuple(names)
        return tuple(name for name in wanted if self._load(kind, name))

    def require(self, kind: str, name: str) -> None:
        """Load a plugin that the configuration names.

        :raises UnknownNameError: nothing of that name is installed, or it is disabled.
        :raises PluginError: it is broken, or two distributions claim the name.
        """
        if self._load(kind, name):
            return
        clash = self.index.clashes.get((kind, name))
        if clash:
            owners = " and ".join(item.distribution for item in clash)
            message = f"the {kind} name {name!r} is claimed by {owners}; uninstall one of them"
            raise PluginError(message, key=name)
        broken = self._quarantined.get((kind, name))
        if broken is not None:
            raise PluginError(str(broken), key=name)
        raise UnknownNameError(self._unknown(kind, name), key=name)

    def module(self, kind: str, name: str) -> ModuleType | None:
        """The module behind a loaded name."""
        return self._loaded.get((kind, name))

    def hooks_of(self, kind: str, name: str) -> tuple[str, ...]:
        """The hooks that a loaded plugin implements, sorted."""
        module = self.module(kind, name)
        if module is None:
            return ()
        return tuple(sorted(caller.name for caller in self._pluggy.get_hookcallers(module) or ()))

    def _unknown(self, kind: str, name: str) -> str:
        known = self.index.names(kind)
        if name in self.disabled or f"{kind}:{name}" in self.disabled:
            return f"the {kind} {name!r} is disabled; remove it from extensions.disabled to use it"
        close = difflib.get_close_matches(name, known, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        return f"no {kind} named {name!r} is installed{hint} (installed: {', '.join(known) or 'none'})"

    def _load(self, kind: str, name: str) -> bool:
        key = (kind, name)
        if key in self._loaded:
            return True
        if key in self._quarantined or name in self.disabled or f"{kind}:{name}" in self.disabled:
            return False
        plugin = self.index.find(kind, name)
        if plugin is None:
            return False
        try:
            module = _within(self._load_seconds, lambda: _import(plugin))
            self._register(plugin, module)
        except _BrokenError as error:
            self._quarantined[key] = Quarantined(plugin, str(error))
            logger.warning("%s", self._quarantined[key])
            return False
        self._loaded[key] = module
        return True

    def _register(self, plugin: InstalledPlugin, module: ModuleType) -> None:
        if self._pluggy.is_registered(module):
            return
        coroutines = [name for name, item in vars(module).items() if _is_async_hook(item)]
        if coroutines:
            message = f"{coroutines[0]} is async; a hook is a plain function that hands over an object"
            raise _BrokenError(message)
        try:
            self._pluggy.register(module, name=f"{plugin.kind}:{plugin.name}")
            self._pluggy.check_pending()
        except Exception as error:  # a stranger's module: whatever it does must not take the host down
            if self._pluggy.is_registered(module):
                self._pluggy.unregister(module)
            raise _BrokenError(_one_line(error)) from error
        if not self._pluggy.get_hookcallers(module):
            self._pluggy.unregister(module)
            message = f"module {plugin.module} implements no hook; mark its functions with ironhive.hooks.hookimpl"
            raise _BrokenError(message)


class _BrokenError(Exception):
    """A plugin cannot be used; the text says why."""


def _is_async_hook(item: Any) -> bool:
    return hasattr(item, f"{PROJECT}_impl") and (inspect.iscoroutinefunction(item) or inspect.isasyncgenfunction(item))


def _import(plugin: InstalledPlugin) -> ModuleType:
    from stevedore.named import NamedExtensionManager  # 60 ms: only where something is loaded

    failures: list[BaseException] = []
    manager: Any = NamedExtensionManager(
        f"{PREFIX}{plugin.kind}",
        names=[plugin.name],
        name_order=True,
        on_load_failure_callback=lambda _manager, _entry_point, error: failures.append(error),
        on_missing_entrypoints_callback=lambda _missing: None,
    )
    if failures:
        raise failures[0]
    if not manager.extensions:
        message = "its entry point is gone; install the distribution again"
        raise _BrokenError(message)
    module: ModuleType = manager.extensions[0].plugin
    return module


def _within(seconds: float, action: Callable[[], ModuleType]) -> ModuleType:
    """Run foreign code in a thread of its own, so that one that hangs or exits costs only itself."""
    outcome: list[ModuleType] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(action())
        except BaseException as error:  # noqa: BLE001 - even SystemExit of a stranger's module stays in this thread
            failure.append(error)

    thread = threading.Thread(target=run, name="ironhive-plugin-load", daemon=True)
    thread.start()
    thread.join(seconds)
    if failure:
        raise _BrokenError(_one_line(failure[0])) from failure[0]
    if not outcome:
        message = f"loading it took more than {seconds:g} seconds"
        raise _BrokenError(message)
    return outcome[0]


def _one_line(error: BaseException) -> str:
    if isinstance(error, _BrokenError):
        return str(error)
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
