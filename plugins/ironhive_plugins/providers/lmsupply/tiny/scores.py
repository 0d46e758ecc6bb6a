"""How likely a model finds given texts as its answer, each judged once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive.chat import ChatMessage
    from ironhive.contracts import Scorer

MAX_KEPT = 4096


class Scores:
    """Asks a scorer and remembers what it said.

    :param start: what every text begins with; judged by nobody.
    """

    def __init__(self, scorer: Scorer, start: str) -> None:
        self._scorer = scorer
        self._start = start
        self._kept: dict[tuple[str, str], float] = {}

    async def of(self, messages: Sequence[ChatMessage], texts: Sequence[str]) -> list[float]:
        """One log-probability per text."""
        prompt = "\0".join(message.text for message in messages)
        missing = [text for text in texts if (prompt, text) not in self._kept]
        if len(self._kept) + len(missing) > MAX_KEPT:
            self._kept.clear()
            missing = list(texts)
        if missing:
            endings = [text.removeprefix(self._start) for text in missing]
            values = await self._scorer.score(messages, endings, start=self._start)
            self._kept.update({(prompt, text): value for text, value in zip(missing, values, strict=True)})
        return [self._kept[prompt, text] for text in texts]
