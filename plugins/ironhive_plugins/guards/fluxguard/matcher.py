"""Finds which concept rules hold, in one walk over the places that carry a concept.

The walk looks at a bounded number of neighbours of each place, so its cost is linear whatever the text repeats.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ironhive_plugins.guards.fluxguard.concepts import Lexicon
    from ironhive_plugins.guards.fluxguard.rules import ConceptRule
    from ironhive_plugins.guards.fluxguard.tokens import Hit

_MEMO = 4096
_VETO_REACH = 10


@dataclass(frozen=True, slots=True)
class Match:
    """A rule that holds, and the tokens (first and last index) that made it hold."""

    rule: ConceptRule
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class _Compiled:
    rule: ConceptRule
    sets: tuple[int, ...]
    veto: int


class Matcher:
    """Concept rules made ready for one lexicon."""

    def __init__(self, rules: Iterable[ConceptRule], lexicon: Lexicon) -> None:
        groups: dict[int, list[_Compiled]] = {}
        for rule in rules:
            sets = tuple(lexicon.mask(part) for part in rule.sets)
            veto = lexicon.mask(rule.veto) if rule.veto else 0
            groups.setdefault(rule.span, []).append(_Compiled(rule, sets, veto))
        self._groups = sorted(groups.items())
        self._memo: dict[tuple[int, int], tuple[_Compiled, ...]] = {}

    def match(self, hits: Sequence[Hit]) -> list[Match]:
        """The first place where each rule holds."""
        union = 0
        for hit in hits:
            union |= hit.mask
        found: list[Match] = []
        for span, _ in self._groups:
            possible = self._covered(span, union)
            if possible:
                self._walk(span, possible, hits, found)
        return found

    def _covered(self, span: int, mask: int) -> tuple[_Compiled, ...]:
        key = (span, mask)
        known = self._memo.get(key)
        if known is None:
            if len(self._memo) >= _MEMO:
                self._memo.clear()
            group = next(rules for size, rules in self._groups if size == span)
            known = tuple(item for item in group if all(mask & part for part in item.sets))
            self._memo[key] = known
        return known

    def _walk(self, span: int, possible: tuple[_Compiled, ...], hits: Sequence[Hit], found: list[Match]) -> None:
        wanted = 0
        for item in possible:
            for part in item.sets:
                wanted |= part
        useful = [hit for hit in hits if hit.mask & wanted]
        done: set[str] = set()
        count = len(useful)
        for start in range(count):
            limit = useful[start].position + span
            mask = 0
            end = start
            while end < count and useful[end].position < limit:
                mask |= useful[end].mask
                end += 1
            for item in self._covered(span, mask):
                if (
                    item.rule.id not in done
                    and _holds(item, useful[start:end])
                    and not _vetoed(item, hits, useful[start])
                ):
                    done.add(item.rule.id)
                    found.append(Match(item.rule, useful[start].first, max(hit.last for hit in useful[start:end])))
            if len(done) == len(possible):
                return


def _holds(item: _Compiled, window: Sequence[Hit]) -> bool:
    unspaced = any(hit.wide for hit in window)
    if item.rule.ordered and not unspaced:  # Korean and Japanese put the verb last
        index = 0
        for part in item.sets:
            while index < len(window) and not window[index].mask & part:
                index += 1
            if index >= len(window):
                return False
            index += 1
        return True
    if not any(window[0].mask & part for part in item.sets):
        return False
    return _distinct([[n for n, hit in enumerate(window) if hit.mask & part] for part in item.sets])


def _distinct(choices: list[list[int]]) -> bool:
    """Whether each set can have a word of its own (the sets with the fewest candidates choose first)."""
    used: set[int] = set()
    for options in sorted(choices, key=len):
        free = next((option for option in options if option not in used), None)
        if free is None:
            return False
        used.add(free)
    return True


def _vetoed(item: _Compiled, hits: Sequence[Hit], start: Hit) -> bool:
    if not item.veto:
        return False
    reach = max(item.rule.span, _VETO_REACH)
    low, high = start.position - reach, start.position + reach
    return any(hit.mask & item.veto for hit in _between(hits, low, high))


def _between(hits: Sequence[Hit], low: int, high: int) -> Sequence[Hit]:
    from bisect import bisect_left

    first = bisect_left(hits, low, key=lambda hit: hit.position)
    last = bisect_left(hits, high + 1, key=lambda hit: hit.position)
    return hits[first:last]
