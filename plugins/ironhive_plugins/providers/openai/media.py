"""Images, documents and sounds as parts of a message on the OpenAI wires."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ironhive.chat import DataContent


def data_url(data: DataContent) -> str:
    """The address of a part: its own, or its bytes as a ``data:`` URL."""
    if data.uri is not None:
        return data.uri
    return f"data:{data.media_type};base64,{base64.b64encode(data.data or b'').decode('ascii')}"


def is_text(data: DataContent) -> bool:
    """Whether a document is plain text that any model reads."""
    return data.data is not None and (
        data.media_type.startswith("text/") or data.media_type in ("application/json", "application/xml")
    )


def as_text(data: DataContent) -> str:
    """A text document with its name above it."""
    text = (data.data or b"").decode("utf-8", "replace")
    return f"{data.name}:\n{text}" if data.name else text


def chat_part(data: DataContent) -> dict[str, Any]:
    """The part of a user message on the Chat Completions wire."""
    if data.media_type.startswith("image/"):
        return {"type": "image_url", "image_url": {"url": data_url(data)}}
    if is_text(data):
        return {"type": "text", "text": as_text(data)}
    if data.media_type.startswith("audio/") and data.data is not None:
        encoded = base64.b64encode(data.data).decode("ascii")
        return {"type": "input_audio", "input_audio": {"data": encoded, "format": _sound(data.media_type)}}
    if data.data is not None:
        return {"type": "file", "file": {"filename": data.name or _name(data), "file_data": data_url(data)}}
    return {"type": "text", "text": f"[{data.media_type} at {data.uri}]"}  # this wire takes no document by address


def responses_part(data: DataContent) -> dict[str, Any]:
    """The part of a user message on the Responses wire."""
    if data.media_type.startswith("image/"):
        return {"type": "input_image", "image_url": data_url(data), "detail": "auto"}
    if is_text(data):
        return {"type": "input_text", "text": as_text(data)}
    if data.uri is not None:
        return {"type": "input_file", "file_url": data.uri}
    return {"type": "input_file", "filename": data.name or _name(data), "file_data": data_url(data)}


def _sound(media_type: str) -> str:
    kind = media_type.partition("/")[2].removeprefix("x-")
    return {"mpeg": "mp3", "wave": "wav"}.get(kind, kind)


def _name(data: DataContent) -> str:
    return f"document.{data.media_type.rpartition('/')[2].partition('+')[0]}"
