"""The layers of configuration, and how they are laid over one another."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

WHOLE_SECTIONS: Final = frozenset({"permissions", "budget", "skills"})
"""Top-level sections that a later layer replaces as a whole: half a rule set is a different rule set."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One source of settings. What it sets is not part of its ``repr``: keys stand there in plain text.

    ``trusted`` is True for what belongs to the user (own files, environment, flags) and False for what lies in the
    project folder and may have been written by anyone.
    """

    name: str
    origin: str
    tree: Mapping[str, Any] = field(repr=False)
    trusted: bool


def merge(layers: Iterable[Layer]) -> tuple[dict[str, Any], dict[str, Layer]]:
    """Overlay trees, later ones winning: mappings key by key, scalars and lists as a whole.

    Returns the merged tree and, for each leaf's dotted path, the layer it came from.
    """
    tree: dict[str, Any] = {}
    sources: dict[str, Layer] = {}
    for layer in layers:
        for key, value in layer.tree.items():
            if key in WHOLE_SECTIONS and value is not None:
                tree.pop(key, None)
            _overlay(tree, key, value, path=key, layer=layer, sources=sources)
    return tree, sources


def _overlay(
    target: dict[str, Any], key: str, value: Any, *, path: str, layer: Layer, sources: dict[str, Layer]
) -> None:
    if isinstance(value, dict):
        below = target.get(key)
        if not isinstance(below, dict):
            below = target[key] = {}
        for name, item in value.items():
            _overlay(below, str(name), item, path=f"{path}.{name}", layer=layer, sources=sources)
        return
    if value is None and isinstance(target.get(key), dict):
        return  # a heading with nothing under it sets nothing
    target[key] = value
    sources[path] = layer
