"""Plugins: what is installed (:mod:`index`, which imports nothing) and what is loaded (:mod:`manager`).

The names are fetched on use, because the manager brings in pluggy and, at the first load, stevedore.
"""

from typing import TYPE_CHECKING, Any

from ironhive.plugins.index import Index, InstalledPlugin, scan

if TYPE_CHECKING:
    from ironhive.plugins.backends import open_backend
    from ironhive.plugins.manager import PluginManager, Quarantined

__all__ = ["Index", "InstalledPlugin", "PluginManager", "Quarantined", "open_backend", "scan"]


def __getattr__(name: str) -> Any:
    if name in {"PluginManager", "Quarantined"}:
        from ironhive.plugins import manager

        return getattr(manager, name)
    if name == "open_backend":
        from ironhive.plugins.backends import open_backend

        return open_backend
    raise AttributeError(name)
