"""What a number or a mixed token is, judged by its shape, its check digits and the words around it."""

from __future__ import annotations

import re
from functools import cache

from ironhive_plugins.guards.fluxguard.pii_checks import is_card
from ironhive_plugins.guards.fluxguard.pii_ids import DIGITS, MIXED, IdSpec
from ironhive_plugins.guards.fluxguard.pii_phone import phone_score

Kind = tuple[str, float]
_BEFORE, _AFTER, _RIGHT_BEFORE = 48, 28, 24
_SOLE_SHARE, _SOLE_LENGTH = 0.8, 40
_FEWEST, _VARIETY = 7, 3
_CARD_GROUP = range(3, 7)
_ANNOUNCED, _SOLE = 0.8, 0.5
_CLOSE_LOOKS, _CHARACTERS_PER_LOOK = 256, 512
"""How many numbers of a text are checked for more than cards."""

_CARD_WORDS = (
    "card",
    "visa",
    "mastercard",
    "amex",
    "credit",
    "debit",
    "cc",
    "카드",
    "カード",
    "卡",
    "tarjeta",
    "karte",
    "carte",
    "карт",
)
_DATE = re.compile(
    r"(?:19|20)\d{2}[-./ ]\d{1,2}[-./ ]\d{1,2}(?:[ T]\d{1,2})?|\d{1,2}[-./ ]\d{1,2}[-./ ](?:19|20)?\d{2}(?: \d{1,2})?"
    r"|(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:\d{6})?|(?:19|20)\d{2}[-–](?:19|20)\d{2}"
)
_NOT_DIGIT = re.compile(r"\D")
_NOT_ALNUM = re.compile(r"[^0-9A-Za-z]")
_ROLE_AFTER = re.compile(r"-(?:office|fax|mobile|home|work|cell|desk)\b", re.IGNORECASE)
_HEX = re.compile(r"[0-9a-f]{12,}|[0-9A-F]{16,}")


class Surroundings:
    """A text with what is asked about it again and again: its lower-case form and its bare length."""

    def __init__(self, text: str, *, bounded: bool = True) -> None:
        self.text = text
        lower = text.lower()
        self.lower = lower if len(lower) == len(text) else text
        self._bare = len(text.strip())
        self._where, self._near = (-1, -1), ""
        self._left = _CLOSE_LOOKS + len(text) // _CHARACTERS_PER_LOOK if bounded else len(text)

    def sole(self, start: int, end: int) -> bool:
        """Whether the text is (nearly) nothing but ``[start, end)``."""
        return self._bare < _SOLE_LENGTH and end - start >= self._bare * _SOLE_SHARE

    def says(self, words: tuple[str, ...], start: int, end: int) -> bool:
        """Whether one of ``words`` stands shortly before or after ``[start, end)``."""
        if self._where != (start, end):
            self._where = (start, end)
            self._near = self.lower[max(0, start - _BEFORE) : start] + " \0 " + self.lower[end : end + _AFTER]
        near = self._near
        return any(word in near for word in words) and _any_word(words).search(near) is not None

    def introduces(self, words: tuple[str, ...], start: int) -> bool:
        """Whether one of ``words`` stands right before ``start``."""
        near = self.lower[max(0, start - _RIGHT_BEFORE) : start]
        return any(word in near for word in words) and _any_word(words).search(near) is not None

    def spend(self) -> bool:
        """Whether one more number may be looked at closely: texts that are nothing but numbers must not cost more
        than others.
        """
        self._left -= 1
        return self._left >= 0


@cache
def _any_word(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(rf"(?<!\w){re.escape(word)}" if word.isascii() else re.escape(word) for word in words))


@cache
def _by_length(length: int) -> tuple[IdSpec, ...]:
    probe = [spec for spec in DIGITS if any(spec.shape.fullmatch(sample) for sample in _samples(length))]
    return tuple(probe)


def _samples(length: int) -> list[str]:
    bases = (
        "1234567890123456789",
        "2010110115678901234",
        "7560110112345678901",
        "9010101512345678901",
        "3012345678901234567",
        "8812010112345678901",
    )
    return [base[:length] for base in bases]


def judge_number(around: Surroundings, start: int, end: int) -> Kind | None:
    """The kind and score of the digits in ``[start, end)``, or None."""
    text = around.text
    if _part_of_more(text, start, end):
        return None
    raw = text[start:end]
    if raw.startswith("(") and ")" not in raw:
        return None
    digits = _NOT_DIGIT.sub("", raw)
    if len(digits) < _FEWEST or _DATE.fullmatch(raw):
        return None
    if raw[0] != "+" and is_card(digits, announced=around.says(_CARD_WORDS, start, end)) and _card_spelling(raw):
        return "CREDIT_CARD", 0.92
    if not around.spend():
        return None
    best = None if raw[0] == "+" else _best_id(around, start, end, raw, digits)
    if best is not None and best[1] >= _ANNOUNCED:
        return best
    if around.introduces(_CARD_WORDS, start):
        return best  # a card number with a wrong digit is no telephone number
    before = "phone " if _ROLE_AFTER.match(text[end : end + 12]) else around.lower[max(0, start - 40) : start]
    phone = phone_score(raw, before, sole=around.sole(start, end))
    return ("PHONE_NUMBER", phone) if phone and (best is None or phone >= best[1]) else best


def _part_of_more(text: str, start: int, end: int) -> bool:
    before = text[start - 1] if start else " "
    after = text[end] if end < len(text) else " "
    if before.isalnum() or (before in "_#$€£.@=&" and (before != "#" or text[start - 2 : start - 1] not in {" ", ""})):
        return before not in "#.=" or before.isalnum()
    if after == "x" and text[end + 1 : end + 2].isdigit():
        return False  # an extension
    if after.isalnum() or after in "_%€@" or (after == "." and text[end + 1 : end + 2].isdigit()):
        return True
    if after == "-" and _ROLE_AFTER.match(text[end : end + 12]):
        return False
    return (before == "-" and text[start - 2 : start - 1].isalnum()) or (
        after == "-" and text[end + 1 : end + 2].isalnum()
    )


def _card_spelling(raw: str) -> bool:
    groups = re.split(r"\D+", raw)
    return len(groups) == 1 or all(len(group) in _CARD_GROUP or group == groups[-1] for group in groups)


def _best_id(around: Surroundings, start: int, end: int, raw: str, digits: str) -> Kind | None:
    best: Kind | None = None
    separated = raw != digits
    for spec in _by_length(len(digits)):
        if not spec.shape.fullmatch(digits):
            continue
        written = separated and spec.written is not None and spec.written.fullmatch(raw) is not None
        score = _belief(around, spec, start, end, written=written, upper=True)
        if score < _ANNOUNCED and ((separated and not written) or len(set(digits)) < _VARIETY):
            continue
        if score > (best[1] if best else 0.0) and (spec.valid(digits) or _random_rrn(around, spec, start, end)):
            best = (spec.kind, score)
    return best


def _random_rrn(around: Surroundings, spec: IdSpec, start: int, end: int) -> bool:
    # Korean numbers issued since October 2020 end in random digits: the usual spelling or an announcement must do.
    if spec.kind != "KR_RRN":
        return False
    return around.says(spec.words, start, end) or "-" in around.text[start:end]


def _belief(around: Surroundings, spec: IdSpec, start: int, end: int, *, written: bool, upper: bool) -> float:
    if (spec.mode == "strong" and upper) or (spec.mode == "format" and written):
        return _ANNOUNCED
    if around.says(spec.words, start, end):
        return _ANNOUNCED
    return _SOLE if spec.alone and around.sole(start, end) else 0.0


def judge_mixed(around: Surroundings, start: int, end: int) -> Kind | None:
    """The kind and score of a token of letters and digits, or None."""
    raw = around.text[start:end]
    compact = _NOT_ALNUM.sub("", raw).upper() if not re.search(r"\d[-+A-Fa-fU-Yu-y]\d{3}", raw) else raw.upper()
    if compact.isdigit() or _HEX.fullmatch(raw):
        return None
    upper = raw == raw.upper()
    best: Kind | None = None
    for spec in MIXED:
        if spec.shape.fullmatch(compact) or (compact != raw and spec.shape.fullmatch(_NOT_ALNUM.sub("", compact))):
            score = _belief(around, spec, start, end, written=False, upper=upper)
            if score > (best[1] if best else 0.0) and spec.valid(compact):
                best = (spec.kind, score)
    return best
