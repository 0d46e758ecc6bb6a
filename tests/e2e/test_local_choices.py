"""The small local model decides by itself which tools a request needs: nobody reads its words for it."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING

import pytest

from ironhive.agent import ToolCallingClient
from ironhive.chat import ChatMessage, ChatOptions
from ironhive_plugins.providers.lmsupply import load
from ironhive_plugins.providers.lmsupply.bridge import GeneratorClient
from ironhive_plugins.tools.files.tools import file_tools

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.local

FOLDERS: dict[str, dict[str, str]] = {
    "zebra": {
        "README.md": "# Zebra\n\nZebra is a command line tool that counts stripes in pictures of zebras.\n",
        "requirements.txt": "pillow\nnumpy\n",
        "src/zebra.py": '"""Count the stripes of a zebra."""\n\ndef count(path):\n    return 0\n',
    },
    "recipes": {
        "pancakes.txt": "Pancakes\n\nMix 200 g flour, 3 eggs and 400 ml milk. Fry thin cakes in butter.\n",
        "tomato-soup.txt": "Tomato soup\n\nCook 1 kg of tomatoes with an onion for 30 minutes. Add cream.\n",
    },
    "notes": {
        "january.md": "# January\n\nWe decided to move the office to Leeds in May.\n",
        "february.md": "# February\n\nThe mover costs 9000 pounds. The lease is signed.\n",
        "todo.txt": "- call the mover\n- order desks\n",
    },
    "shop": {
        "package.json": '{"name": "corner-shop", "description": "A web shop", "dependencies": {"express": "4"}}\n',
        "server.js": "const express = require('express');\nexpress().listen(3000);\n",
        "public/index.html": "<h1>Welcome to the corner shop</h1>\n",
    },
    "data": {
        "sales_2023.csv": "month,revenue\nJan,2400\n",
        "sales_2024.csv": "month,revenue\nJan,3000\n",
        "plot.py": 'import pandas\n\npandas.read_csv("sales_2024.csv").plot()\n',
    },
}

PROMPTS = (
    ("zebra", "Summarize this directory"),
    ("zebra", "What is 2+2?"),
    ("recipes", "Which files are in this folder?"),
    ("recipes", "What is the capital of France?"),
    ("notes", "What is this folder about?"),
    ("notes", "Who wrote Hamlet?"),
    ("shop", "Describe this project"),
    ("shop", "What color is the sky?"),
    ("data", "List the files here"),
    ("data", "What does HTTP stand for?"),
)

Calls = tuple[tuple[str, str], ...]


@pytest.fixture(scope="module")
def runs(model_file: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], tuple[Calls, str]]:
    """Per folder and prompt: the calls that the model made, and its answer."""
    root = tmp_path_factory.mktemp("folders")
    for folder, files in FOLDERS.items():
        for name, text in files.items():
            path = root / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    return asyncio.run(_run_all(model_file, root))


async def _run_all(model_file: Path, root: Path) -> dict[tuple[str, str], tuple[Calls, str]]:
    generator = await load(str(model_file), max_context_length=4096)
    client = ToolCallingClient(GeneratorClient(generator))
    found = {}
    for folder, prompt in PROMPTS:
        options = ChatOptions(tools=file_tools(root / folder), seed=1)
        calls: list[tuple[str, str]] = []
        text = ""
        async with aclosing(client.stream([ChatMessage.user(prompt)], options)) as updates:
            async for update in updates:
                calls += [(call.name, str(dict(call.arguments or {}).get("path"))) for call in update.tool_calls]
                text += "" if update.role == "tool" else update.text
        found[folder, prompt] = (tuple(calls), text)
    await generator.aclose()
    return found


def test_requests_about_files_look_and_others_do_not(runs) -> None:
    looked = {prompt for (_, prompt), (calls, _) in runs.items() if calls}
    about_files = {prompt for _, prompt in PROMPTS[::2]}
    others = {prompt for _, prompt in PROMPTS[1::2]}
    assert about_files <= looked, f"answered without looking: {about_files - looked}"
    assert len(others & looked) <= 1, f"looked without need: {others & looked}"


def test_different_requests_lead_to_different_calls(runs) -> None:
    assert len({calls for calls, _ in runs.values()}) >= 6, runs
    differing = [
        folder for folder in FOLDERS if len({calls for (name, _), (calls, _) in runs.items() if name == folder}) > 1
    ]
    assert len(differing) >= 4, f"only in {differing} do two requests lead to different calls"


def test_files_are_opened_and_only_ones_that_were_seen(runs) -> None:
    opened = [(folder, path) for (folder, _), (calls, _) in runs.items() for name, path in calls if name == "ReadFile"]
    assert len(set(opened)) >= 4, opened
    assert all(path in FOLDERS[folder] for folder, path in opened)


def test_no_call_is_made_twice_in_a_turn(runs) -> None:
    assert all(len(set(calls)) == len(calls) for calls, _ in runs.values())


def test_every_answer_says_something_and_ends(runs) -> None:
    for text in (text for _, text in runs.values()):
        assert len(text.split()) >= 1
        assert "<|im_" not in text
        assert '{"tool"' not in text


def test_listings_name_the_real_files(runs) -> None:
    named = {
        (folder, name)
        for folder, prompt in (("recipes", "Which files are in this folder?"), ("data", "List the files here"))
        for name in FOLDERS[folder]
        if name.partition(".")[0] in runs[folder, prompt][1]
    }
    assert len(named) >= 3, {key: text for key, (_, text) in runs.items()}
