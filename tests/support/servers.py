"""Model servers that nobody here wrote, started as processes of their own on a free port of this machine."""

from __future__ import annotations

import socket
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

START_SECONDS = 120.0


def free_port() -> int:
    """A port that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def server(command: Sequence[str], *, port: int, path: str, log: Path) -> Iterator[str]:
    """Run a server until the block ends; it is ready when ``path`` answers, whatever the status.

    :raises AssertionError: it ended or stayed silent; the text is what it printed.
    """
    address = f"http://127.0.0.1:{port}"
    with (
        log.open("wb") as output,
        subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, cwd=log.parent) as process,
    ):
        try:
            _wait(process, address + path, log)
            yield address
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.05)  # the server's own start-up is the only thing here that cannot be waited for as an event
    message = f"{process.args} did not start: {log.read_text(errors='replace')}"
    raise AssertionError(message)
