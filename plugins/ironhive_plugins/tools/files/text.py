"""Files as text: what counts as text, and how it is decoded."""

from __future__ import annotations

import codecs
import stat
from typing import TYPE_CHECKING

from ironhive.errors import ToolError
from ironhive_plugins.tools.files.paths import mode_of, reason, resolve, size_text

if TYPE_CHECKING:
    from pathlib import Path

MAX_BYTES = 1024 * 1024
"""The largest file that ReadFile shows: more would fill any model's window."""

PROBE_BYTES = 8192
"""How far into a file a NUL byte is looked for, as git does to tell binary from text."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is the beginning of this one
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def encoding_of(head: bytes) -> str | None:
    """The encoding of a file that begins with these bytes; None for a binary file."""
    for mark, encoding in _BOMS:
        if head.startswith(mark):
            return encoding
    return None if b"\0" in head[:PROBE_BYTES] else "utf-8"


def read_text(workdir: Path, path: str) -> str:
    """The text of a regular file; bytes that are not valid in its encoding become replacement characters.

    :raises ToolError: there is no such file, it is no regular file, too large, binary or unreadable.
    """
    target = resolve(workdir, path)
    mode = mode_of(target, path)
    if stat.S_ISDIR(mode):
        message = f"{path} is a directory; use ListDirectory to see what is in it"
        raise ToolError(message)
    if not stat.S_ISREG(mode):
        message = f"{path} is not a regular file"
        raise ToolError(message)
    try:
        with target.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
            size = max(target.stat().st_size, len(data))
    except OSError as error:
        raise ToolError(reason(path, error)) from error
    if len(data) > MAX_BYTES:
        message = f"{path} has {size_text(size)}; files of more than 1 MB are not read, use GrepFiles to search in it"
        raise ToolError(message)
    encoding = encoding_of(data)
    if encoding is None:
        message = f"{path} is a binary file ({size_text(size)}); it cannot be shown as text"
        raise ToolError(message)
    return data.decode(encoding, errors="replace")


def line_window(text: str, *, start: int | None, count: int | None, path: str) -> str:
    """``count`` lines from line ``start`` (the first is 1); None is from the first, or to the last.

    :raises ToolError: a number below 1, or a start behind the last line.
    """
    if (start is not None and start < 1) or (count is not None and count < 1):
        message = "startLine and lineCount must be at least 1"
        raise ToolError(message)
    if start is None and count is None:
        return text
    *ended, rest = text.split("\n")
    lines = [f"{line}\n" for line in ended] + ([rest] if rest else [])
    first = (start or 1) - 1
    if first and first >= len(lines):
        message = f"startLine {first + 1} is behind the end: {path} has {len(lines)} lines"
        raise ToolError(message)
    return "".join(lines[first:] if count is None else lines[first : first + count])
