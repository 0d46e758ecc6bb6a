"""Checks of single candidates: each answers whether a piece of text is what it looks like."""

from __future__ import annotations

import ipaddress
import re

from ironhive_plugins.guards.fluxguard.engines import engine
from ironhive_plugins.guards.fluxguard.wordlists import words

_MAC = re.compile(r"[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5}|(?:[0-9A-Fa-f]{4}\.){2}[0-9A-Fa-f]{4}")
_SEPARATORS = re.compile(r"[^0-9A-Za-z]")
_CARD_PREFIX = re.compile(
    r"4\d{12}(?:\d{3}){0,2}|5[0-9]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}"
    r"|6(?:011|5\d\d|4[4-9]\d|2\d\d|0\d\d|3\d\d|7\d\d|8\d\d|9\d\d)\d{8,15}|(?:2131|1800)\d{11}|35\d{14}|5[0678]\d{11,17}"
)
_POST_AREAS = frozenset(
    words(
        "AB AL B BA BB BD BH BL BN BR BS BT CA CB CF CH CM CO CR CT CV CW DA DD DE DG DH DL DN DT DY E EC "
        "EH EN EX FK FY G GL GU GY HA HD HG HP HR HS HU HX IG IM IP IV JE KA KT KW KY L LA LD LE LL LN LS "
        "LU M ME MK ML N NE NG NN NP NR NW OL OX PA PE PH PL PO PR RG RH RM S SA SE SG SK SL SM SN SO SP "
        "SR SS ST SW SY TA TD TF TN TQ TR TS TW UB W WA WC WD WF WN WR WS WV YO ZE"
    )
)
_SCOPE = 2
"""Colons that C++ code may have in a row of names."""

_CARD_LENGTHS = range(12, 20)
_IBAN_LENGTHS = range(15, 35)
_LETTER_VALUES = {ord(letter): str(int(letter, 36)) for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


def is_email(text: str) -> bool:
    """A syntactically valid address on a domain with a top level; no network is asked."""
    validator = engine("email_validator")
    try:
        validator.validate_email(text, check_deliverability=False, test_environment=True, globally_deliverable=False)
    except validator.EmailNotValidError:
        return False
    return text.rpartition(".")[2].isalpha() or "xn--" in text


def is_network(text: str) -> str | None:
    """``IP_ADDRESS`` or ``MAC_ADDRESS``, or None."""
    if _MAC.fullmatch(text):
        return "MAC_ADDRESS"
    if ":" in text and not any(char.isdigit() for char in text) and not text.count(":") > _SCOPE:
        return None  # "::" and "a::b" are code
    try:
        ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return None if ":" in text and len(text) < len("::1") else "IP_ADDRESS"


def is_wallet(text: str) -> bool:
    """A Bitcoin address with a correct checksum, or the shape of an Ethereum one."""
    return text.startswith("0x") or bool(engine("stdnum.bitcoin").is_valid(text))


def is_iban(text: str) -> int:
    """How many characters of ``text`` form a valid IBAN (words may follow it), or 0."""
    ends = [match.end() for match in re.finditer(r"[A-Za-z0-9]+", text)]
    for end in reversed(ends):
        compact = _SEPARATORS.sub("", text[:end]).upper()
        if len(compact) in _IBAN_LENGTHS and _one_mod_97(compact) and engine("stdnum.iban").is_valid(compact):
            return end
    return 0


def _one_mod_97(compact: str) -> bool:
    # Quick and sufficient to drop what is no IBAN; python-stdnum then knows each country's length and structure.
    digits = (compact[4:] + compact[:4]).translate(_LETTER_VALUES)
    return digits.isdigit() and int(digits) % 97 == 1


def is_card(digits: str, *, announced: bool) -> bool:
    """A payment card number: an issuer's prefix and length (or a word that announces it) and a correct Luhn digit."""
    if len(digits) not in _CARD_LENGTHS or len(set(digits)) == 1:
        return False
    if not announced and not _CARD_PREFIX.fullmatch(digits):
        return False
    return bool(engine("stdnum.luhn").is_valid(digits))


def is_postcode(text: str, *, sole: bool) -> bool:
    """A British postcode; without its space only when it is the whole text."""
    if text.startswith("GIR"):
        return True
    area = re.match("[A-Z]{1,2}", text)
    return area is not None and area.group() in _POST_AREAS and (" " in text or sole)
