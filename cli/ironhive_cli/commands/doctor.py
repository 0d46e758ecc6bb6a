"""``ironhive doctor``: what was found, section by section."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from ironhive_cli import streams

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive.contracts import Diagnosis

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

_COLOURS = {"ok": "green", "note": None, "warning": "yellow", "error": "red"}
_WIDTH = max(map(len, _COLOURS))


@app.command()
def doctor() -> int:
    """Check the configuration and whether the providers answer. Exits 1 only if something is an error."""
    from ironhive.host import diagnose
    from ironhive_cli.running import run_async

    streams.hide_warnings()
    findings = run_async(diagnose())
    show(findings)
    return 1 if any(item.level == "error" for item in findings) else 0


def show(findings: Sequence[Diagnosis]) -> None:
    """Print the findings, a summary and what to do."""
    for section in dict.fromkeys(item.section for item in findings):
        typer.echo(section)
        for item in findings:
            if item.section == section:
                level = typer.style(f"{item.level:{_WIDTH}}", fg=_COLOURS[item.level])
                typer.echo(f"  {level}  {item.text}")
    typer.echo(_summary(findings))
    advice = dict.fromkeys(item.advice for item in findings if item.advice)
    if advice:
        typer.echo("Recommendations")
        for line in advice:
            typer.echo(f"  - {line}")


def _summary(findings: Sequence[Diagnosis]) -> str:
    errors = sum(item.level == "error" for item in findings)
    warnings = sum(item.level == "warning" for item in findings)
    if not errors and not warnings:
        return "All checks passed."
    return f"{_count(errors, 'error')}, {_count(warnings, 'warning')}."


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
