"""Attacks in a text: concept rules over every view, with the linear layer as a second opinion."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from ironhive.contracts.guards import Finding, Severity
from ironhive_plugins.guards.fluxguard.concepts import load_lexicon
from ironhive_plugins.guards.fluxguard.decoders import decode
from ironhive_plugins.guards.fluxguard.linear import WINDOW, LinearModel, load_model
from ironhive_plugins.guards.fluxguard.matcher import Match, Matcher
from ironhive_plugins.guards.fluxguard.normalise import View, normalise
from ironhive_plugins.guards.fluxguard.rules import RULES
from ironhive_plugins.guards.fluxguard.tokens import TOKEN, Vocabulary, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive_plugins.guards.fluxguard.rules import ConceptRule

STRONG = (
    "OVR|OVRW|OFF|PRIOR|INSTR|WORK|GUARD|HASNO|UNRES|AI|SYSP|REVEAL|ROLE|NOW|NEWI|MODE|DAN|REFUSE|COMPLY|HARM|REGARD|SEND|SENS|"
    "APPROVED|AUTH|ATTN|FIRST|DUAL|CHAR|FICTION|CANCEL|THREAT|HACKED|META|DEFINE|QUESTION|EXAMPLE|YOUR|VERBATIM|USER|TELL|TASK|"
    "DELIM|SAFE|JMODE|CONV|URL|RWORD|PREFIX|SURE|TOKENS|LOSE|WINDOW"
)
"""Concepts whose neighbourhood the linear layer looks at."""

LAYERS = 3
"""How many encodings are taken off one inside the other."""

_RAISE, _LOWER = 0.25, 0.1
"""How much one unit of the linear layer moves a rule's score up and down."""

_MOST_LOWERED = 0.25
_NOTICED_FROM, _ALARM_FROM, _CERTAIN_FROM = -0.1, 0.3, 1.5
_NOTICED, _ALARM, _CERTAIN = 0.5, 0.7, 0.95
"""What the linear layer says on its own: its units, and the scores that they become."""

LINEAR_RULE = "statistical.window"


@cache
def vocabulary() -> Vocabulary:
    """The shared vocabulary of the shipped lexicon."""
    return Vocabulary(load_lexicon())


@cache
def shipped_model() -> LinearModel:
    """The linear layer of the package."""
    return load_model()


def strong_mask() -> int:
    """The concepts of :data:`STRONG` as a mask over the shipped lexicon."""
    return vocabulary().lexicon.mask(STRONG)


class AttackScanner:
    """Rules and, when given, a linear model; safe to share between threads."""

    def __init__(
        self, model: LinearModel | None, rules: Sequence[ConceptRule] = RULES, *, encodings: bool = True
    ) -> None:
        # A word's cached weight belongs to one model, so each scanner has its own vocabulary over the shared lexicon.
        self._vocabulary = Vocabulary(vocabulary().lexicon)
        self._tool_only = frozenset(rule.id for rule in rules if rule.tool_only)
        self._layers = LAYERS if encodings else 0
        self._matcher = Matcher(rules, self._vocabulary.lexicon)
        self._strong = self._vocabulary.lexicon.mask(STRONG)
        self._model = model

    def scan(self, text: str, *, tool: bool = False) -> list[Finding]:
        """All findings in ``text`` and in what its encodings hide; spans are offsets into ``text``.

        ``tool`` says that the text is a tool's result, where some rules hold that would be too strict for a user.
        """
        found = self._scan(text, normalise(text), self._layers, [len(text) * 3 + 4096])
        return found if tool else [item for item in found if item.rule not in self._tool_only]

    def _scan(self, text: str, view: View, layers: int, budget: list[int]) -> list[Finding]:
        words, found = self._read(view)
        if layers:
            for hidden in decode(text, view, words):
                budget[0] -= len(hidden.text)
                if budget[0] < 0:
                    break
                if hidden.view is not None:
                    inner = self._read(hidden.view)[1] if layers == LAYERS else []
                    found.extend(replace(item, layer=hidden.layer) for item in inner)
                else:
                    inner = self._scan(hidden.text, normalise(hidden.text), layers - 1, budget)
                    found.extend(_outer(item, hidden.layer, hidden.start, hidden.end) for item in inner)
        return found

    def _read(self, view: View) -> tuple[list[str], list[Finding]]:
        words, tokens, hits = read(view.text, self._vocabulary)
        matches = self._matcher.match(hits)
        margin, where = (None, 0)
        if self._model is not None:
            margin, where = self._model.score(words, tokens, hits, self._strong)
        if not matches and (margin is None or margin < _NOTICED_FROM):
            return words, []
        places = _places(view.text)
        found = [_finding(match, margin, view, places) for match in matches]
        if margin is not None and margin >= _NOTICED_FROM:
            start, end = places[where][0], places[min(where + WINDOW, len(places)) - 1][1]
            span = view.span(start, end)
            found.append(Finding(LINEAR_RULE, "attack_likeness", *span, Severity.MEDIUM, _likeness(margin)))
        return words, found


def _likeness(margin: float) -> float:
    if margin < _ALARM_FROM:
        return _NOTICED + (margin - _NOTICED_FROM) / (_ALARM_FROM - _NOTICED_FROM) * (_ALARM - _NOTICED)
    share = min(1.0, (margin - _ALARM_FROM) / (_CERTAIN_FROM - _ALARM_FROM))
    return _ALARM + share * (_CERTAIN - _ALARM)


def _places(text: str) -> Sequence[tuple[int, int]]:
    return [match.span() for match in TOKEN.finditer(text)]


def _finding(match: Match, margin: float | None, view: View, places: Sequence[tuple[int, int]]) -> Finding:
    rule = match.rule
    shift = 0.0 if margin is None else margin * (_RAISE if margin > 0 else _LOWER)
    shift = max(-_MOST_LOWERED, min(_RAISE, shift))
    start, end = view.span(places[match.first][0], places[min(match.last, len(places) - 1)][1])
    return Finding(rule.id, rule.category, start, end, rule.severity, max(0.0, min(0.99, rule.score + shift)))


def _outer(item: Finding, layer: str, start: int, end: int) -> Finding:
    return replace(item, start=start, end=end, layer=f"{layer}/{item.layer}" if item.layer else layer)
