"""Models from a hub on this machine that breaks off, serves damage, or is closed to us."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.local

CONTENT = hashlib.shake_256(b"model").digest(500_000)
BLOCK = 10 << 20
"""What huggingface_hub writes to disk at once: less than that is lost when a connection breaks."""
COMMIT = "a" * 40
SCRIPT = """
import asyncio, json, sys
from pathlib import Path
from ironhive.errors import IronHiveError
from ironhive_plugins.providers.lmsupply.config import LocalConfig
from ironhive_plugins.providers.lmsupply.hub import fetch_from_hub, hub_answers

seen = []
async def main():
    config = LocalConfig(cache_directory=Path(sys.argv[2]))
    try:
        file = await fetch_from_hub(config, sys.argv[1], seen.append)
        print(json.dumps({"id": file.id, "path": str(file.path), "steps": [[s.phase, s.overall_done, s.overall_total] for s in seen]}))
    except IronHiveError as error:
        print(json.dumps({"error": type(error).__name__, "said": str(error)}))
    print(json.dumps(await hub_answers("org/model")))
asyncio.run(main())
"""


class Hub(ThreadingHTTPServer):
    """Serves ``org/model``; ``cut`` breaks every answer off after a tenth of the file."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.cut = False
        self.serve(CONTENT)
        self.gated = False
        self.ranges: list[str] = []

    def serve(self, content: bytes) -> None:
        self.content = content
        self.sha256 = hashlib.sha256(content).hexdigest()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Hub

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, *, body: bool) -> None:
        if self.path.startswith("/api/models/org/model"):
            lfs = {"sha256": self.server.sha256, "size": len(self.server.content), "pointerSize": 1}
            siblings = [
                {"rfilename": "README.md", "size": 3, "blobId": "b"},
                {"rfilename": "model-Q4_K_M.gguf", "size": len(self.server.content), "blobId": "c", "lfs": lfs},
                {"rfilename": "mmproj-model.gguf", "size": 9, "blobId": "d"},
            ]
            self._send(200, json.dumps({"id": "org/model", "sha": COMMIT, "siblings": siblings}).encode(), body=body)
        elif self.path.startswith("/api/"):
            self._send(404, b"{}", body=body, headers={"X-Error-Code": "RepoNotFound"})
        elif self.server.gated:
            self._send(403, b"{}", body=body, headers={"X-Error-Code": "GatedRepo"})
        else:
            self._file(body=body)

    def _file(self, *, body: bool) -> None:
        headers = {
            "ETag": f'"{self.server.sha256}"',
            "X-Repo-Commit": COMMIT,
            "X-Linked-Etag": f'"{self.server.sha256}"',
            "X-Linked-Size": str(len(self.server.content)),
            "Accept-Ranges": "bytes",
        }
        asked = self.headers.get("Range")
        start = int(asked.removeprefix("bytes=").split("-")[0]) if asked else 0
        if body:
            self.server.ranges.append(asked or "")
        if asked:
            headers["Content-Range"] = f"bytes {start}-{len(self.server.content) - 1}/{len(self.server.content)}"
        limit = len(self.server.content) // 10 if self.server.cut else None
        self._send(206 if asked else 200, self.server.content[start:], body=body, headers=headers, limit=limit)

    def _send(self, status: int, data: bytes, *, body: bool, headers: Any = None, limit: int | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if not body:
            return
        self.wfile.write(data[:limit])
        self.wfile.flush()
        self.close_connection = limit is not None


@pytest.fixture
def hub() -> Iterator[Hub]:
    server = Hub()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


def fetch(hub: Hub, name: str, cache: Path) -> tuple[dict[str, Any], bool]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("HF_")}
    environment |= {
        "HF_ENDPOINT": f"http://127.0.0.1:{hub.server_port}",
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HOME": str(cache / "home"),
        "NO_PROXY": "127.0.0.1",
    }
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, name, str(cache)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    answer, reachable = done.stdout.splitlines()
    return json.loads(answer), json.loads(reachable)


def test_the_model_file_is_chosen_fetched_and_checked(hub: Hub, tmp_path: Path) -> None:
    answer, reachable = fetch(hub, "org/model", tmp_path)
    assert reachable
    assert answer["id"] == "org/model:model-Q4_K_M.gguf"
    with open(answer["path"], "rb") as file:
        assert file.read() == CONTENT
    assert answer["steps"][-1][0] == "complete"
    assert ["checking", len(CONTENT), len(CONTENT)] in answer["steps"]


def test_a_download_that_breaks_at_every_tenth_is_resumed(hub: Hub, tmp_path: Path) -> None:
    hub.serve(bytes(10 * BLOCK))
    hub.cut = True
    answer, _ = fetch(hub, "org/model", tmp_path)
    with open(answer["path"], "rb") as file:
        assert hashlib.sha256(file.read()).hexdigest() == hub.sha256
    assert [asked for asked in hub.ranges if asked] == [f"bytes={BLOCK * part}-" for part in range(1, 10)]
    figures = [done for phase, done, _ in answer["steps"] if phase == "downloading"]
    assert figures == sorted(figures)
    assert figures[-1] == 10 * BLOCK


def test_damage_is_noticed_and_not_kept(hub: Hub, tmp_path: Path) -> None:
    hub.sha256 = "0" * 64
    answer, _ = fetch(hub, "org/model", tmp_path)
    assert answer["error"] == "DownloadError"
    assert "arrived damaged" in answer["said"]
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.stat().st_size > 100_000]


def test_a_gated_model_says_how_to_get_in(hub: Hub, tmp_path: Path) -> None:
    hub.gated = True
    answer, _ = fetch(hub, "org/model", tmp_path)
    assert answer["error"] == "DownloadError"
    assert "gated: accept its terms" in answer["said"]
    assert "HF_TOKEN" in answer["said"]


def test_missing_repositories_and_files_are_named(hub: Hub, tmp_path: Path) -> None:
    answer, _ = fetch(hub, "org/other", tmp_path)
    assert answer["error"] == "ModelNotFoundError"
    assert "org/other" in answer["said"]
    answer, _ = fetch(hub, "org/model:Q8_0.gguf", tmp_path)
    assert answer["error"] == "ModelNotFoundError"
    assert "no file 'Q8_0.gguf'" in answer["said"]


def test_an_unreachable_hub_is_an_error_and_does_not_answer(hub: Hub, tmp_path: Path) -> None:
    hub.server_close()
    answer, reachable = fetch(hub, "org/model", tmp_path)
    assert answer["error"] == "DownloadError"
    assert "could not be fetched" in answer["said"]
    assert not reachable
