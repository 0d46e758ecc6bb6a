"""The grammars that hold llama.cpp to a schema, checked by a small reader of them: what they allow, the schema allows."""

from __future__ import annotations

import json
import random
import re

import pytest
from jsonschema import Draft202012Validator

from ironhive.inference import Guide, simplify
from ironhive.testing.backend_conformance import SCHEMAS
from ironhive_plugins.backends.llamacpp.grammar import grammar_of
from ironhive_plugins.backends.llamacpp.pattern import pattern_rule
from ironhive_plugins.backends.llamacpp.ranges import integer_rule

TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|\{\d+(?:,\d*)?\}|[()|?*+]|[a-z][a-z0-9]*)')


class Writer:
    """Writes a random text that a grammar allows."""

    def __init__(self, grammar: str, seed: int) -> None:
        self.rules = dict(line.split(" ::= ", 1) for line in grammar.splitlines())
        self.random = random.Random(seed)

    def text(self, rule: str = "root") -> str:
        tokens = TOKEN.findall(self.rules[rule])
        assert "".join(tokens).replace(" ", "") == self.rules[rule].replace(" ", ""), self.rules[rule]
        result, rest = self.choice(tokens)
        assert not rest
        return result

    def choice(self, tokens):
        options = []
        while True:
            option, tokens = self.sequence(tokens)
            options.append(option)
            if not tokens or tokens[0] != "|":
                return self.random.choice(options)(), tokens
            tokens = tokens[1:]

    def sequence(self, tokens):
        parts = []
        while tokens and tokens[0] not in {"|", ")"}:
            part, tokens = self.item(tokens)
            parts.append(part)
        return (lambda: "".join(part() for part in parts)), tokens

    def item(self, tokens):
        first, rest = tokens[0], tokens[1:]
        if first == "(":
            inner = rest
            _, after = self.choice(inner)
            make, rest = (lambda: self.choice(inner)[0]), after[1:]
        elif first.startswith('"'):
            literal = first[1:-1].replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\")
            make = lambda: literal  # noqa: E731
        elif first.startswith("["):
            make = lambda: self.character(first[1:-1])  # noqa: E731
        else:
            make = lambda: self.text(first)  # noqa: E731
        return self.repeated(make, rest)

    def repeated(self, make, rest):
        if rest and (rest[0] in {"?", "*", "+"} or rest[0].startswith("{")):
            low, high = self.bounds(rest[0])
            return (lambda: "".join(make() for _ in range(self.random.randint(low, high)))), rest[1:]
        return make, rest

    def bounds(self, mark: str) -> tuple[int, int]:
        if mark in {"?", "*", "+"}:
            return {"?": (0, 1), "*": (0, 3), "+": (1, 3)}[mark]
        low, _, high = mark[1:-1].partition(",")
        return int(low), int(high) if high else (int(low) + 3 if "," in mark else int(low))

    def character(self, body: str) -> str:
        if body.startswith("^"):
            return self.random.choice("abc XYZ09.é猫")
        text = (
            body.encode().decode("unicode_escape") if "\\x" in body else body.replace("\\\\", "\\").replace('\\"', '"')
        )
        pool = []
        while text:
            if len(text) > 2 and text[1] == "-":
                pool += [chr(code) for code in range(ord(text[0]), ord(text[2]) + 1)]
                text = text[3:]
            else:
                pool.append(text[0])
                text = text[1:]
        return self.random.choice(pool)


MORE = (
    {"type": "array", "items": {"type": "integer", "minimum": -7, "maximum": 123}, "minItems": 2, "maxItems": 4},
    {"type": "object", "additionalProperties": {"type": "number"}},
    {"type": ["string", "null"], "minLength": 70, "maxLength": 200},
    {"type": "object", "properties": {name: {"type": "boolean"} for name in "abcd"}, "required": ["b", "d"]},
    {"enum": [{"a": 1}, [1, 2], 'quo"te\\', None, True]},
    {"type": "string", "format": "uuid"},
    {"type": "string", "format": "date-time"},
)


@pytest.mark.parametrize("schema", [*SCHEMAS[:4], *MORE], ids=str)
def test_whatever_a_grammar_allows_the_schema_allows(schema) -> None:
    grammar = grammar_of(Guide(simplify(schema, max_string=90)))
    validator = Draft202012Validator(schema)
    for seed in range(60):
        text = Writer(grammar, seed).text()
        validator.validate(json.loads(text))


def test_optional_properties_come_and_go_and_required_ones_stay() -> None:
    schema = {"type": "object", "properties": {name: {"type": "null"} for name in "abc"}, "required": ["b"]}
    grammar = grammar_of(Guide(simplify(schema)))
    seen = {tuple(json.loads(Writer(grammar, seed).text())) for seed in range(200)}
    assert seen == {("b",), ("a", "b"), ("b", "c"), ("a", "b", "c")}


def test_json_is_written_as_python_writes_it() -> None:
    grammar = grammar_of(Guide(simplify(SCHEMAS[1])))
    for seed in range(30):
        text = Writer(grammar, seed).text()
        assert text == json.dumps(json.loads(text), ensure_ascii=False)


@pytest.mark.parametrize(
    "bounds", [(0, 9), (1, 14), (-120, 45), (7, 7), (99, 1001), (-5, -3), (0, 0), (None, 12), (3, None)]
)
def test_integers_keep_within_their_bounds_and_reach_them(bounds: tuple[int | None, int | None]) -> None:
    low, high = bounds
    grammar = f"root ::= {integer_rule(low, high)}"
    values = {int(Writer(grammar, seed).text()) for seed in range(400)}
    assert low is None or min(values) >= low
    assert high is None or max(values) <= high
    if low is not None and high is not None and high - low < 20:
        assert values == set(range(low, high + 1))


@pytest.mark.parametrize(
    "pattern", [r"^[A-Z]{2}-\d{3}$", r"^(cat|dog)s?$", r"^\w+@\w+\.com$", r"^[^x]{3}$", r"^a.b$", r"^v\d+(\.\d+)*$"]
)
def test_patterns_that_can_be_expressed_are(pattern: str) -> None:
    rule = pattern_rule(pattern, 20)
    assert rule is not None
    for seed in range(50):
        assert re.match(pattern, Writer(f"root ::= {rule}", seed).text())


@pytest.mark.parametrize("pattern", ["abc", "^abc", r"^(?=a)b$", r"^(a)\1$", r'^"$', r"^é$", "^[", ""])
def test_patterns_that_cannot_are_left_to_the_validation(pattern: str) -> None:
    assert pattern_rule(pattern, 20) is None


def test_after_an_opener_further_calls_may_follow() -> None:
    grammar = grammar_of(Guide({"const": 1}, opener="<c>", closer="</c>"))
    texts = {Writer(grammar, seed).text().replace("\n", "") for seed in range(50)}
    assert "1</c>" in texts
    assert "1</c><c>1</c>" in texts
