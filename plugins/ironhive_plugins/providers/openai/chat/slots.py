"""Tool calls put together from the pieces of a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ironhive.chat import ProviderData
from ironhive.http import tool_call

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ironhive.chat import ToolCallContent

_LEGACY: Final = -1


class CallSlot:
    """One call in the making; argument pieces are joined once, at the end."""

    __slots__ = ("arguments", "call_id", "extra", "index", "name", "pieces")

    def __init__(self, index: int | None) -> None:
        self.index = index
        self.call_id = ""
        self.name = ""
        self.pieces: list[str] = []
        self.arguments: Any = None
        self.extra: Any = None


class CallSlots:
    """Sorts the pieces of tool calls into calls.

    A piece belongs to the call with its ``index``; without one, to the call with its ``id``; with neither, to the last
    call, unless it begins a new one. A new id together with a name begins a new call even under a used index: some
    servers number every call 0. ``extra_content``, where Google's OpenAI surface keeps its signatures, stays with the
    call for ``family``, the server that sent it.
    """

    def __init__(self, family: str) -> None:
        self._family = family
        self._slots: list[CallSlot] = []

    def __bool__(self) -> bool:
        return bool(self._slots)

    def add(self, deltas: Iterable[Any]) -> None:
        """Take the tool-call pieces of one event."""
        for position, delta in enumerate(deltas):
            if isinstance(delta, dict):
                function = delta.get("function") or delta.get("custom") or {}
                self._add(delta, function if isinstance(function, dict) else {}, position)

    def add_legacy(self, function: Any) -> None:
        """Take a piece of the older ``function_call``.

        Servers that know no such call may send an empty one, and some say each call in both ways.
        """
        both = any(slot.index != _LEGACY for slot in self._slots)
        if isinstance(function, dict) and (function.get("name") or function.get("arguments")) and not both:
            self._add({"index": _LEGACY}, function, 0)

    def take(self) -> list[ToolCallContent]:
        """The calls, complete, in the order they began."""
        slots, self._slots = self._slots, []
        return [
            tool_call(
                slot.name,
                slot.arguments if slot.arguments is not None else "".join(slot.pieces),
                call_id=slot.call_id,
                private=slot.extra,
            )
            for slot in slots
        ]

    def _add(self, delta: dict[str, Any], function: dict[str, Any], position: int) -> None:
        slot = self._slot(delta, function, position)
        call_id, name = delta.get("id"), function.get("name")
        if call_id and not slot.call_id:
            slot.call_id = str(call_id)
        if name and not slot.name:
            slot.name = str(name)
        if isinstance(delta.get("extra_content"), dict):
            slot.extra = ProviderData(self._family, {"extra_content": delta["extra_content"]})
        arguments = function.get("arguments", function.get("input"))
        if isinstance(arguments, str):
            slot.pieces.append(arguments)
        elif arguments is not None:
            slot.arguments = arguments

    def _slot(self, delta: dict[str, Any], function: dict[str, Any], position: int) -> CallSlot:
        index, call_id = delta.get("index"), delta.get("id")
        name = function.get("name")
        if isinstance(index, int):
            slot = next((slot for slot in reversed(self._slots) if slot.index == index), None)
            if slot is None or (call_id and name and slot.call_id and slot.call_id != call_id):
                return self._open(index)
            return slot
        if call_id:
            slot = next((slot for slot in reversed(self._slots) if slot.call_id == call_id), None)
            return slot or self._open(None)
        if not self._slots or self._begins(self._slots[-1], function, position):
            return self._open(None)
        return self._slots[-1]

    @staticmethod
    def _begins(last: CallSlot, function: dict[str, Any], position: int) -> bool:
        """Whether a piece without index and id begins a call: it names a tool, and is not the rest of the last one."""
        name, arguments = function.get("name"), function.get("arguments")
        if not name:
            return False
        whole = not isinstance(arguments, str) or arguments.lstrip()[:1] == "{"
        return position > 0 or not last.name or name != last.name or (whole and bool(last.pieces or last.arguments))

    def _open(self, index: int | None) -> CallSlot:
        slot = CallSlot(index)
        self._slots.append(slot)
        return slot
