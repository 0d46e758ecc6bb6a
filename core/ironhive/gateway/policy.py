"""Where fallback may go.

The first choice of a call sets the bound: its data was meant for a provider of that trust. Fallback goes to providers
that are at least as trusted, in the order frontier, LAN, local, and never to a local model that would first have to be
downloaded. ``fallback="any"`` lifts the bound of trust; the one on downloads always holds.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from ironhive.contracts import ProviderKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive.contracts import ProviderRegistration
    from ironhive.gateway.options import FallbackBound

logger = logging.getLogger("ironhive.gateway")

_TRUST: Final = {ProviderKind.FRONTIER: 0, ProviderKind.LAN: 1, ProviderKind.LOCAL: 2}


def within_trust(
    order: Sequence[ProviderRegistration], bound: FallbackBound
) -> tuple[Sequence[ProviderRegistration], tuple[ProviderRegistration, ...]]:
    """The providers of an order that may be asked, its first one always, and those that may not."""
    if bound == "any" or len(order) < 2:  # noqa: PLR2004 - a single provider is the first choice
        return order, ()
    floor = _TRUST[order[0].kind]
    held_back = tuple(item for item in order if _TRUST[item.kind] < floor)
    if not held_back:
        return order, ()
    return [item for item in order if _TRUST[item.kind] >= floor], held_back


def may_follow(registration: ProviderRegistration, first_choice: ProviderRegistration) -> bool:
    """Whether a provider can be asked without downloading a model that nobody asked for."""
    if registration is first_choice or registration.needs_download is None:
        return True
    try:
        return not registration.needs_download()
    except Exception:  # a plugin's answer; without one, the download counts as needed
        logger.warning("provider %r could not say whether it needs a download", registration.id, exc_info=True)
        return False


def explain(first_choice: ProviderRegistration, less_trusted: Sequence[ProviderRegistration]) -> str:
    """Why providers of less trust were not asked, for people."""
    names = ", ".join(f"{item.id!r} ({item.kind})" for item in less_trusted)
    return (
        f"not asked: {names}, because the first choice {first_choice.id!r} is {first_choice.kind}; "
        'allow it with gateway.fallback: any (GatewayOptions(fallback="any"))'
    )


def explain_downloads(passed_over: Sequence[ProviderRegistration]) -> str:
    """Why providers without their model were not asked, for people."""
    names = ", ".join(repr(item.id) for item in passed_over)
    return f"not asked: {names}, because a fallback never downloads a model; choose the provider by name to have it"
