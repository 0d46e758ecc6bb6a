"""Schemas are brought to what grammars can hold a model to."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ironhive.chat import Tool
from ironhive.inference import call_schema, simplify

NAMES = st.sampled_from(["a", "b", "c"])


def schemas(depth: int = 3) -> st.SearchStrategy[dict]:
    leaf = st.sampled_from(
        [
            {},
            {"type": "string"},
            {"type": "integer", "minimum": 1},
            {"type": ["string", "null"]},
            {"enum": [1, "x"]},
            {"const": 3},
            {"type": "number"},
            {"$ref": "#/$defs/gone"},
            {"not": {}},
            {"type": "string", "maxLength": 9},
        ]
    )
    if not depth:
        return leaf
    inner = schemas(depth - 1)
    objects = st.builds(
        lambda props, needed: {"type": "object", "properties": props, "required": needed},
        st.dictionaries(NAMES, inner, max_size=3),
        st.lists(NAMES, max_size=2),
    )
    arrays = st.builds(lambda items: {"type": "array", "items": items}, inner)
    unions = st.builds(lambda options: {"anyOf": options}, st.lists(inner, min_size=1, max_size=3))
    return leaf | objects | arrays | unions


def nodes(schema):
    yield schema
    for key in ("anyOf",):
        for child in schema.get(key, ()):
            yield from nodes(child)
    for child in schema.get("properties", {}).values():
        yield from nodes(child)
    if "items" in schema:
        yield from nodes(schema["items"])


@given(schemas())
def test_everything_is_bounded_and_plain(schema) -> None:
    for node in nodes(simplify(schema, max_string=50)):
        kind = node.get("type")
        assert kind is None or isinstance(kind, str)
        assert kind or node.keys() & {"anyOf", "enum", "const"}
        if kind == "string":
            assert node["maxLength"] <= 50
        if kind == "array":
            assert node["maxItems"] <= 8
        if kind == "object":
            assert set(node["required"]) <= set(node["properties"])


def test_references_are_written_out_and_circles_end() -> None:
    tree = {
        "$defs": {
            "node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}, "id": {"type": "string"}}}
        },
        "$ref": "#/$defs/node",
    }
    found = list(nodes(simplify(tree)))
    assert 3 < len(found) < 30
    assert all("$ref" not in node for node in found)


def test_bounds_of_integers_are_whole() -> None:
    assert simplify({"type": "integer", "exclusiveMinimum": 0, "maximum": 9.5}) == {
        "type": "integer",
        "minimum": 1,
        "maximum": 9,
    }


def test_all_of_is_merged() -> None:
    merged = simplify(
        {"allOf": [{"properties": {"a": {"type": "null"}}, "required": ["a"]}, {"properties": {"b": {"const": 1}}}]}
    )
    assert merged["properties"] == {"a": {"type": "null"}, "b": {"const": 1}}
    assert merged["required"] == ["a"]


def test_a_call_names_one_of_the_tools() -> None:
    tools = [Tool("one", ""), Tool("two", "")]
    schema = call_schema(tools)
    assert [option["properties"]["name"] for option in schema["anyOf"]] == [{"const": "one"}, {"const": "two"}]


def test_an_object_that_names_no_properties_may_have_any() -> None:
    assert simplify({"type": "object", "additionalProperties": {"type": "integer"}})["additionalProperties"] == {
        "type": "integer"
    }
    assert "anyOf" in simplify({"type": "object"})["additionalProperties"]
    assert "additionalProperties" not in simplify({"type": "object", "additionalProperties": False})
