"""Backend ``llamacpp``: GGUF files through llama-cpp-python, in this process.

``plugin`` describes it to the host; ``backend`` opens a file; ``engine`` decodes; ``grammar`` holds the model to a
schema; ``template`` renders the model's own chat template.
"""

from ironhive_plugins.backends.llamacpp.plugin import ironhive_backend

__all__ = ["ironhive_backend"]
