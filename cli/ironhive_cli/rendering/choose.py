"""Which form of output a run has."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ironhive_cli.rendering.form import Form, Show


def choose_form(output: str, show: Show, *, whole: bool) -> Form:
    """The form for ``text``, ``json`` or ``jsonl``; ``whole`` asks for text at once."""
    if output == "json":
        from ironhive_cli.rendering.documents import JsonDocument

        return JsonDocument(show)
    if output == "jsonl":
        from ironhive_cli.rendering.documents import JsonLines

        return JsonLines(show)
    from ironhive_cli.rendering.text import TextStream, TextWhole

    return TextWhole(show) if whole else TextStream(show)
