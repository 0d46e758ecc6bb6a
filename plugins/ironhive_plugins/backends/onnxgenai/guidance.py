"""A guide as onnxruntime-genai's guidance: JSON Schema, or a Lark grammar around one."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ironhive.inference import Guide

STYLE = {"item_separator": ", ", "key_separator": ": ", "whitespace_flexible": False}
"""JSON in the one form ``json.dumps`` writes."""


def guidance_of(guide: Guide) -> tuple[str, str]:
    """The kind and the text for ``set_guidance``."""
    schema = {**_closed(guide.schema), "x-guidance": STYLE}
    if not guide.closer:
        return "json_schema", json.dumps(schema)
    one = rf"/\n?/ call /\n?/ {json.dumps(guide.closer)}"
    if guide.opener:
        opener = json.dumps(guide.opener)
        mark = re.escape(guide.opener).replace("/", r"\/")
        start = rf"start: TEXT ({opener} {one} (/\n?/ {opener} {one})*)?"
        text = rf"TEXT: /(?s:.*)/ & ~/(?s:.*){mark}(?s:.*)/"
        return "lark_grammar", "\n".join([start, text, f"call: %json {json.dumps(schema)}"])
    return "lark_grammar", "\n".join([f"start: {one}", f"call: %json {json.dumps(schema)}"])


def _closed(node: Any) -> Any:
    """Objects without further properties, which a schema allows unless it says otherwise."""
    if isinstance(node, dict):
        result: dict[str, Any] = {}
        for key, value in node.items():
            if key == "properties":
                result[key] = {name: _closed(child) for name, child in value.items()}
            elif key in {"enum", "const", "required"}:
                result[key] = value
            else:
                result[key] = _closed(value)
        if node.get("type") == "object":
            result.setdefault("additionalProperties", False)
        return result
    return [_closed(item) for item in node] if isinstance(node, list) else node
