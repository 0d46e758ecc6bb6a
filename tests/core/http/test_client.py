"""A chat client over a real connection: a wire format of ten lines, and a server that misbehaves."""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import socket
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from tests.wire.loopback import LAST_CHUNK, OPEN_HEAD, STREAM_HEAD, Connection, HangUpError, serving

from ironhive.chat import ChatMessage, ChatResponse, ChatUpdate, TextContent, aggregate
from ironhive.errors import (
    BadAnswerError,
    ConnectFailedError,
    HttpStatusError,
    ProviderTimeoutError,
    StreamErrorEvent,
    StreamIdleTimeoutError,
    StreamLimitError,
    TruncatedStreamError,
)
from ironhive.http import (
    NO_BUDGET,
    EndpointConfig,
    Exchange,
    HttpChatClient,
    StreamBudget,
    WireRequest,
    address_problem,
    connection_error,
)
from ironhive.secrets import Secret

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ironhive.chat import ChatOptions

HELLO = [ChatMessage.user("hello")]
WORDS = [b'data: {"word": "one "}\n\n', b'data: {"word": "two"}\n\n']
END = b'data: {"end": true}\n\n'


class WordDecoder:
    """Decodes ``{"word": ...}`` until ``{"end": true}``."""

    whole_with_body = False

    def __init__(self, failure: Callable[[Any], HttpStatusError]) -> None:
        self.complete = False
        self.finished = False
        self._failure = failure

    def feed(self, event: Any) -> ChatUpdate | None:
        if "error" in event:
            raise self._failure(event)
        if event.get("end"):
            self.finished = True
            self.complete = event["end"] is True
            return None
        return ChatUpdate((TextContent(event["word"]),)) if event.get("word") else None

    def done(self) -> None:
        self.complete = self.finished = True

    def end(self) -> ChatUpdate | None:
        if not self.finished:
            raise TruncatedStreamError("cut off", provider="words")
        return ChatUpdate(finish_reason="stop")


class WordWire:
    """The smallest wire there can be."""

    def __init__(self, stop: tuple[str, ...] = ()) -> None:
        self.stop = stop

    def request(self, messages: Sequence[ChatMessage], options: ChatOptions, *, stream: bool) -> WireRequest:
        return WireRequest("/words", {"text": messages[-1].text, "stream": stream}, {"x-turn": "1"}, self.stop)

    def decoder(self, failure: Callable[[Any], HttpStatusError]) -> WordDecoder:
        return WordDecoder(failure)

    def response(self, body: Any, failure: Callable[[Any], HttpStatusError]) -> ChatResponse:
        if "error" in body:
            raise failure(body)
        return ChatResponse((ChatMessage.assistant(body["text"]),), "stop")


def client(url: str, *, budget: StreamBudget = NO_BUDGET, stop: tuple[str, ...] = (), **more: Any) -> HttpChatClient:
    config = EndpointConfig("words", url, Secret("sk-secret-key"), budget=budget, connect=3, **more)
    return HttpChatClient(WordWire(stop), Exchange(config), model="m")


async def text_of(chat: HttpChatClient) -> str:
    async with aclosing(chat.stream(HELLO)) as updates:
        return aggregate([update async for update in updates]).text


async def test_one_connection_serves_many_calls_and_carries_key_and_headers() -> None:
    async def answer(connection: Connection) -> None:
        if connection.request.json["stream"]:
            await connection.stream(*WORDS, END)
        else:
            await connection.whole(b'{"text": "whole"}')

    async with serving(answer) as server:
        chat = client(server.url, headers=(("x-extra", "yes"),), query=(("api-version", "7"),))
        assert (await chat.complete(HELLO)).text == "whole"
        assert await text_of(chat) == "one two"
        assert await text_of(chat) == "one two"
        assert server.opened == 1
        request = server.requests[0]
        assert (request.method, request.path) == ("POST", "/words?api-version=7")
        assert request.headers["authorization"] == "Bearer sk-secret-key"
        assert (request.headers["x-extra"], request.headers["x-turn"]) == ("yes", "1")
        assert request.headers["user-agent"].startswith("ironhive/")
        assert chat.metadata.model == "m"
        await chat.aclose()


async def test_the_key_is_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    async def answer(connection: Connection) -> None:
        await connection.whole(b'{"error": "wrong key: sk-secret-key"}', status=401)

    with caplog.at_level(logging.DEBUG):
        async with serving(answer) as server:
            chat = client(server.url, headers=(("x-token", "also-secret"),))
            with pytest.raises(HttpStatusError) as caught:
                await chat.complete(HELLO)
            await chat.aclose()
    assert "HTTP Request" in caplog.text
    for secret in ("sk-secret-key", "also-secret"):
        assert secret not in caplog.text
        assert secret not in f"{caught.value} {caught.value!r} {chat!r} {chat._exchange.config!r}"


async def test_a_reader_who_stops_early_leaves_no_connection_open() -> None:
    async def answer(connection: Connection) -> None:
        await connection.send(STREAM_HEAD)
        while True:
            await connection.chunk(WORDS[0])
            await asyncio.sleep(0)

    async with serving(answer) as server:
        chat = client(server.url)
        async with aclosing(chat.stream(HELLO)) as updates:
            async for update in updates:
                assert update.text == "one "
                break
        await asyncio.wait_for(server.gone.wait(), 5)
        assert server.open == 0
        await chat.aclose()


async def test_a_cancelled_reader_leaves_no_connection_open() -> None:
    started = asyncio.Event()

    async def answer(connection: Connection) -> None:
        await connection.send(STREAM_HEAD)
        await connection.chunk(WORDS[0])
        started.set()
        await asyncio.Event().wait()

    async with serving(answer) as server:
        chat = client(server.url)
        task = asyncio.create_task(text_of(chat))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await chat.aclose()


async def test_nothing_is_sent_before_the_first_piece_is_asked_for() -> None:
    async def answer(connection: Connection) -> None:
        await connection.stream(END)

    async with serving(answer) as server:
        chat = client(server.url)
        stream = chat.stream(HELLO)
        await stream.aclose()
        assert server.requests == []
        await chat.aclose()


async def test_a_server_that_keeps_the_stream_open_after_its_end_does_not_hold_the_answer() -> None:
    async def answer(connection: Connection) -> None:
        await connection.send(STREAM_HEAD)
        await connection.chunk(WORDS[0] + END)
        await asyncio.Event().wait()

    async with serving(answer) as server:
        chat = client(server.url)
        assert await asyncio.wait_for(text_of(chat), 5) == "one "
        await chat.aclose()


async def test_counts_may_follow_the_end_but_are_not_waited_for_long() -> None:
    async def answer(connection: Connection) -> None:
        await connection.send(STREAM_HEAD)
        await connection.chunk(WORDS[0] + b'data: {"end": "almost"}\n\n')
        await connection.chunk(WORDS[1])
        await asyncio.Event().wait()

    async with serving(answer) as server:
        exchange = Exchange(EndpointConfig("words", server.url))
        chat = HttpChatClient(WordWire(), exchange, linger=0.2)
        assert await asyncio.wait_for(text_of(chat), 5) == "one two"
        await chat.aclose()


async def test_a_server_that_does_not_stream_is_understood() -> None:
    async def answer(connection: Connection) -> None:
        await connection.whole(b'{"text": "all at once"}')

    async with serving(answer) as server:
        chat = client(server.url)
        assert await text_of(chat) == "all at once"
        await chat.aclose()


async def test_json_under_the_label_of_a_stream_is_understood() -> None:
    async def answer(connection: Connection) -> None:
        await connection.whole(b'{\n  "text": "mislabelled"\n}', kind="text/event-stream")

    async with serving(answer) as server:
        chat = client(server.url)
        assert await text_of(chat) == "mislabelled"
        await chat.aclose()


async def test_a_compressed_stream_is_unpacked() -> None:
    import gzip

    async def answer(connection: Connection) -> None:
        body = gzip.compress(b"".join([*WORDS, END]))
        await connection.whole(body, kind="text/event-stream", extra="content-encoding: gzip\r\n")

    async with serving(answer) as server:
        chat = client(server.url)
        assert await text_of(chat) == "one two"
        await chat.aclose()


async def test_one_client_serves_several_event_loops() -> None:
    # scripts run one loop after another; the test's own loop has to stay out of the way
    def in_a_thread() -> list[str]:
        async def once() -> str:
            async def answer(connection: Connection) -> None:
                await connection.stream(*WORDS, END)

            async with serving(answer) as server:
                chats.setdefault("chat", client(server.url))
                chat = chats["chat"]
                object.__setattr__(chat._exchange.config, "base_url", server.url)
                chat._exchange._urls.clear()
                text = await text_of(chat)
                await chat.aclose()
                return text

        chats: dict[str, HttpChatClient] = {}
        return [asyncio.run(once()), asyncio.run(once())]

    assert await asyncio.to_thread(in_a_thread) == ["one two", "one two"]


def _events(*events: object) -> bytes:
    return b"".join(b"data: %s\n\n" % json.dumps(event).encode() for event in events)


@pytest.mark.parametrize(
    ("pieces", "error", "words"),
    [
        ([b""], TruncatedStreamError, "is empty"),
        ([b": keep-alive\n\n: keep-alive\n\n"], TruncatedStreamError, "is empty"),
        ([b"<html><title>Login</title></html>"], BadAnswerError, "an HTML page: Login"),
        ([b"plain words"], BadAnswerError, "not JSON"),
        ([*WORDS], TruncatedStreamError, "cut off"),
        ([WORDS[0], b'data: {"word": "t'], TruncatedStreamError, "in the middle of an event"),
        ([WORDS[0], b'data: {"word": "t\n\n', END], BadAnswerError, "not JSON"),
        ([WORDS[0], b'data: {"word": "\xff"}\n\n', END], BadAnswerError, "not valid UTF-8"),
        ([WORDS[0], _events({"error": {"message": "overloaded", "code": 503}})], StreamErrorEvent, "overloaded"),
        ([WORDS[0], b"event: error\ndata: it crashed\n\n"], StreamErrorEvent, "it crashed"),
        ([WORDS[0], b"error: it crashed\n\n"], StreamErrorEvent, "it crashed"),
    ],
)
async def test_a_stream_that_goes_wrong_is_named(pieces: list[bytes], error: type[Exception], words: str) -> None:
    async def answer(connection: Connection) -> None:
        await connection.send(STREAM_HEAD)
        for piece in pieces:
            if piece:
                await connection.chunk(piece)
        await connection.send(LAST_CHUNK)

    async with serving(answer) as server:
        chat = client(server.url)
        with pytest.raises(error, match=words) as caught:
            await text_of(chat)
        assert type(caught.value) is error
        assert caught.value.provider == "words"  # type: ignore[attr-defined]
        await chat.aclose()


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (b'data: {"word":\ndata:  "split"}\n\n', "split"),
        (b'data: {"word": "a"}\ndata: {"word": "b"}\n\n', "ab"),
        (b'data: {"word": "a"}\ndata: [DONE]\n\n', "a"),
        (b'data:\n\ndata: \n\ndata: {"word": "a"}\n\n', "a"),
        (b'event: data\nid: 7\nretry: 10\ndata: {"word": "a"}   \n\n', "a"),
    ],
)
async def test_odd_but_harmless_events_are_understood(event: bytes, expected: str) -> None:
    async def answer(connection: Connection) -> None:
        await connection.stream(event, b"data: [DONE]\n\n")

    async with serving(answer) as server:
        chat = client(server.url)
        assert await text_of(chat) == expected
        await chat.aclose()


async def test_what_came_before_a_broken_event_is_shown_first() -> None:
    async def answer(connection: Connection) -> None:
        await connection.stream(WORDS[0] + WORDS[1] + b"data: {broken\n\n")

    async with serving(answer) as server:
        chat = client(server.url)
        updates = chat.stream(HELLO)
        assert [(await anext(updates)).text, (await anext(updates)).text] == ["one ", "two"]
        with pytest.raises(BadAnswerError):
            await anext(updates)
        await chat.aclose()


async def test_a_wire_that_stumbles_over_an_answer_is_a_named_error() -> None:
    async def answer(connection: Connection) -> None:
        if connection.request.json["stream"]:
            await connection.stream(WORDS[0], b'data: {"word": 17}\n\n', b"data: 17\n\n", END)
        else:
            await connection.whole(b"17")

    async with serving(answer) as server:
        chat = client(server.url)
        for asked in (text_of(chat), chat.complete(HELLO)):
            with pytest.raises(BadAnswerError, match="unexpected shape"):
                await asked
        await chat.aclose()


@pytest.mark.parametrize("how", ["reset", "hang up", "half a chunk"])
async def test_a_connection_that_breaks_in_the_middle_is_named(how: str) -> None:
    async def answer(connection: Connection) -> None:
        await connection.send(STREAM_HEAD)
        await connection.chunk(WORDS[0])
        await asyncio.sleep(0.01)
        if how == "reset":
            connection.reset()
        elif how == "half a chunk":
            await connection.send(b"40\r\ndata: ")
        raise HangUpError

    async with serving(answer) as server:
        chat = client(server.url)
        with pytest.raises(ConnectFailedError) as caught:
            await text_of(chat)
        assert caught.value.kind == "transport"
        await chat.aclose()


async def test_a_connection_that_breaks_after_the_end_of_the_answer_does_no_harm() -> None:
    async def answer(connection: Connection) -> None:
        await connection.send(STREAM_HEAD)
        await connection.chunk(WORDS[0] + END)
        raise HangUpError

    async with serving(answer) as server:
        chat = client(server.url)
        assert await text_of(chat) == "one "
        await chat.aclose()


async def test_a_body_that_ends_with_the_connection_is_not_taken_for_whole() -> None:
    async def answer(connection: Connection) -> None:
        await connection.send(OPEN_HEAD + WORDS[0])
        raise HangUpError

    async with serving(answer) as server:
        chat = client(server.url)
        with pytest.raises(TruncatedStreamError):
            await text_of(chat)
        await chat.aclose()


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("head", [b"", b"HTTP/1.1 200 OK\r\ncontent-ty", b"nonsense\r\n\r\n"])
async def test_half_a_head_or_none_is_a_broken_connection(head: bytes, *, stream: bool) -> None:
    async def answer(connection: Connection) -> None:
        if head:
            await connection.send(head)
        raise HangUpError

    async with serving(answer) as server:
        chat = client(server.url)
        with pytest.raises(ConnectFailedError) as caught:
            await (text_of(chat) if stream else chat.complete(HELLO))
        assert caught.value.kind == "transport"
        await chat.aclose()


@pytest.mark.parametrize("stream", [True, False])
async def test_a_refusal_is_the_same_streaming_or_not(*, stream: bool) -> None:
    async def answer(connection: Connection) -> None:
        await connection.whole(
            b'{"error": {"message": "slow down", "code": "rate_limited"}}',
            status=429,
            kind="text/event-stream",
            extra="retry-after: 3\r\nx-request-id: req_9\r\n",
        )

    async with serving(answer) as server:
        chat = client(server.url)
        with pytest.raises(HttpStatusError) as caught:
            await (text_of(chat) if stream else chat.complete(HELLO))
        error = caught.value
        assert (error.status, error.detail, error.code) == (429, "slow down", "rate_limited")
        assert (error.retry_after, error.request_id, error.provider) == (3.0, "req_9", "words")
        await chat.aclose()


async def test_an_error_body_without_end_is_cut() -> None:
    async def answer(connection: Connection) -> None:
        await connection.send(b"HTTP/1.1 500 X\r\ntransfer-encoding: chunked\r\n\r\n")
        while True:
            await connection.chunk(b"x" * 10_000)

    async with serving(answer) as server:
        chat = client(server.url)
        with pytest.raises(HttpStatusError, match="answered 500"):
            await asyncio.wait_for(chat.complete(HELLO), 5)
        await chat.aclose()


async def test_a_redirect_is_not_followed() -> None:
    async def answer(connection: Connection) -> None:
        await connection.whole(b"", status=307, extra="location: http://127.0.0.1:1/other\r\n")

    async with serving(answer) as server:
        chat = client(server.url)
        with pytest.raises(HttpStatusError, match=r"redirects to http://127\.0\.0\.1:1/other"):
            await chat.complete(HELLO)
        await chat.aclose()


async def _silent(connection: Connection, *, before: bytes) -> None:
    if before:
        await connection.send(STREAM_HEAD)
        await connection.chunk(before)
    await asyncio.Event().wait()


@pytest.mark.parametrize("before", [b"", b": waiting\n\n", WORDS[0]])
async def test_silence_ends_a_stream_before_and_after_its_first_token(before: bytes) -> None:
    async with serving(lambda connection: _silent(connection, before=before)) as server:
        chat = client(server.url, budget=StreamBudget(idle_seconds=0.05))
        with pytest.raises(StreamIdleTimeoutError, match="stream idle timeout") as caught:
            await text_of(chat)
        assert (caught.value.seconds, caught.value.what) == (0.05, "idle")
        await chat.aclose()


async def test_comments_count_as_life() -> None:
    async def answer(connection: Connection) -> None:
        await connection.send(STREAM_HEAD)
        for _ in range(12):
            await connection.chunk(b": still reading the prompt\n\n")
            await asyncio.sleep(0.03)
        await connection.chunk(WORDS[0] + END)
        await connection.send(LAST_CHUNK)

    async with serving(answer) as server:
        chat = client(server.url, budget=StreamBudget(idle_seconds=0.25))
        assert await text_of(chat) == "one "
        await chat.aclose()


async def test_silence_is_no_fault_of_an_answer_that_is_not_streamed() -> None:
    async def answer(connection: Connection) -> None:
        await asyncio.sleep(0.2)
        await connection.whole(b'{"text": "slow"}')

    async with serving(answer) as server:
        chat = client(server.url, budget=StreamBudget(idle_seconds=0.05))
        assert (await chat.complete(HELLO)).text == "slow"
        await chat.aclose()


async def _drip(connection: Connection, *, first: bytes) -> None:
    await connection.send(STREAM_HEAD)
    while True:
        await connection.chunk(first)
        await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    ("budget", "what"),
    [(StreamBudget(first_token_seconds=0.1), "first_token"), (StreamBudget(total_seconds=0.1), "total")],
)
async def test_first_token_and_total_have_limits_of_their_own(budget: StreamBudget, what: str) -> None:
    async with serving(lambda connection: _drip(connection, first=b": waiting\n\n")) as server:
        chat = client(server.url, budget=budget)
        with pytest.raises(ProviderTimeoutError) as caught:
            await text_of(chat)
        assert (caught.value.what, caught.value.seconds) == (what, 0.1)
        await chat.aclose()


async def test_the_first_token_ends_its_limit_but_not_the_total() -> None:
    async with serving(lambda connection: _drip(connection, first=WORDS[0])) as server:
        chat = client(server.url, budget=StreamBudget(first_token_seconds=0.1, total_seconds=0.4))
        with pytest.raises(ProviderTimeoutError) as caught:
            await text_of(chat)
        assert caught.value.what == "total"
        await chat.aclose()


async def test_the_total_limit_holds_without_streaming() -> None:
    async with serving(lambda connection: _silent(connection, before=b"")) as server:
        chat = client(server.url, budget=StreamBudget(total_seconds=0.1))
        with pytest.raises(ProviderTimeoutError) as caught:
            await chat.complete(HELLO)
        assert caught.value.what == "total"
        await chat.aclose()


@pytest.mark.parametrize("stream", [True, False])
async def test_an_answer_that_grows_too_large_is_cut_off(*, stream: bool) -> None:
    async with serving(lambda connection: _drip(connection, first=WORDS[0])) as server:
        chat = client(server.url, budget=StreamBudget(max_bytes=500))
        with pytest.raises(StreamLimitError, match="500 bytes"):
            await (text_of(chat) if stream else chat.complete(HELLO))
        await chat.aclose()


async def test_stop_sequences_are_applied_here_where_the_wire_has_none() -> None:
    async def answer(connection: Connection) -> None:
        if connection.request.json["stream"]:
            await connection.stream(*WORDS, END)
        else:
            await connection.whole(b'{"text": "one two"}')

    async with serving(answer) as server:
        chat = client(server.url, stop=("e t",))
        async with aclosing(chat.stream(HELLO)) as updates:
            response = aggregate([update async for update in updates])
        assert (response.text, response.properties["stop_sequence"]) == ("on", "e t")
        assert (await chat.complete(HELLO)).text == "on"
        await chat.aclose()


async def test_a_refused_connection_is_named() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    chat = client(f"http://127.0.0.1:{port}")
    with pytest.raises(ConnectFailedError) as caught:
        await chat.complete(HELLO)
    assert caught.value.kind == "refused"
    assert f"http://127.0.0.1:{port}" in str(caught.value)
    await chat.aclose()


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:8080",
        "ftp://h",
        "http://",
        "http:///v1",
        "http://h:99999",
        "http://h:0",
        "http://h:x",
        "http://a b",
    ],
)
def test_an_address_that_is_none_is_refused_before_anything_is_sent(url: str) -> None:
    assert address_problem(url) is not None


def test_an_address_with_a_password_is_refused_without_showing_it() -> None:
    problem = address_problem("http://user:pass-word@host.test/v1")
    assert problem is not None
    assert "pass-word" not in problem
    assert "host.test" in problem


@pytest.mark.parametrize("url", ["http://localhost:8080", "HTTPS://h/v1", "http://[::1]:11434"])
def test_an_address_of_a_server_is_accepted(url: str) -> None:
    assert address_problem(url) is None


def caused(cause: BaseException) -> httpx.ConnectError:
    error = httpx.ConnectError("All connection attempts failed")
    error.__cause__ = OSError("All connection attempts failed")
    error.__cause__.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("cause", "kind"),
    [
        (ConnectionRefusedError(errno.ECONNREFUSED, "refused"), "refused"),
        (socket.gaierror(socket.EAI_NONAME, "Name or service not known"), "host_not_found"),
        (socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution"), "host_not_found"),
        (OSError(errno.EHOSTUNREACH, "No route to host"), "unreachable"),
        (OSError(errno.ENETUNREACH, "Network is unreachable"), "unreachable"),
        (ConnectionResetError(errno.ECONNRESET, "reset"), "transport"),
        (ExceptionGroup("all", [ConnectionRefusedError(errno.ECONNREFUSED, "refused")]), "refused"),
    ],
)
def test_the_kind_of_a_failed_connection_is_found_behind_the_librarys_words(cause: BaseException, kind: str) -> None:
    error = connection_error(caused(cause), provider="words", url="http://user:pw@host.example/v1")
    assert isinstance(error, ConnectFailedError)
    assert error.kind == kind
    assert "pw" not in str(error)


def test_a_connect_timeout_names_its_limit() -> None:
    request = httpx.Request("GET", "http://h/", extensions={"timeout": {"connect": 3.0}})
    error = connection_error(httpx.ConnectTimeout("", request=request), provider="words", url="http://h/")
    assert isinstance(error, ProviderTimeoutError)
    assert (error.what, error.seconds) == ("connect", 3.0)
