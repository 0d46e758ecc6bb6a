"""Commands that plugins add."""

from __future__ import annotations

from typing import Any

from ironhive.errors import PluginError
from ironhive_cli import streams


def load_plugin_command(name: str) -> Any:
    """Load the plugin of a command and build what it hands over.

    :raises PluginError: the plugin is broken, or it does not offer this command.
    """
    import typer

    from ironhive.plugins import PluginManager

    streams.hide_warnings()  # the error says it
    plugins = PluginManager()
    plugins.require("command", name)
    for entries in plugins.call("ironhive_commands"):
        for entry in entries:
            if entry.name == name:
                loaded = entry.load()
                return typer.main.get_command(loaded) if isinstance(loaded, typer.Typer) else loaded
    message = f"the plugin of the command {name!r} does not offer it; update or uninstall it"
    raise PluginError(message)
