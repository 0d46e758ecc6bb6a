"""What the measurements share: contenders taken in turns, medians, tables."""

from __future__ import annotations

import gc
import json
import statistics
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence


@dataclass(slots=True)
class Contender:
    """One way to do the same thing, and the CPU seconds that single runs of it took."""

    name: str
    run: Callable[[], Awaitable[object]]
    samples: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """The median, in seconds."""
        return statistics.median(self.samples)


async def in_turns(contenders: Sequence[Contender], *, rounds: int, times: int) -> None:
    """Measure the CPU of this process; a busy spell of the machine falls on all contenders alike."""
    for contender in contenders:
        await contender.run()  # connections are made and caches filled before anything counts
    gc.collect()
    gc.freeze()  # what one contender imported must not slow down the garbage collection of the others
    for _ in range(rounds):
        for contender in contenders:
            started = time.process_time()
            for _ in range(times):
                await contender.run()
            contender.samples.append((time.process_time() - started) / times)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table, the first column to the left and the others to the right."""
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        texts = [
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return f"| {' | '.join(texts)} |"

    rule = ["-" * width if column == 0 else "-" * (width - 1) + ":" for column, width in enumerate(widths)]
    return "\n".join([line(header), line(rule), *map(line, rows)])


def against_first(contenders: Sequence[Contender], *, per: int = 1) -> list[list[str]]:
    """Rows of name, microseconds for one of ``per`` parts of a run, and the ratio to the first contender."""
    first = contenders[0].median
    return [[item.name, f"{item.median / per * 1e6:,.1f}", f"{item.median / first:.2f}"] for item in contenders]


def calibration() -> float:
    """Microseconds for a JSON round trip of a fixed document of one kilobyte, to compare machines by."""
    document = {"items": [{"id": index, "name": f"item {index}", "on": True} for index in range(20)]}
    started = time.process_time()
    for _ in range(2000):
        json.loads(json.dumps(document))
    return (time.process_time() - started) / 2000 * 1e6
