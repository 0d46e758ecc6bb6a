"""README's programs do what README says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.cli.chat_server import ChatServer, call, text

README = Path(__file__).parents[2] / "README.md"
SAFE_CALL, AGENT = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


def run(program: str, folder: Path, **variables: str) -> str:
    """What a program of its own prints; it must have nothing to complain about."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env={**os.environ, "HOME": str(folder), **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_safe_call(tmp_path: Path) -> None:
    with ChatServer(text("hello back")) as server:
        address = server.environment["LMSTUDIO_ENDPOINT"]
        program = SAFE_CALL.replace('api_key="', f'base_url="{address}", api_key="').replace("sk-…", "sk-test")
        assert run(program, tmp_path) == "hello back\n"


def test_the_agent_with_a_tool_of_its_own(tmp_path: Path) -> None:
    with ChatServer(call("stock", '{"item":"pears"}'), text("Three.")) as server:
        said = run(AGENT, tmp_path, LMSUPPLY_ENABLED="false", **server.environment)
    assert said == "Three.\n"
    assert server.requests[1]["messages"][-1]["content"] == "3"
