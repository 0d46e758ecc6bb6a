"""A chat client made of a wire format and an exchange."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from ironhive.chat import NO_OPTIONS, ClientMetadata, ResponseBuilder, as_updates
from ironhive.errors import (
    BadAnswerError,
    ConnectFailedError,
    ProviderError,
    ProviderTimeoutError,
    TruncatedStreamError,
)
from ironhive.http.bodies import parse_events, parse_json
from ironhive.http.sse import ErrorPayload, SseReader
from ironhive.http.stops import StopCutter
from ironhive.http.wire import DONE

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterator, Sequence

    from ironhive.chat import ChatMessage, ChatOptions, ChatResponse, ChatUpdate
    from ironhive.http.answer import Answer
    from ironhive.http.exchange import Exchange
    from ironhive.http.wire import StreamDecoder, Wire

_DRAIN_SECONDS: Final = 0.5
_EVENT: Final = "a piece of the stream"
_SHAPE_ERRORS: Final = (TypeError, KeyError, IndexError, AttributeError, ValueError)
"""What reading JSON of the wrong shape raises; a wire may be a stranger's."""


class HttpChatClient:
    """A chat client for one model server: a wire format over an exchange. Safe to use from many tasks.

    :param model: the model used when options name none.
    :param choose: picks another wire for a call, for servers that have several; None always takes ``wire``.
    :param linger: seconds to wait for token counts once the answer has ended, should the server keep silent and the
        connection open.
    """

    def __init__(
        self,
        wire: Wire,
        exchange: Exchange,
        *,
        model: str | None = None,
        choose: Callable[[ChatOptions], Wire] | None = None,
        linger: float = 5.0,
    ) -> None:
        self._linger = linger
        self._choose = choose or (lambda _options: wire)
        self._exchange = exchange
        self._provider = exchange.config.provider
        self.metadata = ClientMetadata(self._provider, exchange.config.base_url, model)

    async def complete(self, messages: Sequence[ChatMessage], options: ChatOptions | None = None) -> ChatResponse:
        """The whole answer at once.

        :raises ProviderError: whatever went wrong, under its own name.
        """
        wanted = options or NO_OPTIONS
        wire = self._choose(wanted)
        request = wire.request(messages, wanted, stream=False)
        body = await self._exchange.post(request.path, request.body, request.headers)
        response = self._response(body, wire)
        return _cut_response(response, request.stop) if request.stop else response

    async def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions | None = None
    ) -> AsyncGenerator[ChatUpdate, None]:
        """The answer piece by piece.

        :raises ProviderError: whatever went wrong, under its own name, also after some pieces.
        """
        wanted = options or NO_OPTIONS
        wire = self._choose(wanted)
        request = wire.request(messages, wanted, stream=True)
        cutter = StopCutter(request.stop) if request.stop else None
        async with (
            self._exchange.open(request.path, request.body, request.headers) as answer,
            aclosing(self._read(answer, wire)) as updates,
        ):
            async for update in updates:
                if cutter is None:
                    yield update
                    continue
                yield cutter.feed(update)
                last = cutter.end()
                if last is not None:
                    yield last
                    return

    async def aclose(self) -> None:
        """Close all connections."""
        await self._exchange.aclose()

    async def _read(self, answer: Answer, wire: Wire) -> AsyncGenerator[ChatUpdate, None]:
        if answer.content_type == "application/json":
            # a server that does not stream, or an error under a success status
            for update in self._whole(await answer.read(), wire):
                yield update
            return
        decoder, reader = wire.decoder(self._exchange.failure), SseReader()
        async with (
            aclosing(answer.chunks()) as chunks,
            aclosing(_until_over(chunks, decoder, self._linger)) as pieces,
        ):
            try:
                async for chunk in pieces:
                    for update in self._take(reader, decoder, chunk):
                        answer.first_token = True
                        yield update
            except (ConnectFailedError, ProviderTimeoutError):
                if not decoder.finished:
                    raise
            except _SHAPE_ERRORS as error:
                raise self._misshapen(error) from error
            for update in self._last_updates(answer, reader, decoder, wire):
                yield update
            await _drain(chunks)

    def _take(self, reader: SseReader, decoder: StreamDecoder, chunk: bytes) -> Iterator[ChatUpdate]:
        payloads = reader.feed(chunk)
        if not payloads:
            return
        over = payloads[-1] == DONE
        if over:
            payloads.pop()
        events = parse_events(payloads) if reader.plain else None
        if events is None:
            for payload in payloads:
                yield from self._unusual(payload, decoder)
        else:
            for event in events:
                update = decoder.feed(event)
                if update is not None:
                    yield update
        if over:
            decoder.done()

    def _unusual(self, payload: bytes, decoder: StreamDecoder) -> Iterator[ChatUpdate]:
        """An event that is not just one JSON text.

        It is named ``error``, or has several data lines, which may be one JSON text over many lines or one on each; or
        it is ``[DONE]``, blank or broken.
        """
        if isinstance(payload, ErrorPayload):
            raise self._exchange.failure(_json_or_text(payload))
        try:
            texts, events = [], [parse_json(payload, provider=self._provider, what=_EVENT)]
        except BadAnswerError:
            texts, events = [line for line in payload.split(b"\n") if line.strip()], []
            if len(texts) == 1 and texts[0] != DONE:
                raise
        events += [parse_json(text, provider=self._provider, what=_EVENT) for text in texts if text != DONE]
        for event in events:
            update = decoder.feed(event)
            if update is not None:
                yield update
        if DONE in texts:
            decoder.done()

    def _last(self, payload: bytes, decoder: StreamDecoder) -> Iterator[ChatUpdate]:
        """The event that the end of the body closed."""
        try:
            yield from self._unusual(payload, decoder)
        except BadAnswerError as error:
            if isinstance(payload, ErrorPayload) or type(error) is not BadAnswerError:
                raise
            if not decoder.finished:
                message = f"{self._provider}: the stream ended in the middle of an event: {error}"
                raise TruncatedStreamError(message, provider=self._provider) from None

    def _last_updates(
        self, answer: Answer, reader: SseReader, decoder: StreamDecoder, wire: Wire
    ) -> Iterator[ChatUpdate]:
        if not decoder.complete:
            for payload in reader.finish():
                yield from self._last(payload, decoder)
        if not reader.seen:
            yield from self._no_events(reader.stray, wire)
            return
        if answer.framed and decoder.whole_with_body:
            decoder.done()
        try:
            last = decoder.end()
        except _SHAPE_ERRORS as error:
            raise self._misshapen(error) from error
        if last is not None:
            yield last

    def _no_events(self, stray: bytes, wire: Wire) -> Iterator[ChatUpdate]:
        if not stray.strip():
            message = f"{self._provider}: the answer is empty: a stream of events was expected, and none came"
            raise TruncatedStreamError(message, provider=self._provider)
        yield from self._whole(stray, wire)

    def _whole(self, body: bytes, wire: Wire) -> Iterator[ChatUpdate]:
        parsed = parse_json(body, provider=self._provider)
        yield from as_updates(self._response(parsed, wire))

    def _response(self, body: Any, wire: Wire) -> ChatResponse:
        try:
            return wire.response(body, self._exchange.failure)
        except _SHAPE_ERRORS as error:
            raise self._misshapen(error) from error

    def _misshapen(self, error: Exception) -> BadAnswerError:
        """A wire could not read what it was given, and did not say so itself."""
        message = f"{self._provider}: the answer has an unexpected shape ({type(error).__name__}: {error})"
        return BadAnswerError(message, provider=self._provider)


def _cut_response(response: ChatResponse, stop: tuple[str, ...]) -> ChatResponse:
    cutter = StopCutter(stop)
    builder = ResponseBuilder()
    for update in as_updates(response):
        builder.add(cutter.feed(update))
        last = cutter.end()
        if last is not None:
            builder.add(last)
            break
    cut = builder.build()
    return replace(cut, usage=response.usage)


async def _until_over(
    chunks: AsyncGenerator[bytes, None], decoder: StreamDecoder, linger: float
) -> AsyncGenerator[bytes, None]:
    """The body until the decoder has seen all; once the answer has ended, silence ends the body too."""
    while not decoder.complete:
        try:
            if decoder.finished:
                async with asyncio.timeout(linger):
                    chunk = await anext(chunks)
            else:
                chunk = await anext(chunks)
        except StopAsyncIteration:
            return
        except TimeoutError:
            if decoder.finished:
                return
            raise
        yield chunk


async def _drain(chunks: AsyncGenerator[bytes, None]) -> None:
    """Read what is left after the last event, so that the connection can be used again; give up soon."""
    with suppress(TimeoutError, ProviderError):
        async with asyncio.timeout(_DRAIN_SECONDS):
            async for _ in chunks:
                pass


def _json_or_text(payload: bytes) -> Any:
    try:
        return parse_json(payload, provider="")
    except BadAnswerError:
        return payload.decode("utf-8", "replace")
