"""Output for people: text as it comes, and text at once."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TextIO

from ironhive_cli import streams
from ironhive_cli.rendering.documents import total_tokens

if TYPE_CHECKING:
    from ironhive.agent import AgentChunk, AgentResponse
    from ironhive_cli.rendering.drawn import Working
    from ironhive_cli.rendering.form import Show


class Pen:
    """Writes to one or two streams and knows where lines begin.

    The answer goes to standard output. What is said beside it (tool calls, thinking, tokens) goes there too when that
    is a terminal, else to standard error: redirected output holds the answer and nothing else.
    """

    def __init__(self) -> None:
        self._out: TextIO = sys.stdout
        self.on_terminal = streams.is_terminal(sys.stdout)
        self._side: TextIO = sys.stdout if self.on_terminal else sys.stderr
        self._line_open = {id(self._out): False, id(self._side): False}

    def answer(self, text: str) -> None:
        """Text of the answer."""
        self._write(self._out, streams.printable(text) if self.on_terminal else text)

    def end_line(self) -> None:
        """Whatever comes next, in the answer or beside it, starts a line."""
        self._end(self._out)
        self._end(self._side)

    def aside(self, text: str) -> None:
        """Text beside the answer."""
        self._write(self._side, streams.printable(text))

    def note(self, *choices: str) -> None:
        """A line of its own beside the answer: the first of the choices that the stream can show."""
        self._end(self._side)
        text = next((choice for choice in choices if streams.can_show(choice, self._side)), choices[-1])
        self._write(self._side, f"{streams.printable(text)}\n")

    def _end(self, stream: TextIO) -> None:
        if self._line_open[id(stream)]:
            self._write(stream, "\n")

    def _write(self, stream: TextIO, text: str) -> None:
        if text:
            stream.write(text)
            stream.flush()
            self._line_open[id(stream)] = not text.endswith("\n")


class TextStream:
    """The answer as it comes."""

    streams = True

    def __init__(self, show: Show) -> None:
        self._show = show
        self._pen = Pen()
        self._thinking = False
        self._between_messages = False

    def start(self) -> None:
        """Nothing to say yet."""

    def chunk(self, chunk: AgentChunk) -> None:
        """Show one piece."""
        if chunk.text_delta:
            self._text(chunk.text_delta)
        elif chunk.thinking_delta and self._show.thinking:
            self._thought(chunk.thinking_delta)
        elif chunk.tool_call_delta is not None:
            plain = f"-> Calling tool: {chunk.tool_call_delta.name_delta}"
            self._pen.note(plain if self._show.plain else plain.replace("->", "\N{RIGHTWARDS ARROW}", 1), plain)
            self._thinking, self._between_messages = False, True

    def stop(self) -> None:
        """Close the last line: an error may follow."""
        self._pen.end_line()

    def finish(self, turn: AgentResponse) -> None:
        """Show the tokens if asked."""
        if self._show.tokens and turn.usage is not None:
            self._pen.note(token_line(turn))

    def last_words(self) -> str:
        """Half an answer is all there is."""
        return ""

    def _text(self, text: str) -> None:
        if self._thinking:
            self._thinking = False
            self._pen.note("" if self._show.plain else "Response:")
        if self._between_messages:
            self._between_messages = False
            self._pen.end_line()
        self._pen.answer(text)

    def _thought(self, text: str) -> None:
        if not self._thinking:
            self._thinking = True
            self._pen.note("[Thinking]" if self._show.plain else "Thinking...")
        self._pen.aside(text)


class TextWhole:
    """The answer at once, in a box where a terminal is there to draw on."""

    streams = False

    def __init__(self, show: Show) -> None:
        self._show = show
        self._pen = Pen()
        self._drawn = self._pen.on_terminal and not show.plain
        self._spinner: Working | None = None

    def start(self) -> None:
        """Show that something is going on."""
        if self._drawn and streams.is_terminal(sys.stderr):
            from ironhive_cli.rendering.drawn import Working

            self._spinner = Working()
            self._spinner.start()

    def chunk(self, chunk: AgentChunk) -> None:
        """Pieces are not shown."""

    def finish(self, turn: AgentResponse) -> None:
        """Show the whole turn."""
        if self._drawn:
            from ironhive_cli.rendering.drawn import draw

            draw(turn, thinking=self._show.thinking)
        else:
            if self._show.thinking and turn.thinking is not None:
                self._pen.note(f"[Thinking]\n{turn.thinking.content}")
            self._pen.answer(turn.content)
            self._pen.end_line()
        if self._show.tokens and turn.usage is not None:
            self._pen.note(token_line(turn))

    def stop(self) -> None:
        """Take the spinner away."""
        if self._spinner is not None:
            self._spinner.stop()

    def last_words(self) -> str:
        """Nothing has been said."""
        return ""


def token_line(turn: AgentResponse) -> str:
    """The tokens of a turn; ``?`` where the provider said nothing."""
    usage = turn.usage
    counts = (None, None, None) if usage is None else (usage.input_tokens, usage.output_tokens, total_tokens(turn))
    into, out, total = ("?" if count is None else str(count) for count in counts)
    return f"Tokens: {into} in / {out} out / {total} total"
