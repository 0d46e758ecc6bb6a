"""The commands: name, module, one line of help."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Entry:
    """A command of our own. Its module has a ``typer.Typer`` named ``app``."""

    module: str
    help: str


COMMANDS: Final = {
    "doctor": Entry("ironhive_cli.commands.doctor", "Check the configuration and whether the providers answer."),
    "models": Entry("ironhive_cli.commands.models", "List the models of the configured providers."),
    "plugins": Entry("ironhive_cli.commands.plugins", "List the installed plugins, or look at one."),
}


def load_command(name: str) -> Any:
    """Import a command and build it."""
    from importlib import import_module

    import typer

    command = typer.main.get_command(import_module(COMMANDS[name].module).app)
    command.name = name
    return command
