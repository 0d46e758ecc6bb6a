"""The figures of the reference page, as Markdown tables.

    python -m ironhive_plugins.guards.fluxguard.training.figures DATA_FOLDER WEIGHTS_FOLDER [--sample] [--cross]

By default the held-out rows are judged by the leave-out weights in WEIGHTS_FOLDER: sources that neither rules nor
weights have seen. ``--sample`` takes a quarter of those rows, fixed by the checksum of their identifiers. ``--cross``
instead trains on three quarters of all near-duplicate clusters and judges the last quarter, four times over: unseen
rows of known sources.
"""

from __future__ import annotations

import argparse
import sys
import zlib
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ironhive_plugins.guards.fluxguard.engine import Engine
from ironhive_plugins.guards.fluxguard.evaluation import ATTACKS, SpanTally, Tally, count_spans
from ironhive_plugins.guards.fluxguard.linear import load_model, pack_model
from ironhive_plugins.guards.fluxguard.options import STANDARD
from ironhive_plugins.guards.fluxguard.training.spans import pattern_spans
from ironhive_plugins.guards.fluxguard.training.split import held_out_clusters, is_held_out
from ironhive_plugins.guards.fluxguard.training.texts import own_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Row = dict[str, Any]
PERSONAL = frozenset({"presidio_synth", "presidio_generated", "presidio_recognizer_tests", "pii_nanni"})
CREDENTIALS = frozenset({"noseyparker_examples", "kingfisher_examples", "detect_secrets_tests"})
ANSWERS = frozenset({"xstest_completions"})
SECRET_NEGATIVES = frozenset(
    {"mt_bench", "self_instruct", "arena_hard", "code_chunks", "readme_docs", "tldr_pages", "fastapi_docs", "humaneval"}
)
GROUPS: dict[str, frozenset[str]] = {
    "direct injections": frozenset(
        {
            "deepset_prompt_injections",
            "garak_probes",
            "giskard_prompt_injections",
            "bastioncorpus",
            "pif_benchmark",
            "jailbreak_corpus_mini",
            "pyrit_seeds",
            "piguard_valid",
            "prompt_guard_tests_cjk",
            "navirocker_redteam",
        }
    ),
    "jailbreaks": frozenset(
        {
            "jailbreak_llms_2023_12",
            "gptfuzzer",
            "self_reminder_jb",
            "pyrit_jailbreaks",
            "langkit_themes",
            "adaptive_attacks",
        }
    ),
    "in tool results": frozenset({"agentdojo", "agent_injection_bench"}),
    "ordinary requests in foreign content": frozenset({"bipia_train"}),
    "encoded": frozenset({"encoded_attacks", "encoded_benign"}),
    "user prompts": frozenset(
        {
            "arena_hard",
            "mt_bench",
            "ja_mt_bench",
            "self_instruct",
            "gsm8k",
            "mbpp_plus",
            "humaneval",
            "chatgpt_prompts_zh",
        }
    ),
    "hard negatives": frozenset({"wildguard_benign", "xstest", "cyberseceval_frr", "cyberseceval_instruct"}),
    "documents": frozenset({"fastapi_docs", "tldr_pages", "xquad", "ui_strings", "code_chunks", "readme_docs"}),
}
SAMPLE = 4


def leave_out_engine(folder: Path) -> Engine:
    """The standard engine with the leave-out weights of ``folder``."""
    return Engine(
        STANDARD,
        load_model((folder / "weights.leave-out.bin").read_bytes()),
        load_model((folder / "refusal.leave-out.bin").read_bytes()),
    )


def held_out(rows: list[Row], *, sample: bool) -> list[Row]:
    """The rows that judge; with ``sample`` a fixed quarter of them."""
    clusters = held_out_clusters(rows)
    kept = [row for row in rows if is_held_out(row, clusters)]
    return [row for row in kept if not sample or zlib.crc32(row["id"].encode()) % SAMPLE == 0]


def attack_rows(rows: Iterable[Row]) -> Iterator[tuple[Row, bool]]:
    """Rows of the attack task, and whether each is an attack."""
    for row in rows:
        if row["source"] not in PERSONAL | CREDENTIALS | ANSWERS and (
            row["label"] in ATTACKS or row["label"] == "benign"
        ):
            yield row, row["label"] in ATTACKS


def attack_tables(judged: list[tuple[Row, bool, bool]]) -> list[str]:
    """Tables by group, source and language of ``(row, is an attack, was flagged)``."""
    groups: dict[str, Tally] = defaultdict(Tally)
    sources: dict[str, Tally] = defaultdict(Tally)
    languages: dict[str, Tally] = defaultdict(Tally)
    for row, attack, flagged in judged:
        named = [name for name, members in GROUPS.items() if row["source"] in members]
        core = [] if row["source"] == "bipia_train" else ["all"]
        for tally in (*(groups[name] for name in (*core, *named)), sources[row["source"]], languages[row["lang"]]):
            tally.add(positive=attack, flagged=flagged)
    order = ["all", *GROUPS]
    lines = [*_head("group"), *(_row(name, groups[name]) for name in order if name in groups), ""]
    lines += [*_head("source"), *(_row(name, tally) for name, tally in sorted(sources.items())), ""]
    return [*lines, *_head("language"), *(_row(name, tally) for name, tally in sorted(languages.items()))]


def tool_table(engine: Engine, rows: list[Row]) -> list[str]:
    """Injections in tool results, and documents as a tool would read them, scanned with the role of a tool."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    add_tool_results(tallies, engine, rows)
    return _tool_lines(tallies)


def add_tool_results(tallies: dict[str, Tally], engine: Engine, rows: list[Row]) -> None:
    """Count the rows that may be tool results into ``tallies``, by group."""
    for row, attack in attack_rows(rows):
        for name in ("in tool results", "documents", "ordinary requests in foreign content"):
            if row["source"] in GROUPS[name]:
                tallies[name].add(positive=attack, flagged=engine.scan(row["text"], "tool").alarm)


def _tool_lines(tallies: dict[str, Tally]) -> list[str]:
    return [*_head("scanned as a tool's result"), *(_row(name, tally) for name, tally in sorted(tallies.items()))]


def own_table(engine: Engine) -> list[str]:
    """The test half of the project's own texts, by language."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    for item in own_texts("test"):
        tallies[item.language].add(positive=item.attack, flagged=engine.scan(item.text).alarm)
    return [*_head("own texts, test half"), *(_row(name, tally) for name, tally in sorted(tallies.items()))]


def other_table(engine: Engine, rows: list[Row]) -> list[str]:
    """Personal data by span, credentials and refusals by text."""
    kinds: dict[str, SpanTally] = defaultdict(SpanTally)
    hard, secrets, refusals = Tally(), Tally(), Tally()
    for row in rows:
        source, label = row["source"], row["label"]
        if source in PERSONAL:
            found = [item for item in engine.find(row["text"]) if item.category == "pii"]
            count_spans(kinds["personal data"], row.get("spans") or (), pattern_spans(row), found)
            if label == "benign":
                hard.add(positive=False, flagged=bool(found))
        elif source in CREDENTIALS or (label == "benign" and source in SECRET_NEGATIVES):
            found = [item for item in engine.find(row["text"]) if item.category == "secret"]
            secrets.add(positive=label == "secret", flagged=bool(found))
        elif source in ANSWERS:
            refused = any(item.category == "refusal" for item in engine.find(row["text"], "assistant"))
            refusals.add(positive=label == "refusal", flagged=refused)
    spans = kinds["personal data"]
    false_spans = spans.predicted - spans.right
    return [
        "| what | found | of | recall | false alarms | of | precision |",
        "|---" * 7 + "|",
        _other("personal data, spans", spans.found, spans.labelled, false_spans, spans.predicted, spans.precision),
        _other("number-like text that is none", 0, 0, hard.alarms, hard.negatives, None),
        _tallied("credentials, texts", secrets),
        _tallied("refusals, answers", refusals),
    ]


def _tallied(name: str, tally: Tally) -> str:
    return _other(name, tally.hits, tally.positives, tally.alarms, tally.negatives, tally.precision)


def _other(name: str, *cells: Any) -> str:
    found, of, alarms, among, precision = cells
    recall = _cell(found / of if of else None)
    return f"| {name} | {found} | {of} | {recall} | {alarms} | {among} | {_cell(precision)} |"


def judge(engine: Engine, rows: Iterable[Row]) -> list[tuple[Row, bool, bool]]:
    """Every attack and benign row with what the engine said."""
    return [(row, attack, engine.scan(row["text"]).alarm) for row, attack in attack_rows(rows)]


def cross(rows: list[Row]) -> list[str]:
    """Tables of unseen rows of known sources: each quarter of the clusters judged by weights trained on the others."""
    from ironhive_plugins.guards.fluxguard.training.train import train, training_samples

    judged: list[tuple[Row, bool, bool]] = []
    tools: dict[str, Tally] = defaultdict(Tally)
    for fold in range(SAMPLE):
        seen = [row for row in rows if _fold(row) != fold]
        kept = [row for row in rows if _fold(row) == fold]
        engine = Engine(STANDARD, load_model(pack_model(*train(training_samples(seen, leave_out=False)))))
        judged += judge(engine, kept)
        add_tool_results(tools, engine, kept)
    return [*attack_tables(judged), "", *_tool_lines(tools)]


def _fold(row: Row) -> int:
    return zlib.crc32((row.get("cluster") or row["id"]).encode()) % SAMPLE


def _head(first: str) -> list[str]:
    return [
        f"| {first} | attacks | recall | benign | flagged | false positives | precision | F1 | balanced accuracy |",
        "|---" * 9 + "|",
    ]


def _row(name: str, tally: Tally) -> str:
    cells = (
        name,
        tally.positives,
        _cell(tally.recall),
        tally.negatives,
        tally.alarms,
        _cell(tally.false_positive_rate, 4),
        _cell(tally.precision),
        _cell(tally.f1),
        _cell(tally.balanced_accuracy),
    )
    return "| " + " | ".join(map(str, cells)) + " |"


def _cell(value: float | None, places: int = 3) -> str:
    return "-" if value is None else f"{value:.{places}f}"


def report(engine: Engine, rows: list[Row]) -> list[str]:
    """All tables for ``rows``."""
    judged = attack_tables(judge(engine, rows))
    tables = (judged, tool_table(engine, rows), own_table(engine), other_table(engine, rows))
    return [line for table in tables for line in ("", *table)][1:]


def main() -> None:
    """Command line entry."""
    from ironhive_plugins.guards.fluxguard.training.data import read_rows

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("--cross", action="store_true")
    options = parser.parse_args()
    rows = read_rows(options.data)
    if options.cross:
        sys.stdout.write("\n".join(cross(rows)) + "\n")
        return
    engine = leave_out_engine(options.weights)
    kept = held_out(rows, sample=options.sample)
    sys.stdout.write("\n".join(report(engine, kept)) + "\n")


if __name__ == "__main__":
    main()
