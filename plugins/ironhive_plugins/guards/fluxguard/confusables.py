"""Letters that look like Latin ones, and the rule that says when they are taken for them.

A Cyrillic or Greek letter is read as its Latin twin only inside a word that mixes scripts, or in a text that is Latin
but for a few words made of twins only. Russian and Greek text stays what it is.
"""

from __future__ import annotations

import re

_PAIRS = (
    "аa вb еe ёe кk мm нh оo рp сc тt уy хx іi їi јj ѕs ԁd һh ԛq ԝw гr пn ьb ӏl ѵv ґr ҝk ҫc ԍg ԑe ӧo ӓa "
    "αa βb γy δd εe ζz ηn ιi κk μu νv οo ρp σo ςs τt υu χx ωw θo "
    "օo սu հh ոn ցg ձd զq ղn ծd քp բp "
    "ɑa ɡg ɩi ʟl ɴn ʀr ɪi ʏy ᴀa ʙb ᴄc ᴅd ᴇe ꜰf ɢg ʜh ᴊj ᴋk ᴍm ᴏo ᴘp ꞯq ꜱs ᴛt ᴜu ᴠv ᴡw ᴢz ıi łl øo đd ħh ŧt ƅb ɦh "
    "ɯw ɾr ʋv ʈt ɖd "
    "ꭺa ꮯc ꭼe ꮋh ꭻj ꮶk ꮮl ꮇm ꮲp ꮪs ꭲt ꮩv ꮃw ꮓz"
)
TWINS: dict[int, str] = {ord(pair[0]): pair[1] for pair in _PAIRS.split()}
"""Lower-case look-alike to lower-case Latin letter."""

_TWIN_CLASS = "".join(map(chr, TWINS))
_ANY_TWIN = re.compile(f"[{_TWIN_CLASS}]")
_SEAM = re.compile(f"[a-z][{_TWIN_CLASS}]|[{_TWIN_CLASS}][a-z]")
_LETTERS = frozenset(f"abcdefghijklmnopqrstuvwxyz{_TWIN_CLASS}")
_FOREIGN = re.compile("[\u0370-\u03ff\u0400-\u052f\u0530-\u058f]")
_LATIN = re.compile("[a-z]")


def fold_confusables(text: str) -> str:
    """``text`` (lower case) with look-alikes in mixed-script words replaced; the length never changes."""
    if not _ANY_TWIN.search(text):
        return text
    foreign = _FOREIGN.findall(text)
    latin = len(_LATIN.findall(text))
    if len(foreign) < latin * 0.6 and all(ord(char) in TWINS for char in foreign):
        return text.translate(TWINS)
    return _fold_mixed_words(text)


def _fold_mixed_words(text: str) -> str:
    """Folds the words in which a Latin letter stands next to a look-alike; looks at every letter at most twice."""
    parts: list[str] = []
    last = 0
    for match in _SEAM.finditer(text):
        if match.start() < last:
            continue
        start, end = match.span()
        while start > last and text[start - 1] in _LETTERS:
            start -= 1
        while end < len(text) and text[end] in _LETTERS:
            end += 1
        parts += [text[last:start], text[start:end].translate(TWINS)]
        last = end
    return "".join([*parts, text[last:]]) if parts else text
