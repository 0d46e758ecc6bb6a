"""The endpoint of this wire that a user can bring, and the checks of what was entered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ironhive.contracts import ByoPreset, ProviderKind
from ironhive.errors import ConfigurationError
from ironhive.http import address_problem
from ironhive_plugins.providers.googleai.factory import DEFAULT_URL
from ironhive_plugins.providers.googleai.registration import googleai

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive.contracts import Endpoint, ModelInfo, ProviderRegistration

NAME = "gemini"


def byo_preset() -> ByoPreset:
    """Third in the catalogue of all wires."""
    return ByoPreset(
        id=NAME,
        kind=ProviderKind.FRONTIER,
        default_base_url=DEFAULT_URL,
        key_required=True,
        base_url_required=False,
        placement_allowed=False,
        check=check,
        register=_register,
        list_models=_list_models,
        position=3,
    )


def check(endpoint: Endpoint) -> str | None:
    """Why an endpoint cannot be used, without touching the network; None when it can."""
    problem = address_problem(endpoint.base_url) if endpoint.base_url else None
    if problem:
        return problem
    if not endpoint.api_key:
        return f"{NAME} needs an API key"
    if endpoint.placement is not None:
        return f"{NAME} takes its key in a header of its own; the placement of the key cannot be changed"
    try:
        _register(endpoint, id=NAME, priority=0, model=None)
    except ConfigurationError as error:
        return str(error)
    return None


def _register(endpoint: Endpoint, *, id: str, priority: int, model: str | None, **more: Any) -> ProviderRegistration:
    return googleai(
        id=id,
        priority=priority,
        model=model,
        api_key=endpoint.api_key,
        base_url=endpoint.base_url,
        headers=endpoint.headers,
        name=NAME,
        aliases=(),
        **more,
    )


async def _list_models(endpoint: Endpoint) -> Sequence[ModelInfo]:
    registration = _register(endpoint, id=NAME, priority=0, model=None)
    return await registration.list_models() if registration.list_models else ()
