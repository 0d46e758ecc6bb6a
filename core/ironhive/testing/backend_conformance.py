"""What every local backend must do."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Any, ClassVar

from ironhive.chat import (
    ChatMessage,
    ChatOptions,
    FinishReason,
    JsonFormat,
    RequireTool,
    TextContent,
    Tool,
    ToolCallContent,
    ToolResultContent,
    aggregate,
)
from ironhive.contracts import Scorer
from ironhive.errors import ContextOverflowError, IronHiveError
from ironhive.testing.conformance import Conformance, NotApplicableError, require

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from ironhive.chat import ChatResponse, ChatUpdate
    from ironhive.contracts import Generator

GREEDY = ChatOptions(temperature=0.0, max_output_tokens=24)
BOUND = 7
STOP_LENGTH = 3
WILD = ChatOptions(temperature=1.5, max_output_tokens=160)

SCHEMAS: tuple[dict[str, Any], ...] = (
    {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    {
        "type": "object",
        "properties": {
            "unit": {"enum": ["metric", "imperial", None]},
            "days": {"type": "integer", "minimum": 1, "maximum": 14},
            "exact": {"type": "boolean"},
        },
        "required": ["unit"],
        "additionalProperties": False,
    },
    {
        "type": "object",
        "properties": {
            "route": {
                "type": "object",
                "properties": {
                    "from": {"type": "string", "maxLength": 20},
                    "stops": {"type": "array", "items": {"$ref": "#/$defs/stop"}, "maxItems": 2},
                },
                "required": ["from", "stops"],
            }
        },
        "required": ["route"],
        "$defs": {"stop": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}},
    },
    {
        "type": "object",
        "properties": {
            "code": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{3}$"},
            "when": {"type": "string", "format": "date"},
            "weight": {"anyOf": [{"type": "number"}, {"type": "null"}]},
        },
        "required": ["code", "when"],
    },
    {
        "type": "object",
        "properties": {
            "even": {"type": "integer", "minimum": 0, "maximum": 40, "multipleOf": 2},
            "tags": {"type": "array", "items": {"enum": ["a", "b", "c"]}, "uniqueItems": True, "maxItems": 2},
        },
        "required": ["even"],
    },
)
"""Parameters with what tools use: plain, enums and bounds, nesting and references, patterns and formats, and keywords
that no grammar expresses."""


ROOM_FOR_TOOLS = 1024
"""The window in tokens that a conversation with described tools needs."""


def _tool(number: int = 0) -> Tool:
    return Tool(f"tool_{number}", "Do something useful.", SCHEMAS[number])


class BackendConformance(Conformance):
    """Suite for local backends. Override :meth:`open`. ``prompt`` is something the model has at least ten tokens to say
    about.
    """

    prompt: ClassVar[str] = "Tell me about dogs."

    async def open(self) -> Generator:
        """A freshly opened model."""
        raise NotImplementedError

    async def check_it_says_what_was_loaded(self) -> None:
        """Id, path, window and engine are known."""
        async with self._opened() as generator:
            info = generator.info
            require(info.model_id and info.path and info.backend, "the info lacks an id, a path or the engine's name")
            require(info.context_length > 0, "the info names no context length")
            require(info.parameters is None or info.parameters > 0, "a model has at least one parameter")

    async def check_an_answer_streams_and_is_accounted_for(self) -> None:
        """Pieces of text, then one last update with finish reason, usage and timings."""
        async with self._opened() as generator:
            updates = await _updates(generator, self.prompt, GREEDY)
            require(updates[0].role == "assistant" and updates[0].model, "the first update names no role or no model")
            require(sum(bool(update.text) for update in updates) > 1, "the text came in one piece")
            last = updates[-1]
            require(last.finish_reason in {FinishReason.STOP, FinishReason.LENGTH}, f"odd end: {last.finish_reason!r}")
            require(all(update.finish_reason is None for update in updates[:-1]), "an update before the last ends it")
            usage = last.usage
            require(usage is not None and usage.input_tokens and usage.output_tokens, "the last update counts nothing")
            require("timings" in last.properties, "the last update has no property 'timings'")

    async def check_the_bound_counts_new_tokens(self) -> None:
        """``max_output_tokens`` is about the answer, not about prompt and answer together."""
        async with self._opened() as generator:
            response = await _ask(generator, self.prompt * 4, GREEDY.having(max_output_tokens=BOUND))
            require(response.finish_reason == FinishReason.LENGTH, f"finish reason {response.finish_reason!r}")
            require(response.usage is not None and response.usage.output_tokens == BOUND, f"counted {response.usage}")

    async def check_greedy_decoding_and_seeds_repeat(self) -> None:
        """The same request gives the same answer, with what the first left in the cache."""
        async with self._opened() as generator:
            for options in (GREEDY, ChatOptions(temperature=0.9, seed=7, max_output_tokens=24)):
                texts = [(await _ask(generator, self.prompt, options)).text for _ in range(2)]
                require(texts[0] == texts[1], f"two answers to one request: {texts}")

    async def check_stop_strings_end_the_answer(self) -> None:
        """Neither the string nor a part of it is shown."""
        async with self._opened() as generator:
            whole = (await _ask(generator, self.prompt, GREEDY)).text
            middle = len(whole) // 2
            stop = whole[middle : middle + STOP_LENGTH]
            if len(stop) < STOP_LENGTH or stop in whole[:middle]:
                raise NotApplicableError
            response = await _ask(generator, self.prompt, GREEDY.having(stop_sequences=(stop,)))
            require(response.text == whole[: whole.index(stop)], f"{response.text!r} does not end before {stop!r}")
            require(response.finish_reason == FinishReason.STOP, f"finish reason {response.finish_reason!r}")

    async def check_closing_and_cancelling_free_the_model(self) -> None:
        """A request that is left, or cancelled, does not keep the next one waiting."""
        async with self._opened() as generator:
            long = GREEDY.having(max_output_tokens=400)
            async with aclosing(generator.stream((ChatMessage.user(self.prompt),), long)) as updates:
                async for update in updates:
                    if update.text:
                        break
            task = asyncio.create_task(_ask(generator, self.prompt, long))
            await asyncio.sleep(0)
            task.cancel()
            result = (await asyncio.gather(task, return_exceptions=True))[0]
            require(isinstance(result, asyncio.CancelledError), f"a cancelled request ended with {result!r}")
            response = await _ask(generator, self.prompt, GREEDY)
            require(response.usage is not None and response.usage.output_tokens, "the next request was not answered")

    async def check_requests_at_once_take_turns(self) -> None:
        """Each gets its own answer."""
        async with self._opened() as generator:
            prompts = [self.prompt, "What is the sea?", "Count to five."]
            alone = [(await _ask(generator, prompt, GREEDY)).text for prompt in prompts]
            together = await asyncio.gather(*(_ask(generator, prompt, GREEDY) for prompt in prompts))
            require([item.text for item in together] == alone, "answers differ when requests come at once")

    async def check_a_growing_conversation_reuses_its_beginning(self) -> None:
        """The second turn does not pay for the first again."""
        async with self._opened() as generator:
            first = await _ask(generator, self.prompt, GREEDY)
            turns = (ChatMessage.user(self.prompt), ChatMessage.assistant(first.text), ChatMessage.user("Go on."))
            second = await _collect(generator, turns, GREEDY)
            usage = second.usage
            require(usage is not None and usage.cached_input_tokens, "nothing of the first turn was used again")

    async def check_too_long_a_conversation_is_an_error(self) -> None:
        """It names the window, and the model goes on working."""
        async with self._opened() as generator:
            window = generator.info.context_length
            try:
                await _ask(generator, "word " * (window + 50), GREEDY)
            except ContextOverflowError as error:
                require(error.context_window == window, f"the error names a window of {error.context_window}")
            else:
                require(condition=False, problem="a conversation longer than the window was accepted")
            await _ask(generator, self.prompt, GREEDY)

    async def check_demanded_calls_are_whole_and_valid(self) -> None:
        """At a high temperature, over schemas of every kind: a valid call, or the length bound, never a broken one."""
        async with self._opened(ROOM_FOR_TOOLS) as generator:
            for number in range(len(SCHEMAS)):
                options = WILD.having(tools=(_tool(number),), tool_mode="required", seed=number)
                response = await _ask(generator, "Use the tool.", options)
                _valid_or_cut(response, (_tool(number),), demanded=True)

    async def check_a_named_tool_is_called(self) -> None:
        """And no other."""
        async with self._opened(ROOM_FOR_TOOLS) as generator:
            tools = (_tool(0), _tool(1))
            options = WILD.having(tools=tools, tool_mode=RequireTool("tool_1"))
            response = await _ask(generator, "Use a tool.", options)
            require(all(call.name == "tool_1" for call in response.tool_calls), "another tool was called")
            _valid_or_cut(response, tools, demanded=True)

    async def check_offered_tools_are_a_choice(self) -> None:
        """Text or calls; every call is valid. With mode ``none`` there is no call."""
        async with self._opened(ROOM_FOR_TOOLS) as generator:
            tools = (_tool(0), _tool(1))
            for seed in range(3):
                response = await _ask(generator, self.prompt, WILD.having(tools=tools, seed=seed))
                _valid_or_cut(response, tools, demanded=False)
            response = await _ask(generator, self.prompt, GREEDY.having(tools=tools, tool_mode="none"))
            require(not response.tool_calls, "a call in spite of mode none")

    async def check_calls_and_results_in_the_history_are_read(self) -> None:
        """A conversation with a finished tool round can go on."""
        async with self._opened(ROOM_FOR_TOOLS) as generator:
            messages = (
                ChatMessage.system("Be brief."),
                ChatMessage.user("Use the tool."),
                ChatMessage.assistant(ToolCallContent("1", "tool_0", {"city": "Rome"})),
                ChatMessage.tool(ToolResultContent("1", "tool_0", "sunny")),
            )
            response = await _collect(generator, messages, GREEDY.having(tools=(_tool(0),)))
            require(response.finish_reason is not None, "no answer to a conversation with a tool result")

    async def check_structured_output_fits_its_schema(self) -> None:
        """JSON that parses, and that the schema allows unless it was cut."""
        async with self._opened() as generator:
            for number, schema in enumerate(SCHEMAS[:4]):
                options = WILD.having(response_format=JsonFormat(schema), seed=number)
                response = await _ask(generator, "Give me an example.", options)
                if response.finish_reason == FinishReason.LENGTH:
                    continue
                _require_fits(json.loads(response.text), schema)

    async def check_json_without_a_schema_is_an_object(self) -> None:
        """Any object, as long as it is one."""
        async with self._opened() as generator:
            response = await _ask(
                generator, "Describe a dog in JSON.", WILD.having(response_format=JsonFormat(), seed=3)
            )
            if response.finish_reason != FinishReason.LENGTH:
                require(isinstance(json.loads(response.text), dict), f"no object: {response.text!r}")

    async def check_text_of_every_language_arrives(self) -> None:
        """Characters outside ASCII go in and come out whole."""
        async with self._opened() as generator:
            response = await _ask(generator, "Übersetze 猫 und 🐈 ins Englische.", WILD)
            require(response.text.encode().decode() == response.text, "the text is not valid Unicode")
            require(await generator.count_tokens("猫 🐈") > 0, "a text has no tokens")
            require(await generator.count_tokens("") == 0, "an empty text has tokens")

    async def check_texts_can_be_judged(self) -> None:
        """Where the engine offers it: the likelier of two answers gets the higher figure, and judging repeats."""
        async with self._opened(ROOM_FOR_TOOLS) as generator:
            if not isinstance(generator, Scorer):
                raise NotApplicableError
            messages = (ChatMessage.user(self.prompt),)
            greedy = (await _ask(generator, self.prompt, GREEDY.having(max_output_tokens=6))).text
            first = await generator.score(messages, [greedy, "\x07 zq"])
            second = await generator.score(messages, [greedy, "\x07 zq"])
            require(first[0] > first[1], f"the model's own answer was judged {first[0]}, nonsense {first[1]}")
            near = all(abs(one - other) < 0.05 * abs(one) + 0.05 for one, other in zip(first, second, strict=True))
            require(near, f"judged {first}, then {second}")

    async def check_a_closed_model_refuses(self) -> None:
        """With an error of ours."""
        generator = await self.open()
        await generator.warm_up()
        await generator.aclose()
        try:
            await _ask(generator, self.prompt, GREEDY)
        except IronHiveError:
            return
        require(condition=False, problem="a closed model answered")

    @asynccontextmanager
    async def _opened(self, least: int = 0) -> AsyncIterator[Generator]:
        generator = await self.open()
        try:
            if generator.info.context_length < least:
                raise NotApplicableError
            yield generator
        finally:
            await generator.aclose()


async def _updates(generator: Generator, prompt: str, options: ChatOptions) -> list[ChatUpdate]:
    async with aclosing(generator.stream((ChatMessage.user(prompt),), options)) as updates:
        return [update async for update in updates]


async def _collect(generator: Generator, messages: Sequence[ChatMessage], options: ChatOptions) -> ChatResponse:
    async with aclosing(generator.stream(messages, options)) as updates:
        return aggregate([update async for update in updates])


async def _ask(generator: Generator, prompt: str, options: ChatOptions) -> ChatResponse:
    return await _collect(generator, (ChatMessage.user(prompt),), options)


def _valid_or_cut(response: ChatResponse, tools: Sequence[Tool], *, demanded: bool) -> None:
    by_name = {tool.name: tool for tool in tools}
    for call in response.tool_calls:
        require(call.name in by_name, f"a call of {call.name!r}, which was not offered")
        require(call.arguments is not None and call.error is None, f"a broken call: {call.error}")
        _require_fits(dict(call.arguments or {}), by_name[call.name].parameters)
    if response.tool_calls:
        require(response.finish_reason == FinishReason.TOOL_CALLS, f"finish reason {response.finish_reason!r}")
    elif demanded:
        allowed = {FinishReason.LENGTH, FinishReason.MALFORMED_TOOL_CALL}
        require(response.finish_reason in allowed, f"no call, and the finish reason is {response.finish_reason!r}")
        texts = [part for message in response.messages for part in message.contents if isinstance(part, TextContent)]
        require(not texts, "a demanded call that came to nothing left text behind")


def _require_fits(value: Any, schema: dict[str, Any] | Any) -> None:
    from jsonschema import Draft202012Validator  # comes with the local extras

    problems = [error.message for error in Draft202012Validator(dict(schema)).iter_errors(value)]
    require(not problems, f"{json.dumps(value, ensure_ascii=False)} does not fit its schema: {problems[:1]}")
