"""One prompt through the installed command: each form of output, and where each thing is written."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.cli.chat_server import ChatServer, call, text, thinking

if TYPE_CHECKING:
    from tests.cli.conftest import Shell

LISTING = "[FILE] a.txt (11B)"


def tool_turn() -> ChatServer:
    """A server whose model looks at the folder, thinks, and answers."""
    return ChatServer(
        call("ListDirectory", '{"path":"."}'), [{"reasoning_content": "I see one"}, *text("One ", "file.")]
    )


def test_text_is_the_answer_on_stdout_and_the_tools_on_stderr(shell: Shell) -> None:
    with tool_turn() as server:
        shell.environment = server.environment
        done = shell.run("-p", "what is here?")
    assert (done.stdout, done.returncode) == ("One file.\n", 0)
    assert done.stderr == "→ Calling tool: ListDirectory\n"
    question, asked, result = server.requests[1]["messages"][-3:]
    assert question["content"] == "what is here?"
    assert asked["tool_calls"][0]["function"]["name"] == "ListDirectory"
    assert result["content"] == LISTING


def test_plain_text_needs_no_arrow(shell: Shell) -> None:
    with tool_turn() as server:
        shell.environment = server.environment
        assert shell.run("-p", "x", "--plain").stderr == "-> Calling tool: ListDirectory\n"


def test_thinking_and_tokens_are_shown_on_request_beside_the_answer(shell: Shell) -> None:
    with tool_turn() as server:
        shell.environment = server.environment
        done = shell.run("-p", "x", "--show-thinking", "--show-tokens")
    assert done.stdout == "One file.\n"
    assert done.stderr.splitlines() == [
        "→ Calling tool: ListDirectory",
        "Thinking...",
        "I see one",
        "Response:",
        "Tokens: 12 in / 5 out / 17 total",
    ]


def test_without_streaming_the_server_is_asked_for_the_whole(shell: Shell) -> None:
    with tool_turn() as server:
        shell.environment = server.environment
        done = shell.run("-p", "x", "--no-stream", "--show-tokens")
    assert done.stdout == "One file.\n"
    assert "17 total" in done.stderr
    assert not any(request.get("stream") for request in server.requests)


def test_json_is_one_document_with_exactly_these_fields(shell: Shell) -> None:
    with tool_turn() as server:
        shell.environment = server.environment
        done = shell.run("-p", "x", "-o", "json", "--show-thinking")
    assert done.returncode == 0
    assert done.stdout.endswith("\n")
    assert done.stdout.count("\n") == 1
    assert json.loads(done.stdout) == {
        "content": "One file.",
        "usage": {"inputTokens": 12, "outputTokens": 5, "totalTokens": 17},
        "thinking": {"content": "I see one"},
        "toolCalls": [
            {"name": "ListDirectory", "arguments": '{"path":"."}', "result": LISTING, "success": True},
        ],
    }


def test_json_leaves_out_what_there_is_not(shell: Shell) -> None:
    with ChatServer(text("hi", usage=None)) as server:
        shell.environment = server.environment
        done = shell.run("-p", "x", "--output", "JSON", "--show-thinking")
    assert json.loads(done.stdout) == {"content": "hi"}


def test_json_keeps_thinking_to_itself_unless_asked(shell: Shell) -> None:
    with ChatServer(thinking("secret", "hi")) as server:
        shell.environment = server.environment
        assert "thinking" not in json.loads(shell.run("-p", "x", "-o", "json").stdout)
        assert "secret" not in shell.run("-p", "x", "-o", "jsonl").stdout


def test_jsonl_tells_each_thing_in_its_own_line(shell: Shell) -> None:
    with tool_turn() as server:
        shell.environment = server.environment
        done = shell.run("-p", "x", "--output=jsonl", "--show-thinking")
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"type": "start"},
        {"type": "tool_call", "id": "call_1", "name": "ListDirectory", "arguments": '{"path":"."}'},
        {"type": "tool_result", "id": "call_1", "name": "ListDirectory", "success": True, "result": LISTING},
        {"type": "thinking", "content": "I see one"},
        {"type": "text", "content": "One "},
        {"type": "text", "content": "file."},
        {"type": "done"},
    ]
    assert done.returncode == 0


def test_jsonl_lines_come_as_they_happen(shell: Shell) -> None:
    with ChatServer([{"content": "first"}, ChatServer.WAIT, *text("second")]) as server:
        shell.environment = server.environment
        process = shell.start("-p", "x", "-o", "jsonl")
        assert process.stdout is not None
        seen = [json.loads(process.stdout.readline()) for _ in range(2)]
        server.release.set()
        process.communicate(timeout=30)
    assert seen == [{"type": "start"}, {"type": "text", "content": "first"}]


@pytest.mark.parametrize(
    ("arguments", "piped", "expected"),
    [
        (["-p", "the question"], "the text\n", "the question\n\nthe text"),
        (["-p", "the question"], " \n", "the question"),
        ([], "only this\r\n", "only this"),
        (["-p", "q"], b"\xef\xbb\xbfbom and \xff", "q\n\nbom and �"),
        ([], "wide text\r\n".encode("utf-16"), "wide text"),
    ],
)
def test_piped_text_joins_the_prompt(shell: Shell, arguments: list[str], piped: str | bytes, expected: str) -> None:
    with ChatServer(text("ok")) as server:
        shell.environment = server.environment
        assert shell.run(*arguments, stdin=piped).stdout == "ok\n"
    assert server.requests[0]["messages"][-1]["content"] == expected


def test_a_prompt_that_is_not_utf8_is_sent_with_replacements(shell: Shell) -> None:
    with ChatServer(text("ok")) as server:
        shell.environment = server.environment
        assert shell.run("-p", os.fsdecode(b"caf\xe9")).stdout == "ok\n"
    assert server.requests[0]["messages"][-1]["content"] == "caf\ufffd"


def test_an_open_pipe_that_says_nothing_is_waited_for_with_a_word(shell: Shell) -> None:
    with ChatServer(text("ok")) as server:
        shell.environment = server.environment
        process = shell.start("-p", "x", stdin=subprocess.PIPE)
        assert process.stderr is not None
        assert b"waiting for standard input" in process.stderr.readline()
        out, _ = process.communicate(timeout=30)
    assert out == b"ok\n"


def test_model_and_provider_reach_the_request(shell: Shell) -> None:
    with ChatServer(text("ok")) as server:
        shell.environment = server.environment
        shell.run("-p", "x", "-m", "another", "--provider", "lmstudio")
        shell.run("-p", "x", "-m", "lmstudio/third")
    assert [request["model"] for request in server.requests] == ["another", "third"]


def test_an_answer_that_was_cut_is_shown_and_the_reason_told(shell: Shell) -> None:
    with ChatServer(text("half", finish="length")) as server:
        shell.environment = server.environment
        done = shell.run("-p", "x")
    assert (done.stdout, done.returncode) == ("half\n", 0)
    assert "output_limit" in done.stderr


@pytest.mark.parametrize("form", ["text", "json", "jsonl"])
def test_no_answer_is_a_failure(shell: Shell, form: str) -> None:
    with ChatServer(text("")) as server:
        shell.environment = server.environment
        done = shell.run("-p", "x", "-o", form)
    assert done.returncode == 1
    last = done.stdout.splitlines()[-1:] or done.stderr.splitlines()[-1:]
    assert "empty_answer" in last[0]


def test_a_refusal_says_what_the_model_said(shell: Shell) -> None:
    with ChatServer([{"refusal": "I do not "}, {"refusal": "pick locks."}, {"finish": "stop"}]) as server:
        shell.environment = server.environment
        done = shell.run("-p", "x", "-o", "json")
    assert done.returncode == 1
    assert "I do not pick locks." in json.loads(done.stdout)["error"]


def test_output_is_utf8_whatever_the_locale_and_never_fails(shell: Shell) -> None:
    with ChatServer(text("grün ☃ \ud800 end")) as server:
        shell.environment = {**server.environment, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        assert shell.run("-p", "x").stdout == "grün ☃ ? end\n"
        assert json.loads(shell.run("-p", "x", "-o", "json").stdout)["content"].startswith("grün ☃")


def test_a_reader_who_leaves_ends_it_quietly(shell: Shell) -> None:
    lines = [{"content": f"line {number}\n"} for number in range(3)]
    with ChatServer([*lines, ChatServer.WAIT, *lines * 2000, *text("end")]) as server:
        shell.environment = server.environment
        process = shell.start("-p", "x")
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        server.release.set()
        assert process.stderr.read() == b""
        assert process.wait(timeout=30) == 1
        process.stderr.close()


@pytest.mark.parametrize("arguments", [["-p", "x"], ["-p", "x", "-o", "json"], ["--help"], ["plugins", "list"]])
def test_a_full_disk_is_one_line(shell: Shell, arguments: list[str]) -> None:
    with ChatServer(text("hello")) as server, open("/dev/full", "wb") as full:
        shell.environment = server.environment
        done = shell.run(*arguments, stdout=full)
    assert done.returncode == 1
    assert done.stderr == "ironhive: No space left on device\n"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_reason_to_crash(shell: Shell, closed: str) -> None:
    with ChatServer(text("hello")) as server:
        shell.environment = server.environment
        done = subprocess.run(
            ["bash", "-c", f"ironhive -p x {closed}"],
            cwd=shell.project,
            env={**shell.variables(), "PATH": os.pathsep.join((str(_bin()), os.environ["PATH"]))},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert len(server.requests) == 1


def _bin() -> object:
    from tests.cli.conftest import COMMAND

    return COMMAND.parent


def on_terminal(shell: Shell, *arguments: str) -> str:
    """What a person at a terminal sees."""
    process, terminal = shell.at_terminal(*arguments)
    seen = terminal.read()
    process.wait(timeout=30)
    return seen


def test_on_a_terminal_everything_is_in_order_and_unstyled(shell: Shell) -> None:
    with tool_turn() as server:
        shell.environment = server.environment
        assert on_terminal(shell, "-p", "x") == "→ Calling tool: ListDirectory\nOne file.\n"


def test_an_answer_cannot_steer_the_terminal(shell: Shell) -> None:
    with ChatServer(text("a\x1b[2Jb\x07c\td\n")) as server:
        shell.environment = server.environment
        assert on_terminal(shell, "-p", "x") == "a[2Jbc\td\n"
        assert "\x1b[2J" not in on_terminal(shell, "-p", "x", "--no-stream")


@pytest.mark.parametrize("options", [[], ["--plain"], ["--show-thinking"]], ids=str)
def test_a_failure_after_half_an_answer_has_a_line_of_its_own(shell: Shell, options: list[str]) -> None:
    shell.configure("lmstudio: {streamIdleTimeoutSeconds: 0.2}\n")
    with ChatServer([{"content": "half an ans"}, ChatServer.WAIT, *text("wer")]) as server:
        shell.environment = server.environment
        seen = on_terminal(shell, "-p", "x", *options)
    assert seen.startswith("half an ans\nironhive: ")


def test_a_whole_answer_is_drawn_in_a_box_and_markup_is_text(shell: Shell) -> None:
    with ChatServer(text("[bold]not markup[/bold]")) as server:
        shell.environment = {**server.environment, "TERM": "xterm", "COLUMNS": "60"}
        drawn = on_terminal(shell, "-p", "x", "--no-stream")
        assert "╭" in drawn
        assert "[bold]not markup[/bold]" in drawn
        assert on_terminal(shell, "-p", "x", "--no-stream", "--plain") == "[bold]not markup[/bold]\n"


def test_a_notice_takes_the_spinner_away_before_it_is_written(shell: Shell) -> None:
    with ChatServer(503, text("answer")) as server:
        shell.environment = {**server.environment, "TERM": "xterm"}
        seen = on_terminal(shell, "-p", "x", "--no-stream")
    before, notice, after = seen.partition("ironhive: lmstudio")
    assert "Working..." in before
    assert before.endswith("\x1b[2K")
    assert notice
    assert "Working..." not in after
    assert "answer" in after


def test_without_a_prompt_at_a_terminal_it_says_what_to_do(shell: Shell) -> None:
    assert on_terminal(shell) == (
        'ironhive: there is nothing to do: give a prompt with -p "..." or pipe text into standard input\n'
    )
