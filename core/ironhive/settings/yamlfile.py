"""A YAML file read as a plain mapping. Light: no pydantic, and yaml itself only when there is a file."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING, Any, Final

from ironhive.errors import ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path


MAX_BYTES: Final = 4 * 1024 * 1024
"""The largest file that is read. A pipe or a device, which might never end, is not read at all."""

MAX_VALUES: Final = 100_000
"""The most values a file may hold, each use of an alias counted: a few lines can otherwise name billions."""


def read_yaml(path: Path) -> dict[str, Any]:
    """The mapping in a YAML file; an absent or empty file is an empty mapping.

    :raises ConfigurationError: the file cannot be read, is not YAML, or holds something else than a mapping. A file is
        never applied by halves: whoever wrote a guard into it must not run unguarded because of a typing slip.
    """
    try:
        found = path.stat()
        if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)) or found.st_size > MAX_BYTES:
            message = f"cannot read {path}: it is no regular file of at most {MAX_BYTES} bytes; move it away"
            raise ConfigurationError(message)
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        message = f"cannot read {path}: {error}; make it a readable UTF-8 file, or move it away"
        raise ConfigurationError(message) from error
    import yaml  # 24 ms: only where there is a file

    try:
        tree = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - both are the safe loader
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        message = f"{path} is not YAML: {_where(error)}; correct that line, or move the file away"
        raise ConfigurationError(message) from error
    if tree is None:
        return {}
    if not isinstance(tree, dict):
        message = f"{path} must hold keys with values, not {kind_of(tree)}; see docs/reference/configuration.md"
        raise ConfigurationError(message)
    if _is_endless(tree):
        message = (
            f"{path} holds more than {MAX_VALUES} values, or an alias refers to itself; write it out without aliases"
        )
        raise ConfigurationError(message)
    return {str(key): value for key, value in tree.items()}


def _is_endless(tree: dict[Any, Any]) -> bool:
    pending: list[Any] = [tree]
    left = MAX_VALUES
    while pending:
        item = pending.pop()
        below = item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
        left -= len(below)
        if left < 0:
            return True
        pending.extend(below)
    return False


def _where(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    return f"line {mark.line + 1}, column {mark.column + 1}: {problem}" if mark is not None else str(problem)


def kind_of(value: object) -> str:
    """What a value is, without saying it: where keys are expected, what stands there may be a credential."""
    names = {list: "a list", str: "just text", bool: "just a yes or no", int: "just a number", float: "just a number"}
    return names.get(type(value), f"a {type(value).__name__}")
