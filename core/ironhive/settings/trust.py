"""What a project folder's files may not change on their own.

A project may come from anyone. Its files may set most things, but they may not say where a credential of the user's is
sent, and they may not weaken what the user set up as protection.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ironhive.settings.layers import Layer, merge

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_ENDPOINT = re.compile(r"(endpoint|url|uri|host|server|address|proxy)$", re.IGNORECASE)
_CREDENTIAL = re.compile(r"(key|token|secret|password|passphrase|credentials?)$", re.IGNORECASE)
_CREDENTIALS_BELOW = "headers"
"""A mapping each of whose values may be a credential."""

HOLD_CHARACTERS: Final = 256
"""``gateway.holdCharacters`` where nobody sets it."""

_WEAKENING: Final[dict[str, Any]] = {"failMode": "open", "fallback": "any", "streamGuard": "end"}


def hold_back(layers: Sequence[Layer]) -> tuple[list[Layer], list[str]]:
    """The layers without what the project's files may not say, and one notice for each thing held back."""
    user, _ = merge(layer for layer in layers if layer.trusted)
    credentials = _credentials_in_use(layers)
    kept: list[Layer] = []
    notices: list[str] = []
    for layer in layers:
        if layer.trusted:
            kept.append(layer)
            continue
        tree = _copy(layer.tree)
        notices += _hold_endpoints(tree, credentials, layer)
        notices += _hold_guard(tree, user, layer)
        notices += _hold_local_files(tree, layer)
        kept.append(Layer(layer.name, layer.origin, tree, trusted=False))
    return kept, notices


def _credentials_in_use(layers: Sequence[Layer]) -> dict[str, str]:
    """Section to the first credential in it that would come from the user if nothing were held back.

    Looked up in the merged result: a key that a project brings along protects nothing where the user's own outranks it.
    """
    tree, sources = merge(layers)
    found: dict[str, str] = {}
    for section, value in tree.items():
        for path, item in _leaves(value, section):
            source = sources.get(".".join(path))
            if item and source is not None and source.trusted and _is_credential(path):
                found.setdefault(section, ".".join(path[1:]))
    return found


def _is_credential(path: tuple[str, ...]) -> bool:
    return bool(_CREDENTIAL.search(path[-1])) or _CREDENTIALS_BELOW in (step.lower() for step in path[1:])


def _hold_endpoints(tree: dict[str, Any], credentials: Mapping[str, str], layer: Layer) -> list[str]:
    notices = []
    for section, credential in credentials.items():
        for path, _ in list(_leaves(tree.get(section), section)):
            if not _ENDPOINT.search(path[-1]) or _is_credential(path):
                continue
            _remove(tree, path)
            where = ".".join(path)
            notices.append(
                f"{layer.origin}: {where} is ignored, because it would send your own {credential} to an address that "
                f"this project chose; set {where} in your own configuration or environment"
            )
    return notices


def _hold_guard(tree: dict[str, Any], user: Mapping[str, Any], layer: Layer) -> list[str]:
    held = [] if tree.pop("extensions", None) is None else ["extensions"]
    gateway, theirs = tree.get("gateway"), user.get("gateway")
    if isinstance(gateway, dict):
        weaker = [key for key in gateway if _weakens(key, gateway[key], theirs if isinstance(theirs, dict) else {})]
        for key in weaker:
            del gateway[key]
        held += [f"gateway.{key}" for key in weaker]
    return [
        f"{layer.origin}: {key} is ignored, because a project may not weaken your protection; set it in your own "
        "configuration to use it"
        for key in held
    ]


def _hold_local_files(tree: dict[str, Any], layer: Layer) -> list[str]:
    """A model file is read by native code: a project may name models, not files of its own making."""
    section = tree.get("lmsupply")
    if not isinstance(section, dict):
        return []
    model = str(section.get("generatorModel", ""))
    held = [key for key in ("cacheDirectory",) if key in section]
    if model.startswith((".", "/", "~", "\\")) or model.lower().endswith((".gguf", ".onnx")):
        held.append("generatorModel")
    for key in held:
        del section[key]
    return [
        f"{layer.origin}: lmsupply.{key} is ignored, because a project may not have files of its own loaded as models; "
        "set it in your own configuration to use it"
        for key in held
    ]


def _weakens(key: str, value: Any, user: Mapping[str, Any]) -> bool:
    if key == "guard":
        return bool(user.get("guard"))
    if key == "holdCharacters":
        bound = user.get(key, HOLD_CHARACTERS)
        return not (isinstance(value, int) and isinstance(bound, int) and value >= bound)
    return key == "classifiers" or (key in _WEAKENING and str(value).lower() == _WEAKENING[key])


def _leaves(value: Any, *path: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    if not isinstance(value, dict):
        yield path, value
        return
    for key, item in value.items():
        yield from _leaves(item, *path, str(key))


def _remove(tree: dict[str, Any], path: tuple[str, ...]) -> None:
    for step in path[:-1]:
        tree = tree[step]
    del tree[path[-1]]


def _copy(tree: Mapping[str, Any]) -> dict[str, Any]:
    """Mappings copied, with text for keys, as merging makes them; everything else is shared."""
    return {str(key): _copy(value) if isinstance(value, dict) else value for key, value in tree.items()}
