"""What lies under a foreign exception: the socket error that tells an absent endpoint from a broken connection."""

from __future__ import annotations

import errno
import socket
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

Absence = Literal["refused", "host_not_found", "unreachable"]

_UNREACHABLE: Final = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EHOSTDOWN})


def absence(error: BaseException, *, contexts: bool = False) -> Absence | None:
    """Why an endpoint is not there at all, None when it is or nothing is known. ``contexts`` as for :func:`causes`."""
    for cause in causes(error, contexts=contexts):
        if isinstance(cause, socket.gaierror):
            return "host_not_found"
        if isinstance(cause, ConnectionRefusedError):
            return "refused"
        if isinstance(cause, OSError) and cause.errno in _UNREACHABLE:
            return "unreachable"
    return None


def causes(error: BaseException, *, contexts: bool = False, limit: int = 20) -> Iterator[BaseException]:
    """An exception and what it was raised from, groups opened, each once and at most ``limit`` of them.

    The context of an exception is followed only on demand: it may be something that the caller was handling. It is
    right for an exception fresh from an HTTP library, which leaves the socket error there.
    """
    seen: set[int] = set()
    waiting: list[BaseException] = [error]
    while waiting and len(seen) < limit:
        current = waiting.pop(0)
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        if isinstance(current, BaseExceptionGroup):
            waiting.extend(current.exceptions)
        links = (current.__cause__, current.__context__ if contexts else None)
        waiting.extend(link for link in links if link is not None)
