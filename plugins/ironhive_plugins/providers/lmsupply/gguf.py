"""The header of a GGUF file: what a model is and what it will need, without loading it.

The layout is that of the GGUF specification, versions 2 and 3, little endian: magic, version, tensor count, key count,
then typed key-value pairs, then the tensors' names, shapes and types.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

from ironhive.errors import ModelLoadError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MAGIC = b"GGUF"
VERSIONS = (2, 3)
SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
STRING, ARRAY = 8, 9
MAX_TEXT = 16 << 20
MAX_COUNT = 10_000_000
MAX_LAYERS = 1024
BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """Facts about a model file. ``None`` where the file does not say; ``file_size`` is in bytes."""

    architecture: str
    name: str | None
    file_size: int
    parameters: int
    context_length: int | None
    layers: int | None
    kv_bytes_per_token: int | None
    has_chat_template: bool
    shards: int = 1

    @property
    def generates(self) -> bool:
        """Whether it is a model to talk to, not an embedder or the picture half of one."""
        encoders = ("bert", "clip", "t5encoder", "mmproj")
        return self.has_chat_template and not any(word in self.architecture for word in encoders)


def read_header(path: Path) -> GgufHeader:
    """Read the header.

    :raises ModelLoadError: the file is not GGUF, or damaged.
    """
    try:
        with path.open("rb") as file:
            reader = _Reader(file, path.stat().st_size)
            values, tensors = reader.read()
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror or error}"
        raise ModelLoadError(message, model=str(path)) from error
    except (ValueError, struct.error, UnicodeDecodeError) as error:
        message = f"{path} is no usable GGUF file: {error}"
        raise ModelLoadError(message, model=str(path)) from error
    return _header(values, tensors, path.stat().st_size)


class _Reader:
    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._size = size

    def read(self) -> tuple[dict[str, Any], int]:
        """The key-value pairs (arrays as their lengths) and the number of weights."""
        if self._bytes(4) != MAGIC:
            message = "it does not begin with GGUF"
            raise ValueError(message)
        version = self._number("<I")
        if version not in VERSIONS:
            message = f"it has format version {version}; known are {VERSIONS}"
            raise ValueError(message)
        tensor_count, key_count = self._count(), self._count()
        values: dict[str, Any] = {}
        for _ in range(key_count):
            key = self._text()
            values[key] = self._value(self._number("<I"))
        return values, sum(self._tensor() for _ in range(tensor_count))

    def _tensor(self) -> int:
        self._text()
        weights = 1
        for _ in range(min(self._number("<I"), 8)):
            weights *= self._number("<Q")
        self._bytes(12)  # type and offset
        return weights

    def _value(self, kind: int) -> Any:
        if kind in SCALARS:
            return self._number(SCALARS[kind])
        if kind == STRING:
            return self._text()
        if kind == ARRAY:
            return self._array()
        message = f"it holds a value of unknown type {kind}"
        raise ValueError(message)

    def _array(self) -> list[Any]:
        """Short arrays of numbers as they are (per-layer figures); of the rest only the fact that they are there."""
        kind, count = self._number("<I"), self._count()
        if kind in SCALARS:
            data = self._bytes(struct.calcsize(SCALARS[kind]) * count)
            return [value for (value,) in struct.iter_unpack(SCALARS[kind], data)] if count <= MAX_LAYERS else []
        if kind == STRING:
            self._skip_texts(count)
            return []
        for _ in range(count):
            self._value(kind)
        return []

    def _skip_texts(self, count: int) -> None:
        """Pass over a vocabulary: up to a million texts, so blocks are read and only lengths are looked at."""
        block, at = b"", 0
        for _ in range(count):
            if at + 8 > len(block):
                block, at = self._more(block, at, 8), 0
            length = int.from_bytes(block[at : at + 8], "little")
            if length > MAX_TEXT:
                message = "it holds a text of impossible length"
                raise ValueError(message)
            at += 8 + length
            if at > len(block):
                block, at = self._more(block, at - length, length), length
        self._file.seek(at - len(block), 1)

    def _more(self, block: bytes, at: int, needed: int) -> bytes:
        """What is left of a block and at least ``needed`` bytes in all."""
        more = block[at:] + self._file.read(BLOCK + needed)
        if len(more) < needed:
            message = "it ends in the middle of its header"
            raise ValueError(message)
        return more

    def _text(self) -> str:
        length = self._number("<Q")
        if length > MAX_TEXT:
            message = "it holds a text of impossible length"
            raise ValueError(message)
        return self._bytes(length).decode("utf-8", "replace")

    def _count(self) -> int:
        count: int = self._number("<Q")
        if count > MAX_COUNT:
            message = "it holds an impossible count"
            raise ValueError(message)
        return count

    def _number(self, form: str) -> Any:
        return struct.unpack(form, self._bytes(struct.calcsize(form)))[0]

    def _bytes(self, count: int) -> bytes:
        data = self._file.read(count) if count <= self._size else b""
        if len(data) < count:
            message = "it ends in the middle of its header"
            raise ValueError(message)
        return data


def _header(values: Mapping[str, Any], weights: int, size: int) -> GgufHeader:
    architecture = str(values.get("general.architecture", ""))
    layers = _whole(values.get(f"{architecture}.block_count"))
    name = values.get("general.name")
    return GgufHeader(
        architecture=architecture,
        name=name if isinstance(name, str) else None,
        file_size=size,
        parameters=weights,
        context_length=_whole(values.get(f"{architecture}.context_length")),
        layers=layers,
        kv_bytes_per_token=_kv_bytes(values, architecture, layers),
        has_chat_template="tokenizer.chat_template" in values,
        shards=max(1, _whole(values.get("split.count")) or 1),
    )


def _kv_bytes(values: Mapping[str, Any], architecture: str, layers: int | None) -> int | None:
    """Bytes of the key-value cache per token at 16 bits: two vectors per layer and head group."""
    heads = values.get(f"{architecture}.attention.head_count")
    width = _whole(values.get(f"{architecture}.embedding_length"))
    if layers is None or width is None or not isinstance(heads, (int, list)) or not heads:
        return None
    head_count = max(heads) if isinstance(heads, list) else heads
    groups = values.get(f"{architecture}.attention.head_count_kv", head_count)
    key_width = _whole(values.get(f"{architecture}.attention.key_length")) or width // max(1, head_count)
    value_width = _whole(values.get(f"{architecture}.attention.value_length")) or key_width
    total_groups = sum(groups) if isinstance(groups, list) else layers * groups
    return int(2 * total_groups * (key_width + value_width))


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
