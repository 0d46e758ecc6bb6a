"""Mistakes a user can make: one line, the right exit code, whole JSON, no traceback."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from tests.cli.chat_server import ChatServer, text

if TYPE_CHECKING:
    from tests.cli.conftest import Shell

MISTAKES = {
    "no prompt": ([], "give a prompt with -p"),
    "blank prompt": (["-p", "  "], "give a prompt with -p"),
    "unknown option": (["-p", "x", "--bogus"], "--bogus"),
    "option without value": (["-p"], "-p"),
    "unknown form": (["-p", "x", "--output", "xml"], "text, json or jsonl"),
    "unknown provider": (["-p", "x", "--provider", "nope"], "known providers"),
    "provider that is not set up": (["-p", "x", "--provider", "openai"], "OPENAI_API_KEY"),
    "unknown command": (["doctr"], "did you mean 'doctor'"),
    "prompt without -p": (["Summarize"], "-p"),
    "unknown plugin": (["plugins", "show", "fils"], "did you mean 'files'"),
    "unknown argument": (["doctor", "now"], "now"),
    "prompt in front of a command": (["-p", "x", "doctor"], "does not go with the command 'doctor'"),
}

ONLY_TEXT = ("unknown form", "option without value", "unknown plugin", "unknown argument")
"""Mistakes that cannot be made together with ``-o json``."""


def check_line(line: str, expected: str) -> None:
    assert expected in line
    assert line.startswith("ironhive: ")
    assert line.count("\n") == 1


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_clear_line(shell: Shell, name: str) -> None:
    arguments, expected = MISTAKES[name]
    done = shell.run(*arguments)
    assert (done.returncode, done.stdout) == (1, "")
    check_line(done.stderr, expected)


@pytest.mark.parametrize("name", [name for name in MISTAKES if name not in ONLY_TEXT])
def test_the_same_mistake_is_json_where_json_was_asked_for(shell: Shell, name: str) -> None:
    arguments, expected = MISTAKES[name]
    done = shell.run("-o", "json", *arguments)
    document = json.loads(done.stdout)
    assert done.returncode == 1
    assert expected in document.pop("error")
    assert document == {"code": 1}


@pytest.mark.parametrize("written", [["-ojsonl"], ["-o", "JSONL"], ["--output=jsonl"], ["--output", "jsonl"]])
def test_however_the_form_is_written_a_mistake_has_it(shell: Shell, written: list[str]) -> None:
    done = shell.run(*written, "--bogus")
    assert json.loads(done.stdout).keys() == {"type", "error"}


BROKEN = {
    "not YAML": "openai: [unclosed",
    "a list": "- a\n- b\n",
    "a section that is no mapping": "gateway: 5\n",
    "a value of the wrong type": "chatBehavior: {maxOutputTokens: many}\n",
    "binary": "\x00\x01",
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_broken_configuration_names_the_file_or_the_key(shell: Shell, name: str, form: str) -> None:
    shell.configure(BROKEN[name])
    done = shell.run("-p", "x", "-o", form)
    assert done.returncode == 1
    message = json.loads(done.stdout)["error"] if form == "json" else done.stderr
    assert "config.yaml" in message
    assert "Traceback" not in done.stderr


def test_a_configuration_that_cannot_be_opened_names_the_file(shell: Shell) -> None:
    shell.config.unlink()
    shell.config.mkdir()
    done = shell.run("-p", "x")
    assert done.returncode == 1
    check_line(done.stderr, "config.yaml")


def test_unknown_keys_are_told_and_the_run_goes_on(shell: Shell) -> None:
    shell.configure("openAI: {model: x}\n")
    with ChatServer(text("ok")) as server:
        shell.environment = server.environment
        done = shell.run("-p", "x", "-o", "json")
    assert json.loads(done.stdout)["content"] == "ok"
    assert "openAI" in done.stderr


@pytest.mark.parametrize("form", ["text", "json", "jsonl"])
def test_a_provider_that_refuses_is_the_error(shell: Shell, form: str) -> None:
    with ChatServer(401) as server:
        shell.environment = server.environment
        done = shell.run("-p", "x", "-o", form)
    assert done.returncode == 1
    said = done.stderr if form == "text" else json.loads(done.stdout.splitlines()[-1])["error"]
    assert "401" in said
    assert "Traceback" not in done.stderr


def test_an_error_says_who_was_not_asked_and_why(shell: Shell) -> None:
    with ChatServer(401) as server:
        shell.environment = server.environment
        shell.configure("gateway: {providers: [{use: openai, id: far, priority: 1, apiKey: k, model: m}]}\n")
        done = shell.run("-p", "x", "-o", "json")
    error = json.loads(done.stdout)["error"]
    assert "401" in error
    assert "not asked: 'far'" in error
    assert "gateway.fallback" in error


def test_nothing_configured_at_all_says_what_to_set(shell: Shell) -> None:
    done = shell.run("-p", "x")
    assert done.returncode == 1
    check_line(done.stderr, "OPENAI_API_KEY")


@pytest.mark.parametrize("prompt", ["-order of things", "--output=text", "-o", "--output"])
def test_a_prompt_that_looks_like_an_option_is_a_prompt(shell: Shell, prompt: str) -> None:
    done = shell.run("-o", "json", "-p", prompt)
    assert json.loads(done.stdout).keys() == {"error", "code"}
    assert "no provider is configured" in done.stdout


@pytest.mark.parametrize("form", ["text", "json", "jsonl"])
def test_a_working_folder_that_is_gone_is_one_line(shell: Shell, form: str) -> None:
    gone = shell.project / "gone"
    gone.mkdir()
    script = f"cd '{gone}' && rmdir '{gone}' && exec ironhive -p x -o {form}"
    import subprocess

    from tests.cli.conftest import COMMAND

    done = subprocess.run(
        ["bash", "-c", script],
        env={**shell.variables(), "PATH": os.pathsep.join((str(COMMAND.parent), os.environ["PATH"]))},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    said = done.stderr if form == "text" else json.loads(done.stdout)["error"]
    assert "the current folder is gone" in said
