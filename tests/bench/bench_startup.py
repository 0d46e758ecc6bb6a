"""What starting costs: CPU of whole processes, as a ratio to a bare interpreter.

Run by hand: ``python -m tests.bench.bench_startup``. The commands are run in turns, so that a busy spell of the machine
falls on all of them; each figure is the median of the CPU time (user and system) of its runs. Exits 1 past a limit.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

COMMAND = str(Path(sys.executable).with_name("ironhive"))


@dataclass(frozen=True)
class Case:
    """A command line, and how many times a bare interpreter it may cost (None: only shown)."""

    name: str
    command: tuple[str, ...]
    limit: float | None = None


BARE = Case("python -c pass", (sys.executable, "-c", "pass"))
CASES = (
    Case("ironhive --version", (COMMAND, "--version"), 2.5),
    Case("ironhive --help", (COMMAND, "--help"), 9.0),
    Case("ironhive plugins list", (COMMAND, "plugins", "list"), 9.0),
    Case("import ironhive", (sys.executable, "-c", "import ironhive"), 4.0),
    Case("import ironhive.agent", (sys.executable, "-c", "import ironhive.agent")),
    Case("import ironhive.host", (sys.executable, "-c", "import ironhive.host")),
)


def cpu_seconds(command: tuple[str, ...]) -> float:
    """CPU time of one run."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def measure(runs: int) -> dict[str, float]:
    """The median of each case, in seconds."""
    times: dict[str, list[float]] = {case.name: [] for case in (BARE, *CASES)}
    for number in range(runs + 1):
        for case in (BARE, *CASES):
            seconds = cpu_seconds(case.command)
            if number:  # the first round fills the caches of byte code and files
                times[case.name].append(seconds)
    return {name: statistics.median(found) for name, found in times.items()}


def main() -> int:
    """Print the figures; 1 if a limit was passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=21)
    medians = measure(parser.parse_args().runs)
    bare = medians[BARE.name]
    print(f"{BARE.name:24}{bare * 1000:8.1f} ms")
    exceeded = 0
    for case in CASES:
        ratio = medians[case.name] / bare
        limit = "" if case.limit is None else f"   at most {case.limit:g}"
        verdict = "   PAST THE LIMIT" if case.limit is not None and ratio > case.limit else ""
        exceeded += bool(verdict)
        print(f"{case.name:24}{medians[case.name] * 1000:8.1f} ms{ratio:8.2f} x{limit}{verdict}")
    return 1 if exceeded else 0


if __name__ == "__main__":
    raise SystemExit(main())
