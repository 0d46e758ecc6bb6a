"""doctor, models and plugins."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.cli.chat_server import ChatServer, text
from tests.support.distributions import write_distribution

from ironhive.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Shell


def test_the_version(shell: Shell) -> None:
    assert shell.run("--version").stdout == f"ironhive {__version__}\n"
    assert shell.run("--plain", "--version").stdout == f"ironhive {__version__}\n"


def test_help_names_options_and_commands(shell: Shell) -> None:
    shown = shell.run("--help").stdout
    for word in (
        "--prompt",
        "--model",
        "--provider",
        "--output",
        "--plain",
        "--no-stream",
        "doctor",
        "plugins",
        "models",
    ):
        assert word in shown


def test_doctor_is_content_with_local_inference_alone(shell: Shell) -> None:
    shell.config.unlink()
    done = shell.run("doctor")
    assert done.returncode == 0
    assert "Using local inference only (lmsupply)" in done.stdout
    assert done.stderr == ""


def test_doctor_fails_without_any_provider_and_says_what_to_do(shell: Shell) -> None:
    done = shell.run("doctor")
    assert done.returncode == 1
    assert "no provider is configured" in done.stdout
    assert "OPENAI_API_KEY" in done.stdout.partition("Recommendations")[2]


def test_doctor_tells_who_answers_and_who_does_not(shell: Shell) -> None:
    with ChatServer(text("x")) as server:
        shell.environment = server.environment
        assert "lmstudio: reachable (2 models)" in shell.run("doctor").stdout
    done = shell.run("doctor")
    assert "lmstudio: unreachable" in done.stdout
    assert done.returncode == 1


def test_doctor_reports_a_broken_configuration(shell: Shell) -> None:
    shell.configure("openai: [")
    done = shell.run("doctor")
    assert done.returncode == 1
    assert "config.yaml" in done.stdout


def test_models_as_a_table_and_as_json(shell: Shell) -> None:
    with ChatServer(text("x")) as server:
        shell.environment = server.environment
        table = shell.run("models").stdout
        rows = json.loads(shell.run("models", "--json").stdout)
    assert "[lmstudio]" in table
    assert "* scripted" in " ".join(table.split())
    assert table.endswith("2 models\n")
    assert [(row["modelId"], row["isDefault"], row["source"], row["sizeBytes"]) for row in rows] == [
        ("another", False, 0, None),
        ("scripted", True, 0, None),
    ]


def test_models_come_in_the_order_in_which_providers_are_asked(shell: Shell) -> None:
    with ChatServer(text("")) as server:
        address = server.environment["LMSTUDIO_ENDPOINT"]
        shell.environment = {**server.environment, "OLLAMA_ENABLED": "true", "OLLAMA_ENDPOINT": address}
        rows = json.loads(shell.run("models", "--json").stdout)
    assert list(dict.fromkeys(row["provider"] for row in rows)) == ["ollama", "lmstudio"]


def test_models_of_nobody_is_an_empty_list(shell: Shell) -> None:
    assert json.loads(shell.run("models", "--json").stdout) == []
    done = shell.run("models")
    assert (done.stdout, done.returncode) == ("", 0)
    assert "ironhive doctor" in done.stderr


def test_a_provider_that_cannot_list_its_models_is_told_about(shell: Shell) -> None:
    shell.environment = {
        "LMSTUDIO_ENDPOINT": "http://127.0.0.1:1/v1",
        "LMSTUDIO_ENABLED": "true",
        "LMSTUDIO_MODEL": "m",
    }
    done = shell.run("models", "--json")
    assert (json.loads(done.stdout), done.returncode) == ([], 0)
    assert "lmstudio cannot list its models" in done.stderr


def test_plugins_lists_kind_name_distribution_and_version(shell: Shell) -> None:
    done = shell.run("plugins", "list")
    assert ["tool", "files", "ironhive", __version__] in [line.split() for line in done.stdout.splitlines()]
    assert shell.run("plugins").stdout == done.stdout


def test_plugins_show_loads_one_and_names_its_hooks(shell: Shell) -> None:
    done = shell.run("plugins", "show", "tool:files")
    assert done.returncode == 0
    assert "ironhive_tools" in done.stdout
    assert "usable" in done.stdout


def foreign(shell: Shell, folder: Path) -> None:
    """Plugins of somebody else: a broken tool, and a command."""
    groups = {"ironhive.tool": {"cracked": "cracked_plugin"}, "ironhive.command": {"greet": "greet_plugin"}}
    modules = {"cracked_plugin": "raise RuntimeError('cracked in two')\n", "greet_plugin": GREET}
    write_distribution(folder, "foreign", groups, modules, version="2.5")
    shell.environment = {"PYTHONPATH": str(folder)}


GREET = """
from ironhive.contracts import CommandEntry
from ironhive.hooks import hookimpl

def load():
    import typer
    app = typer.Typer()
    @app.command()
    def greet(name: str = "you"):
        "Say hello."
        typer.echo(f"hello {name}")
    return app

@hookimpl
def ironhive_commands():
    return [CommandEntry("greet", "Say hello.", load)]
"""


def test_plugins_show_says_what_is_wrong_with_a_broken_one(shell: Shell, tmp_path: Path) -> None:
    foreign(shell, tmp_path / "site")
    assert ["tool", "cracked", "foreign", "2.5"] in [
        line.split() for line in shell.run("plugins", "list").stdout.splitlines()
    ]
    done = shell.run("plugins", "show", "cracked")
    assert done.returncode == 1
    assert "cracked in two" in done.stdout
    assert done.stderr == ""


def test_a_broken_plugin_does_not_stop_a_prompt(shell: Shell, tmp_path: Path) -> None:
    foreign(shell, tmp_path / "site")
    with ChatServer(text("ok")) as server:
        shell.environment |= server.environment
        done = shell.run("-p", "x")
    assert (done.stdout, done.returncode) == ("ok\n", 0)
    assert done.stderr.startswith("ironhive: tool plugin 'cracked' of foreign 2.5")
    assert done.stderr.count("\n") == 1


def test_a_plugins_command_is_listed_and_run(shell: Shell, tmp_path: Path) -> None:
    foreign(shell, tmp_path / "site")
    assert "greet" in shell.run("--help").stdout
    assert shell.run("greet", "--name", "Ada").stdout == "hello Ada\n"


def test_a_command_that_is_disabled_is_not_run(shell: Shell, tmp_path: Path) -> None:
    foreign(shell, tmp_path / "site")
    shell.config.write_text("extensions: {disabled: ['command:greet']}\n")
    done = shell.run("greet")
    assert (done.returncode, done.stdout) == (1, "")
    assert "extensions.disabled" in done.stderr
