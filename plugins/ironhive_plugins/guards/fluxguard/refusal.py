"""Whether an answer refuses: phrases in many languages, and for English a linear score over the answer's beginning.

A refusal is a finding that costs nothing: the verdict stays pass.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from ironhive.contracts.guards import Finding, Severity
from ironhive_plugins.guards.fluxguard.engines import pattern
from ironhive_plugins.guards.fluxguard.linear import load_model
from ironhive_plugins.guards.fluxguard.normalise import normalise
from ironhive_plugins.guards.fluxguard.tokens import Vocabulary, read

if TYPE_CHECKING:
    from ironhive_plugins.guards.fluxguard.concepts import Lexicon
    from ironhive_plugins.guards.fluxguard.linear import LinearModel

RULE, CATEGORY, SCORE = "output.refusal", "refusal", 0.3
OPENING = 250
"""How many characters of an answer say whether it refuses."""

THRESHOLD = 0.25
_PHRASES = (
    r"^\W*(?:lo siento|lamento|désolée?|je suis désolée?|es tut mir leid|tut mir leid|desculpe|sinto muito"
    r"|lamento|mi dispiace|извините|"
    r"простите|к сожалению|к сожалению,|آسف|أعتذر|عذرا|क्षमा करें|माफ़ कीजिए|माफ कीजिए|죄송|抱歉|很抱歉|对不起|對不起"
    r"|申し訳"
    r"|すみませんが|ごめんなさい)"
    r".{0,120}(?:no puedo|no es posible|ne peux pas|ne suis pas en mesure|kann ich|nicht (?:helfen|beantworten"
    r"|geben)|não posso|nao posso|"
    r"non posso|не могу|не можем|لا أستطيع|لا يمكنني|नहीं कर सकता|नहीं कर सकती|नहीं दे सकता|할 수 없|드릴 수 없|어렵습니다"
    r"|无法"
    r"|不能|無法|できません|いたしかねます)"
    r"|^\W*(?:no puedo|je ne peux pas|ich kann (?:dir |ihnen )?(?:dabei|das|diese)? ?nicht|não posso|nao posso"
    r"|non posso|я не могу|لا أستطيع|لا يمكنني|"
    r"我无法|我不能|我無法|그 요청은 도와드릴 수|도와드릴 수 없|お手伝いできません|お答えできません)"
)


@cache
def refusal_model() -> LinearModel:
    """The refusal weights that ship in the package."""
    return load_model((resources.files(__package__) / "refusal.bin").read_bytes())


class RefusalDetector:
    """Recognises refusals; has a vocabulary of its own because its weights differ from the attack layer's."""

    def __init__(self, lexicon: Lexicon, strong: int, model: LinearModel | None = None) -> None:
        self._vocabulary = Vocabulary(lexicon)
        self._strong = strong
        self._model = model or refusal_model()

    def find(self, text: str) -> list[Finding]:
        """The finding that ``text`` refuses, or nothing."""
        opening = text[:OPENING]
        if self.score(opening) < THRESHOLD and not pattern("(?is)" + _PHRASES).search(opening.lower()):
            return []
        return [Finding(RULE, CATEGORY, 0, len(opening), Severity.INFO, SCORE)]

    def score(self, opening: str) -> float:
        """The linear score in units: 1.0 is a clear refusal."""
        words, tokens, hits = read(normalise(opening).text, self._vocabulary)
        return self._model.score(words, tokens, hits, self._strong)[0]
