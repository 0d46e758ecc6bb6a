"""The two decorators of the plugin interface."""

from __future__ import annotations

import pluggy

PROJECT = "ironhive"

hookspec = pluggy.HookspecMarker(PROJECT)
"""Marks a function of :mod:`ironhive.hooks.specs` as a hook."""

hookimpl = pluggy.HookimplMarker(PROJECT)
"""Marks a plugin's function as the implementation of the hook of the same name."""
