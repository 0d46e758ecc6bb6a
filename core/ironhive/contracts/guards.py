"""What a guard is asked and what it answers.

A guard looks at text before a model sees it and after a model wrote it. The gateway calls it; see
:class:`ironhive.gateway.Gateway` for when.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive.chat import ChatMessage, ChatResponse


class Decision(StrEnum):
    """What a guard concluded, from harmless to forbidden."""

    PASS = "pass"  # noqa: S105 - a verdict
    FLAGGED = "flagged"
    NEEDS_ESCALATION = "needs_escalation"
    BLOCK = "block"


class FailMode(StrEnum):
    """What becomes of a call when the guard fails, or is not sure."""

    CLOSED = "closed"
    """It is blocked."""
    OPEN = "open"
    """It passes. What the guard forbids outright is blocked all the same."""


class Severity(IntEnum):
    """How much one finding matters."""

    INFO = 1
    LOW = 2
    MEDIUM = 3
    HIGH = 4
    CRITICAL = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a guard saw.

    ``start`` and ``end`` are code-point offsets into the text that was scanned, end exclusive; for text that was found
    only after decoding they span the encoded original. ``score`` lies between 0 and 1. ``layer`` names the view it was
    found in (``""`` for the text as it stands, else for example ``"base64"``). A finding never holds the matched text:
    that may be the secret itself.
    """

    rule: str
    category: str
    start: int
    end: int
    severity: Severity = Severity.MEDIUM
    score: float = 0.0
    layer: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A guard's answer for one inspection.

    ``score`` lies between 0 (nothing seen) and 1 (certain). ``reason`` is for people and logs: it names what was seen
    and does not repeat it.
    """

    decision: Decision = Decision.PASS
    score: float = 0.0
    findings: tuple[Finding, ...] = ()
    reason: str = ""

    @classmethod
    def allow(cls) -> Verdict:
        """Nothing to object to."""
        return _ALLOW

    @classmethod
    def block(cls, reason: str = "") -> Verdict:
        """Forbidden, whatever the fail mode."""
        return cls(Decision.BLOCK, 1.0, (), reason)

    @property
    def blocked(self) -> bool:
        """The text is forbidden."""
        return self.decision is Decision.BLOCK

    @property
    def flagged(self) -> bool:
        """Suspicious: the guard's fail mode says what becomes of it."""
        return self.decision is Decision.FLAGGED

    @property
    def needs_escalation(self) -> bool:
        """Undecided: a slower, better judge should look."""
        return self.decision is Decision.NEEDS_ESCALATION

    @property
    def alarm(self) -> bool:
        """Any verdict but pass."""
        return self.decision is not Decision.PASS


_ALLOW = Verdict()


class Guard(Protocol):
    """Inspects what goes to a model and what comes back.

    Both methods return a :class:`Verdict` and raise only when the guard itself failed; the gateway's fail mode then
    decides. Implementations must be safe to call concurrently.
    """

    async def inspect_input(self, messages: Sequence[ChatMessage]) -> Verdict:
        """Judge the conversation that is about to be sent. Called once per gateway call."""
        ...

    async def inspect_output(self, response: ChatResponse) -> Verdict:
        """Judge one complete answer. Called once per candidate answer."""
        ...


class Scanner(Protocol):
    """Inspects one streamed answer while it grows; one instance serves one answer."""

    async def feed(self, text: str) -> Verdict:
        """Take the next piece of text and judge all text so far, at a cost that depends on the new piece only."""
        ...

    async def finish(self) -> Verdict:
        """Judge the complete text."""
        ...


@runtime_checkable
class ScanningGuard(Protocol):
    """A guard that can also judge an answer piece by piece (``streamGuard: hold``)."""

    def open_scanner(self) -> Scanner:
        """A fresh scanner for one streamed answer."""
        ...


class Unmasker(Protocol):
    """Puts back, in an answer, what masking replaced in the question; one instance serves one answer."""

    def feed(self, text: str) -> str:
        """Take the next piece and return what can be shown; a placeholder cut in two is held until it is whole."""
        ...

    def finish(self) -> str:
        """Whatever was still held."""
        ...


@runtime_checkable
class MaskingGuard(Protocol):
    """A guard that replaces sensitive spans by typed placeholders before the call instead of blocking it."""

    def mask(self, messages: Sequence[ChatMessage]) -> tuple[Sequence[ChatMessage], Unmasker | None]:
        """The messages to send instead, and how to restore the answer (None when nothing was replaced)."""
        ...
