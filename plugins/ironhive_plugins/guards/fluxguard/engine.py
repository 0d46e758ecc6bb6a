"""The pure heart: a text and its role in, a verdict out. No I/O, no clock, no randomness."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from ironhive.contracts.guards import Decision, Finding, Verdict
from ironhive_plugins.guards.fluxguard.attacks import LINEAR_RULE, AttackScanner, shipped_model, strong_mask, vocabulary
from ironhive_plugins.guards.fluxguard.engines import pattern
from ironhive_plugins.guards.fluxguard.pii import CATEGORY as PII
from ironhive_plugins.guards.fluxguard.pii import scan_pii
from ironhive_plugins.guards.fluxguard.refusal import CATEGORY as REFUSAL
from ironhive_plugins.guards.fluxguard.refusal import RefusalDetector
from ironhive_plugins.guards.fluxguard.secrets import scan_secrets

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ironhive_plugins.guards.fluxguard.linear import LinearModel
    from ironhive_plugins.guards.fluxguard.options import Options

Role = Literal["user", "tool", "assistant"]
_DECIDED = frozenset({PII, "secret"})
"""Categories in which a check has the last word: no judge is asked, and other rules add nothing."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_TOOL_BOOST = {"indirect_injection": 0.04, LINEAR_RULE: 0.2}
"""Instructions addressed to a model have no business in a tool's result: more belief there."""

_COMPANY, _COMPANY_MOST, _COMPANY_FROM = 0.03, 0.12, 0.5


class Engine:
    """Scans texts under one set of options. Safe to share between threads."""

    def __init__(self, options: Options, model: LinearModel | None = None, refusals: LinearModel | None = None) -> None:
        self.options = options
        linear = (model or shipped_model()) if options.linear else None
        self._attacks = AttackScanner(linear, encodings=options.encodings) if options.attacks else None
        self._refusals = RefusalDetector(vocabulary().lexicon, strong_mask(), refusals) if options.refusals else None
        self._allowed = frozenset(text.lower() for text in options.allow if not _is_pattern(text))
        self._allowed_patterns = tuple(pattern(text[1:-1]) for text in options.allow if _is_pattern(text))

    def scan(self, text: str, role: Role = "user") -> Verdict:
        """Judge ``text``; linear in its length."""
        return self.judge(self.find(text, role))

    def find(self, text: str, role: Role = "user", *, exhaustive: bool = False) -> list[Finding]:
        """Everything seen in ``text``, after rule switches, weights and allow lists.

        ``exhaustive`` lifts the bound on how many pieces of personal data and secrets are listed, as masking needs.
        """
        options = self.options
        if not text.isascii():
            text = _SURROGATE.sub("\ufffd", text)  # half a character is no text; the length stays
        found: list[Finding] = []
        if role != "assistant" and self._attacks is not None:
            found += self._attacks.scan(text, tool=role == "tool")
            if role == "tool":
                found = [_boosted(item) for item in found]
        if options.secrets:
            found += scan_secrets(text, None) if exhaustive else scan_secrets(text)
        if options.pii:
            taken = [(item.start, item.end) for item in found if item.category == "secret"]
            found += [
                item for item in (scan_pii(text, None) if exhaustive else scan_pii(text)) if not _inside(item, taken)
            ]
        if role == "assistant" and self._refusals is not None:
            found += self._refusals.find(text)
        for rule in options.custom:
            found += rule.find(text, role)
        return [item for item in map(self._weighted, found) if self._wanted(item, text)]

    def judge(self, findings: Iterable[Finding], *, escalate: bool = True) -> Verdict:
        """The verdict that ``findings`` amount to; without ``escalate`` nothing is left for a judge to decide."""
        ranked = sorted(findings, key=lambda item: (-item.score, item.start, item.rule))
        score = _combined(ranked)
        open_question = escalate and bool(ranked) and ranked[0].category not in _DECIDED
        decision = self._decision(score, escalate=open_question)
        reason = "" if decision is Decision.PASS else _reason(ranked, self.options.escalation_threshold)
        return Verdict(decision, round(score, 4), tuple(ranked), reason)

    def _decision(self, score: float, *, escalate: bool) -> Decision:
        options = self.options
        if score >= options.block_threshold:
            return Decision.BLOCK
        if escalate and options.escalate and score >= options.escalation_threshold:
            return Decision.NEEDS_ESCALATION
        return Decision.FLAGGED if score >= options.flag_threshold else Decision.PASS

    def _weighted(self, item: Finding) -> Finding:
        factor = self.options.weights.get(item.rule)
        return item if factor is None else replace(item, score=max(0.0, min(1.0, item.score * factor)))

    def _wanted(self, item: Finding, text: str) -> bool:
        if item.rule in self.options.rules_off or item.category in self.options.rules_off:
            return False
        if not self._allowed and not self._allowed_patterns:
            return True
        matched = text[item.start : item.end]
        return matched.lower() not in self._allowed and not any(
            known.fullmatch(matched) for known in self._allowed_patterns
        )


def _is_pattern(text: str) -> bool:
    return len(text) > len("//") and text.startswith("/") and text.endswith("/")


def _boosted(item: Finding) -> Finding:
    boost = _TOOL_BOOST.get(item.rule if item.rule == LINEAR_RULE else item.category, 0.0)
    return replace(item, score=min(0.99, item.score + boost)) if boost else item


def _inside(item: Finding, spans: list[tuple[int, int]]) -> bool:
    return any(start <= item.start and item.end <= end for start, end in spans)


def _combined(ranked: list[Finding]) -> float:
    """The strongest finding, raised a little by different rules that agree with it about an attack."""
    counted = [item for item in ranked if item.category != REFUSAL]
    if not counted:
        return 0.0
    top = counted[0]
    if top.category in _DECIDED:
        return top.score
    agreeing = (item for item in counted if item.category not in _DECIDED and item.score >= _COMPANY_FROM)
    company = {item.rule for item in agreeing} - {top.rule}
    return min(0.99, top.score + min(_COMPANY_MOST, _COMPANY * len(company)))


def _reason(ranked: list[Finding], floor: float) -> str:
    named: dict[str, str] = {}
    for item in ranked:
        if item.score >= floor and item.category != REFUSAL:
            named.setdefault(
                item.rule, f"{item.category} ({item.rule}{', hidden in ' + item.layer if item.layer else ''})"
            )
    return "; ".join(list(named.values())[:4])
