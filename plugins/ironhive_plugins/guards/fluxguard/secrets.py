"""Credentials in a text: tokens that name their vendor, private keys, passwords, and random strings that are announced.

A random-looking string alone is no secret (hashes, ids and digests look the same): it needs a vendor's prefix or a
label in front of it, and it must not be a placeholder.
"""

from __future__ import annotations

import base64
import math
import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from ironhive.contracts.guards import Finding, Severity
from ironhive_plugins.guards.fluxguard import secret_patterns as shapes
from ironhive_plugins.guards.fluxguard.engines import pattern
from ironhive_plugins.guards.fluxguard.wordlists import words

if TYPE_CHECKING:
    from collections.abc import Iterator

CATEGORY = "secret"
MOST_FINDINGS = 500
_PLACEHOLDER = re.compile(
    r"(?i)x{4,}|\*{3,}|\.{3,}|<|>|\$\{|\{\{|%\(|your[-_]?|example|placeholder|changeme|dummy|redacted|my[-_]?(?:secret|token|key|api)|insert|"
    r"todo|0{12,}|null|none|undefined|process\.env|os\.environ|getenv|settings\.|config\.|self\.|this\.|request\.|params\."
)
_CODE = re.compile(
    r"[()\[\]{}]|^[a-z]+(?:[A-Z][a-z]+)+$|^[A-Za-z]+(?:[_.-][A-Za-z]+)*$|^[A-Za-z_]+\.[A-Za-z_.]+$|^https?:|^\$[A-Za-z_]|^[@./]|::"
)
_TRIVIAL = frozenset(
    words(
        "true false null none yes no string str password passwd required optional enabled disabled hidden "
        "text input secret token self this value field reset change forgot protected prompt type name "
        "user username admin root test email empty default str, bytes int object dict list bool any "
        "unknown invalid wrong incorrect anonymous busybox"
    )
)
_NOT_SERVICES = frozenset(
    words(
        "base64 base32 hex hash md5 sha1 sha256 sha512 digest checksum commit revision uuid guid id etag "
        "nonce data decode encoded text string integrity blob image png cookie file path url https http "
        "version signature fingerprint"
    )
)
_WEAK = re.compile(
    r"(?i)p[a4@][s5$]{1,2}|pw|secret|test|demo|foo|bar|admin|user|word|1234|qwert|letmein|hunter|changeit|abc|geheim|clave|sample"
)
_LONG_PASSWORD, _SHORT_TOKEN, _LONG_TOKEN, _FEW_DIGITS = 10, 12, 24, 2
_TEXTBOOK = 0.5
"""Passwords of manuals: seen, but no reason for an alarm."""

_PASSWORD_MARK = re.compile(r"[0-9!@#$%^&*?]")
_SNIPPET = 300
"""Up to this length (characters) a text is a snippet, in which loose spellings of an assignment count too."""

_SNIPPET_SHARE = 0.25
_PROSE = 0.85
_URL_SAFE = str.maketrans("-_", "+/")
_WORDY = re.compile(r"[A-Za-z]{0,2}[a-z]{3,}")
_MIN_ENTROPY, _HEX_ENTROPY = 3.2, 2.7


def scan_secrets(text: str, most: int | None = MOST_FINDINGS) -> list[Finding]:
    """Credentials in ``text``; the span is the credential itself, without its label.

    ``most`` bounds the findings of each kind of search; None finds all.
    """
    searches = (
        _vendor(text),
        _keys(text),
        _urls(text),
        _bearers(text),
        _assigned(text),
        _passwords(text),
        _named(text),
    )
    found = [item for search in searches for item in islice(search, most)]
    found.sort(key=lambda item: (item.start, -item.score, -item.end))
    kept: list[Finding] = []
    for item in found:
        if not kept or item.start >= kept[-1].end:
            kept.append(item)
    return kept


def _finding(rule: str, start: int, end: int, score: float) -> Finding:
    return Finding(f"secret.{rule}", CATEGORY, start, end, Severity.CRITICAL, score)


def _vendor(text: str) -> Iterator[Finding]:
    for match in pattern(shapes.VENDOR).finditer(text):
        raw = match.group()
        if _PLACEHOLDER.search(raw) and "EXAMPLE" not in raw:
            continue
        if raw.startswith("gl") and _wordy(raw.partition("-")[2]):
            continue
        if entropy(raw[-32:]) >= _HEX_ENTROPY and any(char.isdigit() for char in raw):
            score = _TEXTBOOK if raw.startswith("ey") and _sample_token(raw) else 0.95
            yield _finding("vendor_token", match.start(), match.end(), score)
    for match in pattern(shapes.PREFIXED).finditer(text):
        if looks_random(match.group(1)) and not _PLACEHOLDER.search(match.group()):
            yield _finding("vendor_token", match.start(), match.end(), 0.9)


def _keys(text: str) -> Iterator[Finding]:
    if "-----BEGIN" in text or "PuTTY" in text:
        for match in pattern(shapes.PRIVATE_KEY).finditer(text):
            stop = text.find("-----END", match.end())
            end = text.find("\n", stop) if stop >= 0 else len(text)
            yield _finding("private_key", match.start(), len(text) if end < 0 else end, 0.97)


def _urls(text: str) -> Iterator[Finding]:
    if "://" not in text:
        return
    for match in pattern(shapes.URL_LOGIN).finditer(text):
        value = match.group(2)
        if not _PLACEHOLDER.search(value) and value.lower() not in {"password", "pass", "pwd", "port"}:
            yield _finding("url_password", match.start(2), match.end(2), _TEXTBOOK if _WEAK.search(value) else 0.85)


def _bearers(text: str) -> Iterator[Finding]:
    for shape in (shapes.BEARER, shapes.BEARER_BARE):
        for match in pattern(shape).finditer(text):
            if looks_random(match.group(1)):
                yield _finding("bearer", match.start(1), match.end(1), 0.9)


def _assigned(text: str) -> Iterator[Finding]:
    for match in pattern(shapes.ASSIGNED).finditer(text):
        value = match.group(1).strip("=:.-_")
        if looks_random(value):
            start = match.start(1) + match.group(1).index(value)
            yield _finding("assigned", start, start + len(value), 0.85)
    if len(text) > _SNIPPET:
        return
    for match in pattern(shapes.ASSIGNED_LOOSELY).finditer(text):
        value = match.group(1).strip("=.-_")
        if len(value) > max(15, len(text) * _SNIPPET_SHARE) and looks_random(value) and not hides_text(value):
            start = match.start(1) + match.group(1).index(value)
            yield _finding("announced", start, start + len(value), 0.8)


def _passwords(text: str) -> Iterator[Finding]:
    for match in pattern(shapes.LOGIN).finditer(text):
        quote, value = match.group(2), match.group(3).rstrip(".")
        if value.lower() in _TRIVIAL or _PLACEHOLDER.search(value) or (_CODE.search(value) and not quote):
            continue
        if (_PASSWORD_MARK.search(value) and any(char.isalnum() for char in value) and not value.isdigit()) or (
            quote and len(value) >= _LONG_PASSWORD and not _wordy(value)
        ):
            score = _TEXTBOOK if _WEAK.search(value) else 0.8
            yield _finding("password", match.start(3), match.start(3) + len(value), score)


def _named(text: str) -> Iterator[Finding]:
    if len(text) > _SNIPPET:
        return  # a service's bare name announces a key only in a short snippet
    for match in pattern(shapes.NAMED).finditer(text):
        value = match.group(2)
        if (
            match.group(1).lower() not in _NOT_SERVICES
            and looks_random(value)
            and len(value) >= _LONG_TOKEN
            and not hides_text(value)
        ):
            yield _finding("named", match.start(2), match.end(2), 0.75)


def looks_random(value: str) -> bool:
    """Whether ``value`` is a random string, not a word, a path, a placeholder or a piece of code."""
    if len(value) < _SHORT_TOKEN or _PLACEHOLDER.search(value) or _CODE.search(value):
        return False
    digits = sum(char.isdigit() for char in value)
    if digits < _FEW_DIGITS or digits == len(value):
        return False
    if _wordy(value):
        return False
    return entropy(value) >= (_HEX_ENTROPY if re.fullmatch("[0-9a-fA-F-]+", value) else _MIN_ENTROPY)


def _sample_token(raw: str) -> bool:
    """Whether a JSON web token is one of those that manuals show."""
    body = raw.split(".")[1]
    try:
        text = base64.b64decode(body.translate(_URL_SAFE) + "=" * (-len(body) % 4)).lower()
    except ValueError:
        return False
    return any(name in text for name in (b"john doe", b"johndoe", b"example", b"1234567890", b"test"))


def _wordy(value: str) -> bool:
    pieces = [piece for piece in re.split(r"[-_./:+=]", value) if piece]
    return len(pieces) > 1 and sum(1 for piece in pieces if _WORDY.fullmatch(piece)) * 2 >= len(pieces)


def hides_text(value: str) -> bool:
    """Whether ``value`` is nothing but readable text in base64."""
    try:
        raw = base64.b64decode(value.translate(_URL_SAFE) + "=" * (-len(value) % 4))
        text = raw.decode("ascii")
    except ValueError:
        return False
    return sum(char.isalpha() or char == " " for char in text) > len(text) * _PROSE


def entropy(value: str) -> float:
    """Shannon entropy of the characters of ``value``, in bits per character."""
    size = len(value)
    return -sum(count / size * math.log2(count / size) for count in Counter(value).values()) if size else 0.0
