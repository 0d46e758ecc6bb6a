"""llama.cpp's samplers, chained."""

from __future__ import annotations

import ctypes
import math
import secrets
from typing import TYPE_CHECKING, Any

import llama_cpp as ll

from ironhive.errors import ModelError

if TYPE_CHECKING:
    from ironhive.inference import Sampling

WINDOW = 64
"""Tokens that the penalties look back on."""


class Sampler:
    """Draws tokens, optionally under a grammar.

    Testing a whole vocabulary against a grammar is slow and seldom needed: the token that would be drawn anyway is
    tested first, and only where the grammar refuses it is one drawn from what the grammar allows. Penalties stay out
    of guided output: JSON repeats its quotes and braces by right.

    :raises ModelError: llama.cpp cannot read the grammar.
    """

    def __init__(self, vocab: Any, sampling: Sampling, grammar: str | None = None) -> None:
        self._free = _chain()
        self._strict: Any = None
        self._grammar: Any = None
        seed = secrets.randbits(32) if sampling.seed is None else sampling.seed
        if grammar is None:
            _add(self._free, _penalties(vocab, sampling))
            _add_draw(self._free, sampling, seed)
            return
        _add_draw(self._free, sampling, seed)
        self._grammar = ll.llama_sampler_init_grammar(vocab, grammar.encode(), b"root")
        if not self._grammar:
            ll.llama_sampler_free(self._free)
            message = "llama.cpp cannot read the grammar made from this JSON Schema; simplify the schema"
            raise ModelError(message)
        self._strict = _chain()
        _add(self._strict, self._grammar)
        _add_draw(self._strict, sampling, seed)
        self._one = (ll.llama_token_data * 1)()

    def draw(self, context: Any) -> int:
        """The next token, from the logits of the last decoded one."""
        token = int(ll.llama_sampler_sample(self._free, context, -1))
        if self._grammar is None:
            return token
        if self._allows(token):
            ll.llama_sampler_accept(self._grammar, token)
            return token
        return int(ll.llama_sampler_sample(self._strict, context, -1))

    def _allows(self, token: int) -> bool:
        self._one[0] = ll.llama_token_data(token, 1.0, 0.0)
        candidates = ll.llama_token_data_array(data=self._one, size=1, selected=-1, sorted=False)
        ll.llama_sampler_apply(self._grammar, ctypes.byref(candidates))
        return not math.isinf(self._one[0].logit)

    def close(self) -> None:
        """Free the chains; a sampler added to a chain goes with it."""
        for chain in (self._free, self._strict):
            if chain is not None:
                ll.llama_sampler_free(chain)
        self._free = self._strict = self._grammar = None


def _chain() -> Any:
    return ll.llama_sampler_chain_init(ll.llama_sampler_chain_default_params())


def _add(chain: Any, sampler: Any) -> None:
    ll.llama_sampler_chain_add(chain, sampler)


def _penalties(vocab: Any, sampling: Sampling) -> Any:
    make = ll.llama_sampler_init_penalties
    arguments = (WINDOW, sampling.repetition_penalty, sampling.frequency_penalty, sampling.presence_penalty)
    takes_size = len(getattr(make, "argtypes", None) or ()) > len(
        arguments
    )  # newer releases want the vocabulary's size
    return make(ll.llama_vocab_n_tokens(vocab), *arguments) if takes_size else make(*arguments)


def _add_draw(chain: Any, sampling: Sampling, seed: int) -> None:
    if sampling.temperature <= 0:
        _add(chain, ll.llama_sampler_init_greedy())
        return
    _add(chain, ll.llama_sampler_init_top_k(sampling.top_k))
    _add(chain, ll.llama_sampler_init_top_p(sampling.top_p, 1))
    _add(chain, ll.llama_sampler_init_min_p(sampling.min_p, 1))
    _add(chain, ll.llama_sampler_init_temp(sampling.temperature))
    _add(chain, ll.llama_sampler_init_dist(seed))
