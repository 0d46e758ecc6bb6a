"""The provider with a real model: a process of its own, a pool with a limit, calls at a high temperature."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from jsonschema import Draft202012Validator

from ironhive.chat import ChatMessage, ChatOptions, Tool, aggregate
from ironhive.contracts import OpenOptions
from ironhive.errors import BackendExitedError, ModelBusyError, ModelLoadError, ModelMemoryError
from ironhive.gateway import Gateway, with_degeneration_stop
from ironhive.plugins import open_backend
from ironhive.testing.backend_conformance import SCHEMAS
from ironhive_plugins.providers.lmsupply import (
    GeneratorPool,
    GeneratorPoolProbe,
    LazyReadinessProbe,
    LocalConfig,
    load,
    local,
)
from ironhive_plugins.providers.lmsupply.bridge import GeneratorClient
from ironhive_plugins.providers.lmsupply.isolation import ChildGenerator

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ironhive.contracts import Generator

pytestmark = pytest.mark.local

TINY_ONNX = Path(__file__).parents[3] / "data" / "local" / "tiny-llama-onnx"
STORY = (ChatMessage.user("Tell me a long story about the sea."),)
LONG = ChatOptions(max_output_tokens=300, temperature=0.0)
SHORT = ChatOptions(max_output_tokens=5, temperature=0.0)


async def answer(generator: Generator, options: ChatOptions = SHORT) -> str:
    async with aclosing(generator.stream(STORY, options)) as updates:
        return aggregate([update async for update in updates]).text


@pytest.fixture
async def child(model_file: Path) -> AsyncIterator[ChildGenerator]:
    generator = await load(str(model_file), isolation="process", max_context_length=1024)
    assert isinstance(generator, ChildGenerator)
    yield generator
    await generator.aclose()


async def kill_during(generator: ChildGenerator) -> None:
    async with aclosing(generator.stream(STORY, LONG)) as updates:
        async for update in updates:
            if update.text:
                assert generator.pid is not None
                os.kill(generator.pid, signal.SIGKILL)


async def test_a_killed_process_is_an_error_in_the_stream_and_comes_back(child: ChildGenerator) -> None:
    before = await answer(child)
    first = child.pid
    with pytest.raises(BackendExitedError, match=r"ended \(signal 9\); the next request starts it again") as raised:
        await kill_during(child)
    assert raised.value.exit_code == -9
    assert await answer(child) == before
    assert child.pid != first


async def test_every_request_under_way_hears_of_the_death(child: ChildGenerator) -> None:
    killer = asyncio.create_task(kill_during(child))
    waiting = asyncio.create_task(answer(child, LONG))
    results = await asyncio.gather(killer, waiting, return_exceptions=True)
    assert [type(result) for result in results] == [BackendExitedError, BackendExitedError]


async def test_a_process_that_died_between_requests_is_started_again(child: ChildGenerator) -> None:
    assert child.pid is not None
    os.kill(child.pid, signal.SIGKILL)
    while child.pid is not None:  # noqa: ASYNC110  # the death is what is waited for
        await asyncio.sleep(0)
    assert await answer(child)


async def test_the_process_does_all_that_the_model_does(child: ChildGenerator) -> None:
    async with aclosing(child.stream(STORY, LONG)) as updates:
        async for update in updates:
            if update.text:
                break
    assert await child.count_tokens("hello world") == 2
    scores = await child.score(STORY, ["Once upon a time", "\x07 zq"])
    assert scores[0] > scores[1]
    await child.warm_up()
    tool = Tool("pick", "Pick.", SCHEMAS[0], invoke=lambda _: None)  # type: ignore[arg-type,return-value]
    options = ChatOptions(tools=(tool,), tool_mode="required", max_output_tokens=60, temperature=0.0)
    response = aggregate([update async for update in child.stream(STORY, options)])
    assert [call.name for call in response.tool_calls] == ["pick"]


async def test_closing_ends_the_process(model_file: Path) -> None:
    generator = await load(str(model_file), isolation="process", max_context_length=512)
    pid = generator.pid
    await generator.aclose()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_a_file_that_cannot_be_loaded_says_the_same_from_either_process(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF\x03\0\0\0" + bytes(1000))
    for isolation in ("none", "process"):
        with pytest.raises(ModelLoadError, match=r"broken\.gguf"):
            await load(str(broken), isolation=isolation)
    text = tmp_path / "text.gguf"
    text.write_text("this is not a model")
    with pytest.raises(ModelLoadError, match=r"no backend can open .*text\.gguf"):
        await load(str(text))


async def test_a_backend_refuses_a_damaged_file_with_a_reason(model_file: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.gguf"
    with model_file.open("rb") as file:
        cut.write_bytes(file.read(30_000_000))
    with pytest.raises(ModelLoadError, match=r"cut\.gguf cannot be loaded: .*damaged"):
        await open_backend(cut).open(cut, OpenOptions())


async def test_two_models_under_a_limit_for_one_take_turns(model_file: Path) -> None:
    config = LocalConfig(memory_limit_mb=220, max_context_length=1024)
    async with GeneratorPool(config) as pool:
        probe = GeneratorPoolProbe(pool)
        assert not await probe.is_ready()
        async with pool.use(str(model_file)) as first:
            assert await answer(first)
        other = model_file.parent / "copy" / "Second.gguf"
        other.parent.mkdir(exist_ok=True)
        if not other.exists():
            other.hardlink_to(model_file)
        async with pool.use(str(other)) as second:
            assert await answer(second)
            assert [model.id for model in pool.loaded()] == ["Second"]
            assert pool.allocated_bytes <= pool.limit_bytes
            assert await probe.available_model_ids() == ("Second",)
        other.unlink()
        other.parent.rmdir()


async def test_a_model_in_use_is_never_unloaded(model_file: Path) -> None:
    config = LocalConfig(memory_limit_mb=115, max_context_length=512)
    async with GeneratorPool(config, wait_seconds=0.1) as pool:
        async with pool.use(str(model_file)) as first:
            with pytest.raises(ModelBusyError, match="stayed in use"):
                async with pool.use(str(TINY_ONNX)):
                    raise AssertionError
            assert await answer(first)
            assert not await pool.unload(str(model_file))
        assert await pool.unload(str(model_file))
        with pytest.raises(ModelMemoryError):
            async with GeneratorPool(replace(config, memory_limit_mb=50)).use(str(model_file)):
                raise AssertionError


async def test_a_waiting_request_gets_the_room_when_it_is_free(model_file: Path) -> None:
    config = LocalConfig(memory_limit_mb=115, max_context_length=512)
    async with GeneratorPool(config, wait_seconds=30) as pool:
        entered = asyncio.Event()
        leave = asyncio.Event()

        async def hold() -> None:
            async with pool.use(str(model_file)):
                entered.set()
                await leave.wait()

        holder = asyncio.create_task(hold())
        await entered.wait()
        wanted = asyncio.create_task(pool.use(str(TINY_ONNX)).__aenter__())
        await asyncio.sleep(0)
        leave.set()
        assert await answer(await wanted)
        await holder


async def test_twenty_calls_at_a_high_temperature_are_all_valid(model_file: Path) -> None:
    generator = await load(str(model_file), max_context_length=2048)
    made = 0
    for number in range(20):
        schema = SCHEMAS[number % len(SCHEMAS)]
        tool = Tool("act", "Do it.", schema)
        options = ChatOptions(tools=(tool,), tool_mode="required", temperature=1.5, seed=number, max_output_tokens=300)
        prompt = ChatMessage.user(f"Use the tool for number {number}.")
        response = aggregate([update async for update in generator.stream((prompt,), options)])
        assert response.finish_reason in {"tool_calls", "length", "malformed_tool_call"}
        for call in response.tool_calls:
            made += 1
            Draft202012Validator(schema).validate(call.arguments)
    await generator.aclose()
    assert made >= 16


async def test_a_local_model_answers_in_a_gateway(model_file: Path) -> None:
    generator = await load(str(model_file), max_context_length=1024)
    probe = LazyReadinessProbe(lambda: True, [generator.info.model_id])
    gateway = Gateway(providers=[local(generator, id="here", probe=probe)])
    response = await gateway.complete([ChatMessage.user("Say hello.")], ChatOptions(model=generator.info.model_id))
    assert response.text
    assert response.model == generator.info.model_id
    assert response.usage is not None
    await generator.aclose()


async def test_a_real_repetition_is_stopped(shared: Path) -> None:
    path = shared / "models" / "smollm2-135m-instruct-onnx-int4"
    if not path.is_dir():
        pytest.skip(f"absent data: no folder {path}")
    generator = await load(str(path))
    client = with_degeneration_stop(GeneratorClient(generator), window=320, max_period=80)
    question = [ChatMessage.user("What is the capital of France? Answer in one word.")]
    options = ChatOptions(temperature=0.0, max_output_tokens=400, properties={"repetition_penalty": 1.0})
    response = await client.complete(question, options)
    assert response.finish_reason == "degeneration"
    assert len(response.text.split()) < 300
    await generator.aclose()
