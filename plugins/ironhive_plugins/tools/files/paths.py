"""Paths that a model names, and how they are shown to it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ironhive.errors import ToolError

_KILO = 1024


def resolve(workdir: Path, path: str) -> Path:
    """An absolute path; a relative one starts at ``workdir``, ``~`` is the user's home.

    :raises ToolError: the path is blank or cannot be one.
    """
    text = path.strip()
    if not text or not _is_name(text):
        message = f"the path {text!r} contains a character that no name can have" if text else "the path is empty"
        raise ToolError(message)
    try:
        return Path(os.path.normpath(workdir / Path(text).expanduser()))
    except RuntimeError as error:
        message = f"cannot resolve {path!r}: {error}"
        raise ToolError(message) from error


def _is_name(text: str) -> bool:
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def existing_folder(workdir: Path, path: str) -> Path:
    """The folder at ``path``; a blank path is the working folder itself.

    :raises ToolError: there is none.
    """
    folder = resolve(workdir, path if path.strip() else ".")
    mode = mode_of(folder, path)
    if not stat.S_ISDIR(mode):
        message = f"{path} is not a directory; use ReadFile to read a file"
        raise ToolError(message)
    return folder


def mode_of(target: Path, path: str) -> int:
    """The mode bits of ``target``, symbolic links followed.

    :raises ToolError: nothing there, or it cannot be looked at.
    """
    try:
        return target.stat().st_mode
    except FileNotFoundError:
        message = f"{path} does not exist (looked at {target})"
        raise ToolError(message) from None
    except OSError as error:
        raise ToolError(reason(path, error)) from error


def reason(path: str, error: OSError) -> str:
    """What an operating system error says, about the path as the model wrote it."""
    return f"cannot read {path}: {(error.strerror or type(error).__name__).lower()}"


def shown(path: str | Path, workdir: Path) -> str:
    """A path as the model can use it again: relative inside the working folder, else absolute."""
    try:
        return Path(path).relative_to(workdir).as_posix()
    except ValueError:
        return Path(path).as_posix()


def size_text(size: int) -> str:
    """A size in B, KB or MB (of 1024), the latter two with one decimal."""
    if size < _KILO:
        return f"{size}B"
    if size < _KILO * _KILO:
        return f"{size / _KILO:.1f}KB"
    return f"{size / _KILO / _KILO:.1f}MB"
