"""Every measurement in turn, each in a process of its own: ``python -m tests.bench``.

Fails when one of them does; the others still run.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def main() -> int:
    """Run all ``bench_*`` modules beside this one."""
    failed = []
    for path in sorted(Path(__file__).parent.glob("bench_*.py")):
        print(f"\n## {path.stem.removeprefix('bench_')}\n", flush=True)
        run = subprocess.run([sys.executable, "-m", f"tests.bench.{path.stem}", *sys.argv[1:]], check=False)
        if run.returncode:
            failed.append(path.stem)
    if failed:
        print(f"\nfailed: {', '.join(failed)}")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
