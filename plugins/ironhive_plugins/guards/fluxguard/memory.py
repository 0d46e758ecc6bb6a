"""What a guard remembers: which texts have passed, and the wording of the system prompts it has seen."""

from __future__ import annotations

import re
from collections import OrderedDict
from hashlib import blake2b
from threading import Lock

_WORD = re.compile(r"[^\W_]+")
_RUN = 8
"""Words in one remembered piece of a system prompt."""


class PassedTexts:
    """Digests of texts that have passed, least recently used dropped. Holds no text."""

    def __init__(self, capacity: int = 8192) -> None:
        self._capacity = capacity
        self._digests: OrderedDict[bytes, None] = OrderedDict()
        self._lock = Lock()

    def knows(self, role: str, text: str) -> bool:
        """Whether ``text`` has passed in this role before."""
        key = _digest(role, text)
        with self._lock:
            if key not in self._digests:
                return False
            self._digests.move_to_end(key)
            return True

    def remember(self, role: str, text: str) -> None:
        """Note that ``text`` has passed."""
        key = _digest(role, text)
        with self._lock:
            self._digests[key] = None
            self._digests.move_to_end(key)
            while len(self._digests) > self._capacity:
                self._digests.popitem(last=False)


def _digest(role: str, text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16, person=role.encode()[:16]).digest()


class SystemWording:
    """Pieces of the system prompts seen, to recognise an answer that repeats them."""

    def __init__(self, capacity: int = 64) -> None:
        self._capacity = capacity
        self._prompts: OrderedDict[bytes, frozenset[int]] = OrderedDict()
        self._lock = Lock()

    def remember(self, prompt: str) -> None:
        """Note the wording of a system prompt; short ones are too common to be recognised."""
        key = _digest("system", prompt)
        with self._lock:
            if key in self._prompts:
                self._prompts.move_to_end(key)
                return
            pieces = frozenset(_pieces(prompt))
            if len(pieces) >= _RUN:
                self._prompts[key] = pieces
                while len(self._prompts) > self._capacity:
                    self._prompts.popitem(last=False)

    def echoed(self, answer: str) -> float:
        """The largest share (0 to 1) of a remembered prompt that stands word for word in ``answer``."""
        with self._lock:
            prompts = list(self._prompts.values())
        if not prompts:
            return 0.0
        said = frozenset(_pieces(answer))
        return max(len(pieces & said) / len(pieces) for pieces in prompts)


def _pieces(text: str) -> list[int]:
    words = _WORD.findall(text.lower())
    return [hash(tuple(words[index : index + _RUN])) for index in range(len(words) - _RUN + 1)]
