"""The reference pages name everything that there is."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from ironhive.agent import Refusal, StopReason
from ironhive.chat import ChatUpdate, ToolCallContent
from ironhive.testing import ScriptedClient
from ironhive_cli.app import build
from ironhive_cli.commands import COMMANDS
from ironhive_plugins.tools.files import ironhive_tools

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
CLI = (REFERENCE / "cli.md").read_text(encoding="utf-8")
TOOLS = (REFERENCE / "tools.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("option", [name for item in build().params for name in item.opts])
def test_every_option_has_its_row(option: str) -> None:
    assert re.search(rf"^\| .*`{option}\b", CLI, re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_section(command: str) -> None:
    assert f"## `ironhive {command}" in CLI


@pytest.mark.parametrize("tool", ironhive_tools(services=SimpleNamespace(workdir=Path())), ids=lambda item: item.name)
def test_every_tool_has_its_section_with_all_parameters(tool: object) -> None:
    heading = re.search(rf"^## `{tool.name}\((.*)\)`$", TOOLS, re.MULTILINE)  # type: ignore[attr-defined]
    assert heading is not None
    named = [part.split("=")[0].strip(" ?") for part in heading.group(1).split(",")]
    assert named == list(tool.parameters["properties"])  # type: ignore[attr-defined]


@pytest.mark.parametrize("word", [value for name, value in vars(StopReason).items() if name.isupper()])
def test_every_stop_reason_is_explained(word: str) -> None:
    assert f"| `{word}` |" in TOOLS


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    code = re.search(r"```python\n(.*?)```", TOOLS, re.DOTALL)
    assert code is not None
    calls = [ToolCallContent(city, "temperature", {"city": city}) for city in ("Seoul", "Sunday")]
    client = ScriptedClient([ChatUpdate(tuple(calls), role="assistant")], "It is 21.5 degrees.")
    exec(code.group(1), {"client": client})
    assert capsys.readouterr().out == "It is 21.5 degrees. completed\n"
    assert [part.result for part in client.calls[1].messages[-1].contents] == [21.5, "Not a city."]


@pytest.mark.parametrize("code", [value for name, value in vars(Refusal).items() if name.isupper()])
def test_every_refusal_is_explained(code: str) -> None:
    assert f"`{code}`" in TOOLS
