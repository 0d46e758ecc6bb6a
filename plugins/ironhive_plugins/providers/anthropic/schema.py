"""JSON Schemas in the dialect of structured output: closed objects, and no limits that the decoder cannot enforce."""

from __future__ import annotations

from typing import Any, Final

_LIMITS: Final = (
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern",
    "maxItems", "uniqueItems", "minProperties", "maxProperties",
)  # fmt: skip
_MAPS: Final = ("properties", "$defs", "definitions")
_LISTS: Final = ("anyOf", "allOf", "oneOf")


def closed_schema(schema: Any) -> Any:
    """The schema with every object closed; limits it cannot have become words of the description."""
    if not isinstance(schema, dict):
        return schema
    out = {key: value for key, value in schema.items() if key not in _LIMITS}
    for key in _MAPS:
        if isinstance(out.get(key), dict):
            out[key] = {name: closed_schema(inner) for name, inner in out[key].items()}
    for key in _LISTS:
        if isinstance(out.get(key), list):
            out[key] = [closed_schema(inner) for inner in out[key]]
    if "oneOf" in out:
        out["anyOf"] = [*out.get("anyOf", []), *out.pop("oneOf")]
    if "items" in out:
        out["items"] = closed_schema(out["items"])
    if isinstance(out.get("minItems"), int) and out["minItems"] > 1:
        out.pop("minItems")
    limits = {key: schema[key] for key in schema if key not in out and key in (*_LIMITS, "minItems")}
    if limits:
        words = ", ".join(f"{key}: {value}" for key, value in limits.items())
        out["description"] = f"{out.get('description', '')}\n({words})".strip()
    if out.get("type") == "object" or "properties" in out:
        out["additionalProperties"] = False
    return out
