"""Tells an observer what the gateway does, without letting it disturb the call."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ironhive.contracts import Transition, TransitionObserver

logger = logging.getLogger("ironhive.gateway")


class Announcer:
    """Calls one observer; what it raises is logged the first time and ignored."""

    def __init__(self, observer: TransitionObserver | None) -> None:
        self._observer = observer
        self._complained = False

    def __call__(self, transition: Transition) -> None:
        """Report one transition."""
        if self._observer is None:
            return
        try:
            self._observer(transition)
        except Exception:  # foreign code on the path of a call
            if not self._complained:
                self._complained = True
                logger.warning("the on_transition observer raised; its further failures are not logged", exc_info=True)
