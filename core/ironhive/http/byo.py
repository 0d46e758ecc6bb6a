"""The bring-your-own preset of a vendor with one address, one key header and no choice of placement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ironhive.contracts import ByoPreset, ProviderKind
from ironhive.errors import ConfigurationError
from ironhive.http.addresses import address_problem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ironhive.contracts import Endpoint, ModelInfo, ProviderRegistration


def vendor_preset(
    name: str, *, position: int, default_base_url: str, registration: Callable[..., ProviderRegistration]
) -> ByoPreset:
    """A preset whose endpoints need a key and may have another address and further headers.

    :param position: its place in the catalogue of all wires.
    :param registration: the vendor's registration function; it raises :class:`ConfigurationError` for what it cannot
        use, and is called with ``id``, ``priority``, ``model``, ``api_key``, ``base_url`` and ``headers``.
    """

    def register(endpoint: Endpoint, *, id: str, priority: int, model: str | None, **more: Any) -> ProviderRegistration:
        return registration(
            id=id,
            priority=priority,
            model=model,
            api_key=endpoint.api_key,
            base_url=endpoint.base_url,
            headers=endpoint.headers,
            **more,
        )

    def check(endpoint: Endpoint) -> str | None:
        problem = address_problem(endpoint.base_url) if endpoint.base_url else None
        if problem:
            return problem
        if not endpoint.api_key:
            return f"{name} needs an API key"
        if endpoint.placement is not None:
            return f"{name} takes its key in a header of its own; the placement of the key cannot be changed"
        try:
            register(endpoint, id=name, priority=0, model=None)
        except ConfigurationError as error:
            return str(error)
        return None

    async def list_models(endpoint: Endpoint) -> Sequence[ModelInfo]:
        made = register(endpoint, id=name, priority=0, model=None)
        return await made.list_models() if made.list_models else ()

    return ByoPreset(
        id=name,
        kind=ProviderKind.FRONTIER,
        default_base_url=default_base_url,
        key_required=True,
        base_url_required=False,
        placement_allowed=False,
        check=check,
        register=register,
        list_models=list_models,
        position=position,
    )
