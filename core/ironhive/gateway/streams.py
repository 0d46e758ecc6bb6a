"""A stream that was opened at a provider, and the ways to pass it on under a guard."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING

from ironhive.chat import ResponseBuilder
from ironhive.gateway.masking import Restorer

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from ironhive.chat import ChatMessage, ChatOptions, ChatUpdate
    from ironhive.contracts import Unmasker
    from ironhive.gateway.clients import ClientPool, Lease
    from ironhive.gateway.guarding import GuardSeam


class OpenStream:
    """A stream at one provider whose first update has arrived (None: it ended without one)."""

    __slots__ = ("_lease", "_pool", "first", "rest")

    def __init__(self, rest: AsyncGenerator[ChatUpdate, None], lease: Lease, pool: ClientPool) -> None:
        self.first: ChatUpdate | None = None
        self.rest = rest
        self._lease: Lease | None = lease
        self._pool = pool

    @classmethod
    async def start(
        cls, lease: Lease, pool: ClientPool, messages: Sequence[ChatMessage], options: ChatOptions
    ) -> OpenStream:
        """Send the request and wait for the first update. The lease is given back when that fails."""
        try:
            updates = lease.client.stream(messages, options)
        except BaseException:
            await pool.give_back(lease)
            raise
        opened = cls(updates, lease, pool)
        try:
            opened.first = await anext(updates, None)
        except BaseException:
            await opened.aclose()
            raise
        return opened

    async def aclose(self) -> None:
        """End the request and give the client back. Closing again does nothing."""
        lease, self._lease = self._lease, None
        if lease is None:
            return
        try:
            await self.rest.aclose()
        finally:
            await self._pool.give_back(lease)


async def inspected_at_end(opened: OpenStream, seam: GuardSeam) -> AsyncGenerator[ChatUpdate, None]:
    """Every update as it comes; the whole answer is inspected at the end, or when the consumer stops early.

    Nothing is inspected when the provider failed, sent nothing, or the call was cancelled.

    :raises GuardError: the answer is forbidden; its updates were shown.
    """
    builder = ResponseBuilder()
    cancelled = cancellations()
    try:
        if opened.first is not None:
            builder.add(opened.first)
            yield opened.first
            async for update in opened.rest:
                builder.add(update)
                yield update
    except GeneratorExit:
        await opened.aclose()  # first of all: the provider must not go on while the guard thinks
        if cancellations() <= cancelled:
            await seam.judge(builder.build())
        raise
    await opened.aclose()
    if opened.first is not None:
        await seam.judge(builder.build())


async def restored(updates: AsyncGenerator[ChatUpdate, None], unmasker: Unmasker) -> AsyncGenerator[ChatUpdate, None]:
    """Updates with masked spans put back."""
    restorer = Restorer(unmasker)
    async with aclosing(updates):
        async for update in updates:
            yield restorer.restore(update)
        rest = restorer.rest()
        if rest is not None:
            yield rest


def cancellations() -> int:
    """How many cancellations wait for the current task."""
    task = asyncio.current_task()
    return task.cancelling() if task is not None else 0
