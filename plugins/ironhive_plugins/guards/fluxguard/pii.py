"""Personal data in a text: e-mail, phone, card, bank and government numbers, network and wallet addresses.

RE2 finds candidates in linear passes; each candidate is then judged by shape, check digits and the words around it.
Code, hashes, UUIDs, dates, versions and log lines fall through, because nothing bare is believed without a check.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from ironhive.contracts.guards import Finding, Severity
from ironhive_plugins.guards.fluxguard.engines import pattern
from ironhive_plugins.guards.fluxguard.pii_checks import (
    is_email,
    is_iban,
    is_network,
    is_postcode,
    is_wallet,
)
from ironhive_plugins.guards.fluxguard.pii_numbers import Surroundings, judge_mixed, judge_number

if TYPE_CHECKING:
    from collections.abc import Iterator

CATEGORY = "pii"
MOST_FINDINGS = 500
_ANY_TRACE = re.compile(r"[\d@:]")
_LOCAL = re.compile(r"[\w.!#$%&'*+/=?^{|}~-]*$")
_DOMAIN = re.compile(r"[^\W_][\w-]*(?:\.[\w-]+)+")
_LONGEST_LOCAL, _LONGEST_DOMAIN = 64, 253
_NETWORK = (
    r"\b[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5}\b|\b[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\b"
    r"|(?:[0-9A-Fa-f]{0,4}:){2,7}(?:(?:\d{1,3}\.){3}\d{1,3}|[0-9A-Fa-f]{1,4})?(?:%\w{1,16})?"
    r"|\b\d{1,3}(?:\.\d{1,3}){3}\b"
)
_WALLET = r"\b(?:bc1[02-9ac-hj-np-z]{11,71}|[13][1-9A-HJ-NP-Za-km-z]{25,34}|0x[0-9A-Fa-f]{40})\b"
_IBAN = r"\b[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]{4}){2,7}(?:[ -]?[A-Za-z0-9]{1,3})?\b"
_NUMBER = r"(?:\+|\(\+?)?\d(?:[ ./()\x{2010}-\x{2014}-]{0,3}\d){6,80}"
_MIXED = r"[0-9A-Za-z]{0,9}[0-9][0-9A-Za-z+-]{5,20}|[A-Za-z]{5,8}[0-9][0-9A-Za-z]{3,11}"
_SPACED = (
    r"\b[A-Za-z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-Da-d]\b"
    r"|\b[1-9][A-Za-z][A-Za-z0-9]\d-[A-Za-z][A-Za-z0-9]\d-[A-Za-z]{2}\d{2}\b"
)
_POSTCODE = r"\b(?:GIR ?0AA|[A-PR-UWYZ][A-HK-Y]?\d[\dA-HJKPSTUW]? ?\d[ABD-HJLNP-UW-Z]{2})\b"
_PLATE = (
    r"\b(?:0[1-9]|[1-7]\d|8[01]) [A-Z]{1,3} \d{2,4}\b|\b[A-HJ-PR-Ya-hj-pr-y][A-HJ-PR-Ya-hj-pr-y](?:0[2-9]|[12]\d"
    r"|5[1-9]|6\d|7[0-5])[ -]?[A-Za-z]{3}\b"
    r"|\b[A-Z]{3}[ -]?\d{1,3}[ -]?[A-HJ-NPR-TV-Y]{1,2}\b"
    r"|\b[A-Z]{2}\d{1,2}[A-Z]{1,3}\d{4}\b"
)
_PLATE_WORDS = ("plaka", "plate", "registration", "vehicle", "vrm", "kennzeichen")
_DOTS, _COLONS, _DASHES, _SHORTEST_WALLET = 2, 2, 5, 14
"""The least signs of an address; less text cannot hold one."""

_MOST_GROUPS, _FEWEST_DIGITS, _MOST_DIGITS = 6, 7, 19
_PARSED_EMAILS = 2_000
"""Beyond so many addresses in one text their shape must do."""

_LABELLED = (
    r"(?i:\b(aadhaa?r|pan|passport|driver'?s? licen[cs]e|driving licen[cs]e|licen[cs]e|ssn|social security|tax id"
    r"|taxpayer|voter)"
    r"(?: ?card)?(?: ?(?:identification|id))?[ _]?(?:number|num|no\.?|#)?\b[\"']?[ \t]{0,2}(?:is|was|:|=|-|#"
    r"|of)?[ \t\"']{0,3})"
    r"([A-Z0-9]{2,}(?:[ -]?[A-Z0-9]{1,8}){0,4})\b"
)
_LABELS = {
    "aa": "IN_AADHAAR",
    "pa": "PASSPORT",
    "dr": "DRIVER_LICENSE",
    "li": "DRIVER_LICENSE",
    "ss": "US_SSN",
    "so": "US_SSN",
    "ta": "TAX_ID",
    "vo": "VOTER_ID",
}
_FEWEST_LABELLED, _LABEL_SCORE = 4, 0.45
_JOINTS = frozenset({".", ":", "-"})
_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_VERSION_BEFORE = re.compile(r"(?:\bv|version|release|ver\.?|build)[ :=]*$")
_WORDLIKE = re.compile(r"\w")
_LEVELS = {
    "CREDIT_CARD": (Severity.CRITICAL, 0.92),
    "IBAN_CODE": (Severity.MEDIUM, 0.6),
    "EMAIL_ADDRESS": (Severity.LOW, 0.3),
    "PHONE_NUMBER": (Severity.LOW, 0.4),
    "IP_ADDRESS": (Severity.INFO, 0.2),
    "MAC_ADDRESS": (Severity.INFO, 0.2),
    "CRYPTO": (Severity.LOW, 0.35),
    "UK_POSTCODE": (Severity.INFO, 0.2),
    "VEHICLE_PLATE": (Severity.INFO, 0.2),
}


def scan_pii(text: str, most: int | None = MOST_FINDINGS) -> list[Finding]:
    """Personal data in ``text``; overlapping readings of one place are reduced to the strongest.

    ``most`` bounds the findings of each kind of search; None finds all, at the cost of time in texts full of numbers.
    """
    if _ANY_TRACE.search(text) is None:
        return []
    around = Surroundings(text, bounded=most is not None)
    searches = (
        _emails(text),
        _networks(around),
        _wallets(text),
        _ibans(text),
        _numbers(around),
        _mixed(around),
        _labelled(text),
    )
    return _strongest([item for search in searches for item in islice(search, most)])


def _finding(kind: str, start: int, end: int, score: float | None = None) -> Finding:
    severity, usual = _LEVELS.get(kind, (Severity.HIGH, 0.8))
    return Finding(f"pii.{kind.lower()}", CATEGORY, start, end, severity, usual if score is None else score)


def _emails(text: str) -> Iterator[Finding]:
    at = text.find("@")
    seen = 0
    while at >= 0:
        domain = _DOMAIN.match(text, at + 1, at + 1 + _LONGEST_DOMAIN)
        local = _LOCAL.search(text[max(0, at - _LONGEST_LOCAL) : at]) if domain is not None else None
        if local is not None and domain is not None:
            name = local.group().lstrip("!#$%&'*/=?^{|}~.-")
            end = domain.end()
            seen += 1
            if (
                name
                and (seen > _PARSED_EMAILS or is_email(f"{name}@{domain.group()}"))
                and text[end : end + 1] not in {":", "/"}
            ):
                yield _finding("EMAIL_ADDRESS", at - len(name), end)  # user@host:path is not an address
        at = text.find("@", at + 1)


def _networks(around: Surroundings) -> Iterator[Finding]:
    text = around.text
    if text.count(".") < _DOTS and text.count(":") < _COLONS and text.count("-") < _DASHES:
        return
    for match in pattern(_NETWORK).finditer(text):
        start, end = match.span()
        before, after = text[start - 1 : start] if start else "", text[end : end + 2]
        if _WORDLIKE.match(before) or before in _JOINTS or _WORDLIKE.match(after):
            continue
        if after[:1] in _JOINTS and after[1:].isalnum():
            continue
        kind = is_network(match.group())
        if kind is None:
            continue
        if kind == "IP_ADDRESS" and _VERSION_BEFORE.search(around.lower[max(0, start - 12) : start]):
            continue
        yield _finding(kind, start, end)


def _wallets(text: str) -> Iterator[Finding]:
    if len(text) < _SHORTEST_WALLET:
        return
    for match in pattern(_WALLET).finditer(text):
        if is_wallet(match.group()):
            yield _finding("CRYPTO", match.start(), match.end())


def _ibans(text: str) -> Iterator[Finding]:
    for match in pattern(_IBAN).finditer(text):
        raw = match.group()
        length = is_iban(raw)
        if length:
            yield _finding("IBAN_CODE", match.start(), match.start() + length)
        elif "iban" in text[max(0, match.start() - 40) : match.start()].lower():
            yield _finding("IBAN_CODE", match.start(), match.end(), 0.6)


def _numbers(around: Surroundings) -> Iterator[Finding]:
    for match in pattern(_NUMBER).finditer(around.text):
        yield from _number_groups(around, match.start(), match.group())


def _number_groups(around: Surroundings, start: int, raw: str) -> Iterator[Finding]:
    # Several numbers may stand in a row with one space between them: the longest run of groups that means something
    # wins.
    groups = [(m.start(), m.end(), sum(map(str.isdigit, m.group()))) for m in re.finditer(r"\S+", raw)]
    index = 0
    while index < len(groups):
        for last in range(min(len(groups), index + _MOST_GROUPS), index, -1):
            digits = sum(count for _, _, count in groups[index:last])
            if not _FEWEST_DIGITS <= digits <= _MOST_DIGITS or _torn(groups, index, last):
                continue
            low, high = start + groups[index][0], start + groups[last - 1][1]
            kind = judge_number(around, low, high)
            if kind is not None:
                yield _finding(kind[0], low, high, kind[1])
                index = last
                break
        else:
            index += 1


def _labelled(text: str) -> Iterator[Finding]:
    """Numbers that their label names, whatever their check digits say."""
    for match in pattern(_LABELLED).finditer(text):
        value = match.group(2)
        if sum(map(str.isdigit, value)) >= _FEWEST_LABELLED:
            yield _finding(_LABELS[match.group(1)[:2].lower()], match.start(2), match.end(2), _LABEL_SCORE)


def _torn(groups: list[tuple[int, int, int]], first: int, last: int) -> bool:
    # A piece next to a short group is a piece of a longer number, not a number.
    if first and groups[first - 1][2] < _FEWEST_DIGITS:
        return True
    return last < len(groups) and groups[last][2] < _FEWEST_DIGITS


def _mixed(around: Surroundings) -> Iterator[Finding]:
    text = around.text
    for match in pattern(_MIXED).finditer(text):
        start, end = match.span()
        before, after = text[start - 1 : start] if start else "", text[end : end + 1]
        if (before and (before.isalnum() or before in "_/")) or (after and (after.isalnum() or after == "_")):
            continue
        if not around.spend():
            return
        kind = judge_mixed(around, start, end)
        if kind is not None and not _UUID.search(text[max(0, start - 36) : end + 36]):
            yield _finding(kind[0], start, end, kind[1])
    for match in pattern(_SPACED).finditer(text):
        kind = judge_mixed(around, match.start(), match.end())
        if kind is not None:
            yield _finding(kind[0], match.start(), match.end(), kind[1])
    for match in pattern(_PLATE).finditer(text):
        if around.sole(match.start(), match.end()) or around.says(_PLATE_WORDS, match.start(), match.end()):
            yield _finding("VEHICLE_PLATE", match.start(), match.end())
    for match in pattern(_POSTCODE).finditer(text):
        if is_postcode(match.group(), sole=around.sole(match.start(), match.end())):
            yield _finding("UK_POSTCODE", match.start(), match.end())


def _strongest(found: list[Finding]) -> list[Finding]:
    kept: list[Finding] = []
    last_end = -1
    for item in sorted(found, key=lambda item: (item.start, -item.score, -item.end)):
        if item.start < last_end:
            if item.score > kept[-1].score:
                kept[-1] = item
                last_end = max(last_end, item.end)
            continue
        kept.append(item)
        last_end = item.end
    return kept
