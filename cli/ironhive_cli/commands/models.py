"""``ironhive models``: the models of the configured providers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ironhive_cli import streams

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironhive.contracts import ModelInfo, ProviderRegistration

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

_THOUSAND, _MILLION = 1_000, 1_000_000
_SOURCES = {"API": 0, "Local": 1, "Static": 2}
"""Told by the service, on this machine, or only in a list; the numbers are those of the JSON form."""
_GIGABYTE = 1_000_000_000


@app.command()
def models(
    *,
    provider: Annotated[str | None, typer.Option("-p", "--provider", help="Only this provider.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON array.")] = False,
) -> int:
    """List the models of the configured providers."""
    from ironhive_cli.running import run_async

    streams.show_warnings()
    rows = run_async(_rows(provider))
    if as_json:
        import json

        typer.echo(json.dumps(rows, ensure_ascii=False, indent=2))
    elif rows:
        _table(rows)
    else:
        streams.warn("no models found; ironhive doctor shows which providers are configured and reachable")
    return 0


async def _rows(provider: str | None) -> list[dict[str, Any]]:
    import asyncio

    from ironhive.host import providers_of

    providers = providers_of(provider=provider)
    listed = await asyncio.gather(*(_listed(item) for item in providers))
    return [
        _row(registration, model)
        for registration, found in zip(providers, listed, strict=True)
        for model in sorted(found, key=lambda item: item.id)
    ]


async def _listed(registration: ProviderRegistration) -> Sequence[ModelInfo]:
    """The models of one provider; one that cannot say is told about and left out."""
    from ironhive.errors import IronHiveError

    if registration.list_models is None:
        return ()
    try:
        return await registration.list_models()
    except Exception as error:  # noqa: BLE001 - a plugin's function: one that fails is told about and left out
        reason = str(error) if isinstance(error, IronHiveError) else f"{type(error).__name__}: {error}"
        streams.warn(f"{registration.id} cannot list its models: {reason}")
        return ()


def _row(registration: ProviderRegistration, model: ModelInfo) -> dict[str, Any]:
    return {
        "modelId": model.id,
        "provider": registration.id,
        "displayName": model.name,
        "contextWindow": model.context_window,
        "inputPricePerMillion": model.input_price,
        "outputPricePerMillion": model.output_price,
        "source": _source(registration, model),
        "isDefault": model.id == registration.model,
        "localPath": model.path,
        "sizeBytes": model.size_bytes,
        "fits": model.fits,
    }


def _source(registration: ProviderRegistration, model: ModelInfo) -> int:
    if registration.kind != "local":
        return _SOURCES["API"]
    return _SOURCES["Static" if model.installed is False else "Local"]


def _table(rows: Sequence[dict[str, Any]]) -> None:
    cells = [("", "MODEL ID", "NAME", "CONTEXT", "SIZE", "FITS", "INPUT $/M", "OUTPUT $/M", "SOURCE")]
    names = {number: name for name, number in _SOURCES.items()}
    last = ""
    for row in rows:
        if row["provider"] != last:
            last = row["provider"]
            cells.append((f"[{last}]",) + ("",) * 8)
        cells.append((
            "*" if row["isDefault"] else "",
            row["modelId"],
            row["displayName"] or "",
            _short(row["contextWindow"]),
            _size(row["sizeBytes"]),
            {True: "yes", False: "no", None: ""}[row["fits"]],
            _price(row["inputPricePerMillion"]),
            _price(row["outputPricePerMillion"]),
            names[row["source"]],
        ))  # fmt: skip
    widths = [1, *(max(len(row[column]) for row in cells) for column in range(1, 9))]
    for line in cells:
        is_group = line[0].startswith("[")
        typer.echo(streams.printable(line[0] if is_group else "  ".join(map(str.ljust, line, widths)).rstrip()))
    typer.echo(f"{len(rows)} models")


def _short(tokens: int | None) -> str:
    if tokens is None:
        return ""
    if tokens >= _MILLION:
        return f"{tokens / _MILLION:.1f}M"
    return f"{tokens / _THOUSAND:.0f}K" if tokens >= _THOUSAND else str(tokens)


def _size(size: int | None) -> str:
    return "" if size is None else f"{size / _GIGABYTE:.1f} GB" if size >= _GIGABYTE else f"{size / _MILLION:.0f} MB"


def _price(dollars: float | None) -> str:
    return "" if dollars is None else f"{dollars:.2f}"
