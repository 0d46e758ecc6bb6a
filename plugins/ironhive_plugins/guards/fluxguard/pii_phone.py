"""Telephone numbers: written like one, or announced as one, and valid in some numbering plan."""

from __future__ import annotations

import re
from functools import lru_cache

from ironhive_plugins.guards.fluxguard.engines import engine

_LABEL = re.compile(
    r"(?<!\w)(?:phone|telephone|telepono|tel|mobile|cell|fax|desk|office|whatsapp|sms|hotline|telefon\w*|tel[eé]fono|t[eé]l[eé]phone|celular|handy|"
    r"cep|gsm|телефон|тел|telefone|telemóvel|answering at|call (?:me|us) (?:at"
    r"|on))(?!\w)[^\w]{0,3}(?:\w{1,8}[^\w]{1,3}){0,2}$"
    r"|(?:전화|연락처|휴대폰|핸드폰|電話|携帯|电话|手机|هاتف|फ़ोन|फोन|मोबाइल)[^\d]{0,8}$"
)
_ANNOUNCED = re.compile(
    r"(?<!\w)(?:phone|telephone|tel|mobile|cell|fax|call|contact|number is|reach|dial|telefon\w*|registered"
    r"|second|ikinci|birinci)(?!\w)|번호|番号|号码"
)
_WRITTEN = re.compile(
    r"(?:\+?1[ .-]?)?\([2-9]\d{2}\) ?\d{3}[ .-]\d{4}"
    r"|(?:\+?1[ .-])?[2-9]\d{2}([ .-])[2-9]\d{2}\1\d{4}"
    r"|\(?0\d{1,4}\)?[ .-/]\d{2,4}(?:[ .-]\d{2,5}){1,4}"
    r"|01[016-9]-?\d{3,4}-?\d{4}"
)
_REGIONS = (
    "US",
    "GB",
    "DE",
    "FR",
    "ES",
    "IT",
    "KR",
    "JP",
    "BR",
    "IN",
    "AU",
    "NL",
    "SE",
    "CH",
    "TR",
    "PH",
    "PL",
    "AT",
    "BE",
    "DK",
    "NO",
    "FI",
    "CZ",
    "HU",
    "PT",
    "ZA",
    "MX",
    "RU",
    "CN",
    "IL",
    "NZ",
    "IE",
    "GR",
    "SI",
    "SK",
    "HR",
    "EE",
    "IS",
    "UY",
    "CY",
    "TN",
)
_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}(?:/\d+)?$")
_LENGTHS, _NATIONAL, _MOBILE = range(7, 16), 9, 11
"""Digits of any number, of one without its local area, of a mobile one with its leading zero."""

_LIKELY, _LABELLED = 0.4, 0.5


def phone_score(raw: str, before: str, *, sole: bool) -> float:
    """How much ``raw`` looks like a telephone number, 0 to 1; ``before`` is the lower-case text in front of it."""
    digits = sum(map(str.isdigit, raw))
    if digits not in _LENGTHS:
        return 0.0
    if raw.startswith(("+", "(+", "00")) and _valid(raw.replace("(0)", ""), ""):
        return _LABELLED
    if _ADDRESS.match(raw):
        return 0.0
    label = _LABEL.search(before) is not None
    if label and (digits >= _NATIONAL or len(raw) > digits):
        return _LABELLED
    written = _WRITTEN.fullmatch(raw) is not None
    announced = label or _ANNOUNCED.search(before[-32:]) is not None
    alone = sole and digits == _MOBILE and raw[0] in "0("
    if not (written or announced or alone) or (digits <= _NATIONAL and not announced):
        return 0.0
    if any(_valid(raw, region) for region in (_REGIONS if announced or sole else _REGIONS[:21])):
        return _LABELLED if announced else _LIKELY
    return 0.0


@lru_cache(maxsize=4096)
def _valid(raw: str, region: str) -> bool:
    phonenumbers = engine("phonenumbers")
    try:
        number = phonenumbers.parse(raw if region or raw.startswith("+") else "+" + raw.lstrip("(+0"), region or None)
    except phonenumbers.NumberParseException:
        return False
    return bool(phonenumbers.is_valid_number(number))
