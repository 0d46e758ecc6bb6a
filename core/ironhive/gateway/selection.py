"""The order in which providers are asked when nothing else is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive.contracts import ProviderRegistration, SelectionContext


def by_priority(context: SelectionContext) -> Sequence[ProviderRegistration]:
    """The candidates as they come: by priority, whatever their kind."""
    return context.candidates
