"""A classifier that knows better about a few statuses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ironhive.errors import ConfigurationError
from ironhive.gateway import ErrorClassification, read_http_failure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ironhive.contracts import ErrorClassifier

KEYS: Final = {
    "retryable": ErrorClassification.RETRYABLE,
    "fallback": ErrorClassification.FALLBACK_ELIGIBLE,
    "terminal": ErrorClassification.TERMINAL,
}
"""The keys of the settings and what they mean."""


@dataclass(frozen=True, slots=True)
class StatusClassifier:
    """Decides by status where it has an entry; asks ``inner`` otherwise."""

    inner: ErrorClassifier
    meanings: Mapping[int, ErrorClassification]

    def classify(self, error: BaseException) -> ErrorClassification:
        """What to do about ``error``."""
        failure = read_http_failure(error)
        meaning = None if failure is None else self.meanings.get(failure.status)
        return self.inner.classify(error) if meaning is None else meaning


def from_settings(settings: Mapping[str, Any], inner: ErrorClassifier) -> StatusClassifier:
    """The classifier for lists of statuses under ``retryable``, ``fallback`` and ``terminal``.

    :raises ConfigurationError: another key, something that is no list of HTTP statuses, or a status in two lists.
    """
    meanings: dict[int, ErrorClassification] = {}
    for key, value in settings.items():
        if key not in KEYS:
            message = f"gateway.classifiers: http_status has no key {key!r}; known keys: {', '.join(KEYS)}"
            raise ConfigurationError(message, key="gateway.classifiers")
        for status in value if isinstance(value, (list, tuple)) else (value,):
            if not isinstance(status, int) or isinstance(status, bool) or not 100 <= status <= 599:  # noqa: PLR2004 - statuses
                message = f"gateway.classifiers: http_status.{key} lists HTTP statuses (100 to 599), not {status!r}"
                raise ConfigurationError(message, key="gateway.classifiers")
            if meanings.setdefault(status, KEYS[key]) is not KEYS[key]:
                message = f"gateway.classifiers: http_status lists {status} under two keys; keep one"
                raise ConfigurationError(message, key="gateway.classifiers")
    return StatusClassifier(inner, meanings)
