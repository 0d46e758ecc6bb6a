"""Both engines under the suite that every local backend has to pass, with real models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ironhive.contracts import OpenOptions
from ironhive.plugins import open_backend
from ironhive.testing.backend_conformance import BackendConformance

if TYPE_CHECKING:
    from ironhive.contracts import Generator

pytestmark = pytest.mark.local

DATA = Path(__file__).parents[2] / "data" / "local"


class _OnThisMachine(BackendConformance):
    path: Path

    async def open(self) -> Generator:
        return await open_backend(self.path).open(self.path, OpenOptions(context_length=2048))


class TestLlamaCpp(_OnThisMachine):
    """A GGUF file in llama.cpp."""

    @pytest.fixture(autouse=True)
    def _model(self, model_file: Path) -> None:
        self.path = model_file


class TestOnnxGenAI(_OnThisMachine):
    """The same model in ONNX Runtime GenAI."""

    @pytest.fixture(autouse=True)
    def _model(self, shared: Path) -> None:
        self.path = shared / "models" / "smollm2-135m-instruct-onnx-int4"
        if not self.path.is_dir():
            pytest.skip(f"absent data: no folder {self.path}")


class TestRandomWeights(_OnThisMachine):
    """A tiny ONNX model that talks nonsense: what holds for it holds without the model's help."""

    path = DATA / "tiny-llama-onnx"
