"""A model in ONNX Runtime GenAI: prompt in, text out."""

from __future__ import annotations

import json
import secrets
import time
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import onnxruntime_genai as og

from ironhive.contracts import GeneratorInfo
from ironhive.errors import ContextOverflowError, ModelError
from ironhive_plugins.backends.onnxgenai.guidance import guidance_of
from ironhive_plugins.backends.onnxgenai.loading import load_model, parameters_of, read_config

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from ironhive.contracts import OpenOptions
    from ironhive.inference import Job, Sampling

STEP = 256
"""Prompt tokens per step: between two steps a cancelled request stops."""
ROOM = 1024
"""The cache is made for a multiple of this many tokens, so that a conversation can grow in it."""


class OnnxEngine:
    """See :class:`ironhive.inference.Engine`. ``min_p`` and the frequency and presence penalties are not known to this
    engine and have no effect.
    """

    def __init__(self, model: Any, tokenizer: Any, template: str, info: GeneratorInfo) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._template = template
        self._info = info
        self._ends = {int(token) for token in tokenizer.eos_token_ids}
        self._running: Any = None
        self._running_for: tuple[Any, ...] = ()
        self._capacity = 0
        self._kept: list[int] = []

    @classmethod
    def load(cls, path: Path, options: OpenOptions) -> Self:
        """Open a folder.

        :raises ModelLoadError: it cannot be used.
        """
        config = read_config(path)
        model, provider = load_model(path, options.extra.get("providers"))
        template_file = path / "chat_template.jinja"
        template = template_file.read_text(encoding="utf-8") if template_file.is_file() else ""
        window = int(config["model"].get("context_length", 2048))
        info = GeneratorInfo(
            model_id=options.model_id or path.resolve().name,
            path=str(path),
            context_length=min(options.context_length or window, window),
            backend="onnxgenai" if provider == "cpu" else f"onnxgenai/{provider}",
            parameters=parameters_of(config),
            memory_bytes=sum(file.stat().st_size for file in path.glob("*.onnx*")),
            thinks="enable_thinking" in template,
        )
        return cls(model, og.Tokenizer(model), template, info)

    @property
    def info(self) -> GeneratorInfo:
        """What was loaded."""
        return self._info

    @property
    def native_calls(self) -> bool:
        """Whether the template shows tools in our notation."""
        return "tools" in self._template and "<tool_call>" in self._template and "<function=" not in self._template

    def render(
        self, messages: Sequence[Mapping[str, Any]], *, tools: Sequence[Mapping[str, Any]], thinking: bool | None
    ) -> str:
        """The folder's own template, filled in; thinking is turned off by closing the section before it begins."""
        shown = json.dumps(list(tools)) if tools else None
        try:
            text = self._tokenizer.apply_chat_template(
                json.dumps(list(messages), ensure_ascii=False), tools=shown, add_generation_prompt=True
            )
        except RuntimeError as error:
            message = f"the chat template of {self._info.model_id} refused the conversation: {error}"
            raise ModelError(message, model=self._info.model_id) from error
        if thinking is False and self._info.thinks and not text.rstrip().endswith(("<think>", "</think>")):
            text += "<think>\n\n</think>\n\n"
        return str(text)

    def count(self, text: str) -> int:
        """Tokens in a text."""
        return len(self._tokenizer.encode(text))

    def decode(self, job: Job) -> Iterator[str]:
        """Generate; the cache of the last request is used again when it was sampled alike and begins alike."""
        begun = time.perf_counter()
        tokens = self._encode(job.prompt)
        room = self._check_room(len(tokens))
        most = min(job.sampling.max_tokens, room)
        self._prepare(job, len(tokens) + most)
        job.tally.prompt_tokens = len(tokens)
        job.tally.cached_tokens = self._reuse(tokens)
        if not self._evaluate(tokens, job.stopped):
            return
        job.tally.prompt_seconds = time.perf_counter() - begun
        begun = time.perf_counter()
        try:
            yield from self._write(job, most)
        finally:
            job.tally.output_seconds = time.perf_counter() - begun

    def score(self, prompt: str, continuations: Sequence[str], stopped: Callable[[], bool]) -> list[float]:
        """Judge texts, token by token."""
        whole = [self._encode(prompt + text) for text in continuations]
        if not whole:
            return []
        shared = min([len(self._encode(prompt)), *(_agreeing(whole[0], tokens) for tokens in whole)])
        longest = max(len(tokens) for tokens in whole)
        self._check_room(longest)
        self._prepare_plain(longest)
        base = whole[0][:shared]
        self._reuse(base)
        if not self._evaluate(base, stopped):
            return []
        first = _log_probabilities(self._running)
        values: list[float] = []
        for tokens in whole:
            if stopped():
                break
            values.append(self._judge(first, tokens[shared:], shared))
        return values

    def close(self) -> None:
        """Let the model go."""
        self._running = self._model = self._tokenizer = None

    def _encode(self, text: str) -> list[int]:
        return [int(token) for token in self._tokenizer.encode(text)]

    def _check_room(self, count: int) -> int:
        window = self._info.context_length
        if count >= window:
            message = (
                f"the conversation has {count} tokens and the window of {self._info.model_id} is {window}; shorten it"
            )
            raise ContextOverflowError(message, context_window=window)
        return window - count

    def _prepare(self, job: Job, needed: int) -> None:
        """A generator for this way of sampling. Guidance holds for one answer only, and so does a seed."""
        key = _key(job.sampling)
        fresh = job.guide is not None or job.sampling.seed is not None or key != self._running_for
        if fresh or needed > self._capacity or self._running is None:
            guidance = guidance_of(job.guide) if job.guide is not None else None
            self._start(job.sampling, needed, guidance)
            self._running_for = () if guidance is not None or job.sampling.seed is not None else key

    def _prepare_plain(self, needed: int) -> None:
        if self._running_for != ("score",) or needed > self._capacity:
            self._start(None, needed, None)
            self._running_for = ("score",)

    def _start(self, sampling: Sampling | None, needed: int, guidance: tuple[str, str] | None) -> None:
        self._running = None
        self._kept.clear()
        window = self._info.context_length
        self._capacity = min(window, -(-needed // ROOM) * ROOM)
        params = og.GeneratorParams(self._model)
        params.set_search_options(max_length=self._capacity, **_search(sampling))
        try:
            if guidance is not None:
                params.set_guidance(*guidance)
            self._running = og.Generator(self._model, params)
        except Exception as error:  # the engine raises whatever its C++ side threw
            self._running_for = ()
            message = f"onnxruntime-genai cannot prepare this request: {str(error).strip().splitlines()[0]}"
            raise ModelError(message, model=self._info.model_id) from error

    def _reuse(self, tokens: list[int]) -> int:
        same = min(_agreeing(self._kept, tokens), len(tokens) - 1)
        if same < len(self._kept):
            self._running.rewind_to(same)
        del self._kept[same:]
        return same

    def _evaluate(self, tokens: list[int], stopped: Callable[[], bool]) -> bool:
        while len(self._kept) < len(tokens):
            if stopped():
                return False
            part = tokens[len(self._kept) : len(self._kept) + STEP]
            self._running.append_tokens(part)
            self._kept += part
        return True

    def _write(self, job: Job, most: int) -> Iterator[str]:
        running, kept, ends, tally = self._running, self._kept, self._ends, job.tally
        text_of = self._tokenizer.create_stream().decode
        while not job.stopped():
            if tally.output_tokens >= most:
                tally.hit_limit = True
                return
            running.generate_next_token()
            token = int(running.get_next_tokens()[0])
            kept.append(token)
            if token in ends:
                break
            tally.output_tokens += 1
            if text := text_of(token):
                yield text
            if running.is_done():
                tally.hit_limit = len(kept) >= self._capacity
                break

    def _judge(self, first: Any, tokens: list[int], base: int) -> float:
        value = float(first[tokens[0]]) if tokens else 0.0
        for before, token in pairwise(tokens):
            self._running.append_tokens([before])
            value += float(_log_probabilities(self._running)[token])
        if len(tokens) > 1:
            self._running.rewind_to(base)
        return value


def _key(sampling: Sampling) -> tuple[Any, ...]:
    return (sampling.temperature, sampling.top_p, sampling.top_k, sampling.repetition_penalty)


def _search(sampling: Sampling | None) -> dict[str, Any]:
    if sampling is None or sampling.temperature <= 0:
        penalty = sampling.repetition_penalty if sampling is not None else 1.0
        return {"do_sample": False, "repetition_penalty": penalty}
    seed = secrets.randbits(31) if sampling.seed is None else sampling.seed & 0x7FFF_FFFF
    return {
        "do_sample": True,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "top_k": sampling.top_k,
        "repetition_penalty": sampling.repetition_penalty,
        "random_seed": seed,
    }


def _agreeing(left: list[int], right: list[int]) -> int:
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count


def _log_probabilities(running: Any) -> Any:
    import numpy as np  # comes with onnxruntime-genai

    logits = np.asarray(running.get_logits(), dtype=np.float64).reshape(-1)
    logits = logits - logits.max()
    return logits - np.log(np.exp(logits).sum())
