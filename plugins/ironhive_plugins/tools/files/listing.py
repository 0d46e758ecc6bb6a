"""ListDirectory and GlobFiles: names of files and folders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ironhive.errors import ToolError
from ironhive_plugins.tools.files import patterns
from ironhive_plugins.tools.files.paths import existing_folder, reason, shown, size_text
from ironhive_plugins.tools.files.walk import Walk, is_file, is_folder

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from ironhive_plugins.tools.files.threads import Checkpoint

MAX_LISTED = 500
"""How many folders, and how many files, one listing names."""

MAX_FOUND = 100
"""How many paths one glob names."""


def list_directory(workdir: Path, path: str, *, recursive: bool, checkpoint: Checkpoint) -> str:
    """The listing of a folder: folders first, each sorted by name.

    :raises ToolError: there is no such folder, or it cannot be read.
    """
    root = existing_folder(workdir, path)
    walk = Walk(checkpoint)
    folders: list[str] = []
    files: list[tuple[str, os.DirEntry[str]]] = []
    try:
        for name, entry in walk.tree(root, recursive=recursive):
            if is_folder(entry):
                folders.append(name)
            else:
                files.append((name, entry))
    except OSError as error:
        raise ToolError(reason(path, error)) from error
    if not folders and not files:
        return f"The directory {path.strip() or '.'} is empty."
    lines = [f"[DIR]  {name}/" for name in folders[:MAX_LISTED]]
    lines += [f"[FILE] {name} ({_size(entry)})" for name, entry in files[:MAX_LISTED]]
    if len(folders) > MAX_LISTED or len(files) > MAX_LISTED:
        lines.append(f"... truncated: {_total(len(folders), 'directories')}, {_total(len(files), 'files')}")
    return "\n".join([*lines, *walk.notes()])


def glob_files(workdir: Path, pattern: str, path: str, *, checkpoint: Checkpoint) -> str:
    """The files that match a pattern, as paths that can be used again.

    :raises ToolError: there is no such folder, or the pattern cannot be read.
    """
    glob = patterns.parse(pattern)
    root = existing_folder(existing_folder(workdir, path), glob.base)
    walk = Walk(checkpoint)
    found: list[str] = []
    total = 0
    try:
        for name, entry in walk.tree(root, recursive=glob.recursive):
            if glob.matches.match(name) and is_file(entry):
                total += 1
                if total <= MAX_FOUND:
                    found.append(shown(entry.path, workdir))
    except OSError as error:
        raise ToolError(reason(path, error)) from error
    if not found:
        hint = "" if glob.recursive else f" Subfolders were not searched; **/{pattern} does that."
        return "\n".join([f"No files found matching {pattern}.{hint}", *walk.notes()])
    lines = [f"Found {total} files matching {pattern}:", *found]
    if total > MAX_FOUND:
        lines.append(f"... truncated: {MAX_FOUND} of {total} files shown")
    return "\n".join([*lines, *walk.notes()])


def _size(entry: os.DirEntry[str]) -> str:
    try:
        return size_text(entry.stat().st_size)
    except OSError:
        return "broken link" if entry.is_symlink() else "unreadable"


def _total(count: int, what: str) -> str:
    return f"{min(count, MAX_LISTED)} of {count} {what} shown"
