"""``ironhive guard scan`` and ``ironhive guard eval``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from ironhive_plugins.guards.fluxguard.engine import Role
from ironhive_plugins.guards.fluxguard.evaluation import evaluate, read_rows, table
from ironhive_plugins.guards.fluxguard.guard import FluxGuard
from ironhive_plugins.guards.fluxguard.options import PRESETS

if TYPE_CHECKING:
    from ironhive.contracts.guards import Verdict

app = typer.Typer(no_args_is_help=True, help="Scan text with the guard, or measure it on labelled data.")

PresetOption = Annotated[str, typer.Option("--preset", help="minimal, standard or strict")]
ALARM, BAD_INPUT = 1, 2


@app.command()
def scan(
    file: Annotated[str, typer.Argument(help="a text file, or - for standard input")],
    preset: PresetOption = "standard",
    role: Annotated[str, typer.Option("--role", help="user, tool or assistant")] = "user",
    as_json: Annotated[bool, typer.Option("--json", help="one JSON object instead of lines")] = False,  # noqa: FBT002 - a flag
) -> None:
    """Show what the guard finds in a text. Exit code 1: an alarm."""
    known: dict[str, Role] = {name: name for name in get_args(Role)}
    if role not in known:
        raise typer.BadParameter(f"unknown role {role!r}, expected one of {sorted(known)}", param_hint="--role")
    verdict = _guard(preset).scan(_read(file), known[role])
    typer.echo(json.dumps(_as_data(verdict)) if as_json else "\n".join(_as_lines(verdict)))
    if verdict.alarm:
        raise typer.Exit(ALARM)


@app.command("eval")
def evaluate_file(
    data: Annotated[Path, typer.Argument(help='JSON Lines: {"text", "label", "source"?, "lang"?, "spans"?} a line')],
    preset: PresetOption = "standard",
) -> None:
    """Measure the guard on your own labelled texts."""
    try:
        report = evaluate(_guard(preset), read_rows(data))
    except (OSError, ValueError) as error:
        typer.echo(f"cannot read {data}: {error}", err=True)
        raise typer.Exit(BAD_INPUT) from error
    typer.echo("\n".join(table(report)))


def _guard(preset: str) -> FluxGuard:
    if preset not in PRESETS:
        raise typer.BadParameter(f"unknown preset {preset!r}, expected one of {sorted(PRESETS)}", param_hint="--preset")
    return FluxGuard(PRESETS[preset])


def _read(file: str) -> str:
    if file == "-":
        return sys.stdin.read()
    try:
        return Path(file).read_text("utf-8", errors="replace")
    except OSError as error:
        typer.echo(f"cannot read {file}: {error.strerror}", err=True)
        raise typer.Exit(BAD_INPUT) from error


def _as_data(verdict: Verdict) -> dict[str, object]:
    findings = [
        {
            "rule": item.rule,
            "category": item.category,
            "start": item.start,
            "end": item.end,
            "severity": item.severity.name.lower(),
            "score": round(item.score, 4),
            "layer": item.layer,
        }
        for item in verdict.findings
    ]
    return {"decision": verdict.decision.value, "score": verdict.score, "reason": verdict.reason, "findings": findings}


def _as_lines(verdict: Verdict) -> list[str]:
    lines = [f"{verdict.decision.value}  score {verdict.score:.2f}" + (f"  {verdict.reason}" if verdict.reason else "")]
    for item in verdict.findings:
        hidden = f"  hidden in {item.layer}" if item.layer else ""
        lines.append(f"  {item.start}-{item.end}  {item.rule}  {item.severity.name.lower()}  {item.score:.2f}{hidden}")
    return lines
