"""Measurements in turn, each in a process of its own: all, or those named, as in ``python -m tests.bench gateway``.

Fails when one of them does; the others still run.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def main() -> int:
    """Run the ``bench_*`` modules beside this one."""
    known = sorted(path.stem.removeprefix("bench_") for path in Path(__file__).parent.glob("bench_*.py"))
    chosen = sys.argv[1:] or known
    unknown = set(chosen) - set(known)
    if unknown:
        print(f"no measurement named {', '.join(sorted(unknown))}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    failed = []
    for name in chosen:
        print(f"\n## {name}\n", flush=True)
        if subprocess.run([sys.executable, "-m", f"tests.bench.bench_{name}"], check=False).returncode:
            failed.append(name)
    if failed:
        print(f"\nfailed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
