"""A value that must not be printed."""

from __future__ import annotations

import hmac
from typing import Any, Final


class Secret:
    """An API key or token: it compares and travels, and it shows itself only to :meth:`reveal`.

    ``str``, ``repr``, formatting and JSON all give a placeholder, so a secret cannot reach a log by accident.
    """

    __slots__ = ("_value",)

    MASK: Final = "********"

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The value itself: for the one place that sends it."""
        return self._value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and hmac.compare_digest(self._value.encode(), other._value.encode())

    def __hash__(self) -> int:
        return hash((Secret, self._value))

    def __repr__(self) -> str:
        return f"Secret({self.MASK!r})" if self._value else "Secret('')"

    def __str__(self) -> str:
        return self.MASK if self._value else ""

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: Any) -> Any:
        """Lets a settings model have a field of this type: text goes in, a secret is stored."""
        from pydantic_core import core_schema  # pydantic is on the path already where this is called

        return core_schema.no_info_plain_validator_function(_validate)


def _validate(value: Any) -> Secret:
    if isinstance(value, Secret):
        return value
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return Secret(str(value).strip())
    message = "must be text"
    raise ValueError(message)


def as_secret(value: str | Secret | None) -> Secret | None:
    """A secret from what a caller wrote; blank text counts as none."""
    if value is None or isinstance(value, Secret):
        return value
    return Secret(value.strip()) if value.strip() else None
