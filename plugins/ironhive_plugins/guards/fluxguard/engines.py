"""The optional engines of the ``guard`` extra, imported on first use.

A missing one is one clear error that says what to install; it is never taken for "nothing found".
"""

from __future__ import annotations

import importlib
import importlib.util
from functools import cache
from typing import Any

from ironhive.errors import PluginError

INSTALL_HINT = "pip install 'ironhive[guard]'"


class MissingEngineError(PluginError):
    """A library of the ``guard`` extra is not installed. ``module`` names it."""

    def __init__(self, module: str) -> None:
        super().__init__(f"fluxguard needs the module {module!r}: {INSTALL_HINT}")
        self.module = module


ENGINES = ("re2", "phonenumbers", "stdnum", "email_validator")
"""The modules of the extra."""


def check_installed() -> None:
    """See that every engine is there, without importing any.

    :raises MissingEngineError: one is not; it says what to install.
    """
    for module in ENGINES:
        if importlib.util.find_spec(module) is None:
            raise MissingEngineError(module)


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
