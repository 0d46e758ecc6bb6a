"""The endpoint of this wire that a user can bring."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ironhive.http import vendor_preset
from ironhive_plugins.providers.googleai.factory import DEFAULT_URL
from ironhive_plugins.providers.googleai.registration import googleai

if TYPE_CHECKING:
    from ironhive.contracts import ByoPreset

NAME = "gemini"


def byo_preset() -> ByoPreset:
    """Third in the catalogue of all wires."""
    return vendor_preset(
        NAME, position=3, default_base_url=DEFAULT_URL, registration=partial(googleai, aliases=(), name=NAME)
    )
