"""Layered configuration: who set what, and what the project's files may not set on their own.

:func:`load_settings` reads the layers; :class:`Settings` holds the result and remembers where each value came from.
The models of the sections are in ``models`` and ``gateway``, which load pydantic: they are imported on use.
"""

from typing import TYPE_CHECKING, Any

from ironhive.settings.load import CORE_SECTIONS, LATER_SECTIONS, Settings, load_settings, user_home

if TYPE_CHECKING:
    from ironhive.settings.models import unknown_keys
    from ironhive.settings.section import SectionModel

__all__ = [
    "CORE_SECTIONS",
    "LATER_SECTIONS",
    "SectionModel",
    "Settings",
    "load_settings",
    "unknown_keys",
    "user_home",
]


def __getattr__(name: str) -> Any:
    if name == "SectionModel":
        from ironhive.settings.section import SectionModel

        return SectionModel
    if name == "unknown_keys":
        from ironhive.settings.models import unknown_keys

        return unknown_keys
    raise AttributeError(name)
