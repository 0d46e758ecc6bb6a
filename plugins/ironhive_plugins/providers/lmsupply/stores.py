"""Models that are on the machine already: ours, the Hugging Face cache, Ollama's and LM Studio's stores."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ironhive.errors import ModelLoadError
from ironhive_plugins.providers.lmsupply.gguf import GgufHeader, read_header
from ironhive_plugins.providers.lmsupply.wheel import SMOLLM2, installed_wheel_model

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ironhive_plugins.providers.lmsupply.config import LocalConfig

COMPANIONS = re.compile(r"mmproj|[-_.]mtp|draft|imatrix|[-_.]vae|embed|rerank", re.IGNORECASE)
"""Files beside a model that are not the model: picture projectors, drafts, importance matrices."""
LATER_SHARD = re.compile(r"-(\d{5})-of-\d{5}\.gguf$")
SMALLEST = 1 << 20
"""A file below a megabyte is a pointer or a test, not a model."""


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model that is on disk: the id it goes by, and its file or folder."""

    id: str
    path: Path


@dataclass(frozen=True, slots=True)
class FoundModel:
    """A model file on this machine. ``size`` counts all its shards, in bytes."""

    id: str
    path: Path
    size: int
    source: str
    header: GgufHeader


def find_models(config: LocalConfig) -> list[FoundModel]:
    """Every model to talk to that is on this machine, our own cache first. Files that cannot be read are left out."""
    found: list[FoundModel] = []
    seen: set[Path] = set()
    for name, path, source in _candidates(config):
        real = path.resolve()
        if real in seen:
            continue
        seen.add(real)
        model = _examine(name, path, source)
        if model is not None:
            found.append(model)
    return found


def _examine(name: str, path: Path, source: str) -> FoundModel | None:
    try:
        if path.stat().st_size < SMALLEST:
            return None
        header = read_header(path)
    except (OSError, ModelLoadError):
        return None
    return FoundModel(name, path, _whole_size(path), source, header) if header.generates else None


def _whole_size(path: Path) -> int:
    match = LATER_SHARD.search(path.name)
    if match is None:
        return path.stat().st_size
    pattern = f"{path.name[: match.start()]}-*{path.name[match.end(1) :]}"
    return sum(part.stat().st_size for part in path.parent.glob(pattern))


def _candidates(config: LocalConfig) -> Iterator[tuple[str, Path, str]]:
    hub = own_hub(config)
    for name, path, source in _files(config.cache, "cache"):
        if not path.is_relative_to(hub):
            yield name, path, source
    yield from _hub_files(hub)
    installed = installed_wheel_model()
    if installed is not None:
        yield SMOLLM2.model_id, installed, "package"
    yield from _hub_files(hub_cache())
    yield from _files(_lm_studio(), "lmstudio")
    yield from _ollama_files()


def _files(root: Path, source: str) -> Iterator[tuple[str, Path, str]]:
    for path in _gguf_under(root):
        yield path.stem, path, source


def _gguf_under(root: Path) -> Iterator[Path]:
    if not root.is_dir():
        return
    for path in sorted(root.rglob("*.gguf")):
        shard = LATER_SHARD.search(path.name)
        unfinished = any(part.startswith(".") for part in path.relative_to(root).parts)
        if not unfinished and not COMPANIONS.search(path.name) and (shard is None or int(shard.group(1)) == 1):
            yield path


def hub_cache() -> Path:
    """The Hugging Face cache, by that program's own rules."""
    if explicit := os.environ.get("HF_HUB_CACHE"):
        return Path(explicit)
    if home := os.environ.get("HF_HOME"):
        return Path(home) / "hub"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "huggingface" / "hub"


def own_hub(config: LocalConfig) -> Path:
    """Where hub models go when a cache folder of one's own is set."""
    return config.cache / "hub"


def onnx_folders(config: LocalConfig) -> Iterator[tuple[str, Path]]:
    """(``org/name``, folder) of ONNX GenAI models in the hub caches."""
    for root in (own_hub(config), hub_cache()):
        for file in sorted(root.glob("models--*/snapshots/**/genai_config.json")):
            repository = file.relative_to(root).parts[0]
            yield _repository(repository), file.parent


def _repository(folder: str) -> str:
    return folder.removeprefix("models--").replace("--", "/")


def _hub_files(root: Path) -> Iterator[tuple[str, Path, str]]:
    if not root.is_dir():
        return
    for repository in sorted(root.glob("models--*")):
        owner_name = _repository(repository.name)
        for path in _gguf_under(repository / "snapshots"):
            yield f"{owner_name}:{path.name}", path, "huggingface"


def _lm_studio() -> Path:
    for folder in (Path.home() / ".lmstudio" / "models", Path.home() / ".cache" / "lm-studio" / "models"):
        if folder.is_dir():
            return folder
    return Path.home() / ".lmstudio" / "models"


def _ollama_files() -> Iterator[tuple[str, Path, str]]:
    """Ollama keeps blobs by digest, and manifests that say which blob is the model."""
    roots = [Path(value)] if (value := os.environ.get("OLLAMA_MODELS")) else []
    roots += [Path.home() / ".ollama" / "models", Path("/usr/share/ollama/.ollama/models")]
    for root in roots:
        manifests = root / "manifests"
        try:
            files = sorted(path for path in manifests.rglob("*") if path.is_file())
        except OSError:
            continue
        for manifest in files:
            blob = _ollama_blob(root, manifest)
            if blob is not None:
                yield f"{manifest.parent.name}:{manifest.name}", blob, "ollama"


def _ollama_blob(root: Path, manifest: Path) -> Path | None:
    try:
        layers = json.loads(manifest.read_text(encoding="utf-8"))["layers"]
        digest = next(item["digest"] for item in layers if item["mediaType"] == "application/vnd.ollama.image.model")
    except (OSError, ValueError, KeyError, TypeError, StopIteration):
        return None
    path = root / "blobs" / str(digest).replace(":", "-")
    return path if path.is_file() else None
