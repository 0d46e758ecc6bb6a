"""A model server on this machine that plays back a script: the Chat Completions wire, streamed or whole."""

from __future__ import annotations

import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


def text(*pieces: str, finish: str = "stop", usage: tuple[int, int] | None = (7, 3)) -> list[Any]:
    """An answer in pieces; ``usage`` is what went in and came out."""
    steps: list[Any] = [{"content": piece} for piece in pieces]
    return [*steps, {"finish": finish}, *([{"usage": usage}] if usage else [])]


def thinking(thought: str, answer: str) -> list[Any]:
    """An answer with its reasoning before it."""
    return [{"reasoning_content": thought}, *text(answer)]


def call(name: str, arguments: str, call_id: str = "call_1") -> list[Any]:
    """An answer that asks for a tool."""
    function = {"index": 0, "id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
    return [{"tool_calls": [function]}, {"finish": "tool_calls"}, {"usage": (5, 2)}]


class ChatServer:
    """Answers requests with the given scripts, the last one for ever.

    A script is a list of steps; the step ``WAIT`` sets ``waiting`` and holds the answer until ``release`` is set. An
    integer instead of a list is an HTTP status to refuse with. ``requests`` holds the bodies that came.
    """

    WAIT = "wait"

    def __init__(self, *scripts: list[Any] | int) -> None:
        self.scripts = list(scripts)
        self.requests: list[dict[str, Any]] = []
        self.waiting = threading.Event()
        self.release = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def environment(self) -> dict[str, str]:
        """The variables that make ironhive use this server."""
        address = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        return {"LMSTUDIO_ENDPOINT": address, "LMSTUDIO_ENABLED": "true", "LMSTUDIO_MODEL": "scripted"}

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.release.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _next(self) -> list[Any] | int:
        return self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                """Tests are quiet."""

            def do_GET(self) -> None:
                """List the models."""
                self._send({"object": "list", "data": [{"id": "scripted"}, {"id": "another"}]})

            def do_POST(self) -> None:
                """Answer a conversation."""
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.requests.append(body)
                script = server._next()
                if isinstance(script, int):
                    self._send({"error": {"message": "the script says no"}}, status=script)
                elif body.get("stream"):
                    self._stream(script)
                else:
                    self._send(_whole(script, server))

            def _send(self, document: dict[str, Any], status: int = 200) -> None:
                data = json.dumps(document).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                with contextlib.suppress(OSError):  # the client left, which some tests want
                    self.wfile.write(data)

            def _stream(self, script: list[Any]) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                with contextlib.suppress(OSError):
                    for step in script:
                        if step == ChatServer.WAIT:
                            server.waiting.set()
                            server.release.wait()
                        else:
                            self.wfile.write(f"data: {json.dumps(_chunk(step))}\n\n".encode())
                            self.wfile.flush()
                    self.wfile.write(b"data: [DONE]\n\n")
                self.close_connection = True

        return Handler


def _chunk(step: dict[str, Any]) -> dict[str, Any]:
    chunk: dict[str, Any] = {"id": "answer", "object": "chat.completion.chunk", "model": "scripted"}
    if "usage" in step:
        return {**chunk, "choices": [], "usage": _usage(step["usage"])}
    if "finish" in step:
        return {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": step["finish"]}]}
    return {**chunk, "choices": [{"index": 0, "delta": {"role": "assistant", **step}, "finish_reason": None}]}


def _whole(script: list[Any], server: ChatServer) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": ""}
    finish, usage = "stop", None
    for step in script:
        if step == ChatServer.WAIT:
            server.waiting.set()
            server.release.wait()
        elif "finish" in step:
            finish = step["finish"]
        elif "usage" in step:
            usage = _usage(step["usage"])
        elif "tool_calls" in step:
            message["tool_calls"] = step["tool_calls"]
        else:
            for key, value in step.items():
                message[key] = message.get(key, "") + value
    choices = [{"index": 0, "message": message, "finish_reason": finish}]
    return {"id": "answer", "object": "chat.completion", "model": "scripted", "choices": choices, "usage": usage}


def _usage(counts: tuple[int, int]) -> dict[str, int]:
    return {"prompt_tokens": counts[0], "completion_tokens": counts[1], "total_tokens": sum(counts)}
