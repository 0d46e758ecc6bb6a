"""Backend ``onnxgenai``: ONNX model folders through onnxruntime-genai, in this process."""

from ironhive_plugins.backends.onnxgenai.plugin import ironhive_backend

__all__ = ["ironhive_backend"]
