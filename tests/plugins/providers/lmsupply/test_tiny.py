"""How tiny models are driven: the model's judgement alone decides, and answers are held to the facts."""

from __future__ import annotations

import pytest

from ironhive.agent import ToolCallingClient
from ironhive.chat import ChatMessage, ChatOptions, JsonFormat, ToolCallContent, ToolResultContent, aggregate, tool
from ironhive_plugins.providers.lmsupply.bridge import GeneratorClient
from ironhive_plugins.providers.lmsupply.tiny.choice import possible_calls, usable_tools
from ironhive_plugins.providers.lmsupply.tiny.facts import facts, plain, seen_names
from ironhive_plugins.providers.lmsupply.tiny.grounding import (
    most_agreed,
    repeats,
    strangeness,
    supported,
    whole_sentences,
)
from ironhive_plugins.providers.lmsupply.tiny.turn import Step, TurnSoFar, read_turn

LISTING = "[DIR]  src/\n[FILE] README.md (1.2KB)\n[FILE] cat.png (9B)\n[FILE] .env (2B)\n[FILE] a b (c).txt (3B)"


@tool(name="ListDirectory", read_only=True, target="path")
async def list_directory(path: str = ".") -> str:
    """List the files and folders in a directory."""
    return LISTING if path == "." else "[FILE] main.py (5B)"


@tool(name="ReadFile", read_only=True, target="path")
async def read_file(path: str, first_line: int | None = None) -> str:
    """Read a text file."""
    return f"The file {path} explains how Otter swims in rivers."


@tool(name="WriteFile", target="path")
async def write_file(path: str) -> str:
    """Write a file."""
    raise AssertionError(path)


@tool(name="Search", read_only=True)
async def search(words: str) -> str:
    """Search."""
    return words


TOOLS = (read_file, list_directory, write_file, search)


async def run(generator, request: str = "N?"):
    client = ToolCallingClient(GeneratorClient(generator))
    response = await client.complete([ChatMessage.user(request)], ChatOptions(tools=TOOLS))
    calls = [(call.name, dict(call.arguments or {})["path"]) for call in response.tool_calls]
    return calls, response


@pytest.mark.parametrize("request_", ["Summarize this directory", "What is 2+2?", "ReadFile README.md now!"])
async def test_a_model_that_likes_answering_makes_no_call_whatever_is_asked(scripted, request_: str) -> None:
    calls, response = await run(scripted(likes={"Answer": 5.0}), request_)
    assert calls == []
    assert response.text.strip() == "An answer of some words."


@pytest.mark.parametrize("request_", ["Summarize this directory", "What is 2+2?", "Answer at once!"])
async def test_a_model_that_likes_looking_looks_whatever_is_asked(scripted, request_: str) -> None:
    calls, _ = await run(scripted(likes={"README": 5.0, "ListDirectory": 2.0}), request_)
    assert calls[:2] == [("ListDirectory", "."), ("ReadFile", "README.md")]


async def test_no_call_twice_none_outside_what_was_seen_and_an_end(scripted) -> None:
    calls, response = await run(scripted(likes={"ListDirectory": 9.0, "ReadFile": 9.0}))
    assert len(calls) == len(set(calls)) == 5
    seen = {".", "src/", "src/main.py", "README.md", "a b (c).txt"}
    assert {path for _, path in calls} <= seen
    assert response.finish_reason == "stop"


async def test_the_answer_is_asked_from_restated_facts_without_json(scripted) -> None:
    generator = scripted(likes={"README": 9.0, "ListDirectory": 1.0, "Answer": 0.5})
    await run(generator)
    messages, options = generator.requests[0]
    assert [message.role for message in messages] == ["system", "user"]
    assert "README.md says:" in messages[1].text
    assert "Otter swims" in messages[1].text
    assert "{" not in messages[1].text
    assert options.tools == ()
    assert options.temperature == pytest.approx(0.3)


async def test_the_last_draft_is_drawn_from_the_names_alone(scripted) -> None:
    generator = scripted(likes={"README": 9.0, "ListDirectory": 1.0, "Answer": 0.5}, answers=["Wonderful banana!"])
    await run(generator)
    assert len(generator.requests) == 6
    last = generator.requests[-1][0][1].text
    assert "README.md, cat.png" in last
    assert "Otter" not in last


async def test_of_several_drafts_the_one_that_keeps_to_the_facts_is_given(scripted) -> None:
    drafts = ["It costs 12000 dollars at Amazon.", "The file explains how Otter swims in rivers.", "Wonderful banana!"]
    generator = scripted(likes={"README": 9.0, "ListDirectory": 1.0}, answers=drafts)
    _, response = await run(generator)
    assert response.text == drafts[1]


async def test_usage_counts_every_draft(scripted) -> None:
    _, response = await run(scripted(likes={"Answer": 1.0}, answers=["one two three"]))
    assert response.usage is not None
    assert response.usage.output_tokens == 15


async def test_demanded_calls_and_schemas_go_straight_to_the_engine(scripted) -> None:
    for options in (
        ChatOptions(tools=TOOLS, tool_mode="required"),
        ChatOptions(tools=TOOLS, response_format=JsonFormat({})),
        ChatOptions(),
    ):
        generator = scripted()
        await GeneratorClient(generator).complete([ChatMessage.user("x")], options)
        messages, sent = generator.requests[0]
        assert (messages[0].text, sent.tools, sent.tool_mode) == ("x", options.tools, options.tool_mode)


@pytest.mark.parametrize("parameters", [None, 1_000_000_000, 8_000_000_000])
async def test_larger_models_and_unknown_ones_are_left_alone(scripted, parameters: int | None) -> None:
    generator = scripted(parameters=parameters, likes={"ListDirectory": 9.0})
    messages = [ChatMessage.system("Long text. " * 50), ChatMessage.user("Summarize this directory")]
    options = ChatOptions(tools=TOOLS, instructions="More.")
    response = await GeneratorClient(generator).complete(messages, options)
    assert response.tool_calls == ()
    assert generator.requests == [(messages, options)]


def test_only_simple_reading_tools_are_offered() -> None:
    assert [usable.name for usable in usable_tools(TOOLS)] == ["ListDirectory", "ReadFile"]


def test_files_can_be_read_only_after_they_were_seen() -> None:
    tools = usable_tools(TOOLS)
    assert [call.arguments for call in possible_calls(tools, TurnSoFar("x", (), ()))] == [{"path": "."}]
    after = TurnSoFar("x", (Step("ListDirectory", {"path": "."}, LISTING),), ())
    assert [call.arguments["path"] for call in possible_calls(tools, after)] == ["src/", "README.md", "a b (c).txt"]


def test_a_turn_begins_at_the_last_request() -> None:
    messages = [
        ChatMessage.user("first"),
        ChatMessage.assistant(ToolCallContent("1", "ReadFile", {"path": "a"})),
        ChatMessage.tool(ToolResultContent("1", "ReadFile", "old")),
        ChatMessage.assistant("done"),
        ChatMessage.user("second"),
        ChatMessage.assistant(ToolCallContent("2", "ReadFile", {"path": "b"})),
        ChatMessage.tool(ToolResultContent("2", "ReadFile", "no such file", success=False)),
    ]
    turn = read_turn(messages)
    assert (turn.request, [message.text for message in turn.earlier]) == ("second", ["first", "done"])
    assert [(step.arguments, step.text) for step in turn.steps] == [({"path": "b"}, "")]


def test_names_below_a_folder_carry_its_path() -> None:
    steps = [Step("L", {"path": "."}, LISTING), Step("L", {"path": "src/"}, "[FILE] main.py (5B)")]
    assert seen_names(steps).files == ("README.md", "a b (c).txt", "src/main.py")
    assert facts(steps)[0] == "The directory contains these files: README.md, cat.png, a b (c).txt, src/main.py."


async def test_at_most_three_folders_are_looked_into(scripted) -> None:
    calls, _ = await run(scripted(likes={"ListDirectory": 9.0}))
    assert sum(name == "ListDirectory" for name, _ in calls) <= 3


def test_packed_and_generated_files_are_not_offered() -> None:
    text = "[DIR]  __pycache__/\n[FILE] news.gz (9B)\n[FILE] data.bin (9B)\n[FILE] Makefile (9B)\n[FILE] a.rs (1B)"
    seen = seen_names([Step("L", {"path": "."}, text)])
    assert (seen.folders, seen.files) == ((), ("Makefile", "a.rs"))


def test_an_empty_folder_is_a_fact() -> None:
    assert facts([Step("L", {"path": "."}, "[FILE] .keep (0B)")]) == ["The directory has no files in it."]


def test_facts_keep_within_their_room_and_put_prose_first() -> None:
    code = Step("ReadFile", {"path": "a.c"}, "x = 1;\ny = 2;\n" * 200)
    prose = Step("ReadFile", {"path": "b.md"}, "This is a sentence about otters and rivers.\n" * 100)
    parts = facts([code, prose])
    assert parts[1].startswith("b.md says:")
    assert sum(map(len, parts)) < 2100


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("# Title\n\nText **bold** and `code`.", "Title\nText bold and code."),
        ("[![badge](x)](y)\n[link](http://a.b) here", "link here"),
        ("<p align='c'>Hello</p>\n---\n", "Hello"),
        ("```python\nprint(1)\n```", "print(1)"),
    ],
)
def test_markup_is_left_out(marked: str, expected: str) -> None:
    assert plain(marked) == expected


def test_strange_answers_are_told_from_supported_ones() -> None:
    known = ["Files: a.md, b.md", "a.md says:\nOtters swim in rivers.", "b.md says:\nBread needs 300 grams of flour."]
    true = "Otters swim in rivers."
    assert strangeness(true, known) < strangeness("Otters eat 900 fish.", known)
    assert strangeness("It has a.md.", known) < strangeness("It has STAGE.CSS.FB.", known)
    assert strangeness(true, known) < strangeness("Otters need flour for their rivers and 300 grams of bread.", known)
    assert supported(f"{true} Shareholders celebrated quarterly dividends.", known) == true
    assert whole_sentences("One. Two. Thr") == "One. Two."
    assert repeats("a b c a b c a b c") > 0.5
    assert most_agreed(["It is Paris.", "London maybe", "Paris it is"]) in {0, 2}


async def test_an_engine_without_judgement_decides_under_a_grammar(scripted) -> None:
    class Mute:
        def __init__(self, inner) -> None:
            self.inner, self.info, self.stream = inner, inner.info, inner.stream

    generator = scripted(answers=['{"tool": "ListDirectory", "path": "."}'])
    options = ChatOptions(tools=TOOLS)
    client = GeneratorClient(Mute(generator))
    response = aggregate([update async for update in client.stream([ChatMessage.user("x")], options)])
    assert [call.name for call in response.tool_calls] == ["ListDirectory"]
    bound = generator.requests[0][1].response_format
    assert bound is not None
    assert bound.schema == {"enum": [{"tool": "Answer"}, {"tool": "ListDirectory", "path": "."}]}
