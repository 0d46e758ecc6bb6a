"""Tools: functions that a model may ask to have run."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

from ironhive.chat.signature import Signature
from ironhive.errors import ToolArgumentError, ToolError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """A function with the description that a model reads.

    ``parameters`` is a JSON Schema of type object. ``invoke`` takes arguments that fit it and returns text, a JSON
    value or a tuple of contents; None makes the tool a declaration only, which the host's own client answers.
    ``read_only`` says that running it changes nothing (None: unknown). ``target_arguments`` name the parameters that
    identify what a call acts on. ``max_seconds`` bounds one run.
    """

    name: str
    description: str
    parameters: Mapping[str, Any] = field(default_factory=lambda: {"type": "object", "properties": {}})
    invoke: Callable[[Mapping[str, Any]], Awaitable[Any]] | None = None
    read_only: bool | None = None
    target_arguments: tuple[str, ...] = ()
    max_seconds: float | None = None

    async def __call__(self, arguments: Mapping[str, Any]) -> Any:
        """Run the tool.

        :raises ToolArgumentError: the arguments do not fit the parameters; the function was not run.
        """
        if self.invoke is None:
            message = f"tool {self.name!r} is a declaration only; the client that declared it has to run it"
            raise ToolArgumentError(message)
        return await self.invoke(arguments)

    def __repr__(self) -> str:
        return f"Tool({self.name!r})"


@overload
def tool(function: Callable[..., Any], /) -> Tool: ...


@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    read_only: bool | None = None,
    target: str | tuple[str, ...] = (),
    max_seconds: float | None = None,
) -> Callable[[Callable[..., Any]], Tool]: ...


def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    read_only: bool | None = None,
    target: str | tuple[str, ...] = (),
    max_seconds: float | None = None,
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a :class:`Tool` of a function, sync or async.

    The parameter schema comes from the signature's annotations, the descriptions from the docstring (its first
    paragraph for the tool, ``:param name:`` lines for the parameters). A sync function runs in a worker thread.

    :param target: the parameter or parameters that name what a call acts on.
    :raises TypeError: a parameter has no annotation, cannot be described by a schema, or ``target`` names none.
    """

    def make(func: Callable[..., Any]) -> Tool:
        signature = Signature.of(func)
        targets = (target,) if isinstance(target, str) else target
        unknown = [item for item in targets if item not in signature.fields]
        if unknown:
            message = f"tool {signature.name!r} has no parameter {unknown[0]!r} to use as a target"
            raise TypeError(message)
        return Tool(
            name=name or signature.name,
            description=description or signature.summary,
            parameters=signature.schema,
            invoke=_invoker(func, signature, name or signature.name),
            read_only=read_only,
            target_arguments=targets,
            max_seconds=max_seconds,
        )

    return make if function is None else make(function)


def _invoker(
    function: Callable[..., Any], signature: Signature, name: str
) -> Callable[[Mapping[str, Any]], Awaitable[Any]]:
    is_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)

    async def invoke(arguments: Mapping[str, Any]) -> Any:
        bound = signature.bind(name, arguments)
        if is_async:
            return await function(**bound)
        import asyncio  # a fifth of this package's import time: only where a thread is needed

        result = await asyncio.to_thread(_run, function, bound)
        return await result if inspect.isawaitable(result) else result

    return invoke


def _run(function: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
    try:
        return function(**arguments)
    except StopIteration as error:  # cannot cross from a thread to a coroutine, which would wait for ever
        message = f"StopIteration: {error}" if str(error) else "StopIteration"
        raise ToolError(message) from error
