"""Classifier ``http_status``: gives single HTTP statuses another meaning than the standard table.

In config.yaml, statuses by what the gateway shall do about them::

    gateway:
      classifiers:
        - use: http_status
          terminal: [409]
          retryable: [520, 524]

A provider that answers 409 until somebody has approved a download, for example, then ends the call instead of
sending it elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ironhive.hooks import hookimpl

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ironhive.contracts import ErrorClassifier


@hookimpl
def ironhive_classifier(name: str, settings: Mapping[str, Any], inner: ErrorClassifier) -> ErrorClassifier | None:
    """A classifier for the statuses in ``settings`` around ``inner``."""
    if name != "http_status":
        return None
    from ironhive_plugins.classifiers.http_status.by_status import from_settings

    return from_settings(settings, inner)
