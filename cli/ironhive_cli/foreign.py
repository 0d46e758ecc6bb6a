"""Commands that plugins add."""

from __future__ import annotations

from typing import Any

from ironhive.errors import PluginError
from ironhive_cli import streams


def load_plugin_command(name: str) -> Any:
    """Load the plugin of a command and build what it hands over.

    :raises PluginError: the plugin is broken or disabled, or it does not offer this command.
    """
    import typer

    from ironhive.contracts import CommandEntry
    from ironhive.plugins import PluginManager
    from ironhive.settings import load_settings

    streams.hide_warnings()  # the error says it
    plugins = PluginManager(disabled=load_settings().core.extensions.disabled)
    plugins.require("command", name)
    for entry in plugins.collect("ironhive_commands", CommandEntry):
        if entry.name == name:
            loaded = entry.load()
            return typer.main.get_command(loaded) if isinstance(loaded, typer.Typer) else loaded
    message = f"the plugin of the command {name!r} does not offer it; update or uninstall it"
    raise PluginError(message)
