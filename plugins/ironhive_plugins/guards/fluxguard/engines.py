"""The optional engines of the ``guard`` extra, imported on first use.

A missing one is one clear error that says what to install; it is never taken for "nothing found".
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

from ironhive.errors import IronHiveError

INSTALL_HINT = "pip install 'ironhive[guard]'"


class MissingEngineError(IronHiveError):
    """A library of the ``guard`` extra is not installed. ``module`` names it."""

    def __init__(self, module: str) -> None:
        super().__init__(f"fluxguard needs the module {module!r}: {INSTALL_HINT}")
        self.module = module


@cache
def engine(module: str) -> Any:
    """The imported module; raises :class:`MissingEngineError` when its distribution is absent."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise MissingEngineError(error.name or module) from error


@cache
def pattern(expression: str) -> Any:
    """``expression`` compiled by RE2, which matches in linear time whatever the text; raises ValueError for a bad
    one.
    """
    re2 = engine("re2")
    options = re2.Options()
    options.log_errors = False
    options.max_mem = 64 << 20
    try:
        return re2.compile(expression, options)
    except re2.error as error:
        raise ValueError(f"not a pattern that RE2 accepts: {error}") from error
