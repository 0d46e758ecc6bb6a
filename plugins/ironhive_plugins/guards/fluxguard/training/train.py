"""Trains the linear layer: an averaged margin perceptron over whole texts, each represented by its worst window.

Only integers are added and compared, in a fixed order, so the same data give the same file on every machine.

    python -m ironhive_plugins.guards.fluxguard.training.train DATA_FOLDER OUT_FOLDER [--leave-out]

Writes ``weights.bin`` (attacks) and ``refusal.bin``. ``--leave-out`` writes ``*.leave-out.bin`` instead, trained
without the held-out sources and without the test half of the own texts: the weights behind the generalisation
figures. numpy is needed here and nowhere else.
"""

from __future__ import annotations

import argparse
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ironhive_plugins.guards.fluxguard.attacks import STRONG, vocabulary
from ironhive_plugins.guards.fluxguard.linear import (
    MASK,
    STRIDE,
    WINDOW,
    concept_features,
    pack_model,
    pair_features,
    scale,
    word_features,
)
from ironhive_plugins.guards.fluxguard.normalise import normalise
from ironhive_plugins.guards.fluxguard.refusal import OPENING
from ironhive_plugins.guards.fluxguard.tokens import read
from ironhive_plugins.guards.fluxguard.training.data import read_rows
from ironhive_plugins.guards.fluxguard.training.noise import noise_texts
from ironhive_plugins.guards.fluxguard.training.split import held_out_clusters, is_held_out
from ironhive_plugins.guards.fluxguard.training.texts import own_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Ints = np.ndarray[Any, np.dtype[np.int64]]
EPOCHS = 16
REFUSAL_EPOCHS = 20
MARGIN_ATTACK, MARGIN_BENIGN = 1 << 14, 1 << 14
STEP = 1 << 11
MIN_TEXTS, _FEW_SAMPLES = 3, 400
"""Texts that must share a bucket for it to be learnt (fewer for small collections)."""

_UNLEARNT = MASK + 1

SKIPPED_SOURCES = frozenset({"bipia_train", "encoded_attacks", "encoded_benign"})
"""Ordinary requests in foreign content teach false alarms; encodings are decoded before the layer sees them."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One text as buckets; ``bounds`` are the first feature of each token, ``attack`` is +1 or -1."""

    buckets: Ints
    bounds: Ints
    attack: int


def sample(text: str, *, attack: bool) -> Sample:
    """The features of a text, as the run-time layer would count them."""
    vocab = vocabulary()
    words, tokens, hits = read(normalise(text).text, vocab)
    per_token = [word_features(word, token.code, token.size) for word, token in zip(words, tokens, strict=True)]
    pairs, skips = pair_features([token.code for token in tokens])
    for features in (
        list(enumerate(pairs)),
        list(enumerate(skips)),
        concept_features(hits, vocab.lexicon.mask(STRONG)),
    ):
        for index, bucket in features:
            per_token[index].append(bucket)
    bounds = np.cumsum([0] + [len(features) for features in per_token]).astype(np.int64)
    flat = np.array([bucket for features in per_token for bucket in features], dtype=np.int64)
    return Sample(flat, bounds, 1 if attack else -1)


def _windows(item: Sample) -> Iterator[tuple[int, int]]:
    tokens = len(item.bounds) - 1
    for start in range(0, max(1, tokens - STRIDE), STRIDE):
        yield int(item.bounds[start]), int(item.bounds[min(tokens, start + WINDOW)])


def _worst(item: Sample, weights: Ints) -> tuple[int, int, int]:
    total = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(weights[item.buckets])))
    best = (-(1 << 62), 0, 0)
    for first, last in _windows(item):
        value = (int(total[last] - total[first]) << 8) // scale(last - first)
        if value > best[0]:
            best = (value, first, last)
    return best


def train(samples: Sequence[Sample], epochs: int = EPOCHS) -> tuple[bytes, int, int]:
    """Signed byte weights, bias and unit of a model for ``samples``."""
    samples = _frequent(samples)
    weights, drift = np.zeros(_UNLEARNT + 1, dtype=np.int64), np.zeros(_UNLEARNT + 1, dtype=np.int64)
    bias = bias_drift = 0
    turn = 1
    for epoch in range(epochs):
        for index in _order(len(samples), epoch):
            item = samples[index]
            if not len(item.buckets):
                continue
            value, first, last = _worst(item, weights)
            value += bias
            margin = MARGIN_ATTACK if item.attack > 0 else MARGIN_BENIGN
            if value * item.attack < margin:
                delta = item.attack * ((STEP << 8) // scale(last - first))
                np.add.at(weights, item.buckets[first:last], delta)
                np.add.at(drift, item.buckets[first:last], delta * turn)
                weights[_UNLEARNT] = drift[_UNLEARNT] = 0
                bias += item.attack * (STEP >> 4)
                bias_drift += item.attack * (STEP >> 4) * turn
            turn += 1
    return _quantise((weights * turn - drift)[:_UNLEARNT], bias * turn - bias_drift, turn)


def _frequent(samples: Sequence[Sample]) -> list[Sample]:
    """The samples with buckets that too few texts share turned into one that is never learnt.

    Rare words would be learnt by heart, and words that are new at run time collide with them.
    """
    texts = np.zeros(_UNLEARNT + 1, dtype=np.int64)
    for item in samples:
        texts[np.unique(item.buckets)] += 1
    rare = texts < min(MIN_TEXTS, 1 + len(samples) // _FEW_SAMPLES)
    return [Sample(np.where(rare[item.buckets], _UNLEARNT, item.buckets), item.bounds, item.attack) for item in samples]


def _order(count: int, epoch: int) -> list[int]:
    return sorted(range(count), key=lambda index: zlib.crc32(b"%d:%d" % (epoch, index)))


def _quantise(weights: Ints, bias: int, turns: int) -> tuple[bytes, int, int]:
    # The divisor keeps all but the largest 1 in 2,000 of the used weights below the byte's limit.
    used = np.sort(np.abs(weights[weights != 0]))
    divisor = max(1, int(used[int(len(used) * 0.9995)]) // 127)
    signs = np.sign(weights)
    small = signs * ((np.abs(weights) + divisor // 2) // divisor)
    packed = np.clip(small, -127, 127).astype(np.int8).tobytes()
    return packed, bias // divisor, max(1, MARGIN_ATTACK * turns // divisor)


def training_samples(rows: Iterable[dict[str, Any]], *, leave_out: bool) -> list[Sample]:
    """What the layer learns from: prompts and documents with a clear label, and the project's own texts."""
    rows = list(rows)
    clusters = held_out_clusters(rows)
    samples = []
    for row in rows:
        attack = row["label"] in {"injection", "jailbreak"}
        if row["source"] in SKIPPED_SOURCES or row["source"] == "xstest_completions":
            continue
        if not attack and row["label"] not in {"benign", "harmful"}:
            continue
        if leave_out and is_held_out(row, clusters):
            continue
        samples.append(sample(row["text"], attack=attack))
    samples.extend(sample(item.text, attack=item.attack) for item in own_texts("rule" if leave_out else None))
    samples.extend(sample(text, attack=False) for text in noise_texts())
    return samples


def refusal_samples(rows: Iterable[dict[str, Any]], *, leave_out: bool) -> list[Sample]:
    """Beginnings of answers that refuse and of answers that do not."""
    answers = [row for row in rows if row["source"] == "xstest_completions"]
    kept = [row for row in answers if not (leave_out and is_held_out(row, frozenset()))]
    return [sample(row["text"][:OPENING], attack=row["label"] == "refusal") for row in kept]


def main() -> None:
    """Command line entry."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--leave-out", action="store_true")
    options = parser.parse_args()
    rows = read_rows(options.data)
    suffix = ".leave-out.bin" if options.leave_out else ".bin"
    attacks = train(training_samples(rows, leave_out=options.leave_out))
    (options.out / f"weights{suffix}").write_bytes(pack_model(*attacks))
    refusals = train(refusal_samples(rows, leave_out=options.leave_out), REFUSAL_EPOCHS)
    (options.out / f"refusal{suffix}").write_bytes(pack_model(*refusals))


if __name__ == "__main__":
    main()
