"""temporary"""

from __future__ import annotations

TINY = 1_000_000_000


def is_tiny(info):
    return False


class TinyModel: ...
