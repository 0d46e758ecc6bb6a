"""The sections of config.yaml that core itself reads, as pydantic models.

Import this module only where settings are really read: pydantic costs as much start-up time as everything else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from ironhive.settings.gateway import GatewaySection
from ironhive.settings.section import SectionModel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic.fields import FieldInfo


class ChatBehaviorSection(SectionModel):
    """``chatBehavior``: how the loop drives the model."""

    maximum_iterations_per_request: int = Field(10, ge=1)
    """Model-call rounds per request."""
    maximum_consecutive_errors_per_request: int = Field(3, ge=1)
    """Tool errors in a row after which the request ends."""
    max_output_tokens: int | None = Field(None, ge=1)
    """New tokens per model call; unset means 4096, or the local default where a local model answers."""
    reasoning_effort: Literal["none", "low", "medium", "high", "extra_high"] | None = None
    """How hard the model should think; unset leaves it to the model."""
    tool_call_timeout_seconds: float | None = Field(None, gt=0)
    """Longest run of one tool call; unset is no limit."""


class ExtensionsSection(SectionModel):
    """``extensions``: third-party plugins. Further keys are the plugins' own sections."""

    model_config = ConfigDict(alias_generator=to_camel, extra="allow", frozen=True)

    disabled: tuple[str, ...] = ()
    """Names of plugins (``name`` or ``kind:name``) that are not loaded."""


class TreeSource(PydanticBaseSettingsSource):
    """The merged layers as a settings source: pydantic-settings validates, the layers decide."""

    def __init__(self, settings_cls: type[BaseSettings], tree: Mapping[str, Any]) -> None:
        super().__init__(settings_cls)
        self.tree = tree

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        """One section by its name in the file."""
        key = field.alias or field_name
        return self.tree.get(key), key, False

    def __call__(self) -> dict[str, Any]:
        """All core sections that are present."""
        values: dict[str, Any] = {}
        for name, field in self.settings_cls.model_fields.items():
            value, key, _ = self.get_field_value(field, name)
            if value is not None:
                values[key] = value
        return values


class CoreSections(BaseSettings):
    """Every section that core reads."""

    model_config = {"alias_generator": to_camel, "extra": "ignore", "frozen": True}

    gateway: GatewaySection = GatewaySection()
    chat_behavior: ChatBehaviorSection = ChatBehaviorSection()
    extensions: ExtensionsSection = ExtensionsSection()

    @classmethod
    def of(cls, tree: Mapping[str, Any]) -> CoreSections:
        """Validate the core sections of a merged tree.

        :raises pydantic.ValidationError: a value does not fit; the path of the error is the dotted key.
        """

        class FromTree(cls):  # type: ignore[misc, valid-type]  # the source needs this call's tree
            @classmethod
            def settings_customise_sources(
                cls, settings_cls: type[BaseSettings], **_: Any
            ) -> tuple[PydanticBaseSettingsSource, ...]:
                return (TreeSource(settings_cls, tree),)

        return FromTree()


def unknown_keys(model: type[BaseModel], value: Any, path: str) -> list[str]:
    """The dotted paths in ``value`` that ``model`` has no field for; free-form mappings are not looked into."""
    if not isinstance(value, dict):
        return []
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    found: list[str] = []
    for key, item in value.items():
        here = f"{path}.{key}"
        if key not in fields:
            if model.model_config.get("extra") != "allow":
                found.append(here)
            continue
        found += _unknown_inside(fields[key].annotation, item, here)
    return found


def _unknown_inside(annotation: Any, item: Any, path: str) -> list[str]:
    models = [part for part in _parts(annotation) if isinstance(part, type) and issubclass(part, BaseModel)]
    if not models:
        return []
    if isinstance(item, list):
        return [key for index, entry in enumerate(item) for key in unknown_keys(models[0], entry, f"{path}[{index}]")]
    return unknown_keys(models[0], item, path)


def _parts(annotation: Any) -> list[Any]:
    arguments = getattr(annotation, "__args__", None)
    return [annotation] if not arguments else [part for item in arguments for part in _parts(item)]
