"""Bring-your-own endpoints: presets and what a user entered for one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ironhive.chat import NO_PROPERTIES
from ironhive.secrets import Secret, as_secret

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from ironhive.contracts.providers import ModelInfo, ProviderKind, ProviderRegistration


@dataclass(frozen=True, slots=True)
class CredentialPlacement:
    """How a key is sent when the server does not want ``Authorization: Bearer``."""

    header: str = "Authorization"
    scheme: str | None = "Bearer"

    @classmethod
    def authorization(cls, scheme: str | None) -> CredentialPlacement:
        """In ``Authorization`` under another scheme; None sends the bare key."""
        return cls("Authorization", scheme)

    @classmethod
    def in_header(cls, name: str) -> CredentialPlacement:
        """In a header of its own, without a scheme."""
        return cls(name, None)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What a user entered: a preset's id and, where they differ from its defaults, address, key, headers, placement.

    Texts are trimmed, and blank counts as not given.
    """

    preset: str
    base_url: str | None = None
    api_key: Secret | str | None = None
    headers: Mapping[str, str] = field(default=NO_PROPERTIES, repr=False)
    placement: CredentialPlacement | None = None

    def __post_init__(self) -> None:
        url = (self.base_url or "").strip() or None
        object.__setattr__(self, "preset", self.preset.strip())
        object.__setattr__(self, "base_url", url)
        object.__setattr__(self, "api_key", as_secret(self.api_key))


@dataclass(frozen=True, slots=True)
class ByoPreset:
    """One kind of endpoint that a user can bring, as its provider plugin describes it.

    ``position`` orders the catalogue. ``check`` gives the reason an endpoint cannot be used, or None, without touching
    the network. ``register`` makes a registration: ``register(endpoint, id=…, priority=…, model=…)``. ``list_models``
    sends exactly one request and raises on failure.
    """

    id: str
    kind: ProviderKind
    default_base_url: str | None
    key_required: bool
    base_url_required: bool
    placement_allowed: bool
    check: Callable[[Endpoint], str | None]
    register: Callable[..., ProviderRegistration]
    list_models: Callable[[Endpoint], Awaitable[Sequence[ModelInfo]]]
    position: int = 100
