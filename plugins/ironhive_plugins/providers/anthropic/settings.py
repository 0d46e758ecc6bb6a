"""The section ``anthropic`` of config.yaml."""

from __future__ import annotations

from pydantic import Field

from ironhive.secrets import Secret  # noqa: TC001 - pydantic reads the annotations
from ironhive.settings import SectionModel


class AnthropicSection(SectionModel):
    """Limits of an answer are in seconds and bytes; leaving one out means no limit."""

    api_key: Secret | None = None
    model: str | None = None
    endpoint: str | None = None
    headers: dict[str, Secret] = Field(default_factory=dict)
    prompt_caching: bool = True
    stream_idle_timeout_seconds: float | None = None
    first_token_timeout_seconds: float | None = None
    total_timeout_seconds: float | None = None
    max_answer_bytes: int | None = None
    max_concurrency: int | None = None
