"""Which labelled spans a guard that works by shape can be expected to find."""

from __future__ import annotations

import re
from typing import Any

_SHAPED = re.compile(
    r"E-?MAIL|PHONE|MOBILE|CREDIT|CARD_NUMBER|^CARD$|IBAN|^IP$|IP_ADDRESS|IPV|MAC_ADDRESS|^MAC|CRYPTO|BITCOIN|SSN|SOCIAL_SEC|PESEL|_NIF|_NIE|"
    r"_NHS|NINO|AADHA|^(?:IN|AU|SG|KR|ES|IT|PL|FI|TR|TH|UK|DE|NG|US|SE)_|PAN$|PASSPORT|DRIVER|NATIONAL_ID|TAX_ID|VOTER|ABA_ROUTING|SWIFT|VIN"
)
_FREE = frozenset({"URL", "DOMAIN_NAME"})


def pattern_spans(row: dict[str, Any]) -> list[tuple[int, int]]:
    """The spans of ``row`` whose type has a shape; names, places, dates and addresses have none."""
    spans = row.get("spans") or ()
    return [(span[0], span[1]) for span in spans if span[2].upper() not in _FREE and _SHAPED.search(span[2].upper())]
