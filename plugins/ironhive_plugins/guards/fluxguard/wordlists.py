"""Word lists written as running text."""

from __future__ import annotations


def words(text: str) -> list[str]:
    """The words of ``text``, in order."""
    return text.split()
