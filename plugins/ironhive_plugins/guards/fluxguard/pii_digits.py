"""Check digits that python-stdnum does not know, or is stricter about than the authorities that issue the numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ironhive_plugins.guards.fluxguard.engines import engine

if TYPE_CHECKING:
    from collections.abc import Callable

_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_ITIN_GROUPS = frozenset(map(str, [*range(50, 66), *range(70, 89), 90, 91, 92, *range(94, 100)]))


def _weighted(digits: str, weights: tuple[int, ...]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def _cross(value: int) -> int:
    return value // 10 + value % 10


def us_npi(text: str) -> bool:
    """US provider number: Luhn over the number with its card-issuer prefix."""
    return bool(engine("stdnum.luhn").is_valid("80840" + text))


def us_itin(text: str) -> bool:
    """US taxpayer number: the fourth and fifth digit lie in the ranges that are issued."""
    return text[3:5] in _ITIN_GROUPS


def us_dea(text: str) -> bool:
    """US medical registration: the last digit of d1 + d3 + d5 + 2 (d2 + d4 + d6)."""
    digits = text[2:]
    return _weighted(digits, (1, 2, 1, 2, 1, 2)) % 10 == int(digits[6])


def kr_rrn(text: str) -> bool:
    """Korean resident (11 complement) or foreigner (13 complement) number as issued until 2020."""
    total = _weighted(text, (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5))
    base = 13 if text[6] in "5678" else 11
    return (base - total % 11) % 10 == int(text[12])


def kr_brn(text: str) -> bool:
    """Korean business number."""
    total = _weighted(text, (1, 3, 7, 1, 3, 7, 1, 3, 5)) + int(text[8]) * 5 // 10
    return (10 - total % 10) % 10 == int(text[9])


def ru_snils(text: str) -> bool:
    """Russian insurance number."""
    total = _weighted(text, (9, 8, 7, 6, 5, 4, 3, 2, 1)) % 101 % 100
    return total == int(text[9:]) and len(set(text)) > 1


def de_idnr(text: str) -> bool:
    """German tax number: ISO 7064 mod 11, 10."""
    return bool(engine("stdnum.iso7064.mod_11_10").is_valid(text))


def de_lanr(text: str) -> bool:
    """German physician number: the seventh digit completes 4, 9, 4, 9, 4, 9 to a multiple of ten."""
    return (10 - _weighted(text, (4, 9, 4, 9, 4, 9)) % 10) % 10 == int(text[6])


def de_kvnr(text: str) -> bool:
    """German health insurance number."""
    digits = f"{ord(text[0]) - 64:02d}{text[1:9]}"
    total = sum(_cross(int(digit) * weight) for digit, weight in zip(digits, (1, 2) * 5, strict=True))
    return total % 10 == int(text[9])


def de_svnr(text: str) -> bool:
    """German pension insurance number."""
    digits = f"{text[:8]}{ord(text[8]) - 64:02d}{text[9:11]}"
    weights = (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1)
    total = sum(_cross(int(digit) * weight) for digit, weight in zip(digits, weights, strict=True))
    return total % 10 == int(text[11])


def icao(text: str) -> bool:
    """Machine-readable travel document: weights 7, 3, 1 over eight characters, the ninth is the check digit."""
    values = [int(char, 36) for char in text[:8]]
    total = sum(value * weight for value, weight in zip(values, (7, 3, 1) * 3, strict=False))
    return text[8].isdigit() and total % 10 == int(text[8])


def fi_hetu(text: str) -> bool:
    """Finnish personal code, temporary ones included."""
    day, month = int(text[:2]), int(text[2:4])
    if not 1 <= month <= len(_DAYS) or not 1 <= day <= _DAYS[month - 1]:
        return False
    number = int(text[:6] + text[7:10])
    return "0123456789ABCDEFHJKLMNPRSTUVWXY"[number % 31] == text[10]


OWN: dict[str, Callable[[str], bool]] = {
    function.__name__: function
    for function in (
        us_npi,
        us_itin,
        us_dea,
        kr_rrn,
        kr_brn,
        ru_snils,
        de_idnr,
        de_lanr,
        de_kvnr,
        de_svnr,
        icao,
        fi_hetu,
    )
}
"""Checks by the name that the table of numbers uses."""
