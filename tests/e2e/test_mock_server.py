"""The command line against fakellm, an independent imitation of OpenAI's and Anthropic's servers."""

from __future__ import annotations

import json
import sys
import urllib.request
from typing import TYPE_CHECKING

import pytest
import yaml
from tests.support.cli import ironhive
from tests.support.servers import free_port, server

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

RULES = {
    "version": 1,
    "defaults": {"fallback": "deterministic_echo"},
    "rules": [
        {
            "name": "the second round",
            "when": {"tool_result_contains": "secret of the file"},
            "respond": {"content": "The file says: secret of the file."},
        },
        {
            "name": "the first round",
            "when": {"messages_contain": "read the note", "tools_include": "ReadFile"},
            "respond": {"content": "", "tool_calls": [{"name": "ReadFile", "arguments": {"path": "note.txt"}}]},
        },
        {"name": "greeting", "when": {"messages_contain": "hello"}, "respond": {"content": "Good day."}},
        {"name": "limit", "when": {"messages_contain": "too much"}, "respond": {"status": 429, "error": "slow down"}},
        {"name": "key", "when": {"messages_contain": "wrong key"}, "respond": {"status": 401, "error": "bad key"}},
    ],
}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("fakellm")
    (folder / "rules.yaml").write_text(yaml.safe_dump(RULES))
    port = free_port()
    run = "from fakellm.cli import main; main()"
    command = [sys.executable, "-c", run, "serve", "--port", str(port), "--config", "rules.yaml"]
    with server(command, port=port, path="/v1/models", log=folder / "log") as found:
        yield found


@pytest.fixture
def ask(address: str, tmp_path: Path):
    # fakellm remembers the tool results of a conversation, and knows one by its first message
    urllib.request.urlopen(urllib.request.Request(f"{address}/_fakellm/reset", method="POST"), timeout=10).close()
    (tmp_path / "note.txt").write_text("the secret of the file is here\n")
    own = tmp_path / "home" / ".ironhive"
    own.mkdir(parents=True)
    (own / "config.yaml").write_text(
        yaml.safe_dump({"anthropic": {"endpoint": address, "apiKey": "sk-ant-0001", "model": "claude-sonnet-4-5"}})
    )

    def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return ironhive(
            *arguments,
            home=tmp_path / "home",
            cwd=tmp_path,
            stdin=stdin,
            OPENAI_API_KEY="sk-test-0001",
            OPENAI_MODEL="gpt-4o-mini",
            OPENAI_ENDPOINT=f"{address}/v1",
            LMSUPPLY_ENABLED="false",
        )

    return run


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize("stream", [[], ["--no-stream"]], ids=["streamed", "whole"])
def test_text(ask, provider: str, stream: list[str]) -> None:
    done = ask("--provider", provider, "-p", "say hello", *stream)
    assert (done.returncode, done.stdout) == (0, "Good day.\n"), done.stderr


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize("stream", [[], ["--no-stream"]], ids=["streamed", "whole"])
def test_a_tool_is_run_and_its_result_sent_back(ask, provider: str, stream: list[str]) -> None:
    done = ask("--provider", provider, "-p", "read the note", "--output", "json", *stream)
    answer = json.loads(done.stdout)
    assert answer["content"] == "The file says: secret of the file."
    (call,) = answer["toolCalls"]
    assert (call["name"], json.loads(call["arguments"]), call["success"]) == ("ReadFile", {"path": "note.txt"}, True)
    assert "the secret of the file is here" in call["result"]


def test_a_stream_of_objects(ask) -> None:
    done = ask("-p", "read the note", "--output", "jsonl")
    records = [json.loads(line) for line in done.stdout.splitlines()]
    kinds = [record["type"] for record in records]
    assert (kinds[0], kinds[-1]) == ("start", "done")
    assert kinds.index("tool_call") < kinds.index("tool_result") < kinds.index("text")
    assert "".join(item["content"] for item in records if item["type"] == "text").startswith("The file says")


def test_piped_text_joins_the_prompt(ask) -> None:
    assert ask("-p", "answer this", stdin="hello over there").stdout == "Good day.\n"


@pytest.mark.parametrize(("prompt", "part"), [("too much", "429"), ("wrong key", "401")])
def test_a_refusal_is_one_clear_line(ask, prompt: str, part: str) -> None:
    done = ask("-p", prompt, "--no-stream")  # its streams cannot refuse
    assert (done.returncode, done.stdout) == (1, "")
    assert part in done.stderr
    assert "Traceback" not in done.stderr
    assert "sk-test-0001" not in done.stderr


def test_a_refusal_in_json(ask) -> None:
    done = ask("-p", "wrong key", "--output", "json", "--no-stream")
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["code"], "bad key" in answer["error"]) == (1, 1, True)
