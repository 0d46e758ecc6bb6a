"""How much memory there is, and how much a model takes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ironhive.errors import ModelMemoryError

if TYPE_CHECKING:
    from ironhive_plugins.providers.lmsupply.config import LocalConfig
    from ironhive_plugins.providers.lmsupply.gguf import GgufHeader

MB = 1 << 20
GB = 1 << 30
OVERHEAD = 1.1
"""Weights take a tenth more than their file: compute buffers and the output layer."""
FLOOR = 512
"""The smallest context that is worth loading a model for."""
STEPS = ((32, 131_072), (16, 65_536), (8, 32_768), (4, 16_384))
"""Context by main memory in GB, when none is asked for; less memory gives 8192."""


@dataclass(frozen=True, slots=True)
class Machine:
    """Main memory in bytes: all of it, and what could be taken now."""

    total: int
    available: int


def machine(config: LocalConfig) -> Machine:
    """What the machine has, or what the settings say to plan with; a container's limit counts."""
    if config.system_ram_mb is not None:
        planned = config.system_ram_mb * MB
        return Machine(planned, planned)
    total, available = _meminfo()
    limit = _container_limit()
    if limit is not None:
        total, available = min(total, limit), min(available, limit)
    return Machine(total, available)


def budget(config: LocalConfig) -> int:
    """Bytes that models may take together: the limit that was set, else the smaller of all but 4 GB and half of main
    memory, and never more than is free; graphics memory where it was declared.
    """
    if config.memory_limit_mb is not None:
        return config.memory_limit_mb * MB
    if config.vram_budget_mb:
        return config.vram_budget_mb * MB
    found = machine(config)
    return max(0, min(max(found.total - 4 * GB, found.total // 4), found.total // 2, found.available))


def wanted_context(config: LocalConfig, trained: int | None) -> int:
    """Tokens to ask for, before the fit: what was set, else by memory; never more than the model was trained for."""
    wanted = config.max_context_length
    if wanted is None:
        gigabytes = machine(config).total / GB
        wanted = next((tokens for least, tokens in STEPS if gigabytes >= least), 8192)
    return min(wanted, trained) if trained else wanted


def estimate(header: GgufHeader, context: int) -> int:
    """Bytes that a model takes with a context of this many tokens."""
    return int(header.file_size * OVERHEAD) + context * (header.kv_bytes_per_token or _guess(header))


def fit(header: GgufHeader, *, context: int, limit: int, model: str) -> int:
    """The context that fits into ``limit`` bytes, at most the one asked for.

    :raises ModelMemoryError: not even a small context does.
    """
    if estimate(header, context) <= limit:
        return context
    per_token = header.kv_bytes_per_token or _guess(header)
    room = (limit - int(header.file_size * OVERHEAD)) // per_token
    if room < min(FLOOR, context):
        needed = estimate(header, min(FLOOR, context))
        message = (
            f"{model} needs {needed / MB:.0f} MB even with a small context and {limit / MB:.0f} MB may be used: "
            "choose a smaller model, or raise lmsupply.memoryLimitMb"
        )
        raise ModelMemoryError(message, model=model)
    return min(context, max(FLOOR, room // 256 * 256)) if context > FLOOR else int(room)


def _guess(header: GgufHeader) -> int:
    """For a header without figures: a wide cache for the file's size."""
    return 131_072 if header.file_size < 8 * GB else 262_144


def _meminfo() -> tuple[int, int]:
    facts: dict[str, int] = {}
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            key, _, rest = line.partition(":")
            facts[key] = int(rest.split()[0]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    total = facts.get("MemTotal") or _sysconf_total()
    return total, facts.get("MemAvailable", total // 2)


def _sysconf_total() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 8 * GB


def _container_limit() -> int | None:
    for name in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            text = Path(name).read_text(encoding="ascii").strip()
        except OSError:
            continue
        if text.isdigit() and int(text) < 1 << 50:
            return int(text)
    return None
