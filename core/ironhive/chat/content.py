"""The parts a message is made of.

All parts are immutable and cheap: they lie on the path of every streamed token. Their ``repr`` is safe to log: binary
data and provider-private blobs show as sizes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class ProviderData:
    """Something only one provider understands (a signature, an encrypted reasoning block, a server-side item).

    ``provider`` names the wire family that issued it, for example ``"anthropic"``; only that family gets it back, and
    unchanged. Everyone else leaves it out.
    """

    provider: str
    data: Mapping[str, Any]

    def __repr__(self) -> str:
        return f"ProviderData({self.provider!r}, keys={sorted(self.data)})"


@dataclass(frozen=True, slots=True)
class TextContent:
    """Visible text."""

    text: str
    private: ProviderData | None = None


@dataclass(frozen=True, slots=True)
class ReasoningContent:
    """What a model thought before it answered; never part of a message's ``text``.

    ``text`` may be empty when the provider shows nothing and only hands out an opaque block (``private``).
    """

    text: str
    private: ProviderData | None = None


@dataclass(frozen=True, slots=True)
class DataContent:
    """An image, a document or a sound: either its bytes or an address the provider can fetch.

    ``media_type`` is a MIME type such as ``image/png``. Exactly one of ``data`` and ``uri`` is set.
    """

    media_type: str
    data: bytes | None = None
    uri: str | None = None
    name: str | None = None

    def __post_init__(self) -> None:
        if (self.data is None) == (self.uri is None):
            message = "data content needs either bytes or a uri, not both and not neither"
            raise ValueError(message)

    def __repr__(self) -> str:
        body = f"{len(self.data)} bytes" if self.data is not None else "by uri"
        return f"DataContent({self.media_type!r}, {body})"


@dataclass(frozen=True, slots=True)
class ToolCallContent:
    """A complete request by a model to run a tool.

    ``arguments`` is None when the text that the model wrote could not be parsed as a JSON object; ``error`` then says
    where parsing stopped, and the tool must not be run. ``raw`` is that text as it was received ("" if the wire sends
    objects).
    """

    call_id: str
    name: str
    arguments: Mapping[str, Any] | None = field(default_factory=dict)
    raw: str = ""
    error: str | None = None
    private: ProviderData | None = None

    @property
    def arguments_text(self) -> str:
        """The arguments as JSON text: as received where there is such a text, else serialised."""
        if self.raw:
            return self.raw
        return json.dumps({} if self.arguments is None else dict(self.arguments), ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class ToolResultContent:
    """What a tool call came to.

    ``result`` is text, a JSON value, or a tuple of contents (text and data). ``success`` is None when the outcome is
    unknown. ``refusal`` is the code of the rule that kept the tool from running or withheld its result, else None.
    """

    call_id: str
    name: str
    result: Any = ""
    success: bool | None = True
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts of one or more model calls; None where the provider said nothing.

    ``input_tokens`` includes ``cached_input_tokens`` (read from a prompt cache) and ``cache_write_tokens``;
    ``output_tokens`` includes ``reasoning_tokens``.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    cached_input_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            _add(self.input_tokens, other.input_tokens),
            _add(self.output_tokens, other.output_tokens),
            _add(self.total_tokens, other.total_tokens),
            _add(self.cached_input_tokens, other.cached_input_tokens),
            _add(self.cache_write_tokens, other.cache_write_tokens),
            _add(self.reasoning_tokens, other.reasoning_tokens),
        )


def _add(left: int | None, right: int | None) -> int | None:
    if left is None:
        return right
    return left if right is None else left + right


@dataclass(frozen=True, slots=True)
class UsageContent:
    """Token counts inside a stream. A later one in the same response replaces an earlier one."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class ErrorContent:
    """A failure that a provider reported as part of an answer, such as a refusal's explanation."""

    message: str
    code: str | None = None


@dataclass(frozen=True, slots=True)
class OpaqueContent:
    """An item that only its provider understands and wants back unchanged, such as a server-side search result."""

    private: ProviderData


Content = (
    TextContent
    | ReasoningContent
    | DataContent
    | ToolCallContent
    | ToolResultContent
    | UsageContent
    | ErrorContent
    | OpaqueContent
)


def result_text(result: Any) -> str:
    """A tool's result as the text a text-only model reads.

    None is empty, text stays as it is, contents come one per line (binary data as a note with its type and size),
    anything else is JSON or, where JSON cannot say it, its string form.
    """
    if result is None:
        return ""
    if isinstance(result, str):
        return result
    if isinstance(result, (tuple, list)) and result and all(isinstance(item, _CONTENT_TYPES) for item in result):
        return "\n".join(_content_text(item) for item in result)
    if isinstance(result, _CONTENT_TYPES):
        return _content_text(result)
    try:
        return json.dumps(result, ensure_ascii=False, default=str)
    except Exception:  # noqa: BLE001 - a tool's own object: too deep, in a circle, or unable to say what it is
        return _string_form(result)


def _string_form(value: Any) -> str:
    try:
        return str(value)
    except Exception:  # noqa: BLE001 - as above
        return f"[{type(value).__name__}]"


_CONTENT_TYPES = (TextContent, ReasoningContent, DataContent, ErrorContent, OpaqueContent)


def _content_text(item: Any) -> str:
    match item:
        case TextContent(text=text) | ReasoningContent(text=text):
            return text
        case DataContent(media_type=kind, data=bytes() as data):
            return f"[{kind}, {len(data)} bytes]"
        case DataContent(media_type=kind, uri=uri):
            return f"[{kind} at {uri}]"
        case ErrorContent(message=message):
            return message
        case _:
            return f"[{type(item).__name__}]"
