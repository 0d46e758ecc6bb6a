"""Provider ``lmsupply``: models that run on this machine.

Open :mod:`~ironhive_plugins.providers.lmsupply.loading` first: a name becomes a file (``resolve``, ``stores``,
``catalogue``), the file is fetched where it must be (``hub``, ``wheel``), fitted into memory (``memory``, ``gguf``) and
opened by a backend. ``bridge`` makes a chat client of it, ``safety`` bounds it, ``tiny`` drives very small models.
"""

from typing import TYPE_CHECKING, Any

from ironhive_plugins.providers.lmsupply.plugin import ironhive_diagnose, ironhive_provider, ironhive_settings_model

if TYPE_CHECKING:
    from ironhive_plugins.providers.lmsupply.config import LocalConfig
    from ironhive_plugins.providers.lmsupply.loading import load
    from ironhive_plugins.providers.lmsupply.pool import GeneratorPool
    from ironhive_plugins.providers.lmsupply.probes import GeneratorPoolProbe, LazyReadinessProbe
    from ironhive_plugins.providers.lmsupply.progress import Progress, TerminalProgress
    from ironhive_plugins.providers.lmsupply.registration import local, local_safe_client
    from ironhive_plugins.providers.lmsupply.safety import LocalSafetyOptions, ReadinessProbe

__all__ = [
    "GeneratorPool",
    "GeneratorPoolProbe",
    "LazyReadinessProbe",
    "LocalConfig",
    "LocalSafetyOptions",
    "Progress",
    "ReadinessProbe",
    "TerminalProgress",
    "ironhive_diagnose",
    "ironhive_provider",
    "ironhive_settings_model",
    "load",
    "local",
    "local_safe_client",
]

_HOMES = {
    "GeneratorPool": "pool",
    "GeneratorPoolProbe": "probes",
    "LazyReadinessProbe": "probes",
    "LocalConfig": "config",
    "LocalSafetyOptions": "safety",
    "Progress": "progress",
    "ReadinessProbe": "safety",
    "TerminalProgress": "progress",
    "load": "loading",
    "local": "registration",
    "local_safe_client": "registration",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(name)
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
