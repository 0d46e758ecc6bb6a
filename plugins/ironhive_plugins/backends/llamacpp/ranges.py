"""Integers between two bounds as a GBNF rule."""

from __future__ import annotations

ANY = '"-"? ("0" | [1-9] [0-9]{0,14})'


def integer_rule(least: int | None, most: int | None) -> str:
    """All integers from ``least`` to ``most``, both included; None is no bound (15 digits)."""
    if least is None and most is None:
        return ANY
    limit = 10**15 - 1
    low, high = max(-limit, -limit if least is None else least), min(limit, limit if most is None else most)
    if low > high:
        return ANY
    parts: list[str] = []
    if low < 0:
        parts += [f'"-" {part}' for part in _between(max(1, -min(high, -1)), -low)]
    if high >= 0:
        parts += _between(max(low, 0), high)
    return " | ".join(parts)


def _between(low: int, high: int) -> list[str]:
    """Alternatives for low..high, both not negative."""
    parts: list[str] = []
    for digits in range(len(str(low)), len(str(high)) + 1):
        least = max(low, 10 ** (digits - 1) if digits > 1 else 0)
        most = min(high, 10**digits - 1)
        if least <= most:
            parts += _same_length(str(least), str(most))
    return parts


def _same_length(low: str, high: str) -> list[str]:
    """Alternatives for two numbers of as many digits."""
    if low == high:
        return [f'"{low}"']
    if len(low) == 1:
        return [f"[{low}-{high}]"]
    if set(low[1:]) == {"0"} and set(high[1:]) == {"9"}:
        return [f"[{low[0]}-{high[0]}] [0-9]{{{len(low) - 1}}}"]
    if low[0] == high[0]:
        return [f'"{low[0]}" {part}' for part in _same_length(low[1:], high[1:])]
    rest = len(low) - 1
    parts = [f'"{low[0]}" {part}' for part in _same_length(low[1:], "9" * rest)]
    if int(high[0]) - int(low[0]) > 1:
        parts.append(f"[{int(low[0]) + 1}-{int(high[0]) - 1}] [0-9]{{{rest}}}")
    return parts + [f'"{high[0]}" {part}' for part in _same_length("0" * rest, high[1:])]
