"""The installed command, run as a user runs it."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ironhive.settings.environment import VARIABLES

if TYPE_CHECKING:
    from collections.abc import Mapping

COMMAND = Path(sys.executable).with_name("ironhive")


class Terminal:
    """The person's side of a terminal."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.seen = ""

    def read(self, until: str | None = None) -> str:
        """Everything that is shown, until a text appears or (None) the program has gone."""
        while until is None or until not in self.seen:
            try:
                data = os.read(self._descriptor, 4096)
            except OSError:  # the other side is closed
                data = b""
            if not data:
                os.close(self._descriptor)
                break
            self.seen += data.decode(errors="replace").replace("\r\n", "\n")
        return self.seen


@dataclass
class Shell:
    """A project folder, a home, and the command in them. ``environment`` is added to a small clean one."""

    project: Path
    home: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def config(self) -> Path:
        """The user's own configuration file."""
        return self.home / ".ironhive" / "config.yaml"

    def variables(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if key not in VARIABLES and key != "NO_COLOR"}
        return {**kept, "HOME": str(self.home), **self.environment, **(more or {})}

    def run(
        self, *arguments: str, stdin: str | bytes | None = None, more: Mapping[str, str] | None = None, **settings: Any
    ) -> subprocess.CompletedProcess[str]:
        """Run to the end; standard input is empty unless given."""
        source: dict[str, Any] = {"stdin": subprocess.DEVNULL} if stdin is None else {"input": _bytes(stdin)}
        settings.setdefault("stdout", subprocess.PIPE)
        settings.setdefault("stderr", subprocess.PIPE)
        done = subprocess.run(
            [COMMAND, *arguments],
            cwd=self.project,
            env=self.variables(more),
            timeout=60,
            check=False,
            **source,
            **settings,
        )
        out, err = ((stream or b"").decode() for stream in (done.stdout, done.stderr))
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    def start(self, *arguments: str, **settings: Any) -> subprocess.Popen[bytes]:
        """Start and leave running, with pipes."""
        pipes: dict[str, Any] = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            **settings,
        }
        return subprocess.Popen([COMMAND, *arguments], cwd=self.project, env=self.variables(), **pipes)

    def at_terminal(self, *arguments: str) -> tuple[subprocess.Popen[bytes], Terminal]:
        """Start with all streams on a terminal."""
        ours, theirs = pty.openpty()
        process = self.start(*arguments, stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        return process, Terminal(ours)

    def configure(self, text: str) -> None:
        """Write the user's own configuration file, in which local inference is off: no test loads a model by accident."""
        self.config.parent.mkdir(exist_ok=True)
        self.config.write_text(f"{text}\nextensions: {{disabled: [lmsupply]}}\n", encoding="utf-8")


def _bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A clean place with no provider."""
    project, home = tmp_path / "project", tmp_path / "home"
    project.mkdir()
    home.mkdir()
    shell = Shell(project, home)
    shell.configure("")
    (project / "a.txt").write_text("hello file\n")
    return shell
