"""GrepFiles: lines that contain a text."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ironhive.errors import ToolError
from ironhive_plugins.tools.files import patterns
from ironhive_plugins.tools.files.paths import mode_of, reason, resolve, shown
from ironhive_plugins.tools.files.text import PROBE_BYTES, encoding_of
from ironhive_plugins.tools.files.walk import Walk, is_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ironhive_plugins.tools.files.threads import Checkpoint

MAX_FILES = 50
"""How many files with matches one search shows."""

MAX_MATCHES = 100
"""How many matches one search shows."""

MAX_LINE = 200
"""How many characters of a line are shown."""

_LONGEST_LINE = 1024 * 1024
"""A longer line is searched in pieces of this size, so that a file without line ends cannot fill the memory."""


@dataclass(slots=True)
class _Matches:
    lines: list[str] = field(default_factory=list)
    count: int = 0
    files: int = 0
    cut: str = ""


def grep_files(workdir: Path, pattern: str, file_pattern: str, path: str, *, checkpoint: Checkpoint) -> str:
    """The lines that contain ``pattern`` in any case, file by file.

    :raises ToolError: the pattern is empty, or the folder is not there.
    """
    if not pattern:
        message = "the pattern is empty; give the text to look for"
        raise ToolError(message)
    found = _Matches()
    walk = Walk(checkpoint)
    for file_path in _files(workdir, path, file_pattern, walk):
        if found.files == MAX_FILES:
            found.cut = f"(only the first {MAX_FILES} files with matches are shown)"
            break
        _search(file_path, pattern.casefold(), found, shown(file_path, workdir), checkpoint)
        if found.count == MAX_MATCHES:
            found.cut = f"(stopped at {MAX_MATCHES} matches)"
            break
    notes = [*([found.cut] if found.cut else []), *walk.notes()]
    if not found.count:
        return "\n".join([f"No matches found for {pattern!r} in {file_pattern}.", *notes])
    return "\n".join([f"Found {found.count} matches in {found.files} files:", *found.lines, *notes])


def _files(workdir: Path, path: str, file_pattern: str, walk: Walk) -> Iterator[str]:
    matcher = patterns.matcher_of_names(file_pattern)
    root = resolve(workdir, path if path.strip() else ".")
    mode_of(root, path)
    if not root.is_dir():
        if root.is_file():
            yield str(root)
        return
    try:
        for name, entry in walk.tree(root):
            if matcher.match(name) and is_file(entry):
                yield entry.path
    except OSError as error:
        raise ToolError(reason(path, error)) from error


def _search(file_path: str, needle: str, found: _Matches, name: str, checkpoint: Checkpoint) -> None:
    first = True
    try:
        for number, line in _lines(file_path, checkpoint):
            if needle not in line.casefold():
                continue
            if first:
                found.lines.append(f"{name}:")
                found.files += 1
                first = False
            text = line.strip()
            found.lines.append(f"  {number}: {text[:MAX_LINE] + '...' if len(text) > MAX_LINE else text}")
            found.count += 1
            if found.count == MAX_MATCHES:
                return
    except OSError:
        return  # a file that cannot be read is no reason to fail: the others may hold the answer


def _lines(file_path: str, checkpoint: Checkpoint) -> Iterator[tuple[int, str]]:
    with Path(file_path).open("rb") as probe:
        encoding = encoding_of(probe.read(PROBE_BYTES))
    if encoding is None:
        return
    with Path(file_path).open(encoding=encoding, errors="replace", newline="\n") as file:  # as ReadFile counts
        number = 1
        while line := file.readline(_LONGEST_LINE):
            checkpoint()
            yield number, line.rstrip("\n")
            number += line.endswith("\n")
