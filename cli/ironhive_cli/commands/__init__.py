"""One module per command, imported when the command is run; :mod:`~ironhive_cli.commands.table` lists them."""

from ironhive_cli.commands.table import COMMANDS, Entry, load_command

__all__ = ["COMMANDS", "Entry", "load_command"]
