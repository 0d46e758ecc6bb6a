"""The chat template that a GGUF file carries."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ironhive.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
"""What a file without a template gets: the form most small models were trained on."""


class ChatTemplate:
    """A compiled template. It runs in a sandbox: it comes with the model, from anywhere.

    :raises ModelError: the template cannot be compiled.
    """

    def __init__(self, source: str | None, *, bos: str, eos: str, model: str) -> None:
        self.source = source or CHATML
        self._model = model
        self._tokens = {"bos_token": bos, "eos_token": eos}
        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
        )
        environment.filters["tojson"] = _to_json
        environment.globals["raise_exception"] = _refuse
        environment.globals["strftime_now"] = lambda form: datetime.now().astimezone().strftime(form)
        try:
            self._template = environment.from_string(self.source)
        except jinja2.TemplateError as error:
            message = f"the chat template of {model} cannot be read: {error}"
            raise ModelError(message, model=model) from error

    @property
    def native_calls(self) -> bool:
        """Whether it shows tools, and calls as JSON between ``<tool_call>`` tags."""
        return "tools" in self.source and "<tool_call>" in self.source and "<function=" not in self.source

    @property
    def thinks(self) -> bool:
        """Whether thinking can be turned on and off."""
        return "enable_thinking" in self.source

    def render(
        self, messages: Sequence[Mapping[str, Any]], *, tools: Sequence[Mapping[str, Any]], thinking: bool | None
    ) -> str:
        """The prompt.

        :raises ModelError: the template refuses these messages.
        """
        extra: dict[str, Any] = {} if thinking is None else {"enable_thinking": thinking}
        try:
            return self._template.render(
                messages=messages, tools=list(tools) or None, add_generation_prompt=True, **self._tokens, **extra
            )
        except (jinja2.TemplateError, TypeError) as error:
            message = f"the chat template of {self._model} refused the conversation: {error}"
            raise ModelError(message, model=self._model) from error


def _to_json(value: Any, *, ensure_ascii: bool = False, indent: int | None = None, **rest: Any) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, **rest)


def _refuse(reason: str) -> None:
    raise jinja2.TemplateError(reason)
