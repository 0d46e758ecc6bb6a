"""How many calls a provider runs at once."""

from __future__ import annotations

import asyncio

from ironhive.errors import ProviderBusyError


class Places:
    """The free places of one provider, for whoever waits longest.

    They follow a caller that runs one event loop after another; at one time they serve one loop.
    """

    def __init__(self, provider: str, limit: int) -> None:
        self._provider = provider
        self._limit = limit
        self._loop: asyncio.AbstractEventLoop | None = None
        self._free = asyncio.Semaphore(limit)

    async def take(self, seconds: float | None) -> None:
        """Wait for a place.

        :raises ProviderBusyError: none was free within ``seconds``.
        """
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._free = loop, asyncio.Semaphore(self._limit)
        try:
            async with asyncio.timeout(seconds):
                await self._free.acquire()
        except TimeoutError:
            message = (
                f"provider {self._provider!r} runs {self._limit} calls, as many as it may, and none ended within "
                f"{seconds:g} s; raise its concurrency limit or gateway.queueSeconds"
            )
            raise ProviderBusyError(message, provider=self._provider) from None

    def leave(self) -> None:
        """Give a place back."""
        self._free.release()
