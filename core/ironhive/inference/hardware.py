"""Processor facts."""

from __future__ import annotations

import os
from pathlib import Path


def physical_cores() -> int:
    """How many physical cores this process may use; a hyper-thread twin slows matrix work down rather than up.

    Where the system does not tell (``/proc/cpuinfo`` names no cores), every usable processor counts.
    """
    usable = _usable()
    cores = _cores_of(usable)
    return max(1, len(cores) or len(usable))


def _usable() -> set[int]:
    if hasattr(os, "sched_getaffinity"):
        return set(os.sched_getaffinity(0))
    return set(range(os.cpu_count() or 1))


def _cores_of(processors: set[int]) -> set[tuple[str, str]]:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return set()
    cores: set[tuple[str, str]] = set()
    for block in text.split("\n\n"):
        facts = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in block.splitlines())}
        if "core id" in facts and facts.get("processor", "").isdigit() and int(facts["processor"]) in processors:
            cores.add((facts.get("physical id", "0"), facts["core id"]))
    return cores
