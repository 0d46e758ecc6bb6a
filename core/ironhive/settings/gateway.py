"""The ``gateway:`` section: which components make up the gate, and its numbers."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field, field_validator
from pydantic.alias_generators import to_camel

from ironhive.settings.section import SectionModel
from ironhive.settings.trust import HOLD_CHARACTERS


class UseSection(SectionModel):
    """A component chosen by name, with settings of its own beside ``use``.

    In the file a bare name means the same as ``{use: name}``.
    """

    model_config = ConfigDict(alias_generator=to_camel, extra="allow", frozen=True)

    use: str = Field(min_length=1)


class ProviderEntry(UseSection):
    """One entry of ``gateway.providers``: a provider plugin without a section of its own."""

    id: str | None = None
    priority: int | None = None
    model: str | None = None


class RetrySection(SectionModel):
    """``gateway.retry``: asking the same provider again."""

    max_retries: int = Field(default=2, ge=0)
    base_delay_seconds: float = Field(default=0.2, ge=0)
    max_retry_after_seconds: float = Field(default=10.0, ge=0)


class HealthSection(SectionModel):
    """``gateway.health``: remembering a provider that fails. A threshold of 0 turns the memory off."""

    failure_threshold: int = Field(default=3, ge=0)
    cooldown_seconds: float = Field(default=30.0, ge=0)


class DegenerationSection(SectionModel):
    """``gateway.degenerationStop``: ending an answer that repeats itself. Unset means: for local providers only."""

    enabled: bool | None = None
    window: int = Field(default=240, ge=8)
    max_period: int = Field(default=60, ge=1)
    min_repeats: int = Field(default=4, ge=2)


class GatewaySection(SectionModel):
    """``gateway``: see docs/reference/gateway.md for every key."""

    guard: UseSection | None = None
    fail_mode: Literal["closed", "open"] = "closed"
    selector: UseSection | None = None
    classifiers: tuple[UseSection, ...] = ()
    enable_fallback: bool = True
    fallback: Literal["trusted", "any"] = "trusted"
    queue_seconds: float | None = Field(default=None, gt=0)
    retry: RetrySection = RetrySection()
    health: HealthSection = HealthSection()
    stream_guard: Literal["end", "hold"] = "end"
    hold_characters: int = Field(default=HOLD_CHARACTERS, ge=1)
    degeneration_stop: DegenerationSection = DegenerationSection()
    providers: tuple[ProviderEntry, ...] = ()

    @field_validator("guard", "selector", mode="before")
    @classmethod
    def _named(cls, value: Any) -> Any:
        return {"use": value} if isinstance(value, str) else value

    @field_validator("classifiers", "providers", mode="before")
    @classmethod
    def _all_named(cls, value: Any) -> Any:
        return [cls._named(item) for item in value] if isinstance(value, list) else value

    @property
    def guard_name(self) -> str | None:
        """The plugin behind the guard, or None when nothing is inspected."""
        return None if self.guard is None else self.guard.use
