"""Ctrl+C while something is going on."""

from __future__ import annotations

import json
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.cli.chat_server import ChatServer, call, text
from tests.support.distributions import write_distribution

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Shell

LINE = b"ironhive: cancelled; press Ctrl+C again to stop at once\n"


def finish(process: subprocess.Popen[bytes]) -> tuple[bytes, bytes, int]:
    out, err = process.communicate(timeout=30)
    return out, err, process.returncode


def check(form: str, out: bytes, err: bytes, code: int) -> None:
    assert (code, err) == (130, LINE)
    if form == "json":
        assert out == b'{"error":"cancelled","code":130}\n'
    elif form == "jsonl":
        lines = [json.loads(line) for line in out.splitlines()]
        assert lines[0] == {"type": "start"}
        assert lines[-1] == {"type": "error", "error": "cancelled"}
    else:
        assert out in (b"", b"half\n", b"half")


@pytest.mark.parametrize("script", [[ChatServer.WAIT], [{"content": "half"}, ChatServer.WAIT, *text("more")]])
@pytest.mark.parametrize("form", ["text", "json", "jsonl"])
def test_the_first_one_cancels_the_turn(shell: Shell, form: str, script: list[object]) -> None:
    with ChatServer(script) as server:
        shell.environment = server.environment
        process = shell.start("-p", "x", "-o", form)
        server.waiting.wait(30)
        process.send_signal(signal.SIGINT)
        check(form, *finish(process))


@pytest.mark.parametrize("form", ["text", "json", "jsonl"])
def test_it_cancels_a_tool_that_is_busy(shell: Shell, form: str, tmp_path: Path) -> None:
    write_distribution(tmp_path / "site", "slow", {"ironhive.tool": {"slow": "slow_plugin"}}, {"slow_plugin": SLOW})
    with ChatServer(call("sleep", "{}"), text("never")) as server:
        shell.environment = {**server.environment, "PYTHONPATH": str(tmp_path / "site")}
        process = shell.start("-p", "x", "-o", form, "--plain")
        assert process.stderr is not None
        while process.stderr.readline() != b"busy\n":
            pass
        process.send_signal(signal.SIGINT)
        check(form, *finish(process))
    assert len(server.requests) == 1


SLOW = """
import asyncio, sys
from ironhive.hooks import hookimpl

@hookimpl
def ironhive_tools(services):
    from ironhive.chat import tool

    @tool
    async def sleep() -> str:
        "Sleep."
        print("busy", file=sys.stderr, flush=True)
        await asyncio.Event().wait()

    return [sleep]
"""


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_before_the_turn_it_is_the_same(shell: Shell, form: str) -> None:
    process = shell.start("-p", "x", "-o", form, stdin=subprocess.PIPE)
    assert process.stderr is not None
    process.stderr.readline()  # it says that it waits for standard input
    process.send_signal(signal.SIGINT)
    out, err, code = finish(process)
    assert (code, err) == (130, LINE)
    assert json.loads(out)["error"] == "cancelled"


def test_the_second_one_ends_it_at_once_with_whole_json(shell: Shell) -> None:
    shell.environment = {"PYTHONPATH": str(shell.project)}
    (shell.project / "sitecustomize.py").write_text(STUBBORN)
    with ChatServer(text("x")) as server:
        shell.environment |= server.environment
        process = shell.start("-p", "x", "-o", "json")
        assert process.stderr is not None
        assert process.stderr.readline() == b"busy\n"
        process.send_signal(signal.SIGINT)
        assert process.stderr.readline() == LINE
        process.send_signal(signal.SIGINT)
        out, _, code = finish(process)
    assert (out, code) == (b'{"error":"cancelled","code":130}\n', 130)


def test_a_hidden_cursor_comes_back_even_then(shell: Shell) -> None:
    (shell.project / "sitecustomize.py").write_text(
        STUBBORN.replace("await asyncio.to_thread(stuck)", "threading.Event().wait()")
    )
    with ChatServer(text("x")) as server:
        shell.environment = {**server.environment, "PYTHONPATH": str(shell.project), "TERM": "xterm"}
        process, terminal = shell.at_terminal("-p", "x", "--no-stream")
        terminal.read(until="Working...")
        process.send_signal(signal.SIGINT)
        terminal.read(until="cancelled")
        process.send_signal(signal.SIGINT)
        seen = terminal.read()
    assert process.wait(timeout=30) == 130
    assert seen.rfind("\x1b[?25h") > seen.rfind("\x1b[?25l") > -1


STUBBORN = """
import asyncio, sys, threading
import ironhive.agent.loop as loop

def stuck():
    sys.stderr.write("busy\\n")
    sys.stderr.flush()
    threading.Event().wait()

async def run(self, prompt, *, options=None):
    await asyncio.to_thread(stuck)

loop.AgentLoop.run = run
"""
