"""The hooks that a plugin may implement.

A plugin is a module, named by an entry point, with functions marked ``@hookimpl``. Rules for all hooks:

* An implementation names only the arguments it needs; hooks may gain arguments later without breaking it.
* Hooks are plain functions that answer at once, without I/O; what they hand over has the async methods.
* None means "not mine". Where a hook says *first result*, the first answer that is not None is taken.
* What a module needs heavy imports for, it imports when something is opened, not at its top.
* A function that raises is reported with the plugin's name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ironhive.hooks.markers import hookspec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ironhive.chat import Tool
    from ironhive.contracts import (
        Backend,
        ByoPreset,
        CommandEntry,
        Diagnosis,
        ErrorClassifier,
        Guard,
        HttpFailure,
        NotConfigured,
        ProviderRegistration,
        ProviderSelector,
        SessionServices,
    )


@hookspec(firstresult=True)
def ironhive_settings_model(section: str) -> type | None:
    """The pydantic model of a section of config.yaml that belongs to this plugin.

    Asked when the section is read. Keys are camelCase in the file: give the model an alias generator
    (:class:`ironhive.settings.SectionModel` has it). First result; None leaves the section a plain mapping.
    """


@hookspec(firstresult=True)
def ironhive_provider(
    name: str, settings: Any, id: str, priority: int | None, model: str | None
) -> ProviderRegistration | NotConfigured | None:
    """Group ``ironhive.provider``: the provider for a section of config.yaml.

    :param name: the section's name, which is the entry point's name.
    :param settings: an instance of the section's model, else the plain mapping.
    :param id: the id that the registration must have.
    :param priority: the priority that was configured; None takes the plugin's default.
    :param model: a model that overrides the section's, for example from ``-m``.

    First result. A provider that lacks a key or a model answers :class:`~ironhive.contracts.NotConfigured`.
    """


@hookspec
def ironhive_byo_presets() -> Sequence[ByoPreset]:
    """Group ``ironhive.provider``: the endpoints of this wire that a user can bring."""


@hookspec(firstresult=True)
def ironhive_backend(path: Path) -> Backend | None:
    """Group ``ironhive.backend``: the engine for a model file or folder.

    Asked with the path of a model; look at names and first bytes only. First result.
    """


@hookspec(firstresult=True)
def ironhive_guard(name: str, settings: Mapping[str, Any]) -> Guard | None:
    """Group ``ironhive.guard``: the guard that ``gateway.guard`` names, made from the rest of its settings.

    ``settings`` always holds ``failMode`` (``closed`` or ``open``). First result.
    """


@hookspec(firstresult=True)
def ironhive_selector(name: str, settings: Mapping[str, Any]) -> ProviderSelector | None:
    """Group ``ironhive.selector``: the selector that ``gateway.selector`` names. First result."""


@hookspec(firstresult=True)
def ironhive_classifier(name: str, settings: Mapping[str, Any], inner: ErrorClassifier) -> ErrorClassifier | None:
    """Group ``ironhive.classifier``: a classifier around ``inner``, for a name in ``gateway.classifiers``.

    First result.
    """


@hookspec(firstresult=True)
def ironhive_read_http_failure(error: BaseException) -> HttpFailure | None:
    """Any group: the HTTP status and retry hint inside an exception that ironhive does not know. First result."""


@hookspec
def ironhive_tools(services: SessionServices) -> Sequence[Tool]:
    """Group ``ironhive.tool``: the tools for a session."""


@hookspec
def ironhive_instructions(services: SessionServices) -> str | None:
    """Group ``ironhive.tool``: text that the tools need in the system instructions, or None."""


@hookspec
def ironhive_diagnose(settings: Any) -> Sequence[Diagnosis]:
    """Any group: findings about this plugin for ``ironhive doctor``.

    ``settings`` is the loaded :class:`ironhive.settings.Settings`.
    """


@hookspec
def ironhive_commands() -> Sequence[CommandEntry]:
    """Group ``ironhive.command``: commands for the CLI. The entry point's name is the command's name."""
