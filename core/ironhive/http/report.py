"""What a provider says in an error: its message, its code, and the window it names."""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass
from typing import Any, Final

_ERROR_STATUSES = range(400, 600)
MAX_DETAIL: Final = 300
"""Characters of a provider's message that an error repeats: enough for every message seen, short enough for a line."""

_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_TAGS = re.compile(r"<(script|style).*?</\1>|<[^>]+>", re.IGNORECASE | re.DOTALL)
_HTML = re.compile(r"\s*<(?:!doctype|html|head|body|\?xml)", re.IGNORECASE)
_MESSAGE_KEYS = ("message", "detail", "msg", "error_description", "error_message", "title", "reason")
_CODE_KEYS = ("code", "type", "status", "error_code")

_OVERFLOW_CODES: Final = frozenset(
    {"context_length_exceeded", "exceed_context_size_error", "context_window_exceeded", "context_too_large"}
)
_OVERFLOW_TEXT = re.compile(
    r"prompt is too long|context size has been exceeded|available context size|maximum context length"
    r"|exceeds?(?: the)?(?: model'?s?)? (?:maximum |max(?:imum)? )?context(?: window| length| size)?"
    r"|context (?:window|length|size)(?: of| is)? (?:exceeded|overflow)|maximum prompt length"
    r"|exceeds the maximum number of (?:input )?tokens|input (?:is|length|prompt)[^.]{0,20} too (?:long|large)"
    r"|too large for model with|exceed context window|context the overflows"
    r"|reduce the length of the (?:messages|prompt)"
    r"|input exceeds the context|tokens? \+ `?max_new_tokens`? must be",
    re.IGNORECASE,
)
_WINDOW_TEXT = re.compile(
    r"(?:maximum (?:context|prompt) length (?:is|of)|context size \(|context window (?:of|is)"
    r"|context length of(?: only)?|tokens >|tokens allowed \(?|model with|must be <=|\"n_ctx\":)\s*(\d[\d,]{2,})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ErrorReport:
    """A provider's own words: the first line of its message, and its code where it has one.

    ``overflow``: it says that the conversation does not fit; ``context_window`` is the window in tokens where it names
    one. ``status`` is an HTTP status inside the body.
    """

    message: str
    code: str | None = None
    status: int | None = None
    overflow: bool = False
    context_window: int | None = None


def read_report(body: Any) -> ErrorReport:
    """The report in an error body: a parsed JSON value of any of the shapes in use, plain text, or an HTML page."""
    if isinstance(body, str):
        return _from_text(body)
    node = _error_node(body)
    if isinstance(node, str):
        return _report(node, None, None, node)
    if not isinstance(node, dict):
        return ErrorReport("")
    message = _message(node)
    return _report(message, _code(node), _status(node), json.dumps(node, default=str))


def first_line(text: str, limit: int = MAX_DETAIL) -> str:
    """The first line of a text that has something on it, cut."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= limit else line[: limit - 3].rstrip() + "..."


def is_html(text: str) -> bool:
    """Whether a body is a web page, as proxies and wrong addresses answer."""
    return _HTML.match(text) is not None


def _from_text(text: str) -> ErrorReport:
    if not is_html(text):
        return _report(text, None, None, text)
    title = _TITLE.search(text)
    words = title.group(1) if title else _TAGS.sub(" ", text)
    return ErrorReport(first_line(f"an HTML page: {' '.join(html.unescape(words).split())}"))


def _error_node(body: Any) -> Any:
    if isinstance(body, list):
        return _error_node(body[0]) if body else None
    if not isinstance(body, dict):
        return None
    for key in ("error", "errors"):
        node = body.get(key)
        if isinstance(node, dict):
            return _error_node(node) if isinstance(node.get("error"), dict) else node
        if isinstance(node, list) and node:
            return node[0]
        if isinstance(node, str) and node:
            # xAI and others put the sentence into "error" and a code beside it
            return {**body, "error": None, "message": node}
    return body


def _message(node: dict[str, Any]) -> str:
    text = ""
    for key in _MESSAGE_KEYS:
        value = node.get(key)
        if isinstance(value, list) and value:
            value = value[0]
        if isinstance(value, dict):
            value = _message(value)
        if isinstance(value, str) and value.strip():
            text = value
            break
    metadata = node.get("metadata")
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    if isinstance(raw, str) and raw.strip():
        upstream = _from_raw(raw)
        text = f"{first_line(text)}: {upstream}" if text and upstream else text or upstream
    return text


def _from_raw(raw: str) -> str:
    try:
        return read_report(json.loads(raw)).message
    except ValueError:
        return read_report(raw).message


def _code(node: dict[str, Any]) -> str | None:
    words = [node.get(key) for key in _CODE_KEYS]
    for word in words:
        if isinstance(word, str) and word and not word.isdigit():
            return word
    return next(
        (str(word) for word in words if isinstance(word, (int, str)) and not isinstance(word, bool) and word), None
    )


def _status(node: dict[str, Any]) -> int | None:
    for key in ("status_code", "http_code", "code", "status"):
        value = node.get(key)
        if isinstance(value, str) and value.isdigit():
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and value in _ERROR_STATUSES:
            return value
    return None


def _report(message: str, code: str | None, status: int | None, everything: str) -> ErrorReport:
    overflow = code in _OVERFLOW_CODES or _OVERFLOW_TEXT.search(message) is not None
    window = _WINDOW_TEXT.search(message) or _WINDOW_TEXT.search(everything) if overflow else None
    return ErrorReport(
        first_line(message), code, status, overflow, int(window.group(1).replace(",", "")) if window else None
    )
