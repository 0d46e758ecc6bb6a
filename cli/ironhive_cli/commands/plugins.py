"""``ironhive plugins``: what is installed, read without importing any of it, and one plugin looked at closely."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ironhive.plugins.index import scan

if TYPE_CHECKING:
    from ironhive.plugins import Index, InstalledPlugin

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.callback(invoke_without_command=True)
def plugins(context: typer.Context) -> int:
    """List the installed plugins, or look at one."""
    return list_plugins() if context.invoked_subcommand is None else 0


@app.command("list")
def list_plugins() -> int:
    """List all installed plugins. Nothing is imported for that."""
    index = scan()
    rows = [("KIND", "NAME", "DISTRIBUTION", "VERSION")]
    rows += [(item.kind, item.name, item.distribution, item.version) for item in index.plugins]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row in rows:
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    for (kind, name), owners in index.clashes.items():
        names = " and ".join(item.distribution for item in owners)
        typer.echo(f"ironhive: the {kind} name {name!r} is claimed by {names}; uninstall one of them", err=True)
    return 0


@app.command("show")
def show_plugin(name: Annotated[str, typer.Argument(help="The plugin's name, or kind:name.")]) -> int:
    """Load a plugin and show its hooks, or why it cannot be used."""
    from ironhive_cli.commands.plugin_report import report

    found = _matching(scan(), name)
    if not found:
        from ironhive.errors import UnknownNameError

        raise UnknownNameError(_unknown(scan(), name))
    return max(report(item) for item in found)


def _matching(index: Index, name: str) -> list[InstalledPlugin]:
    kind, colon, rest = name.partition(":")
    return [
        item
        for item in index.plugins
        if (item.kind == kind and item.name == rest if colon else item.name.lower() == name.lower())
    ]


def _unknown(index: Index, name: str) -> str:
    from difflib import get_close_matches

    known = {item.name.lower(): item.name for item in index.plugins}
    close = get_close_matches(name.lower(), list(known), n=1)
    hint = f"did you mean {known[close[0]]!r}?" if close else "ironhive plugins list shows what is installed"
    return f"no plugin named {name!r} is installed; {hint}"
