"""llama.cpp's C interface, wrapped just enough to be typed and freed."""

from __future__ import annotations

import ctypes
import threading
from collections import deque
from typing import TYPE_CHECKING, Any

import llama_cpp as ll

from ironhive.errors import ModelLoadError, ModelMemoryError

if TYPE_CHECKING:
    from pathlib import Path

ERROR_LEVEL = 4
"""``GGML_LOG_LEVEL_ERROR``."""

_lock = threading.Lock()
_said: deque[str] = deque(maxlen=20)
_started: list[Any] = []


@ll.llama_log_callback  # type: ignore[untyped-decorator]  # ctypes
def _keep_errors(level: int, text: bytes, _: ctypes.c_void_p) -> None:
    if level == ERROR_LEVEL:
        _said.append(text.decode("utf-8", "replace").strip())


def start() -> None:
    """Initialise llama.cpp once, and keep its chatter off stderr."""
    with _lock:
        if not _started:
            ll.llama_log_set(_keep_errors, ctypes.c_void_p(0))
            ll.llama_backend_init()
            _started.append(True)


def load_model(path: Path, *, gpu_layers: int | None) -> Any:
    """The weights.

    :raises ModelLoadError: with llama.cpp's own reason.
    """
    start()
    params = ll.llama_model_default_params()
    offloads = bool(ll.llama_supports_gpu_offload())
    params.n_gpu_layers = gpu_layers if gpu_layers is not None else (999 if offloads else 0)
    _said.clear()
    model = ll.llama_model_load_from_file(str(path).encode(), params)
    if not model:
        reason = "; ".join(_said) or "llama.cpp gave no reason"
        message = f"{path} cannot be loaded: {reason}. The file may be damaged or newer than this llama.cpp"
        raise ModelLoadError(message, model=str(path))
    return model


def new_context(model: Any, path: Path, *, window: int, batch: int, threads: int) -> Any:
    """A context: the memory for ``window`` tokens.

    :raises ModelMemoryError: it could not be allocated.
    """
    params = ll.llama_context_default_params()
    params.n_ctx = window
    params.n_batch = batch
    params.n_ubatch = batch
    params.n_threads = threads
    params.n_threads_batch = threads
    params.swa_full = True  # without it, sliding-window models cannot take back a part of the conversation
    _said.clear()
    context = ll.llama_init_from_model(model, params)
    if not context:
        reason = "; ".join(_said) or "llama.cpp gave no reason"
        message = f"no memory for a context of {window} tokens of {path.name}: {reason}; set a smaller maxContextLength"
        raise ModelMemoryError(message, model=str(path))
    return context


def metadata(model: Any, key: str) -> str | None:
    """One value of the file's header as text."""
    size = 4096
    for _ in range(2):
        buffer = ctypes.create_string_buffer(size)
        length = ll.llama_model_meta_val_str(model, key.encode(), buffer, size)
        if length < 0:
            return None
        if length < size:
            return buffer.value.decode("utf-8", "replace")
        size = length + 1
    return None


def tokenize(vocab: Any, text: str, *, begin: bool = False) -> list[int]:
    """Tokens of a rendered prompt; marks in it such as ``<|im_start|>`` become their special tokens."""
    data = text.encode()
    room = len(data) + 8
    while True:
        tokens = (ll.llama_token * room)()
        count = ll.llama_tokenize(vocab, data, len(data), tokens, room, begin, True)
        if count >= 0:
            return list(tokens[:count])
        room = -count


def piece(vocab: Any, token: int, buffer: Any, *, special: bool) -> bytes:
    """The bytes of a token."""
    length = ll.llama_token_to_piece(vocab, token, buffer, len(buffer), 0, special)
    return bytes(buffer[:length]) if length > 0 else b""


def decode_all(context: Any, tokens: list[int], start: int) -> int:
    """Decode tokens at a position and keep the logits of every one of them.

    :returns: llama.cpp's code; 0 is success.
    """
    batch = ll.llama_batch_init(len(tokens), 0, 1)
    try:
        batch.n_tokens = len(tokens)
        for index, token in enumerate(tokens):
            batch.token[index] = token
            batch.pos[index] = start + index
            batch.n_seq_id[index] = 1
            batch.seq_id[index][0] = 0
            batch.logits[index] = 1
        return int(ll.llama_decode(context, batch))
    finally:
        ll.llama_batch_free(batch)


def log_probabilities(context: Any, vocab: Any, index: int) -> Any:
    """The log-probability of every token after the decoded one at ``index`` (-1: the last)."""
    import numpy as np  # comes with llama-cpp-python

    pointer = ll.llama_get_logits_ith(context, index)
    logits = np.ctypeslib.as_array(pointer, shape=(ll.llama_vocab_n_tokens(vocab),)).astype(np.float64)
    logits -= logits.max()
    return logits - np.log(np.exp(logits).sum())
