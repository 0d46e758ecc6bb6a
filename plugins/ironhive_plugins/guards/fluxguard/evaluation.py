"""Measures a guard on labelled rows: attacks, personal data, secrets, refusals, languages, latency by length.

A row is a mapping with ``text`` and ``label`` (``injection``, ``jailbreak``, ``benign``, ``pii``, ``secret``,
``refusal``; ``attack`` is taken for ``injection``, other labels are left out), and may have ``source``, ``lang``,
``role``, ``id``, ``parent`` and ``spans`` (lists of start, end, type).
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from ironhive.contracts.guards import Finding, Verdict
    from ironhive_plugins.guards.fluxguard.engine import Role
    from ironhive_plugins.guards.fluxguard.guard import FluxGuard

ATTACKS = frozenset({"injection", "jailbreak", "attack"})
LENGTHS = (64, 256, 1000, 4096, 16384)
_ENOUGH_OVERLAP = 0.5


@dataclass(slots=True)
class Tally:
    """Counts of one group: positives seen and all positives, negatives flagged and all negatives."""

    hits: int = 0
    positives: int = 0
    alarms: int = 0
    negatives: int = 0

    def add(self, *, positive: bool, flagged: bool) -> None:
        """Count one row."""
        if positive:
            self.positives += 1
            self.hits += flagged
        else:
            self.negatives += 1
            self.alarms += flagged

    @property
    def recall(self) -> float | None:
        """Share of positives that were flagged."""
        return self.hits / self.positives if self.positives else None

    @property
    def false_positive_rate(self) -> float | None:
        """Share of negatives that were flagged."""
        return self.alarms / self.negatives if self.negatives else None

    @property
    def precision(self) -> float | None:
        """Share of flagged rows that are positives."""
        flagged = self.hits + self.alarms
        return self.hits / flagged if flagged else None

    @property
    def f1(self) -> float | None:
        """Harmonic mean of precision and recall."""
        total = 2 * self.hits + self.alarms + self.positives - self.hits
        return 2 * self.hits / total if total else None

    @property
    def balanced_accuracy(self) -> float | None:
        """Mean of recall and specificity."""
        if self.recall is None or self.false_positive_rate is None:
            return None
        return (self.recall + 1 - self.false_positive_rate) / 2


@dataclass(slots=True)
class SpanTally:
    """Spans found of those labelled, and predicted spans that lie on a labelled one."""

    found: int = 0
    labelled: int = 0
    right: int = 0
    predicted: int = 0

    @property
    def recall(self) -> float | None:
        """Share of labelled spans that were found."""
        return self.found / self.labelled if self.labelled else None

    @property
    def precision(self) -> float | None:
        """Share of predicted spans that lie on a labelled one."""
        return self.right / self.predicted if self.predicted else None


@dataclass(slots=True)
class Report:
    """Everything that one evaluation counted. ``latency`` holds seconds per scan, by upper length."""

    overall: Tally = field(default_factory=Tally)
    sources: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    languages: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    refusals: Tally = field(default_factory=Tally)
    pii: SpanTally = field(default_factory=SpanTally)
    secrets: Tally = field(default_factory=Tally)
    latency: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Rows of a JSON Lines file; raises ValueError with the line number for a line that is no row."""
    for number, line in enumerate(path.read_text("utf-8", errors="surrogatepass").splitlines(), 1):
        if line.strip():
            row = json.loads(line)
            if (
                not isinstance(row, dict)
                or not isinstance(row.get("text"), str)
                or not isinstance(row.get("label"), str)
            ):
                raise ValueError(f"line {number}: a row needs a text and a label")
            yield row


def evaluate(guard: FluxGuard, rows: Iterable[Mapping[str, Any]]) -> Report:
    """Scan every row and count. Any verdict but pass is an alarm."""
    report = Report()
    for row in rows:
        label = row["label"]
        role = "assistant" if label == "refusal" or row.get("role") == "assistant" else row.get("role", "user")
        started = time.perf_counter()
        verdict = guard.scan(row["text"], cast("Role", role))
        seconds = time.perf_counter() - started
        bucket = next((limit for limit in LENGTHS if len(row["text"]) <= limit), LENGTHS[-1] * 64)
        report.latency[bucket].append(seconds)
        _count(report, row, verdict)
    return report


def _count(report: Report, row: Mapping[str, Any], verdict: Verdict) -> None:
    label, source = row["label"], str(row.get("source", "all"))
    if label == "refusal" or row.get("role") == "assistant":
        refused = any(item.category == "refusal" for item in verdict.findings)
        report.refusals.add(positive=label == "refusal", flagged=refused)
        return
    if label == "pii":
        spans = [(int(span[0]), int(span[1])) for span in row.get("spans") or ()]
        count_spans(report.pii, spans, spans, [item for item in verdict.findings if item.category == "pii"])
        return
    if label == "secret":
        report.secrets.add(positive=True, flagged=any(item.category == "secret" for item in verdict.findings))
        return
    if label not in ATTACKS and label != "benign":
        return
    attack = label in ATTACKS
    for tally in (report.overall, report.sources[source], report.languages[str(row.get("lang", "?"))]):
        tally.add(positive=attack, flagged=verdict.alarm)
    if not attack:
        report.secrets.add(positive=False, flagged=any(item.category == "secret" for item in verdict.findings))


def count_spans(
    tally: SpanTally, known: Iterable[Sequence[Any]], expected: Iterable[tuple[int, int]], found: Sequence[Finding]
) -> None:
    """Count one text: every expected span that is half covered is found, every finding on a known span is right."""
    known = [(span[0], span[1]) for span in known]
    for start, end in expected:
        covered = max((_overlap(start, end, item) for item in found), default=0)
        tally.labelled += 1
        tally.found += covered >= (end - start) * _ENOUGH_OVERLAP
    tally.predicted += len(found)
    tally.right += sum(1 for item in found if any(_overlap(start, end, item) for start, end in known))


def _overlap(start: int, end: int, item: Finding) -> int:
    return max(0, min(end, item.end) - max(start, item.start))


def percentile(values: list[float], share: float) -> float:
    """The value below which ``share`` of ``values`` lie; 0.0 for none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


def table(report: Report) -> list[str]:
    """The report as lines of text."""
    lines = [
        (
            f"{'group':34} {'attacks':>8} {'recall':>8} {'benign':>8} {'false pos':>10} {'precision':>10} {'F1':>7} "
            f"{'bal. acc':>9}"
        )
    ]
    groups = [("all", report.overall)]
    groups += [(f"source {name}", tally) for name, tally in sorted(report.sources.items())]
    groups += [(f"language {name}", tally) for name, tally in sorted(report.languages.items())]
    lines += [_line(name, tally) for name, tally in groups]
    if report.secrets.positives:
        lines.append(_line("secrets", report.secrets))
    if report.refusals.positives or report.refusals.negatives:
        lines.append(_line("refusals", report.refusals))
    if report.pii.labelled:
        recall, precision = _cell(report.pii.recall), _cell(report.pii.precision)
        lines.append(
            f"personal data: {recall} of {report.pii.labelled} spans found, {precision} of {report.pii.predicted} right"
        )
    for limit, seconds in sorted(report.latency.items()):
        p50, p99 = percentile(seconds, 0.5) * 1e3, percentile(seconds, 0.99) * 1e3
        name = f"up to {limit}" if limit in LENGTHS else "longer"
        lines.append(f"latency {name:>12} characters: p50 {p50:.3f} ms, p99 {p99:.3f} ms ({len(seconds)} texts)")
    return lines


def _line(name: str, tally: Tally) -> str:
    return (
        f"{name:34} {tally.positives:>8} {_cell(tally.recall):>8} {tally.negatives:>8} "
        f"{_cell(tally.false_positive_rate, 4):>10} "
        f"{_cell(tally.precision):>10} {_cell(tally.f1):>7} {_cell(tally.balanced_accuracy):>9}"
    )


def _cell(value: float | None, places: int = 3) -> str:
    return "-" if value is None else f"{value:.{places}f}"
