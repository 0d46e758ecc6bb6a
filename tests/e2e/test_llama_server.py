"""The command line against llama-cpp-python's own OpenAI-compatible server with a real model."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest
from tests.support.cli import ironhive
from tests.support.servers import free_port, server

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.local


@pytest.fixture(scope="module")
def address(model_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    port = free_port()
    command = [
        *(sys.executable, "-m", "llama_cpp.server", "--model", str(model_file), "--host", "127.0.0.1"),
        *("--port", str(port), "--n_ctx", "4096", "--chat_format", "chatml-function-calling", "--seed", "1"),
    ]
    with server(command, port=port, path="/v1/models", log=tmp_path_factory.mktemp("llama") / "log") as found:
        yield found


@pytest.fixture
def ask(address: str, tmp_path: Path):
    (tmp_path / "home").mkdir()

    def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return ironhive(
            *arguments,
            home=tmp_path / "home",
            cwd=tmp_path,
            stdin=stdin,
            OPENAI_API_KEY="sk-test-0001",
            OPENAI_MODEL="smollm2",
            OPENAI_ENDPOINT=f"{address}/v1",
            LMSUPPLY_ENABLED="false",
        )

    return run


@pytest.mark.parametrize("stream", [[], ["--no-stream"]])
def test_a_real_model_answers(ask, stream: list[str]) -> None:
    done = ask("-p", "What is the capital of France?", *stream)
    assert done.returncode == 0, done.stderr
    assert "Paris" in done.stdout


def test_the_stream_is_whole(ask) -> None:
    done = ask("-p", "Count from one to five.", "--output", "jsonl")
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert (records[0]["type"], records[-1]["type"]) == ("start", "done"), done.stderr
    assert len([item for item in records if item["type"] == "text"]) > 3


def test_the_server_is_reachable_and_lists_its_model(ask) -> None:
    assert "openai: reachable (1 models)" in ask("doctor").stdout
