"""The endpoint of this wire that a user can bring."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ironhive.http import vendor_preset
from ironhive_plugins.providers.anthropic.factory import DEFAULT_URL
from ironhive_plugins.providers.anthropic.registration import anthropic

if TYPE_CHECKING:
    from ironhive.contracts import ByoPreset


def byo_preset() -> ByoPreset:
    """Second in the catalogue of all wires."""
    return vendor_preset(
        "anthropic", position=2, default_base_url=DEFAULT_URL, registration=partial(anthropic, aliases=())
    )
