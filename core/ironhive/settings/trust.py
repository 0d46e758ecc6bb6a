"""What a project folder's files may not change on their own.

A project may come from anyone. Its files may set most things, but they may not say where a credential of the user's is
sent, and they may not weaken what the user set up as protection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ironhive.settings.layers import Layer, merge

if TYPE_CHECKING:
    from collections.abc import Sequence

ENDPOINT_KEYS: Final = ("endpoint", "baseUrl")
CREDENTIAL_KEYS: Final = ("apiKey", "headers")

_WEAKENING: Final[dict[str, Any]] = {"failMode": "open", "fallback": "any", "streamGuard": "end"}


def hold_back(layers: Sequence[Layer]) -> tuple[list[Layer], list[str]]:
    """The layers without what the project's files may not say, and one notice for each thing held back."""
    user, _ = merge(layer for layer in layers if layer.trusted)
    project, _ = merge(layer for layer in layers if not layer.trusted)
    kept: list[Layer] = []
    notices: list[str] = []
    for layer in layers:
        if layer.trusted:
            kept.append(layer)
            continue
        tree = {key: dict(value) if isinstance(value, dict) else value for key, value in layer.tree.items()}
        notices += _hold_endpoints(tree, user, project, layer)
        notices += _hold_guard(tree, user, layer)
        kept.append(Layer(layer.name, layer.origin, tree, trusted=False))
    return kept, notices


def _hold_endpoints(tree: dict[str, Any], user: dict[str, Any], project: dict[str, Any], layer: Layer) -> list[str]:
    notices = []
    for section, value in tree.items():
        if not isinstance(value, dict):
            continue
        own = project.get(section, {})
        theirs = user.get(section, {})
        outside = [key for key in CREDENTIAL_KEYS if isinstance(theirs, dict) and theirs.get(key) and key not in own]
        for key in ENDPOINT_KEYS:
            if key in value and outside:
                del value[key]
                notices.append(
                    f"{layer.origin}: {section}.{key} is ignored, because it would send your own {outside[0]} to an "
                    f"address that this project chose; set {section}.{key} in your own configuration or environment"
                )
    return notices


def _hold_guard(tree: dict[str, Any], user: dict[str, Any], layer: Layer) -> list[str]:
    held: list[str] = []
    if tree.pop("extensions", None) is not None:
        held.append("extensions")
    gateway, theirs = tree.get("gateway"), user.get("gateway", {})
    if isinstance(gateway, dict):
        if "guard" in gateway and isinstance(theirs, dict) and theirs.get("guard"):
            del gateway["guard"]
            held.append("gateway.guard")
        if "classifiers" in gateway:
            del gateway["classifiers"]
            held.append("gateway.classifiers")
        for key, weak in _WEAKENING.items():
            if str(gateway.get(key, "")).lower() == weak:
                del gateway[key]
                held.append(f"gateway.{key}")
    return [
        f"{layer.origin}: {key} is ignored, because a project may not weaken your protection; set it in your own "
        "configuration to use it"
        for key in held
    ]
