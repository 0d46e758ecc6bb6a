"""How long and how much a streamed answer may take."""

from __future__ import annotations

from dataclasses import dataclass

from ironhive.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class StreamBudget:
    """The limits of one streamed answer; None is no limit.

    ``idle_seconds`` bounds silence: before the first byte and between two. Anything the server sends ends a silence,
    a comment or a ping too. ``first_token_seconds`` bounds the time from the request to the first piece of the answer,
    ``total_seconds`` the whole answer (also one that is not streamed), ``max_bytes`` its size on the wire after
    decompression.

    :raises ConfigurationError: a limit is zero or negative; ``key`` is the setting's name.
    """

    idle_seconds: float | None = None
    first_token_seconds: float | None = None
    total_seconds: float | None = None
    max_bytes: int | None = None

    def __post_init__(self) -> None:
        for field, key in SETTING_NAMES.items():
            value = getattr(self, field)
            if value is not None and value <= 0:
                message = f"{key} must be greater than zero; leave it out for no limit (it is {value})"
                raise ConfigurationError(message, key=key)


SETTING_NAMES = {
    "idle_seconds": "streamIdleTimeoutSeconds",
    "first_token_seconds": "firstTokenTimeoutSeconds",
    "total_seconds": "totalTimeoutSeconds",
    "max_bytes": "maxAnswerBytes",
}
"""The name of each limit in a provider's section of config.yaml."""

NO_BUDGET = StreamBudget()
"""No limits."""


def budget_for(
    section: str,
    *,
    idle: float | None = None,
    first_token: float | None = None,
    total: float | None = None,
    size: int | None = None,
) -> StreamBudget:
    """The budget that a provider's section asks for.

    :raises ConfigurationError: a limit is zero or negative; the message and ``key`` name ``<section>.<setting>``.
    """
    try:
        return StreamBudget(idle, first_token, total, size)
    except ConfigurationError as error:
        raise ConfigurationError(f"{section}.{error}", key=f"{section}.{error.key}") from None
