"""A model folder: its configuration, and the model on the first execution provider that takes it."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

import onnxruntime_genai as og

from ironhive.errors import ModelLoadError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

CONFIG = "genai_config.json"
CPU = "cpu"

_log = logging.getLogger(__name__)


def read_config(path: Path) -> dict[str, Any]:
    """The folder's ``genai_config.json``.

    :raises ModelLoadError: it is not there or not JSON.
    """
    try:
        config = json.loads((path / CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        message = f"{path / CONFIG} cannot be read: {error}; the folder is no complete ONNX GenAI model"
        raise ModelLoadError(message, model=str(path)) from error
    if not isinstance(config, dict) or not isinstance(config.get("model"), dict):
        message = f"{path / CONFIG} has no section 'model'; the folder is no ONNX GenAI model"
        raise ModelLoadError(message, model=str(path))
    return config


def load_model(path: Path, providers: Sequence[str] | None) -> tuple[Any, str]:
    """The model and the execution provider it runs on.

    :param providers: the order to try; None is CUDA where there is one. The processor comes last in any case, and takes
        over when another provider fails at loading.
    :raises ModelLoadError: not even the processor takes it.
    """
    og.disable_telemetry_events()
    wanted = list(providers) if providers is not None else (["cuda"] if og.is_cuda_available() else [])
    for provider in [*(name for name in wanted if name != CPU), CPU]:
        try:
            return _load(path, provider), provider
        except Exception as error:  # the engine raises whatever its C++ side threw
            if provider == CPU:
                message = f"{path} cannot be loaded by onnxruntime-genai: {str(error).strip().splitlines()[0]}"
                raise ModelLoadError(message, model=str(path)) from error
            _log.warning("%s does not run on %s (%s); trying the next provider", path, provider, error)
    raise AssertionError


def _load(path: Path, provider: str) -> Any:
    config = og.Config(str(path))
    config.clear_providers()
    if provider != CPU:
        config.append_provider(provider)
    return og.Model(config)


def parameters_of(config: dict[str, Any]) -> int | None:
    """The number of weights, estimated from the decoder's shape: twelve squares of the width per layer, and the
    vocabulary once. The folder does not state it; the estimate is within a fifth for the common families.
    """
    model = config["model"]
    decoder = model.get("decoder", {})
    layers, width, words = decoder.get("num_hidden_layers"), decoder.get("hidden_size"), model.get("vocab_size")
    if not all(isinstance(value, int) for value in (layers, width, words)):
        return None
    return int(12 * layers * width * width + words * width)
