"""One thread owns the engine; requests queue in front of it."""

from __future__ import annotations

import asyncio
import threading
from contextlib import aclosing
from typing import TYPE_CHECKING

import pytest

from ironhive.errors import ModelBusyError
from ironhive.inference.worker import Worker

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ironhive.inference.worker import Ticket


@pytest.fixture
async def worker() -> AsyncIterator[Worker]:
    worker = Worker("test", at_end=lambda: None)
    yield worker
    await worker.aclose()


def count_to(limit: int):
    def work(ticket: Ticket[int]) -> None:
        for number in range(limit):
            if ticket.stopped():
                return
            ticket.emit(number)

    return work


class Gate:
    """Work that begins, says so, and goes on when it is let."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.open = threading.Event()
        self.saw_stop = False

    def __call__(self, ticket: Ticket[str]) -> None:
        self.begun.set()
        while not self.open.wait(0.01):
            if ticket.stopped():
                self.saw_stop = True
                return
        ticket.emit("through")


async def test_items_arrive_in_order_and_all_of_them(worker: Worker) -> None:
    assert [item async for item in worker.stream(count_to(1000))] == list(range(1000))


async def test_a_failure_reaches_the_reader_after_what_came_before(worker: Worker) -> None:
    def work(ticket: Ticket[int]) -> None:
        ticket.emit(1)
        raise ValueError("broken")

    items = worker.stream(work)
    assert await anext(items) == 1
    with pytest.raises(ValueError, match="broken"):
        await anext(items)


async def test_leaving_the_stream_stops_the_work(worker: Worker) -> None:
    finished = threading.Event()

    def work(ticket: Ticket[int]) -> None:
        number = 0
        while not ticket.stopped():
            ticket.emit(number)
            number += 1
        finished.set()

    async with aclosing(worker.stream(work)) as items:
        async for item in items:
            if item == 3:
                break
    assert await asyncio.to_thread(finished.wait, 5)


async def test_the_thread_does_not_run_far_ahead_of_a_slow_reader(worker: Worker) -> None:
    sent = []

    def work(ticket: Ticket[int]) -> None:
        for number in range(1000):
            if ticket.stopped():
                return
            ticket.emit(number)
            sent.append(number)

    async with aclosing(worker.stream(work)) as items:
        async for _ in items:
            await asyncio.to_thread(threading.Event().wait, 0.2)
            break
        assert len(sent) < 200


async def test_a_turn_that_does_not_come_in_time_is_an_error(worker: Worker) -> None:
    gate = Gate()
    first = asyncio.create_task(anext(worker.stream(gate)))
    await asyncio.to_thread(gate.begun.wait, 5)
    with pytest.raises(ModelBusyError, match=r"no turn within 0\.05 s"):
        await anext(worker.stream(count_to(1), wait_seconds=0.05))
    gate.open.set()
    assert await first == "through"
    assert [item async for item in worker.stream(count_to(2))] == [0, 1]


async def test_a_full_queue_refuses_at_once() -> None:
    worker = Worker("test", at_end=lambda: None, max_waiting=1)
    gate = Gate()
    first = asyncio.create_task(anext(worker.stream(gate)))
    await asyncio.to_thread(gate.begun.wait, 5)
    second = asyncio.create_task(anext(worker.stream(count_to(1))))
    await asyncio.sleep(0)
    with pytest.raises(ModelBusyError, match="waiting already"):
        await anext(worker.stream(count_to(1)))
    gate.open.set()
    assert (await first, await second) == ("through", 0)
    await worker.aclose()


async def test_a_cancelled_reader_leaves_the_queue_and_is_never_run(worker: Worker) -> None:
    gate = Gate()
    ran = threading.Event()
    first = asyncio.create_task(anext(worker.stream(gate)))
    await asyncio.to_thread(gate.begun.wait, 5)
    waiting = asyncio.create_task(anext(worker.stream(lambda _: ran.set())))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    gate.open.set()
    await first
    assert [item async for item in worker.stream(count_to(1))] == [0]
    assert not ran.is_set()


async def test_closing_stops_the_running_request_fails_the_waiting_and_frees_the_engine() -> None:
    freed = threading.Event()
    worker = Worker("test", at_end=freed.set)
    gate = Gate()
    running = asyncio.create_task(anext(worker.stream(gate), None))
    await asyncio.to_thread(gate.begun.wait, 5)
    waiting = asyncio.create_task(anext(worker.stream(count_to(1))))
    await asyncio.sleep(0)
    await worker.aclose()
    assert gate.saw_stop
    assert freed.is_set()
    await running
    with pytest.raises(ModelBusyError, match="closed"):
        await waiting
    with pytest.raises(ModelBusyError, match="closed"):
        await anext(worker.stream(count_to(1)))


async def test_it_serves_several_event_loops(worker: Worker) -> None:
    def other() -> list[int]:
        async def read() -> list[int]:
            return [item async for item in worker.stream(count_to(5))]

        return asyncio.run(read())

    answers = await asyncio.gather(asyncio.to_thread(other), asyncio.to_thread(other))
    assert answers == [[0, 1, 2, 3, 4]] * 2
