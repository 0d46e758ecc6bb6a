"""A model in llama.cpp: prompt in, text out."""

from __future__ import annotations

import codecs
import ctypes
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import llama_cpp as ll

from ironhive.chat.thinking import THINK_CLOSE, THINK_OPEN
from ironhive.contracts import GeneratorInfo
from ironhive.errors import ContextOverflowError, ModelError
from ironhive.inference import physical_cores
from ironhive_plugins.backends.llamacpp import native
from ironhive_plugins.backends.llamacpp.grammar import grammar_of
from ironhive_plugins.backends.llamacpp.sampler import Sampler
from ironhive_plugins.backends.llamacpp.template import ChatTemplate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from ironhive.contracts import OpenOptions
    from ironhive.inference import Job

BATCH = 256
"""Prompt tokens per step: between two steps a cancelled request stops."""
WINDOW = 8192
"""Context length when nobody names one, or the model's own if that is smaller."""
MARKS = (THINK_OPEN, THINK_CLOSE, "<tool_call>", "</tool_call>")
"""Special tokens that are shown as text, because they structure an answer."""


class LlamaEngine:
    """See :class:`ironhive.inference.Engine`."""

    def __init__(self, model: Any, context: Any, template: ChatTemplate, info: GeneratorInfo) -> None:
        self._model = model
        self._context = context
        self._template = template
        self._info = info
        self._vocab = ll.llama_model_get_vocab(model)
        self._memory = ll.llama_get_memory(context)
        self._buffer = ctypes.create_string_buffer(512)
        self._pieces: dict[int, bytes] = {}
        self._begin = bool(ll.llama_vocab_get_add_bos(self._vocab))
        self._bos = _token_text(self._vocab, ll.llama_vocab_bos(self._vocab))
        self._kept: list[int] = []

    @classmethod
    def load(cls, path: Path, options: OpenOptions) -> Self:
        """Open a file.

        :raises ModelLoadError: it cannot be read.
        :raises ModelMemoryError: the context does not fit.
        """
        model = native.load_model(path, gpu_layers=options.extra.get("gpu_layers"))
        try:
            trained = ll.llama_model_n_ctx_train(model)
            window = min(options.context_length or min(WINDOW, trained), max(trained, 1))
            threads = options.threads or physical_cores()
            batch = min(int(options.extra.get("batch", BATCH)), window)
            context = native.new_context(model, path, window=window, batch=batch, threads=threads)
        except BaseException:
            ll.llama_model_free(model)
            raise
        vocab = ll.llama_model_get_vocab(model)
        name = options.model_id or native.metadata(model, "general.name") or path.stem
        template = ChatTemplate(
            native.metadata(model, "tokenizer.chat_template"),
            bos=_token_text(vocab, ll.llama_vocab_bos(vocab)),
            eos=_token_text(vocab, ll.llama_vocab_eos(vocab)),
            model=name,
        )
        info = GeneratorInfo(
            model_id=name,
            path=str(path),
            context_length=int(ll.llama_n_ctx(context)),
            backend="llamacpp",
            parameters=int(ll.llama_model_n_params(model)),
            memory_bytes=int(ll.llama_model_size(model)),
            thinks=template.thinks,
        )
        return cls(
            model, context, template, replace(info, memory_bytes=options.extra.get("memory_bytes", info.memory_bytes))
        )

    @property
    def info(self) -> GeneratorInfo:
        """What was loaded."""
        return self._info

    @property
    def native_calls(self) -> bool:
        """Whether the template shows tools in our notation."""
        return self._template.native_calls

    def render(
        self, messages: Sequence[Mapping[str, Any]], *, tools: Sequence[Mapping[str, Any]], thinking: bool | None
    ) -> str:
        """The model's own template, filled in."""
        return self._template.render(messages, tools=tools, thinking=thinking)

    def count(self, text: str) -> int:
        """Tokens in a text."""
        return len(native.tokenize(self._vocab, text))

    def decode(self, job: Job) -> Iterator[str]:
        """Generate; what the last request left in memory is used again as far as the prompts agree."""
        begun = time.perf_counter()
        tokens = self._tokens(job.prompt)
        room = self._check_room(len(tokens))
        job.tally.prompt_tokens = len(tokens)
        job.tally.cached_tokens = self._reuse(tokens)
        if not self._evaluate(tokens, job.stopped):
            return
        job.tally.prompt_seconds = time.perf_counter() - begun
        begun = time.perf_counter()
        try:
            yield from self._write(job, min(job.sampling.max_tokens, room))
        finally:
            job.tally.output_seconds = time.perf_counter() - begun

    def score(self, prompt: str, continuations: Sequence[str], stopped: Callable[[], bool]) -> list[float]:
        """Judge texts; each is decoded in one step behind the prompt and taken back."""
        whole = [self._tokens(prompt + text) for text in continuations]
        shared = min([len(self._tokens(prompt)), *(_agreeing(whole[0], tokens) for tokens in whole)]) if whole else 0
        self._check_room(max((len(tokens) for tokens in whole), default=0))
        base = whole[0][:shared] if whole else []
        self._reuse(base)
        if not whole or not self._evaluate(base, stopped):
            return []
        first = native.log_probabilities(self._context, self._vocab, -1)
        values: list[float] = []
        for tokens in whole:
            if stopped():
                break
            values.append(self._judge(first, tokens[shared:]))
        return values

    def _judge(self, first: Any, tokens: list[int]) -> float:
        if not tokens:
            return 0.0
        value = float(first[tokens[0]])
        if len(tokens) > 1:
            at = len(self._kept)
            code = native.decode_all(self._context, tokens[:-1], at)
            if code == 0:
                for index, token in enumerate(tokens[1:]):
                    value += float(native.log_probabilities(self._context, self._vocab, index)[token])
            ll.llama_memory_seq_rm(self._memory, 0, at, -1)
        return value

    def close(self) -> None:
        """Free the context and the weights."""
        if self._context is not None:
            ll.llama_free(self._context)
            ll.llama_model_free(self._model)
            self._context = self._model = self._memory = None

    def _tokens(self, prompt: str) -> list[int]:
        begins_itself = bool(self._bos) and prompt.startswith(self._bos)
        return native.tokenize(self._vocab, prompt, begin=self._begin and not begins_itself)

    def _check_room(self, count: int) -> int:
        """Tokens that may still be written after a prompt of this many."""
        window = self._info.context_length
        if count >= window:
            message = (
                f"the conversation has {count} tokens and the window of {self._info.model_id} is "
                f"{window}; shorten it or set a larger lmsupply.maxContextLength"
            )
            raise ContextOverflowError(message, context_window=window)
        return window - count

    def _reuse(self, tokens: list[int]) -> int:
        """Drop from memory what differs; the last prompt token is always decoded again, for its logits."""
        same = min(_agreeing(self._kept, tokens), len(tokens) - 1)
        if same < len(self._kept) and not ll.llama_memory_seq_rm(self._memory, 0, same, -1):
            ll.llama_memory_clear(self._memory, True)  # recurrent models cannot go back part of the way
            same = 0
        del self._kept[same:]
        return same

    def _evaluate(self, tokens: list[int], stopped: Callable[[], bool]) -> bool:
        """Decode the rest of the prompt in steps; False: cancelled meanwhile."""
        size = min(BATCH, int(ll.llama_n_batch(self._context)))
        while len(self._kept) < len(tokens):
            if stopped():
                return False
            self._step(tokens[len(self._kept) : len(self._kept) + size])
        return True

    def _step(self, tokens: list[int]) -> None:
        array = (ll.llama_token * len(tokens))(*tokens)
        code = ll.llama_decode(self._context, ll.llama_batch_get_one(array, len(tokens)))
        if code != 0:
            ll.llama_memory_clear(self._memory, True)
            self._kept.clear()
            name = self._info.model_id
            message = f"llama.cpp could not decode with {name} (code {code}); the context was cleared, try again"
            raise ModelError(message, model=self._info.model_id)
        self._kept += tokens

    def _write(self, job: Job, most: int) -> Iterator[str]:
        guide = job.guide
        waiting = guide is not None and bool(guide.opener)
        grammar = grammar_of(guide) if guide is not None and not waiting else None
        sampler = Sampler(self._vocab, job.sampling, grammar)
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        tail = ""
        try:
            while not job.stopped():
                if job.tally.output_tokens >= most:
                    job.tally.hit_limit = True
                    break
                token = sampler.draw(self._context)
                if ll.llama_vocab_is_eog(self._vocab, token):
                    break
                forced: list[int] = []
                text = decoder.decode(self._piece(token))
                if waiting and guide is not None:
                    tail = (tail + text)[-2 * len(guide.opener) - len(text) :]
                    if (over := _past(tail, guide.opener)) is not None:
                        waiting = False
                        token_list, text = self._exactly(token, text, over)
                        forced = token_list
                        sampler.close()
                        sampler = Sampler(self._vocab, job.sampling, grammar_of(guide))
                job.tally.output_tokens += 1
                self._step(forced or [token])
                if text:
                    yield text
        finally:
            sampler.close()
        if rest := decoder.decode(b"", final=True):
            yield rest

    def _exactly(self, token: int, text: str, over: int) -> tuple[list[int], str]:
        """A token that runs past the opener is replaced by tokens that end with it: the rest is the grammar's."""
        if not over:
            return [token], text
        kept = text[:-over]
        return native.tokenize(self._vocab, kept), kept

    def _piece(self, token: int) -> bytes:
        found = self._pieces.get(token)
        if found is None:
            shown = native.piece(self._vocab, token, self._buffer, special=True)
            if ll.llama_vocab_is_control(self._vocab, token) and shown.decode("utf-8", "replace") not in MARKS:
                shown = b""
            found = self._pieces[token] = shown
        return found


def _agreeing(left: list[int], right: list[int]) -> int:
    """How many tokens two lists have in common from the start."""
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count


def _past(tail: str, opener: str) -> int | None:
    """How many characters follow the opener at the end of ``tail``; None where it has not come."""
    at = tail.rfind(opener)
    return None if at < 0 else len(tail) - at - len(opener)


def _token_text(vocab: Any, token: int) -> str:
    if token < 0:
        return ""
    return bytes(ll.llama_vocab_get_text(vocab, token)).decode("utf-8", "replace")
