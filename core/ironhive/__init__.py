"""ironhive: one safe model call, and a loop of them, both made of plugins.

The names below are fetched on first use, so that ``import ironhive`` costs next to nothing. Start with
:class:`Gateway` for single calls, :class:`Host` for an agent with tools.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for True; importing typing would double the cost of this module

if TYPE_CHECKING:
    from typing import Any, Final

    from ironhive.agent import AgentLoop, ToolCallingClient, run_sync
    from ironhive.chat import ChatClient, ChatMessage, ChatOptions, ChatResponse, ChatUpdate, Tool, tool
    from ironhive.errors import GuardError, IronHiveError
    from ironhive.gateway import Gateway, GatewayOptions
    from ironhive.hooks import hookimpl
    from ironhive.host import Host
    from ironhive.version import __version__

_HOMES: Final = {
    "AgentLoop": "agent",
    "ChatClient": "chat",
    "ChatMessage": "chat",
    "ChatOptions": "chat",
    "ChatResponse": "chat",
    "ChatUpdate": "chat",
    "Gateway": "gateway",
    "GatewayOptions": "gateway",
    "GuardError": "errors",
    "Host": "host",
    "IronHiveError": "errors",
    "Tool": "chat",
    "ToolCallingClient": "agent",
    "__version__": "version",
    "hookimpl": "hooks",
    "run_sync": "agent",
    "tool": "chat",
}

__all__ = [
    "AgentLoop",
    "ChatClient",
    "ChatMessage",
    "ChatOptions",
    "ChatResponse",
    "ChatUpdate",
    "Gateway",
    "GatewayOptions",
    "GuardError",
    "Host",
    "IronHiveError",
    "Tool",
    "ToolCallingClient",
    "__version__",
    "hookimpl",
    "run_sync",
    "tool",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        message = f"module 'ironhive' has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module

    return getattr(import_module(f"ironhive.{home}"), name)
