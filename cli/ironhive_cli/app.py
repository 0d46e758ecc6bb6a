"""The command line: options of a prompt, and commands that are imported when they are run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from ironhive_cli.commands import COMMANDS

if TYPE_CHECKING:
    from ironhive.plugins import InstalledPlugin

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class LazyGroup(TyperGroup):
    """Knows its commands by name and one line of help; a command's module is imported when it is run.

    Our own commands are a table; those of plugins come from the index, which imports nothing either.
    """

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - typer's signature
        """All names: ours first, then those of plugins."""
        return [*COMMANDS, *(plugin.name for plugin in _plugin_commands())]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - as above
        """Import and build one command; None when there is none of that name."""
        from ironhive_cli.commands import load_command

        if cmd_name in COMMANDS:
            return load_command(cmd_name)
        if any(plugin.name == cmd_name for plugin in _plugin_commands()):
            from ironhive_cli.foreign import load_plugin_command

            return load_plugin_command(cmd_name)
        return None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that the arguments start with."""
        name = args[0]
        if name not in self.list_commands(ctx):
            from difflib import get_close_matches

            close = get_close_matches(name, self.list_commands(ctx), n=1)
            hint = f"did you mean {close[0]!r}?" if close else 'for a prompt write: ironhive -p "..."'
            ctx.fail(f"there is no command {name!r}; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - as above
        """List the commands without importing them."""
        rows = [(name, entry.help) for name, entry in COMMANDS.items()]
        rows += [(plugin.name, f"(from {plugin.distribution})") for plugin in _plugin_commands()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _plugin_commands() -> list[InstalledPlugin]:
    from ironhive.plugins.index import scan

    index = scan()
    return [
        plugin
        for plugin in index.kind("command")
        if plugin.name not in COMMANDS and ("command", plugin.name) not in index.clashes
    ]


app = typer.Typer(
    cls=LazyGroup,
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings=SETTINGS,
)


@app.callback()
def ironhive(
    context: typer.Context,
    *,
    prompt: Annotated[
        str | None, typer.Option("-p", "--prompt", help="The prompt. Text piped into standard input is added to it.")
    ] = None,
    model: Annotated[str | None, typer.Option("-m", "--model", help="The model, or provider/model.")] = None,
    provider: Annotated[str | None, typer.Option("--provider", help="The one provider to use.")] = None,
    show_tokens: Annotated[bool, typer.Option("--show-tokens", help="Show how many tokens were used.")] = False,
    show_thinking: Annotated[bool, typer.Option("--show-thinking", help="Show what the model thinks.")] = False,
    no_stream: Annotated[bool, typer.Option("--no-stream", help="Wait for the whole answer.")] = False,
    output: Annotated[
        str, typer.Option("-o", "--output", help="The form of the output.", metavar="text|json|jsonl")
    ] = "text",
    plain: Annotated[bool, typer.Option("--plain", help="No colours, boxes and spinners.")] = False,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> int:
    """An agent for one command: it takes a prompt, uses its tools, and returns the result."""
    if version:
        from ironhive.version import __version__

        typer.echo(f"ironhive {__version__}")
        return 0
    if context.invoked_subcommand is not None:
        _refuse_options(context)
        return 0
    from ironhive_cli.commands.prompt import run_prompt

    return run_prompt(
        prompt,
        model=model,
        provider=provider,
        output=output,
        show_tokens=show_tokens,
        show_thinking=show_thinking,
        no_stream=no_stream,
        plain=plain,
    )


def _refuse_options(context: typer.Context) -> None:
    """Options of a prompt in front of a command would be ignored without a word."""
    given = [item.opts[-1] for item in context.command.params if context.params.get(item.name or "") != item.default]
    if given:
        context.fail(f"{given[0]} belongs to a prompt and does not go with the command {context.invoked_subcommand!r}")


def build() -> Any:
    """The whole command line as a command object."""
    return typer.main.get_command(app)
