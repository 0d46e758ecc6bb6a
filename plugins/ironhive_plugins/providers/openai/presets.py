"""The servers that speak OpenAI's wires, and how each wants to be addressed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ironhive.contracts import CredentialPlacement, ProviderKind

if TYPE_CHECKING:
    from collections.abc import Callable

_VERSION = re.compile(r"/v\d+[a-z0-9.\-]*(?:/|$)", re.IGNORECASE)
_OPENAI_URL = "https://api.openai.com/v1"


def complete_url(address: str) -> str:
    """For servers whose address is given complete: nothing is appended."""
    return address.rstrip("/")


def versioned_url(address: str) -> str:
    """For servers given by their address: ``/v1`` is appended unless the path names a version already."""
    base = address.rstrip("/")
    return base if _VERSION.search(base.partition("://")[2]) else f"{base}/v1"


def gpustack_url(address: str) -> str:
    """GPUStack serves this wire under ``/v1-openai``, whichever of its paths was entered."""
    base = re.sub(r"/v1(?:-openai)?$", "", address.rstrip("/"), flags=re.IGNORECASE)
    return f"{base}/v1-openai"


def azure_url(address: str) -> str:
    """Azure serves this wire below ``/openai/v1``; the address of the resource is enough."""
    base = address.rstrip("/")
    return base if "/openai" in base.lower() else f"{base}/openai/v1"


_BEARER = CredentialPlacement()


@dataclass(frozen=True, slots=True)
class Preset:
    """One kind of server.

    ``section`` is its section of config.yaml, ``variables`` the prefix of its environment variables. ``limit_field``
    names the body field that bounds new tokens. ``think_tags``: it may leave ``<think>`` in the text. ``switches``:
    chat templates of its models take ``enable_thinking``. ``samplers``: it knows top_k and what goes beyond OpenAI's.
    """

    name: str
    section: str
    kind: ProviderKind
    priority: int
    variables: str
    base_url: str | None = None
    url_rule: Callable[[str], str] = versioned_url
    aliases: tuple[str, ...] = ()
    key: Literal["required", "optional", "none"] = "optional"
    placeholder_key: str | None = None
    placement: CredentialPlacement = _BEARER
    limit_field: str = "max_tokens"
    think_tags: bool = True
    switches: bool = True
    samplers: bool = True


_FRONTIER = ProviderKind.FRONTIER
_LAN = ProviderKind.LAN

OPENAI = Preset(
    "openai", "openai", _FRONTIER, 80, "OPENAI", _OPENAI_URL, complete_url, key="required",
    limit_field="max_completion_tokens", think_tags=False, switches=False, samplers=False,
)  # fmt: skip
AZURE = Preset(
    "azureopenai", "azureopenai", _FRONTIER, 75, "AZURE_OPENAI", None, azure_url, ("azure",), "required",
    placement=CredentialPlacement.in_header("api-key"), limit_field="max_completion_tokens", think_tags=False,
    switches=False, samplers=False,
)  # fmt: skip
XAI = Preset(
    "xai", "xai", _FRONTIER, 50, "XAI", "https://api.x.ai/v1", versioned_url, ("grok",), "required",
    limit_field="max_completion_tokens", think_tags=False, switches=False, samplers=False,
)  # fmt: skip
GPUSTACK = Preset(
    "gpustack", "gpuStack", _LAN, 90, "GPUSTACK", "http://localhost:8080", gpustack_url, ("gpustack",)
)  # fmt: skip
OLLAMA = Preset("ollama", "ollama", _LAN, 40, "OLLAMA", "http://localhost:11434", switches=False)
LMSTUDIO = Preset("lmstudio", "lmstudio", _LAN, 30, "LMSTUDIO", "http://localhost:1234", placeholder_key="lm-studio")
CUSTOM = Preset("openai-compatible", "custom", _LAN, 20, "CUSTOM", "http://localhost:11434")

BY_SECTION = {preset.section: preset for preset in (GPUSTACK, OPENAI, AZURE, XAI, OLLAMA, LMSTUDIO, CUSTOM)}
"""The presets by their section of config.yaml, in the order of their default priority."""
