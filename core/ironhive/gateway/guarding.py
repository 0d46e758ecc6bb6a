"""Asks the guard, and turns its answers into errors.

Blocked is blocked. What the guard is not sure about, and a guard that fails itself, are decided by the fail mode.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, TypeVar

from ironhive.contracts import FailMode, MaskingGuard, ScanningGuard, Verdict
from ironhive.errors import GuardError, GuardFailedError, IronHiveError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from ironhive.chat import ChatMessage, ChatResponse
    from ironhive.contracts import Guard, Scanner, Unmasker

logger = logging.getLogger("ironhive.gateway")

T = TypeVar("T")


class GuardSeam:
    """One guard with its fail mode.

    :param fail_mode: None takes the guard's own ``fail_mode``, else closed.
    """

    def __init__(self, guard: Guard, fail_mode: str | None = None) -> None:
        self.guard = guard
        self.fail_mode = FailMode(fail_mode or getattr(guard, "fail_mode", None) or FailMode.CLOSED)

    async def admit(self, messages: Sequence[ChatMessage]) -> tuple[Sequence[ChatMessage], Unmasker | None]:
        """Mask and inspect a conversation: what to send, and how to restore the answer.

        What the model will see is what is inspected, so a masked span is no reason to block.

        :raises GuardError: it is forbidden.
        """
        unmasker: Unmasker | None = None
        guard: Any = self.guard
        if isinstance(guard, MaskingGuard):
            unmasked: tuple[Sequence[ChatMessage], Unmasker | None] = (messages, None)
            messages, unmasker = self.attempt("input", lambda: guard.mask(messages), unmasked)
        await self.ask("input", guard.inspect_input, messages)
        return messages, unmasker

    async def judge(self, response: ChatResponse) -> None:
        """Inspect a complete answer.

        :raises GuardError: it is forbidden.
        """
        await self.ask("output", self.guard.inspect_output, response)

    def open_scanner(self) -> Scanner | None:
        """A scanner for one streamed answer, None when the guard has none.

        :raises GuardFailedError: it could not be made, and the fail mode is closed.
        """
        guard = self.guard
        return self.attempt("output", guard.open_scanner, None) if isinstance(guard, ScanningGuard) else None

    async def ask(self, stage: str, inspect: Callable[..., Awaitable[Verdict]], *subject: Any) -> bool:
        """Await ``inspect(*subject)`` and act on it. False means that the guard failed and the fail mode let it pass.

        :raises GuardError: the verdict forbids, or the guard failed and the fail mode is closed.
        """
        try:
            verdict: Any = await inspect(*subject)
            if not isinstance(verdict, Verdict):
                message = f"{type(self.guard).__name__} answered {type(verdict).__name__} instead of a Verdict"
                raise TypeError(message)  # noqa: TRY301 - a wrong answer is a failure like any other
        except GuardError:
            raise
        except Exception as error:  # noqa: BLE001 - the guard is foreign code
            self._failed(stage, error)
            return False
        if verdict.blocked or (verdict.alarm and self.fail_mode is FailMode.CLOSED):
            raise GuardError(verdict.reason or "it gave no reason", stage=stage, verdict=verdict)
        return True

    def attempt(self, stage: str, action: Callable[[], T], otherwise: T) -> T:
        """Call the guard for something else than a verdict; ``otherwise`` when it fails and the fail mode is open.

        :raises GuardFailedError: it failed and the fail mode is closed.
        """
        try:
            return action()
        except GuardError:
            raise
        except Exception as error:  # noqa: BLE001 - the guard is foreign code
            self._failed(stage, error)
            return otherwise

    def _failed(self, stage: str, error: Exception) -> None:
        name = type(self.guard).__name__
        if self.fail_mode is FailMode.CLOSED:
            # an error of a stranger's may quote the text that it failed on
            cause = str(error) if isinstance(error, IronHiveError) else type(error).__name__
            message = (
                f"the guard {name} failed and its fail mode is closed: {cause}; repair the guard, or set "
                "gateway.failMode: open to go on without its verdict"
            )
            raise GuardFailedError(message, stage=stage) from error
        logger.warning("the guard %s failed on the %s; its fail mode is open: it passes", name, stage, exc_info=error)
