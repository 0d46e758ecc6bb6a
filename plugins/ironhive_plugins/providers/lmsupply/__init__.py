"""Provider ``lmsupply``: models that run on this machine.

Open :mod:`~ironhive_plugins.providers.lmsupply.loading` first: a name becomes a file (``resolve``, ``stores``,
``catalogue``), the file is fetched where it must be (``hub``, ``wheel``), fitted into memory (``memory``, ``gguf``) and
opened by a backend. ``bridge`` makes a chat client of it, ``safety`` bounds it, ``tiny`` drives very small models.
"""

from typing import TYPE_CHECKING, Any

from ironhive_plugins.providers.lmsupply.plugin import ironhive_provider, ironhive_settings_model

if TYPE_CHECKING:
    from ironhive_plugins.providers.lmsupply.loading import load
    from ironhive_plugins.providers.lmsupply.safety import LocalSafetyOptions

__all__ = ["LocalSafetyOptions", "ironhive_provider", "ironhive_settings_model", "load"]

_HOMES = {"LocalSafetyOptions": "safety", "load": "loading"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(name)
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
