"""The hooks of this plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ironhive.hooks import hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive.chat import Tool
    from ironhive.contracts import SessionServices


@hookimpl
def ironhive_tools(services: SessionServices) -> Sequence[Tool]:
    """The tools of a session, working in its folder."""
    from ironhive_plugins.tools.files.tools import file_tools  # making tools loads pydantic

    return file_tools(services.workdir)
