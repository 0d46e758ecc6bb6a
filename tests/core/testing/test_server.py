"""The misbehaving server does what its script says."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from ironhive.testing import Fault, LoopbackServer, Reply, Request, free_port, scripted_provider


async def test_replies_come_in_order_and_the_last_one_for_ever() -> None:
    async with LoopbackServer([Reply.json({"n": 1}), Reply.error(503)]) as server, httpx.AsyncClient() as client:
        statuses = [(await client.get(server.url)).status_code for _ in range(3)]
        assert statuses == [200, 503, 503]
        assert server.connections == 1  # kept alive


async def test_requests_are_remembered_and_a_reply_may_depend_on_them() -> None:
    def echo(request: Request) -> Reply:
        return Reply.json({"path": request.path, "sent": request.json, "key": request.headers["x-key"]})

    async with LoopbackServer([echo]) as server, httpx.AsyncClient() as client:
        answer = await client.post(f"{server.url}/a/b?c=d", json={"x": 1}, headers={"X-Key": "k"})
        assert answer.json() == {"path": "/a/b?c=d", "sent": {"x": 1}, "key": "k"}
        assert server.requests[0].method == "POST"


@pytest.mark.parametrize("fault", [Fault.RESET, Fault.CLOSE])
async def test_faults_end_the_connection(fault: Fault) -> None:
    async with LoopbackServer([Reply.chunked([b"x", fault])]) as server, httpx.AsyncClient() as client:
        with pytest.raises(httpx.TransportError):
            await client.get(server.url)


async def test_a_stalled_reply_ends_when_the_client_hangs_up() -> None:
    async with LoopbackServer([Reply.raw(Fault.STALL)]) as server, httpx.AsyncClient() as client:
        task = asyncio.create_task(client.get(server.url))
        await server.asked()
        assert server.serving == 1
        task.cancel()
        await server.quiet()
        assert server.serving == 0
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_stopping_the_server_ends_what_it_was_doing() -> None:
    async with httpx.AsyncClient() as client:
        async with LoopbackServer([Reply.raw(Fault.STALL)]) as server:
            task = asyncio.create_task(client.get(server.url))
            await server.asked()
        with pytest.raises(httpx.TransportError):
            await task
    assert len(asyncio.all_tasks()) == 1


async def test_nobody_listens_at_a_free_port() -> None:
    async with httpx.AsyncClient() as client:
        with pytest.raises(httpx.ConnectError):
            await client.get(f"http://127.0.0.1:{free_port()}")


def test_a_server_that_does_not_run_has_no_address() -> None:
    with pytest.raises(RuntimeError, match="async with"):
        _ = LoopbackServer([]).url


async def test_a_scripted_provider_answers_as_it_is_asked() -> None:
    async with scripted_provider("one", ["two ", "three"]) as server, httpx.AsyncClient(base_url=server.url) as client:
        whole = await client.post("/v1/chat/completions", json={"messages": []})
        assert whole.json()["choices"][0]["message"]["content"] == "one"
        streamed = await client.post("/v1/chat/completions", json={"messages": [], "stream": True})
        assert streamed.headers["content-type"] == "text/event-stream"
        assert streamed.text.count("data: ") == 4
        assert streamed.text.endswith("data: [DONE]\n\n")
        assert (await client.get("/v1/models")).json()["data"] == [{"id": "scripted-1", "object": "model"}]
