"""Conformance suites: what every plugin of a kind must do, as plain async checks with a pytest face.

A suite is a class with ``check_…`` coroutines. A subclass says what is tested. Under pytest a subclass whose name
begins with ``Test`` is a test class: each check appears as ``test_…`` and needs no asyncio plugin; one that does not
apply passes. Without pytest, :func:`run_suite` runs the checks and returns what came of them.
"""

from __future__ import annotations

import asyncio
import functools
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PREFIX = "check_"


class NotApplicableError(Exception):
    """A check has nothing to look at: the subject does not have that ability, or the suite was given no example."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What came of one check. ``problem`` is empty when it passed, ``applicable`` False when it had nothing to do."""

    name: str
    problem: str = ""
    applicable: bool = True

    @property
    def ok(self) -> bool:
        """Nothing is wrong."""
        return not self.problem


class Conformance:
    """Base of the suites."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name in checks_of(cls):
            setattr(cls, f"test_{name}", _face(getattr(cls, _PREFIX + name)))


def checks_of(suite: type[Conformance]) -> tuple[str, ...]:
    """The names of a suite's checks, without their prefix."""
    return tuple(name.removeprefix(_PREFIX) for name in dir(suite) if name.startswith(_PREFIX))


async def run_suite(suite: Conformance, *, seconds: float = 30.0) -> list[CheckResult]:
    """Run every check of a suite, each within ``seconds``; failures are results."""
    results = []
    for name in checks_of(type(suite)):
        try:
            async with asyncio.timeout(seconds):
                await getattr(suite, _PREFIX + name)()
        except NotApplicableError:
            results.append(CheckResult(name, applicable=False))
        except Exception as error:  # noqa: BLE001 - whatever a stranger's code raises is the result of the check
            results.append(CheckResult(name, f"{type(error).__name__}: {error}".strip(": ")))
        else:
            results.append(CheckResult(name))
    return results


def require(condition: object, problem: str) -> None:
    """Fail a check with a text for the plugin's author."""
    if not condition:
        raise AssertionError(problem)


@contextmanager
def own_tasks() -> Iterator[list[asyncio.Task[Any]]]:
    """Collect the tasks that code inside starts; those of a server in the same loop are not among them."""
    loop = asyncio.get_running_loop()
    inside: ContextVar[bool] = ContextVar("inside", default=False)
    found: list[asyncio.Task[Any]] = []
    former = loop.get_task_factory()

    def make(loop: asyncio.AbstractEventLoop, coro: Any, **more: Any) -> Any:
        task = asyncio.Task(coro, loop=loop, **more) if former is None else former(loop, coro, **more)
        if inside.get():
            found.append(task)  # type: ignore[arg-type]  # a former factory may make other futures
        return task

    token = inside.set(True)
    loop.set_task_factory(make)
    try:
        yield found
    finally:
        loop.set_task_factory(former)
        inside.reset(token)


def _face(check: Callable[[Any], Any]) -> Callable[[Any], None]:
    @functools.wraps(check)
    def test(self: Any) -> None:
        with suppress(NotApplicableError):
            asyncio.run(check(self))

    del test.__wrapped__  # pytest would look through it and find a coroutine function
    return test
