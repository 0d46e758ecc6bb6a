"""The models that we know by short names.

Repositories, sizes, windows and cache figures are those of the LM-Supply project's registry, from which the pool and
its aliases come. A file is found by its quantisation in the repository's listing when it is fetched.
"""

from __future__ import annotations

from dataclasses import dataclass

GB = 10**9


@dataclass(frozen=True, slots=True)
class CatalogueModel:
    """One known model. ``weights`` in bytes, ``kv_bytes`` per token; ``in_pool``: may be chosen on its own."""

    alias: str
    repository: str
    quantisation: str
    weights: int
    kv_bytes: int
    context: int
    in_pool: bool = False

    def needs(self, context: int) -> int:
        """Bytes with a context of this many tokens."""
        return self.weights + self.kv_bytes * context


CATALOGUE = (
    CatalogueModel("qwen3-fast", "unsloth/Qwen3.5-2B-GGUF", "Q4_K_M", int(1.5 * GB), 12_288, 262_144, in_pool=True),
    CatalogueModel(
        "qwen3-default", "bartowski/Qwen_Qwen3.5-4B-GGUF", "Q4_K_M", int(3.0 * GB), 32_768, 262_144, in_pool=True
    ),
    CatalogueModel("qwen3-balanced", "Qwen/Qwen3-8B-GGUF", "Q4_K_M", int(5.0 * GB), 147_456, 131_072, in_pool=True),
    CatalogueModel(
        "qwen3-quality", "unsloth/Qwen3.6-35B-A3B-GGUF", "IQ4_XS", int(17.7 * GB), 20_480, 131_072, in_pool=True
    ),
    CatalogueModel("qwen3-large", "unsloth/Qwen3.6-35B-A3B-GGUF", "Q4_K_M", int(22.1 * GB), 20_480, 131_072),
    CatalogueModel("gemma4-fast", "unsloth/gemma-4-E2B-it-GGUF", "Q4_K_M", int(3.11 * GB), 6_144, 131_072),
    CatalogueModel("gemma4-default", "ggml-org/gemma-4-E4B-it-GGUF", "Q4_0", int(4.59 * GB), 16_384, 131_072),
    CatalogueModel("gemma4-balanced", "ggml-org/gemma-4-E4B-it-GGUF", "Q8_0", int(7.5 * GB), 16_384, 131_072),
    CatalogueModel("gemma4-quality", "ggml-org/gemma-4-26B-A4B-it-GGUF", "Q4_0", int(14.62 * GB), 20_480, 262_144),
    CatalogueModel("gemma4-large", "ggml-org/gemma-4-31B-it-GGUF", "Q4_0", int(17.99 * GB), 81_920, 262_144),
    CatalogueModel(
        "phi-4-mini", "bartowski/microsoft_Phi-4-mini-instruct-GGUF", "Q4_K_M", int(2.39 * GB), 131_072, 16_384
    ),
    CatalogueModel("qwen2.5-7b", "bartowski/Qwen2.5-7B-Instruct-GGUF", "Q4_K_M", int(4.68 * GB), 57_344, 32_768),
    CatalogueModel("xlarge", "unsloth/Qwen3.5-122B-A10B-GGUF", "Q4_K_M", int(76.5 * GB), 24_576, 32_768),
)


def by_alias(name: str) -> CatalogueModel | None:
    """The known model of this short name; ``gguf:`` before it changes nothing."""
    wanted = name.strip().lower().removeprefix("gguf:")
    return next((model for model in CATALOGUE if model.alias == wanted), None)


def choose(limit: int, context: int) -> CatalogueModel:
    """The largest model of the pool that fits into ``limit`` bytes, else the smallest."""
    pool = sorted((model for model in CATALOGUE if model.in_pool), key=lambda model: model.weights)
    fitting = [model for model in pool if model.needs(context) <= limit]
    return fitting[-1] if fitting else pool[0]
