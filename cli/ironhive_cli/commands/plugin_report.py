"""One plugin, loaded and described."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from ironhive.errors import ConfigurationError
from ironhive.plugins import PluginManager
from ironhive_cli import streams

if TYPE_CHECKING:
    from ironhive.plugins import InstalledPlugin


def report(plugin: InstalledPlugin) -> int:
    """Load a plugin and print what it is.

    :returns: 0 when it can be used, else 1.
    """
    streams.hide_warnings()
    plugins = PluginManager()
    lines = {
        "kind": plugin.kind,
        "name": plugin.name,
        "distribution": f"{plugin.distribution} {plugin.version}".rstrip(),
        "module": plugin.module,
    }
    code = 0
    try:
        plugins.require(plugin.kind, plugin.name)
        lines["state"] = "usable"
        lines["hooks"] = ", ".join(plugins.hooks_of(plugin.kind, plugin.name))
    except ConfigurationError as error:
        cause = plugins.quarantined[0].cause if plugins.quarantined else str(error)
        lines["state"] = f"broken: {cause}"
        code = 1
    for label, value in lines.items():
        typer.echo(f"{label + ':':14}{value}")
    typer.echo()
    return code
