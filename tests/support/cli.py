"""The command line as a user runs it: a process of its own with a home of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def ironhive(
    *arguments: str, home: Path, cwd: Path, stdin: str = "", timeout: float = 300, **environ: str
) -> subprocess.CompletedProcess[str]:
    """Run ``ironhive`` and wait for it."""
    return subprocess.run(
        [str(Path(sys.executable).with_name("ironhive")), *arguments],
        capture_output=True,
        text=True,
        input=stdin,
        cwd=cwd,
        env={**os.environ, "HOME": str(home), **environ},
        timeout=timeout,
        check=False,
    )
