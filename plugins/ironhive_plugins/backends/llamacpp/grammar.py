"""A simplified JSON Schema as a GBNF grammar.

llama-cpp-python's own converter leaves strings unbounded and allows white space anywhere, both of which let a small
model at a high temperature run on until it is cut. This one writes JSON in the one form ``json.dumps`` writes.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ironhive_plugins.backends.llamacpp.pattern import pattern_rule
from ironhive_plugins.backends.llamacpp.ranges import integer_rule

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ironhive.inference import Guide

CHUNK = 64
"""Characters that one rule repeats; llama.cpp refuses repetitions in the thousands, so long strings are chunks."""

KEY = 24
PAIRS = 6
"""Bounds of an object that may have any properties."""

CHAR = r'[^"\\\x00-\x1F\x7F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4})'
NUMBER = r'"-"? ("0" | [1-9] [0-9]{0,14}) ("." [0-9]{1,8})?'
DATE = r'[0-9]{4} "-" ("0" [1-9] | "1" [0-2]) "-" ("0" [1-9] | "1" [0-9] | "2" [0-8])'
TIME = r'([01] [0-9] | "2" [0-3]) ":" [0-5] [0-9] ":" [0-5] [0-9] "Z"'
UUID = r'[0-9a-f]{8} "-" [0-9a-f]{4} "-" [0-9a-f]{4} "-" [0-9a-f]{4} "-" [0-9a-f]{12}'
FORMATS = {"date": DATE, "time": TIME, "date-time": f'{DATE} "T" {TIME}', "uuid": UUID}


def grammar_of(guide: Guide) -> str:
    """The grammar for a guide: ``root`` is what follows the opener, or the whole output where there is none."""
    rules = _Rules()
    value = rules.visit(guide.schema)
    if not guide.closer:
        root = value
    else:
        closer = literal(guide.closer)
        one = rf'"\n"? {value} "\n"? {closer}'
        root = rf'{one} ("\n"? {literal(guide.opener)} {one})*' if guide.opener else one
    rules.rules["root"] = root
    return "\n".join(f"{name} ::= {body}" for name, body in rules.rules.items())


def literal(text: str) -> str:
    """Text as a GBNF literal."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return '"' + escaped.replace("\t", "\\t") + '"'


class _Rules:
    def __init__(self) -> None:
        self.rules: dict[str, str] = {"char": CHAR}
        self._names: dict[str, str] = {}

    def add(self, body: str) -> str:
        """The name of a rule with this body; equal bodies share one."""
        if body not in self._names:
            name = f"r{len(self._names)}"
            self._names[body] = name
            self.rules[name] = body
        return self._names[body]

    def visit(self, node: Mapping[str, Any]) -> str:
        if "const" in node:
            return literal(json.dumps(node["const"], ensure_ascii=False))
        if "enum" in node:
            return self.add(" | ".join(literal(json.dumps(value, ensure_ascii=False)) for value in node["enum"]))
        if "anyOf" in node:
            return self.add(" | ".join(self.visit(option) for option in node["anyOf"]))
        match node.get("type"):
            case "object":
                return self.add(self._object(node))
            case "array":
                return self.add(self._array(node))
            case "string":
                return self.add(self._string(node))
            case "integer":
                return self.add(integer_rule(node.get("minimum"), node.get("maximum")))
            case "number":
                return self.add(NUMBER)
            case "boolean":
                return self.add('"true" | "false"')
            case _:
                return '"null"'

    def _object(self, node: Mapping[str, Any]) -> str:
        """Properties in their order, each optional one may be left out; or a few of any name."""
        if "additionalProperties" in node:
            key = self._string({"minLength": 1, "maxLength": KEY})
            pair = self.add(f'{key} ": " {self.visit(node["additionalProperties"])}')
            return f'"{{" ({pair} (", " {pair}){{0,{PAIRS - 1}}})? "}}"'
        required = set(node["required"])
        members = [
            (rf"{literal(json.dumps(name, ensure_ascii=False) + ': ')} {self.visit(child)}", name in required)
            for name, child in node["properties"].items()
        ]
        return f'"{{" {self._members(members)} "}}"' if members else '"{}"'

    def _members(self, members: list[tuple[str, bool]]) -> str:
        """``rest`` holds, from the back, what may follow once a member has been written."""
        rest = ""
        first: list[str] = []
        for body, is_required in reversed(members):
            start = f"{body} {rest}".strip()
            first = [start] if is_required else [start, *first]
            follow = f'", " {body} {rest}'.strip()
            if is_required:
                rest = self.add(follow)
            elif rest:
                rest = self.add(f"{follow} | {rest}")
            else:
                rest = self.add(f"({follow})?")
        options = " | ".join(first)
        all_optional = not any(is_required for _, is_required in members)
        return f"({options})?" if all_optional else f"({options})"

    def _array(self, node: Mapping[str, Any]) -> str:
        item = self.visit(node["items"])
        least, most = node["minItems"], node["maxItems"]
        if most == 0:
            return '"[]"'
        body = f'{item} (", " {item}){{{max(least - 1, 0)},{most - 1}}}'
        return f'"[" {body} "]"' if least else f'"[" ({body})? "]"'

    def _string(self, node: Mapping[str, Any]) -> str:
        if node.get("format") in FORMATS:
            return rf'"\"" {FORMATS[node["format"]]} "\""'
        if "pattern" in node:
            rule = pattern_rule(node["pattern"], node["maxLength"])
            if rule is not None:
                return rf'"\"" {rule} "\""'
        return rf'"\"" {self._characters(node["minLength"], node["maxLength"])} "\""'

    def _characters(self, least: int, most: int) -> str:
        if most <= CHUNK:
            return f"char{{{least},{most}}}"
        chunks, left = divmod(least, CHUNK)
        most_chunks = most // CHUNK
        chunk = self.add(f"char{{{CHUNK}}}")
        if not left:
            return f"{chunk}{{{chunks},{max(chunks, most_chunks - 1)}}} char{{0,{CHUNK}}}"
        return f"char{{{left}}} {chunk}{{{chunks},{max(chunks, most_chunks - 1)}}} char{{0,{CHUNK - left}}}"
