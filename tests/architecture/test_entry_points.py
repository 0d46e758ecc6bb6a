"""Every component is there because of its entry point, and for no other reason."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib import metadata
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

PROBE = """
import json, sys, warnings
sys.path.insert(0, sys.argv[1])
from ironhive.plugins import PluginManager
manager = PluginManager()
kinds = sorted({item.kind for item in manager.index.plugins})
print(json.dumps({
    "loaded": sorted(f"{kind}:{name}" for kind in kinds for name in manager.load(kind)),
    "broken": [str(item) for item in manager.quarantined],
}))
"""


def installed() -> metadata.Distribution:
    return metadata.distribution("ironhive")


def lines() -> list[tuple[str, str, str]]:
    return [
        (item.group, item.name, item.value) for item in installed().entry_points if item.group.startswith("ironhive.")
    ]


def components(folder: Path, entry_points: list[tuple[str, str, str]]) -> dict[str, list[str]]:
    """What a fresh process loads when the distribution's list holds these lines."""
    info = folder / f"ironhive-{installed().version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: ironhive\nVersion: {installed().version}\n")
    text = "".join(f"[{group}]\n{name} = {value}\n" for group, name, value in entry_points)
    (info / "entry_points.txt").write_text(text)
    # the own list must be the first on the path that claims the distribution's name
    done = subprocess.run(
        [sys.executable, "-c", PROBE, str(folder)], capture_output=True, text=True, check=True, env=environment(folder)
    )
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(folder), "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}


def test_everything_that_is_listed_loads(tmp_path: Path) -> None:
    found = components(tmp_path / "all", lines())
    assert found["broken"] == []
    assert found["loaded"] == sorted(f"{group.removeprefix('ironhive.')}:{name}" for group, name, _ in lines())


@pytest.mark.parametrize("index", range(len(lines())), ids=[f"{group}:{name}" for group, name, _ in lines()])
def test_one_line_less_is_one_component_less(tmp_path: Path, index: int) -> None:
    all_lines = lines()
    group, name, _ = all_lines[index]
    found = components(tmp_path / "less", all_lines[:index] + all_lines[index + 1 :])
    gone = {f"{item[0].removeprefix('ironhive.')}:{item[1]}" for item in all_lines} - set(found["loaded"])
    assert gone == {f"{group.removeprefix('ironhive.')}:{name}"}
    shutil.rmtree(tmp_path / "less")
