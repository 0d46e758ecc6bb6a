"""The sections of config.yaml for the servers of this wire."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ironhive.secrets import Secret  # noqa: TC001 - pydantic reads the annotations
from ironhive.settings import SectionModel


class ServerSection(SectionModel):
    """What all of them take. Limits of an answer are in seconds and bytes; leaving one out means no limit."""

    endpoint: str | None = None
    api_key: Secret | None = None
    api_key_header: str | None = None
    api_key_scheme: str | None = None
    model: str | None = None
    headers: dict[str, Secret] = Field(default_factory=dict)
    stream_idle_timeout_seconds: float | None = None
    first_token_timeout_seconds: float | None = None
    total_timeout_seconds: float | None = None
    max_answer_bytes: int | None = None
    max_concurrency: int | None = None
    carry_tool_images: bool = False
    think_tags: bool | None = None
    token_limit_parameter: Literal["max_tokens", "max_completion_tokens", "both"] | None = None


class HostedSection(ServerSection):
    """``openai``, ``azureopenai`` and ``xai``."""

    wire: Literal["chat", "responses"] | None = None
    api_version: str | None = None


class SwitchedSection(ServerSection):
    """``ollama`` and ``lmstudio``: used only when switched on."""

    enabled: bool = False


SECTIONS: dict[str, type[ServerSection]] = {
    "openai": HostedSection,
    "azureopenai": HostedSection,
    "xai": HostedSection,
    "gpuStack": ServerSection,
    "ollama": SwitchedSection,
    "lmstudio": SwitchedSection,
    "custom": HostedSection,
}
"""The model of each section, by the section's name."""
