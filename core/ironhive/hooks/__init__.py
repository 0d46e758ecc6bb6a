"""The plugin interface: what ironhive asks of a plugin, and the marker for the answers."""

from ironhive.hooks.markers import hookimpl, hookspec

__all__ = ["hookimpl", "hookspec"]
