"""The next step, chosen by the model out of the ones that make sense.

Choosing means: each possible step is written as the JSON that the model was shown, and the one it finds likeliest wins.
A bare likelihood mostly says how common a name is, so the likelihood for an empty request is taken off: what is left is
how much *this* request speaks for a step (calibration before use, as in Zhao et al. 2021). Compared with decoding under
a grammar, which commits to the first token, this judges whole calls; like it, it can only produce calls that are valid.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ironhive.chat import ChatMessage, JsonFormat, aggregate
from ironhive.contracts import Scorer
from ironhive_plugins.providers.lmsupply.tiny.facts import names_line, seen_names
from ironhive_plugins.providers.lmsupply.tiny.scores import Scores

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ironhive.chat import ChatOptions, Tool
    from ironhive.contracts import Generator
    from ironhive_plugins.providers.lmsupply.tiny.turn import TurnSoFar

ANSWER = "Answer"
EMPTY_REQUEST = "N/A"
MAX_STEPS = 5
MAX_TOOLS = 3
MAX_NAMES = 20
MAX_LOOKS = 3
ENOUGH_LOOKS = 2
FOLDER_LEAD = 1.0
"""What a folder needs over the best file: what is in it is unknown, and looking costs a step."""
START = '{"tool": "'

CALIBRATION = 0.5
"""How much of the empty request's likelihood is taken off when calls compete: with a little of it left, names that
projects are usually explained by keep their advantage."""
LOOK_FIRST = -0.3
"""The lead that a first look needs over answering. Below zero: a needless look costs a second, a guess is wrong."""
LOOK_EMPTY, LOOK_FULL = -1.5, 1.5
"""The lead that a further look needs, with no facts yet and with as many as fit into a prompt."""


@dataclass(frozen=True, slots=True)
class Call:
    """A step that could be taken next."""

    tool: str
    arguments: Mapping[str, Any]

    @property
    def text(self) -> str:
        """Its JSON, as the model was shown it."""
        return json.dumps({"tool": self.tool, **self.arguments}, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class UsableTool:
    """A tool simple enough: it only reads, and needs at most the one argument that says what it acts on.

    ``default`` is that argument's default; a default of ``.`` marks a tool that takes folders, others take files.
    """

    name: str
    summary: str
    target: str | None
    default: str | None

    @property
    def takes_folders(self) -> bool:
        """Whether its target is a folder."""
        return self.default == "."

    def example(self) -> Call:
        """A call to show how it is written."""
        if self.target is None:
            return Call(self.name, {})
        return Call(self.name, {self.target: self.default or "file.txt"})


def usable_tools(tools: Sequence[Tool]) -> list[UsableTool]:
    """The tools that can be offered to a tiny model, those that can be called at once first."""
    found = [usable for tool in tools if (usable := _usable(tool)) is not None]
    return sorted(found, key=lambda tool: tool.target is not None and tool.default is None)[:MAX_TOOLS]


def _usable(tool: Tool) -> UsableTool | None:
    if tool.read_only is not True or len(tool.target_arguments) > 1:
        return None
    target = tool.target_arguments[0] if tool.target_arguments else None
    required = [name for name in tool.parameters.get("required", ()) if name != target]
    if required:
        return None
    default = tool.parameters.get("properties", {}).get(target, {}).get("default") if target else None
    summary = tool.description.strip().split("\n")[0]
    return UsableTool(tool.name, summary, target, default if isinstance(default, str) else None)


def possible_calls(tools: Sequence[UsableTool], turn: TurnSoFar) -> list[Call]:
    """Every call that can be made now and has not been made; targets are names that were seen in results."""
    seen = seen_names(turn.steps)
    calls: list[Call] = []
    for tool in tools:
        if tool.target is None:
            calls.append(Call(tool.name, {}))
            continue
        names = seen.folders if tool.takes_folders else seen.files
        targets = [*([tool.default] if tool.default else []), *names[:MAX_NAMES]]
        calls += [Call(tool.name, {tool.target: name}) for name in targets]
    return [call for call in calls if not turn.done(call.tool, call.arguments)]


class Chooser:
    """Lets the model choose. What it said is kept while the same things are on the table: reading a file changes
    nothing about which other file the request speaks for.
    """

    def __init__(self, generator: Generator) -> None:
        self._generator = generator
        self._scores = Scores(generator, START) if isinstance(generator, Scorer) else None

    async def next_call(
        self, tools: Sequence[UsableTool], turn: TurnSoFar, *, fill: float, options: ChatOptions
    ) -> Call | None:
        """The call to make now; None: answer.

        :param fill: how much of the room for facts is taken, 0 to 1.
        """
        calls = possible_calls(tools, turn)
        if not calls or len(turn.steps) >= MAX_STEPS:
            return None
        if self._scores is None:
            return await self._by_grammar(tools, turn, calls, options)
        texts = [Call(ANSWER, {}).text, *(call.text for call in calls)]
        table = names_line(turn.steps)
        asked = await self._scores.of(choice_prompt(tools, table, turn.request), texts)
        nothing = await self._scores.of(choice_prompt(tools, table, EMPTY_REQUEST), texts)
        lead = [(one - other) - (asked[0] - nothing[0]) for one, other in zip(asked, nothing, strict=True)]
        folders = {tool.name for tool in tools if tool.takes_folders}
        looks = sum(step.name in folders for step in turn.steps)
        files = [n for n, call in enumerate(calls, 1) if call.tool not in folders and lead[n] > _needed(turn, fill)]
        inside = [
            n
            for n, call in enumerate(calls, 1)
            if call.tool in folders and looks < MAX_LOOKS and lead[n] > _needed(turn, looks / ENOUGH_LOOKS)
        ]
        best = _likeliest(files, asked, nothing)
        folder = _likeliest(inside, asked, nothing)
        if folder and (not best or lead[folder] > lead[best] + FOLDER_LEAD):
            best = folder
        return calls[best - 1] if best else None

    async def _by_grammar(
        self, tools: Sequence[UsableTool], turn: TurnSoFar, calls: list[Call], options: ChatOptions
    ) -> Call | None:
        """For an engine that cannot judge texts: decode greedily, bound to the list."""
        choices = [{"tool": ANSWER}, *({"tool": call.tool, **call.arguments} for call in calls)]
        bound = options.having(
            tools=(), temperature=0.0, max_output_tokens=96, response_format=JsonFormat({"enum": choices})
        )
        messages = choice_prompt(tools, names_line(turn.steps), turn.request)
        answer = aggregate([update async for update in self._generator.stream(messages, bound)])
        try:
            return next((call for call in calls if json.loads(call.text) == json.loads(answer.text)), None)
        except ValueError:
            return None


def _likeliest(numbers: Sequence[int], asked: Sequence[float], nothing: Sequence[float]) -> int:
    """The number of the call that the request speaks for most; 0 where there is none."""
    return max(numbers, key=lambda number: asked[number] - CALIBRATION * nothing[number], default=0)


def _needed(turn: TurnSoFar, fill: float) -> float:
    """The lead over answering that a call needs: little at first, more the more is known already."""
    return LOOK_EMPTY + (LOOK_FULL - LOOK_EMPTY) * min(1.0, fill) if turn.steps else LOOK_FIRST


def choice_prompt(tools: Sequence[UsableTool], table: str, request: str) -> list[ChatMessage]:
    """The question which step comes next. A short text with one example per tool; example turns before the request
    made models of this size choose the same step whatever was asked.
    """
    lines = [f"{tool.name}: {tool.summary} For example {tool.example().text}" for tool in tools]
    answer = f"{ANSWER}: Answer the user without tools. For example {Call(ANSWER, {}).text}"
    system = "\n".join(["You can use tools.", *lines, answer, "Reply with the JSON of one tool."])
    return [ChatMessage.system(system), ChatMessage.user(f"{table}\n\n{request}" if table else request)]
