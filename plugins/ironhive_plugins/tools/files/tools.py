"""What a model sees: four tools with short descriptions, in the order in which they are offered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ironhive.chat import tool
from ironhive_plugins.tools.files.grep import grep_files
from ironhive_plugins.tools.files.listing import glob_files, list_directory
from ironhive_plugins.tools.files.text import line_window, read_text
from ironhive_plugins.tools.files.threads import in_thread

if TYPE_CHECKING:
    from pathlib import Path

    from ironhive.chat import Tool


def file_tools(workdir: Path) -> tuple[Tool, ...]:
    """The read-only file tools; relative paths start at ``workdir``."""
    return _read_file(workdir), _list_directory(workdir), _glob_files(workdir), _grep_files(workdir)


def _read_file(workdir: Path) -> Tool:
    @tool(name="ReadFile", read_only=True, target="path")
    async def read_file(path: str, startLine: int | None = None, lineCount: int | None = None) -> str:  # noqa: N803 - as models know it
        """Read a text file, whole or a range of lines.

        :param path: the file.
        :param startLine: first line to read, counting from 1.
        :param lineCount: how many lines to read.
        """

        def work(_: object) -> str:
            return line_window(read_text(workdir, path), start=startLine, count=lineCount, path=path)

        return await in_thread(work)

    return read_file


def _list_directory(workdir: Path) -> Tool:
    @tool(name="ListDirectory", read_only=True, target="path")
    async def list_folder(path: str = ".", recursive: bool = False) -> str:  # noqa: FBT001, FBT002 - a model's names
        """List the files and folders in a directory, with file sizes.

        :param path: the directory; "." is the current one.
        :param recursive: also list what is in its subfolders.
        """
        return await in_thread(
            lambda checkpoint: list_directory(workdir, path, recursive=recursive, checkpoint=checkpoint)
        )

    return list_folder


def _glob_files(workdir: Path) -> Tool:
    @tool(name="GlobFiles", read_only=True, target=("pattern", "path"))
    async def find_files(pattern: str, path: str = ".") -> str:
        """Find files by name pattern.

        :param pattern: a glob such as *.md or src/**/*.py.
        :param path: the directory to search in.
        """
        return await in_thread(lambda checkpoint: glob_files(workdir, pattern, path, checkpoint=checkpoint))

    return find_files


def _grep_files(workdir: Path) -> Tool:
    @tool(name="GrepFiles", read_only=True, target=("pattern", "filePattern", "path"))
    async def search_files(pattern: str, filePattern: str, path: str = ".") -> str:  # noqa: N803 - as models know it
        """Find lines that contain a text, in any letter case.

        :param pattern: the text to look for, taken literally.
        :param filePattern: which files to search, such as *.py; * is all.
        :param path: the directory to search in.
        """
        return await in_thread(
            lambda checkpoint: grep_files(workdir, pattern, filePattern, path, checkpoint=checkpoint)
        )

    return search_files
