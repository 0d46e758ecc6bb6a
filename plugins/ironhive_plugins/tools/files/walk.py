"""Walking a folder tree: sorted, without following links to folders, and past what cannot be read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ironhive_plugins.tools.files.threads import Checkpoint

MAX_ENTRIES = 200_000
"""How many entries one walk looks at: a home folder or a large repository, not a whole disk."""

PRIVATE_FOLDERS = frozenset({".git", ".hg", ".svn"})
"""The insides of version control: thousands of files that no question is about. A path can still name them."""


class Walk:
    """One walk. ``exhausted`` tells afterwards whether everything was seen; ``skipped`` counts unreadable folders."""

    def __init__(self, checkpoint: Checkpoint, *, limit: int = MAX_ENTRIES) -> None:
        self._checkpoint = checkpoint
        self._left = limit
        self.skipped = 0

    @property
    def exhausted(self) -> bool:
        """The tree was too large to be seen whole."""
        return self._left <= 0

    def notes(self) -> list[str]:
        """Lines that tell a model what the walk has not seen."""
        notes = []
        if self.skipped:
            notes.append(f"({self.skipped} folders could not be read)")
        if self.exhausted:
            notes.append("(the tree is too large to be seen whole; name a subfolder)")
        return notes

    def folder(self, folder: str | Path) -> list[os.DirEntry[str]]:
        """The entries of one folder, by name.

        :raises OSError: it cannot be read.
        """
        entries: list[os.DirEntry[str]] = []
        with os.scandir(folder) as found:
            for entry in found:
                self._checkpoint()
                if self._left <= 0:
                    break
                self._left -= 1
                entries.append(entry)
        return sorted(entries, key=lambda entry: entry.name)

    def tree(self, root: Path, *, recursive: bool = True) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Every entry below ``root`` as its path relative to it (with ``/``) and itself; files before subfolders.

        :raises OSError: ``root`` itself cannot be read.
        """
        pending: list[tuple[str, str | None]] = [("", None)]
        while pending:
            prefix, folder = pending.pop()
            try:
                entries = self.folder(root if folder is None else folder)
            except OSError:
                if folder is None:
                    raise
                self.skipped += 1
                continue
            below: list[tuple[str, str | None]] = []
            for entry in entries:
                yield prefix + entry.name, entry
                if recursive and is_folder(entry, follow=False) and entry.name not in PRIVATE_FOLDERS:
                    below.append((f"{prefix}{entry.name}/", entry.path))
            pending.extend(reversed(below))


def is_folder(entry: os.DirEntry[str], *, follow: bool = True) -> bool:
    """A folder, or with ``follow`` a link to one; False where that cannot be told."""
    try:
        return entry.is_dir(follow_symlinks=follow)
    except OSError:
        return False


def is_file(entry: os.DirEntry[str]) -> bool:
    """A regular file or a link to one; pipes and devices are none, so that opening it cannot block."""
    try:
        return entry.is_file()
    except OSError:
        return False
