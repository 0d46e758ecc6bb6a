"""Running async work from a script."""

from __future__ import annotations

import asyncio

import pytest

from ironhive.agent import AgentLoop, run_sync
from ironhive.testing import ScriptedClient


def test_calls_share_one_event_loop_so_that_connections_live_on() -> None:
    async def loop_now() -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    assert run_sync(loop_now()) is run_sync(loop_now())


def test_an_agent_answers_a_script() -> None:
    agent = AgentLoop(ScriptedClient("hello", "again"))
    assert run_sync(agent.run("hi")).content == "hello"
    assert run_sync(agent.run("hi")).content == "again"


async def test_inside_a_running_loop_it_says_so() -> None:
    with pytest.raises(RuntimeError):
        run_sync(asyncio.sleep(0))
