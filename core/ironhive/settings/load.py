"""The configuration of one run: layers read, held back where needed, merged."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ironhive.errors import ConfigurationError
from ironhive.settings.environment import environment_tree, read_dotenv
from ironhive.settings.layers import Layer, merge
from ironhive.settings.trust import hold_back
from ironhive.settings.yamlfile import kind_of, read_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ironhive.settings.models import CoreSections

CORE_SECTIONS: Final = frozenset({"gateway", "chatBehavior", "extensions"})
"""The top-level keys that core reads; every other section belongs to a plugin."""

LATER_SECTIONS: Final = frozenset({
    "permissions", "compaction", "webSearch", "deepResearch", "advisor", "approval", "budget", "skills", "agentsMd",
    "toolRetrieval", "delegation", "mcpServers", "plugins",
})  # fmt: skip
"""Keys that belong to the configuration format and that this version does not act on."""


@dataclass(frozen=True)
class Settings:
    """What this run is configured with.

    ``tree`` is the merged configuration by section; ``sources`` names the layer of each leaf by its dotted path;
    ``notices`` are for people: what was held back or not understood. ``workdir`` is the project folder, ``home`` the
    folder of the user's own ``config.yaml``.
    """

    tree: Mapping[str, Any] = field(default_factory=dict, repr=False)
    sources: Mapping[str, Layer] = field(default_factory=dict, repr=False)
    notices: tuple[str, ...] = ()
    workdir: Path = Path()
    home: Path = Path()

    def section(self, name: str) -> Mapping[str, Any]:
        """A top-level section as it was written; empty when absent.

        :raises ConfigurationError: it holds something else than keys with values.
        """
        value = self.tree.get(name)
        if value is None:
            return {}
        if not isinstance(value, dict):
            message = f"{name} must hold keys with values, not {kind_of(value)}; see docs/reference/configuration.md"
            raise ConfigurationError(message, key=name)
        return value

    def source(self, path: str) -> Layer | None:
        """Which layer set the value at this dotted path; None when nothing did."""
        return self.sources.get(path)

    @cached_property
    def core(self) -> CoreSections:
        """The sections that core reads, validated.

        :raises ConfigurationError: a value does not fit; the message names its key and its file.
        """
        from pydantic import ValidationError  # slow: only where settings are really read

        from ironhive.settings.models import CoreSections

        try:
            return CoreSections.of(self.tree)
        except ValidationError as error:
            raise self.invalid(error) from None

    def _layer_around(self, key: str) -> Layer | None:
        """The layer that set this value, the list it stands in, or something below it."""
        return self.source(key) or next((found for path, found in self.sources.items() if _is_around(path, key)), None)

    def invalid(self, error: Any, prefix: str = "") -> ConfigurationError:
        """A validation error of pydantic as one of ours: the first problem, with its key and where it was set."""
        problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
        key = prefix
        for step in problem["loc"]:
            key += f"[{step}]" if isinstance(step, int) else f".{step}" if key else str(step)
        layer = self._layer_around(key)
        where = f" (set in {layer.origin})" if layer is not None else ""
        return ConfigurationError(f"{key}{where}: {_in_words(problem)}", key=key)


def _is_around(path: str, key: str) -> bool:
    """Whether one of two dotted paths lies at or within the other."""
    inner, outer = max(path, key, key=len), min(path, key, key=len)
    return inner.startswith(outer) and inner[len(outer) :][:1] in ("", ".", "[")


def _in_words(problem: Any) -> str:
    """What is wrong with a value, in words of the file and not of the code that reads it."""
    expected = dict.fromkeys(("model_type", "dict_type", "model_attributes_type"), "keys with values")
    expected |= dict.fromkeys(("tuple_type", "list_type"), "a list")
    kind = expected.get(problem["type"])
    text: str = problem["msg"].removeprefix("Value error, ")
    return f"should be {kind}" if kind else text[:1].lower() + text[1:]


def user_home(environ: Mapping[str, str] | None = None) -> Path:
    """The folder of the user's own configuration, ``~/.ironhive``."""
    home = (os.environ if environ is None else environ).get("HOME")
    return (Path(home) if home else Path.home()) / ".ironhive"


def load_settings(
    workdir: Path | None = None,
    *,
    home: Path | None = None,
    environ: Mapping[str, str] | None = None,
    flags: Mapping[str, Any] | None = None,
) -> Settings:
    """Read all layers; a later one wins: own file, project file, environment, the project's ``.env``, flags.

    :param workdir: the project folder; the current one by default.
    :param home: the folder of the own ``config.yaml``; ``~/.ironhive`` by default.
    :param environ: the environment variables; the process's by default.
    :param flags: a tree that outranks everything, from the caller.
    :raises ConfigurationError: a file is there and cannot be used.
    """
    variables = os.environ if environ is None else environ
    folder = workdir.absolute() if workdir is not None else _current_folder()
    own = home or user_home(variables)
    own_file, project_file, dotenv = own / "config.yaml", folder / ".ironhive" / "config.yaml", folder / ".env"
    layers = [Layer("global", str(own_file), read_yaml(own_file), trusted=True)]
    if not _same_file(project_file, own_file):
        layers.append(Layer("project", str(project_file), read_yaml(project_file), trusted=False))
    layers += [
        Layer("environment", "the environment", environment_tree(variables), trusted=True),
        Layer("dotenv", str(dotenv), environment_tree(read_dotenv(dotenv)), trusted=False),
        Layer("flags", "the command line", dict(flags or {}), trusted=True),
    ]
    layers, notices = hold_back(layers)
    tree, sources = merge(layers)
    return Settings(tree, sources, tuple(notices), folder, own)


def _current_folder() -> Path:
    try:
        return Path.cwd()
    except OSError as error:
        message = "the current folder is gone or cannot be read; change to another one and try again"
        raise ConfigurationError(message) from error


def _same_file(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return one == other
