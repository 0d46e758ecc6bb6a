"""Endpoints that a user brings: what can be chosen, whether an entry is usable, and whether it answers.

An app shows :func:`presets`, checks what the user typed with :func:`validate`, tries it with :func:`probe`, and makes a
provider of it with :func:`registration`. Names and wording on screen are the app's.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from ironhive.causes import absence, causes
from ironhive.contracts import ByoPreset, CredentialPlacement, Endpoint
from ironhive.errors import ConfigurationError, ConnectFailedError, HttpStatusError, ProviderTimeoutError
from ironhive.gateway.failures import read_http_failure

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ironhive.contracts import ModelInfo, ProviderRegistration
    from ironhive.plugins import PluginManager

__all__ = [
    "ByoPreset",
    "CredentialPlacement",
    "Endpoint",
    "ProbeFailure",
    "ProbeResult",
    "presets",
    "probe",
    "registration",
    "validate",
]

logger = logging.getLogger("ironhive.gateway")

PROBE_SECONDS: Final = 10.0
"""How long a probe waits for its one request."""

_REFUSED_KEY: Final = frozenset({401, 403})


class ProbeFailure(StrEnum):
    """Why an endpoint did not answer as it should, for an app that words it itself."""

    UNAUTHORIZED = "unauthorized"
    """The key is wrong or missing (401, 403)."""
    HTTP_STATUS = "http_status"
    """Another status; 404 means a wrong path."""
    TIMEOUT = "timeout"
    REFUSED = "refused"
    """Nothing listens there."""
    HOST_NOT_FOUND = "host_not_found"
    UNREACHABLE = "unreachable"
    TRANSPORT = "transport"
    """The connection broke, or what came back is no list of models."""
    INVALID = "invalid"
    """The entry cannot be used; nothing was contacted."""


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """What a probe found out.

    ``model_ids`` are in the server's order. ``status_code`` is the HTTP status of a refusal. ``error`` is a text for
    people, partly in the words of the server or the operating system; ``failure`` is its kind. Both are None when the
    endpoint answered.
    """

    model_ids: tuple[str, ...] = ()
    status_code: int | None = None
    error: str | None = None
    failure: ProbeFailure | None = None

    @property
    def ok(self) -> bool:
        """The endpoint answered, and the key is good."""
        return self.failure is None

    @property
    def model_count(self) -> int:
        """How many models it lists."""
        return len(self.model_ids)

    def lists(self, model: str) -> bool:
        """Whether the server offers a model, by its exact id; False when the probe failed."""
        return self.ok and model in self.model_ids


def presets(plugins: PluginManager | None = None) -> tuple[ByoPreset, ...]:
    """The endpoints that a user can bring, in the order in which they are offered.

    :param plugins: where provider plugins are found; everything installed by default.
    """
    if plugins is None:
        from ironhive.plugins import PluginManager  # the plugin loader is needed only here

        plugins = PluginManager()
    plugins.load("provider")
    offered = [preset for group in plugins.call("ironhive_byo_presets") for preset in group]
    catalogue: dict[str, ByoPreset] = {}
    for preset in sorted(offered, key=lambda item: (item.position, item.id)):
        if catalogue.setdefault(preset.id.casefold(), preset) is not preset:
            logger.warning("two plugins offer an endpoint preset %r; the first one is used", preset.id)
    return tuple(catalogue.values())


def validate(endpoint: Endpoint, *, catalogue: Iterable[ByoPreset] | None = None) -> str | None:
    """The reason an endpoint cannot be used, None when it can. Nothing is contacted.

    :param catalogue: the presets to choose from; :func:`presets` by default. An app that validates on every key stroke
        collects them once.
    """
    preset = _find(endpoint, catalogue)
    return preset if isinstance(preset, str) else _reason(preset, endpoint)


async def probe(
    endpoint: Endpoint,
    *,
    timeout: float = PROBE_SECONDS,  # noqa: ASYNC109 - the word that callers look for
    catalogue: Iterable[ByoPreset] | None = None,
) -> ProbeResult:
    """Ask an endpoint for its models, with the key, headers and placement that a chat would use.

    One request is sent and not repeated. A failure is a result; only cancellation is raised.

    :param timeout: seconds for the whole request.
    """
    preset = _find(endpoint, catalogue)
    reason = preset if isinstance(preset, str) else _reason(preset, endpoint)
    if isinstance(preset, str) or reason is not None:
        return ProbeResult(error=reason, failure=ProbeFailure.INVALID)
    try:
        async with asyncio.timeout(timeout):
            models: Sequence[ModelInfo] = await preset.list_models(endpoint)
    except Exception as error:  # noqa: BLE001 - whatever a provider's code raises is this probe's result
        return _failed(error, timeout)
    return ProbeResult(tuple(model.id for model in models))


def registration(
    endpoint: Endpoint,
    *,
    id: str,
    model: str | None = None,
    priority: int = 0,
    catalogue: Iterable[ByoPreset] | None = None,
) -> ProviderRegistration:
    """A provider for a gateway, of the preset's kind.

    :raises ConfigurationError: the endpoint cannot be used; the message is the one of :func:`validate`.
    """
    preset = _find(endpoint, catalogue)
    reason = preset if isinstance(preset, str) else _reason(preset, endpoint)
    if isinstance(preset, str) or reason is not None:
        raise ConfigurationError(str(reason))
    return preset.register(endpoint, id=id, priority=priority, model=model)


def _find(endpoint: Endpoint, catalogue: Iterable[ByoPreset] | None) -> ByoPreset | str:
    known = tuple(presets() if catalogue is None else catalogue)
    wanted = endpoint.preset.casefold()
    for preset in known:
        if preset.id.casefold() == wanted:
            return preset
    return f"unknown preset {endpoint.preset!r}; known presets: {', '.join(preset.id for preset in known) or 'none'}"


def _reason(preset: ByoPreset, endpoint: Endpoint) -> str | None:
    if preset.base_url_required and not endpoint.base_url:
        return f"{preset.id} needs a base URL"
    if endpoint.base_url and not _is_http(endpoint.base_url):
        return f"the base URL must be a complete http or https address, not {endpoint.base_url!r}"
    if preset.key_required and not endpoint.api_key:
        return f"{preset.id} needs an API key"
    if endpoint.placement is not None and not preset.placement_allowed:
        return f"{preset.id} sends its key in the vendor's own header; leave the placement out"
    try:
        return preset.check(endpoint)
    except Exception as error:
        logger.warning("the check of preset %r failed", preset.id, exc_info=error)
        return f"{preset.id} could not check the endpoint: {_first_line(error)}"


def _is_http(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme.lower() in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False


def _failed(error: Exception, timeout: float) -> ProbeResult:
    if isinstance(error, TimeoutError):
        seconds = error.seconds if isinstance(error, ProviderTimeoutError) and error.seconds else timeout
        return ProbeResult(error=f"No answer within {_seconds(seconds)} s.", failure=ProbeFailure.TIMEOUT)
    http = read_http_failure(error)
    if http is not None:
        kind = ProbeFailure.UNAUTHORIZED if http.status in _REFUSED_KEY else ProbeFailure.HTTP_STATUS
        detail = error.detail if isinstance(error, HttpStatusError) else ""
        return ProbeResult(status_code=http.status, error=detail or _first_line(error), failure=kind)
    return ProbeResult(error=_first_line(error), failure=_connection(error))


def _connection(error: Exception) -> ProbeFailure:
    if isinstance(error, ConnectFailedError):
        return ProbeFailure(error.kind)
    found = absence(error)
    if found is not None:
        return ProbeFailure(found)
    timed_out = any(isinstance(cause, TimeoutError) for cause in causes(error))
    return ProbeFailure.TIMEOUT if timed_out else ProbeFailure.TRANSPORT


def _first_line(error: BaseException) -> str:
    text: Any = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    return text or type(error).__name__


def _seconds(value: float) -> str:
    """At most one decimal, none when it is zero."""
    return f"{value:.1f}".removesuffix(".0")
