"""The base of every section's model."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic.alias_generators import to_camel


class SectionModel(BaseModel):
    """A section of config.yaml: camelCase keys in the file, snake_case names in Python, immutable.

    Unknown keys are left out here and reported with their dotted path when the configuration is loaded; the snake_case
    name of a field is such a key. A heading with nothing under it counts as absent. A plugin's model derives from this
    class and is handed out by ``ironhive_settings_model``; keys that hold credentials are annotated
    ``ironhive.secrets.Secret``.
    """

    model_config = ConfigDict(alias_generator=to_camel, extra="ignore", frozen=True, protected_namespaces=())

    @model_validator(mode="before")
    @classmethod
    def _without_empty_headings(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        headings = {field.alias for field in cls.model_fields.values() if isinstance(field.default, BaseModel)}
        return {key: item for key, item in value.items() if item is not None or key not in headings}
