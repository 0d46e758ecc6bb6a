"""One thread that owns a native engine, and the queue in front of it."""

from __future__ import annotations

import asyncio
import queue
import threading
import weakref
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ironhive.errors import ModelBusyError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

T = TypeVar("T")

AHEAD = 64
"""How many items the thread may be ahead of its reader before it waits."""

PACE_SECONDS = 0.03
"""How long the reader rests after it took something, unless the work ends: every waking takes a core away from the
engine's own threads, and nobody sees whether text grows in steps of 10 or of 30 milliseconds."""

JOIN_SECONDS = 30.0
"""How long closing waits for native code to come back."""


class Ticket(Generic[T]):
    """One request in the queue: what the thread sends, and whether anybody still wants it."""

    def __init__(self, work: Callable[[Ticket[T]], None], loop: asyncio.AbstractEventLoop) -> None:
        self._work = work
        self._loop = loop
        self._room = threading.Semaphore(AHEAD)
        self._items: deque[T] = deque()
        self._wake = asyncio.Event()
        self._ended = asyncio.Event()
        self._hungry = False
        self._lock = threading.Lock()
        self._stopped = False
        self._started = False
        self._done = False
        self._error: BaseException | None = None

    def stopped(self) -> bool:
        """Whether the reader is gone. The work looks at it before every token."""
        return self._stopped

    def emit(self, item: T) -> None:
        """Hand one item to the reader; waits while it is too far behind."""
        while not self._room.acquire(timeout=0.05):
            if self._stopped:
                return
        self._items.append(item)
        if self._hungry:
            self._notify()

    def run(self) -> None:
        """Do the work, unless nobody waits for it any more."""
        with self._lock:
            if self._stopped:
                return
            self._started = True
        self._notify()
        try:
            self._work(self)
        except BaseException as error:  # noqa: BLE001  # it belongs to the reader, whatever it is
            self._error = error
        self._done = True
        self._notify()

    def cancel(self) -> None:
        """Nobody wants the rest."""
        self._stopped = True

    def give_up_waiting(self) -> bool:
        """Leave the queue. False: too late, it is this ticket's turn already."""
        with self._lock:
            if self._started:
                return False
            self._stopped = True
            return True

    async def read(self, wait_seconds: float | None) -> AsyncGenerator[T, None]:
        """The items as they come; the work's own failure is raised at the end."""
        await self._turn(wait_seconds)
        while True:
            finished = self._done
            if not self._items:
                if finished:
                    break
                await self._next_item()
                continue
            while self._items:
                item = self._items.popleft()
                self._room.release()
                yield item
            await self._rest()
        if self._error is not None:
            raise self._error

    async def _next_item(self) -> None:
        self._wake.clear()
        self._hungry = True  # from here on the thread wakes us; what it did just before is seen in the next line
        if not self._items and not self._done:
            await self._wake.wait()
        self._hungry = False

    async def _rest(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(PACE_SECONDS):
                await self._ended.wait()

    async def _turn(self, wait_seconds: float | None) -> None:
        try:
            async with asyncio.timeout(wait_seconds):
                while not self._started and not self._done:
                    await self._wake.wait()
                    self._wake.clear()
        except TimeoutError:
            if self.give_up_waiting():
                message = f"the model is busy: no turn within {wait_seconds:g} s; try again, or allow a longer wait"
                raise ModelBusyError(message) from None

    def fail(self, error: BaseException) -> None:
        """End the ticket without running it."""
        self._error = error
        self._done = True
        self._notify()

    def _notify(self) -> None:
        with suppress(RuntimeError):  # the reader's loop is closed: nobody listens
            self._loop.call_soon_threadsafe(self._wake_reader)

    def _wake_reader(self) -> None:
        self._wake.set()
        if self._done:
            self._ended.set()


class Worker:
    """Runs requests one after another in a thread of its own. May be used from any thread and any event loop.

    :param name: shown as the thread's name.
    :param at_end: called in the thread when it ends, to free what the thread owns.
    :param max_waiting: how many requests may wait; the next one is refused at once.
    """

    def __init__(self, name: str, *, at_end: Callable[[], None], max_waiting: int = 32) -> None:
        self._queue: queue.SimpleQueue[Ticket[Any] | None] = queue.SimpleQueue()
        self._slot: list[Ticket[Any] | None] = [None]
        self._max_waiting = max_waiting
        self._closed = False
        self._thread = threading.Thread(target=_serve, args=(self._queue, self._slot, at_end), name=name, daemon=True)
        self._thread.start()
        # a daemon thread inside native code must not meet the interpreter's end
        self._finalizer = weakref.finalize(self, _stop, self._queue, self._slot, self._thread)

    async def stream(
        self, work: Callable[[Ticket[T]], None], *, wait_seconds: float | None = None
    ) -> AsyncGenerator[T, None]:
        """Run ``work`` when its turn comes and yield what it emits.

        :raises ModelBusyError: the queue is full, or the turn did not come in time.
        """
        ticket = Ticket(work, asyncio.get_running_loop())
        if self._queue.qsize() >= self._max_waiting:
            message = f"the model is busy: {self._max_waiting} requests are waiting already; try again later"
            raise ModelBusyError(message)
        if self._closed:
            message = "the model was closed; load it again"
            raise ModelBusyError(message)
        self._queue.put(ticket)
        items = ticket.read(wait_seconds)
        try:
            async for item in items:
                yield item
        finally:
            ticket.cancel()
            await items.aclose()

    async def aclose(self) -> None:
        """Stop the running request, refuse the waiting ones, end the thread."""
        self._closed = True
        await asyncio.to_thread(self._finalizer)


def _serve(
    tickets: queue.SimpleQueue[Ticket[Any] | None], slot: list[Ticket[Any] | None], at_end: Callable[[], None]
) -> None:
    while (ticket := tickets.get()) is not None:
        slot[0] = ticket
        ticket.run()
        slot[0] = None
        del ticket
    _drain(tickets)
    at_end()


def _stop(
    tickets: queue.SimpleQueue[Ticket[Any] | None], slot: list[Ticket[Any] | None], thread: threading.Thread
) -> None:
    running = slot[0]
    if running is not None:
        running.cancel()
    _drain(tickets)
    tickets.put(None)
    if thread is not threading.current_thread():
        thread.join(timeout=JOIN_SECONDS)


def _drain(tickets: queue.SimpleQueue[Ticket[Any] | None]) -> None:
    while not tickets.empty():
        with suppress(queue.Empty):
            waiting = tickets.get_nowait()
            if waiting is not None:
                waiting.fail(ModelBusyError("the model was closed while this request was waiting"))
