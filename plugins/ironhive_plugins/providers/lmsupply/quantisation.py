"""Which of a repository's files is the model to take."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ironhive_plugins.providers.lmsupply.stores import COMPANIONS, LATER_SHARD

if TYPE_CHECKING:
    from collections.abc import Sequence

PREFERENCE = ("Q4_K_M", "Q4_K_S", "Q4_0", "IQ4_XS", "Q4_1", "Q5_K_M", "Q5_K_S", "Q6_K", "Q8_0")
"""The order that quantisations are preferred in: four bits lose little and take half of eight."""
STEPS_DOWN = ("Q3_K_L", "Q3_K_M", "Q3_K_S", "IQ3_M", "IQ3_XS", "Q2_K", "IQ2_M", "IQ2_XS")
"""What is tried, in this order, when those do not fit into memory."""


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file in a repository; ``sha256`` where the hub states one. ``size`` in bytes."""

    name: str
    size: int
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Pick:
    """The files of one model, shards in order, and whether they are more than memory allows."""

    files: tuple[RemoteFile, ...]
    fits: bool

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)


def pick_model(files: Sequence[RemoteFile], *, wanted: str | None, limit: int) -> Pick | None:
    """The GGUF file to take, shards included.

    :param wanted: a quantisation (``Q4_K_M``) or a file name; None takes the preferred one that fits.
    :param limit: bytes that the weights may have.
    :returns: None where there is no GGUF file, or not the one that was named.
    """
    groups = _groups(files)
    if wanted is not None and wanted.lower().endswith(".gguf"):
        named = next((group for group in groups if group[0].name.rsplit("/", 1)[-1] == wanted.rsplit("/", 1)[-1]), None)
        return _pick(named, limit) if named else None
    if not groups:
        return None
    order = [wanted] if wanted else []
    order += [name for name in PREFERENCE if name != wanted]
    if wanted is None or wanted.upper().startswith(("Q4", "IQ4")):
        order += STEPS_DOWN
    ranked = [group for name in order for group in groups if _is(group[0].name, name)]
    first = [group for group in groups if wanted and _is(group[0].name, wanted)]
    candidates = (first + [group for group in ranked if _smaller(group, first)]) if first else (ranked or groups)
    fitting = next((group for group in candidates if _size(group) <= limit), None)
    return _pick(fitting or min(candidates, key=_size), limit)


def _smaller(group: list[RemoteFile], first: list[list[RemoteFile]]) -> bool:
    return group not in first and _size(group) < _size(first[0])


def _groups(files: Sequence[RemoteFile]) -> list[list[RemoteFile]]:
    """GGUF files that are models, shards together."""
    groups: dict[str, list[RemoteFile]] = {}
    for file in sorted(files, key=lambda item: item.name):
        if file.name.endswith(".gguf") and not COMPANIONS.search(file.name.rsplit("/", 1)[-1]):
            groups.setdefault(LATER_SHARD.sub("", file.name), []).append(file)
    return list(groups.values())


def _is(name: str, quantisation: str) -> bool:
    return re.search(rf"(?<![A-Z0-9]){re.escape(quantisation)}(?![A-Z0-9_])", name.upper()) is not None


def _size(group: list[RemoteFile]) -> int:
    return sum(file.size for file in group)


def _pick(group: list[RemoteFile], limit: int) -> Pick:
    return Pick(tuple(group), fits=_size(group) <= limit)
