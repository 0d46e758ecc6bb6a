"""The base of every section's model."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class SectionModel(BaseModel):
    """A section of config.yaml: camelCase keys in the file, snake_case names in Python, immutable.

    Unknown keys are left out here and reported with their dotted path when the configuration is loaded. A plugin's
    model derives from this class and is handed out by ``ironhive_settings_model``; keys that hold credentials are
    annotated ``ironhive.secrets.Secret``.
    """

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="ignore", frozen=True, protected_namespaces=()
    )
