"""Server-sent events, read as they arrive.

The reader works on bytes: no byte of a longer UTF-8 sequence is a line end, so a sequence that a read has cut in two
is whole again before anybody decodes it. It was written because httpx's ``aiter_lines`` also splits at characters such
as U+2028, which stand unescaped in the JSON of some servers; it costs half as much besides (tests/bench/bench_wire.py
shows both).
"""

from __future__ import annotations

from typing import Final

_BOM: Final = b"\xef\xbb\xbf"
_STRAY_LIMIT: Final = 65536


class ErrorPayload(bytes):
    """The data of an event that the server named ``error``, or the rest of a bare ``error:`` line."""


class SseReader:
    """Takes the bytes of one answer and gives the data of each event.

    Lines end with LF, CRLF or CR, and may be of any length. Comments and the fields ``id`` and ``retry`` are skipped;
    the event's name matters only where it says ``error``. The last event counts without the blank line that should
    close it. ``seen`` says whether there was any event, ``plain`` that no event yet was named ``error`` or had several
    data lines; ``stray`` holds what is no event field (up to 64 KB), for whoever has to say what came instead.
    """

    __slots__ = ("_after_cr", "_data", "_error", "_partial", "_started", "plain", "seen", "stray")

    def __init__(self) -> None:
        self._partial: list[bytes] = []
        self._data: list[bytes] = []
        self._error = False
        self._after_cr = False
        self._started = False
        self.seen = False
        self.plain = True
        self.stray = b""

    def feed(self, chunk: bytes) -> list[bytes]:
        """The data of the events that this piece completes."""
        if self._after_cr or b"\r" in chunk:
            chunk = self._plain_line_ends(chunk)
        if b"\n" not in chunk:
            if chunk:
                self._partial.append(chunk)
            return []
        if self._partial:
            self._partial.append(chunk)
            chunk = b"".join(self._partial)
            self._partial.clear()
        if not self._started:
            self._started = True
            chunk = chunk.removeprefix(_BOM)
        # the common case costs one split: nothing open, and nothing but events of one data line each
        if chunk[:6] == b"data: " and chunk[-2:] == b"\n\n" and not self._data and not self._error:
            plain = chunk[6:-2].split(b"\n\ndata: ")
            if chunk.count(b"\n") == 2 * len(plain):
                self.seen = True
                return plain
        lines = chunk.split(b"\n")
        rest = lines.pop()
        if rest:
            self._partial.append(rest)
        events = self._events(lines)
        if events:
            self.seen = True
        return events

    def finish(self) -> list[bytes]:
        """The data of an event that the end of the stream cut short of its blank line."""
        events = self.feed(b"\n\n")
        self._partial.clear()
        return events

    def _events(self, lines: list[bytes]) -> list[bytes]:
        events: list[bytes] = []
        data = self._data
        for line in lines:
            if line[:6] == b"data: ":
                data.append(line[6:])
            elif not line:
                if data:
                    events.append(self._event(data))
                    data.clear()
                self._error = False
            elif line[:5] == b"data:":
                data.append(line[5:])
            else:
                self._other_field(line, events)
        return events

    def _event(self, data: list[bytes]) -> bytes:
        if len(data) == 1 and not self._error:
            return data[0]
        self.plain = False
        payload = b"\n".join(data)
        return ErrorPayload(payload) if self._error else payload

    def _other_field(self, line: bytes, events: list[bytes]) -> None:
        name, _, value = line.partition(b":")
        if name == b"event":
            self._error = value.strip() == b"error"
        elif name == b"error":
            self.plain = False
            events.append(ErrorPayload(value.strip()))
        elif name not in (b"", b"id", b"retry") and len(self.stray) < _STRAY_LIMIT:
            self.stray += line[: _STRAY_LIMIT - len(self.stray)] + b"\n"

    def _plain_line_ends(self, chunk: bytes) -> bytes:
        if self._after_cr and chunk[:1] == b"\n":
            chunk = chunk[1:]
            self._after_cr = False
        if chunk:
            self._after_cr = chunk[-1:] == b"\r"
        return chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
