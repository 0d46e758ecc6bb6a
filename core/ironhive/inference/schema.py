"""JSON Schema brought to the subset that grammars can hold a model to.

The result knows ``type`` (one word), ``enum``, ``const``, ``anyOf``, ``properties``/``required``,
``additionalProperties`` (the values of an object that names no properties of its own), ``items`` with
``minItems``/``maxItems``, ``minLength``/``maxLength``, ``pattern``, ``format``, ``minimum``/``maximum`` of integers.
References are written out, strings and arrays get an upper bound, and what a grammar cannot express is left out: the
finished value is validated against the original schema afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive.chat import Tool

MAX_DEPTH = 6
"""Nesting that is written out; deeper parts are left out where they are optional, else become short texts."""
MAX_ITEMS = 8
"""Elements of an array that names no bound of its own."""
MAX_STRING = 4000
"""Characters of a string that names no bound of its own, at most."""
FORMATS = frozenset({"date", "time", "date-time", "uuid"})

_KINDS = ("object", "array", "string", "integer", "number", "boolean", "null")


def call_schema(tools: Sequence[Tool], *, max_string: int = MAX_STRING) -> dict[str, Any]:
    """The schema of one call of any of these tools: ``{"name": …, "arguments": {…}}``."""
    calls = [
        {
            "type": "object",
            "properties": {
                "name": {"const": tool.name},
                "arguments": simplify({"type": "object", **tool.parameters}, max_string=max_string),
            },
            "required": ["name", "arguments"],
        }
        for tool in tools
    ]
    return calls[0] if len(calls) == 1 else {"anyOf": calls}


def simplify(schema: Mapping[str, Any], *, max_string: int = MAX_STRING) -> dict[str, Any]:
    """The schema in the subset described above.

    :param max_string: the bound for strings without one.
    """
    return _Simplifier(schema, max_string).node(schema, MAX_DEPTH)


class _Simplifier:
    def __init__(self, root: Mapping[str, Any], max_string: int) -> None:
        self._root = root
        self._max_string = max_string

    def node(self, schema: Any, depth: int) -> dict[str, Any]:
        if not isinstance(schema, Mapping):
            return self._anything()
        schema = self._resolved(schema)
        if "const" in schema:
            return {"const": schema["const"]}
        if isinstance(schema.get("enum"), (list, tuple)) and schema["enum"]:
            return {"enum": list(schema["enum"])}
        for word in ("anyOf", "oneOf"):
            if isinstance(schema.get(word), (list, tuple)) and schema[word]:
                base = {key: value for key, value in schema.items() if key != word}
                return self._union([{**base, **self._resolved(option)} for option in schema[word]], depth)
        if isinstance(schema.get("allOf"), (list, tuple)):
            return self.node(self._merged(schema), depth)
        kind = schema.get("type")
        if isinstance(kind, (list, tuple)):
            return self._union([{**schema, "type": word} for word in kind], depth)
        return self._of_kind(kind if kind in _KINDS else self._guess(schema), schema, depth)

    def _of_kind(self, kind: str | None, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        match kind:
            case "object":
                return self._object(schema, depth)
            case "array":
                return self._array(schema, depth)
            case "string":
                return self._string(schema)
            case "integer" | "number":
                return {"type": kind, **_bounds(schema)}
            case "boolean" | "null":
                return {"type": kind}
            case _:
                return self._anything()

    def _object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        given = schema.get("properties")
        properties = given if isinstance(given, Mapping) else {}
        others = schema.get("additionalProperties", True)
        if not properties and others is not False:
            value = self.node(others, depth - 1) if isinstance(others, Mapping) and depth > 1 else self._anything()
            return {"type": "object", "properties": {}, "required": [], "additionalProperties": value}
        required = [name for name in schema.get("required", ()) if name in properties]
        kept = {
            name: self.node(child, depth - 1) for name, child in properties.items() if depth > 1 or name in required
        }
        return {"type": "object", "properties": kept, "required": required}

    def _array(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        least = _count(schema.get("minItems"), 0)
        most = max(least, _count(schema.get("maxItems"), max(least, MAX_ITEMS)))
        items = self.node(schema.get("items", {}), depth - 1) if depth > 1 else {"type": "string", "maxLength": 40}
        return {"type": "array", "items": items, "minItems": least, "maxItems": most}

    def _string(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        least = _count(schema.get("minLength"), 0)
        most = _count(schema.get("maxLength"), max(least, self._max_string))
        result: dict[str, Any] = {"type": "string", "minLength": least, "maxLength": max(least, most)}
        if isinstance(schema.get("pattern"), str):
            result["pattern"] = schema["pattern"]
        if schema.get("format") in FORMATS:
            result["format"] = schema["format"]
        return result

    def _anything(self) -> dict[str, Any]:
        text = {"type": "string", "minLength": 0, "maxLength": min(200, self._max_string)}
        return {"anyOf": [text, {"type": "number"}, {"type": "boolean"}, {"type": "null"}]}

    def _union(self, options: Sequence[Mapping[str, Any]], depth: int) -> dict[str, Any]:
        nodes: list[dict[str, Any]] = []
        for option in options:
            node = self.node(option, depth)
            for part in node["anyOf"] if set(node) == {"anyOf"} else [node]:
                if part not in nodes:
                    nodes.append(part)
        return nodes[0] if len(nodes) == 1 else {"anyOf": nodes}

    def _merged(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        result = {key: value for key, value in schema.items() if key != "allOf"}
        properties = dict(result.get("properties", {}))
        required = list(result.get("required", ()))
        for reference in schema["allOf"]:
            part = self._resolved(reference)
            part = self._merged(part) if "allOf" in part else part
            properties.update(part.get("properties", {}))
            required += [name for name in part.get("required", ()) if name not in required]
            result.update({key: value for key, value in part.items() if key not in {"properties", "required"}})
        if properties:
            result["properties"] = properties
            result["required"] = required
        return result

    def _resolved(self, schema: Any) -> Mapping[str, Any]:
        for _ in range(16):  # a chain of references that is longer is a circle
            if not isinstance(schema, Mapping):
                return {}
            reference = schema.get("$ref")
            if not isinstance(reference, str):
                return schema
            rest = {key: value for key, value in schema.items() if key != "$ref"}
            schema = {**self._look_up(reference), **rest}
        return {}

    def _look_up(self, reference: str) -> Mapping[str, Any]:
        target: Any = self._root
        for step in reference.removeprefix("#").split("/")[1:] if reference.startswith("#") else ["\0"]:
            key = step.replace("~1", "/").replace("~0", "~")
            target = target.get(key) if isinstance(target, Mapping) else None
        return target if isinstance(target, Mapping) else {}

    @staticmethod
    def _guess(schema: Mapping[str, Any]) -> str | None:
        for key, kind in (("properties", "object"), ("items", "array"), ("pattern", "string"), ("minimum", "number")):
            if key in schema:
                return kind
        return None


def _count(value: Any, otherwise: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else otherwise


def _bounds(schema: Mapping[str, Any]) -> dict[str, Any]:
    if schema.get("type") != "integer":
        return {}
    found: dict[str, int] = {}
    least, most = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if isinstance(least, (int, float)) and not isinstance(least, bool):
        found["minimum"] = -int(-least // 1)
    if isinstance(above, (int, float)) and not isinstance(above, bool):
        found["minimum"] = int(above // 1) + 1
    if isinstance(most, (int, float)) and not isinstance(most, bool):
        found["maximum"] = int(most // 1)
    if isinstance(below, (int, float)) and not isinstance(below, bool):
        found["maximum"] = -int(-below // 1) - 1
    return found
