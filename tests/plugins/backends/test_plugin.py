"""Backends look at names and first bytes only, and say what to install when their engine is missing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ironhive.contracts import OpenOptions
from ironhive.errors import ModelLoadError, PluginError
from ironhive.plugins import open_backend

TINY_ONNX = Path(__file__).parents[2] / "data" / "local" / "tiny-llama-onnx"


@pytest.fixture
def gguf(tmp_path: Path) -> Path:
    path = tmp_path / "anything.bin"
    path.write_bytes(b"GGUF" + bytes(100))
    return path


def test_each_format_has_its_backend(gguf: Path) -> None:
    assert open_backend(gguf).name == "llamacpp"
    assert open_backend(TINY_ONNX).name == "onnxgenai"


@pytest.mark.parametrize("content", [b"", b"GGU", b"PK\x03\x04", b"gguf"])
def test_other_files_have_none(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    with pytest.raises(ModelLoadError, match=r"no backend can open .*model\.gguf"):
        open_backend(path)
    with pytest.raises(ModelLoadError):
        open_backend(tmp_path / "missing.gguf")


@pytest.mark.parametrize(
    ("engine", "package", "extra"),
    [("llama_cpp", "llamacpp", "local"), ("onnxruntime_genai", "onnxgenai", "onnx")],
)
async def test_a_missing_engine_is_said_with_the_command_that_brings_it(
    gguf: Path, monkeypatch: pytest.MonkeyPatch, engine: str, package: str, extra: str
) -> None:
    prefix = f"ironhive_plugins.backends.{package}"
    for name in [name for name in sys.modules if name.startswith(f"{prefix}.") or name == engine]:
        monkeypatch.delitem(sys.modules, name)
    for name in list(vars(sys.modules.get(prefix, sys))):
        if name in {"engine", "loading", "native", "sampler"} and prefix in sys.modules:
            monkeypatch.delattr(sys.modules[prefix], name)
    monkeypatch.setitem(sys.modules, engine, None)
    path = gguf if package == "llamacpp" else TINY_ONNX
    with pytest.raises(PluginError, match=rf"pip install 'ironhive\[{extra}\]'"):
        await open_backend(path).open(path, OpenOptions())
