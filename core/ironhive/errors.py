"""Everything that ironhive raises on purpose.

::

    IronHiveError
    ├── ConfigurationError          a setting, a file or an argument is wrong
    │   ├── UnknownNameError        no component of that name
    │   └── PluginError             a component that was named is missing or broken
    ├── GuardError                  a guard forbade the input or the output
    │   └── GuardFailedError        the guard itself failed, and its fail mode is closed
    ├── NoProviderError             nothing can answer
    ├── ProviderError               a provider did not answer as it should
    │   ├── HttpStatusError         it refused, with an HTTP status
    │   │   └── ContextOverflowError    the conversation does not fit the model's window
    │   ├── ConnectFailedError      no connection: refused, unknown host, unreachable, broken
    │   ├── ProviderTimeoutError    it took too long
    │   │   └── StreamIdleTimeoutError  a stream fell silent
    │   ├── StreamLimitError        a stream went past its size
    │   ├── ProviderBusyError       it runs as many calls as it may, and the wait was too long
    │   └── BadAnswerError          what came back cannot be read
    │       ├── TruncatedStreamError    the stream ended before its end
    │       └── StreamErrorEvent        an error inside a successful answer
    ├── ModelError                  a local model
    │   ├── ModelNotFoundError      no such model
    │   ├── ModelLoadError          it cannot be loaded
    │   ├── ModelMemoryError        it does not fit
    │   ├── DownloadError           it could not be fetched
    │   ├── ModelBusyError          the queue is full or the wait was too long
    │   ├── NotReadyError           the readiness gate or the model-id preflight said no
    │   └── BackendExitedError      the inference process died
    └── ToolError                   a tool failed
        └── ToolArgumentError       the arguments do not fit; the tool was not run

A message says what happened, to which thing, and what to do next. Errors carry their facts as attributes and pickle.
"""

from __future__ import annotations

from typing import Any


class IronHiveError(Exception):
    """Base of all errors that ironhive raises on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.args, self.__dict__)


def _rebuild(cls: type[IronHiveError], args: tuple[Any, ...], state: dict[str, Any]) -> IronHiveError:
    error = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class ConfigurationError(IronHiveError):
    """A setting, a file or an argument is wrong. ``key`` is the dotted path of the setting where there is one."""

    def __init__(self, message: str, *, key: str | None = None) -> None:
        super().__init__(message)
        self.key = key


class UnknownNameError(ConfigurationError):
    """No component of this name exists. The message lists the names that do."""


class PluginError(ConfigurationError):
    """A component that the configuration names is missing or broken."""


class GuardError(IronHiveError):
    """A guard forbade the input or the output. Terminal: no retry, no other provider.

    ``stage`` is ``"input"`` or ``"output"``; ``verdict`` is the guard's verdict where there is one.
    """

    def __init__(self, reason: str, *, stage: str = "input", verdict: Any = None) -> None:
        super().__init__(f"the guard blocked the {stage}: {reason}")
        self.reason = reason
        self.stage = stage
        self.verdict = verdict


class GuardFailedError(GuardError):
    """The guard itself failed, and a guard that cannot look counts as a guard that says no (fail mode closed)."""


class NoProviderError(IronHiveError):
    """No provider is there to answer."""


class ProviderError(IronHiveError):
    """A provider did not answer as it should. ``provider`` is its id or name."""

    def __init__(self, message: str, *, provider: str = "") -> None:
        super().__init__(message)
        self.provider = provider


class HttpStatusError(ProviderError):
    """The provider refused.

    ``status`` is the HTTP status (for an error inside a stream, the status it stands for); ``code`` the provider's own
    word for it; ``detail`` the first line of its message; ``retry_after`` the wait it asks for, in seconds;
    ``request_id`` what its support wants to hear.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int,
        provider: str = "",
        code: str | None = None,
        detail: str = "",
        retry_after: float | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(message, provider=provider)
        self.status = status
        self.code = code
        self.detail = detail
        self.retry_after = retry_after
        self.request_id = request_id


class ContextOverflowError(HttpStatusError):
    """The conversation does not fit the model's window (``context_window`` tokens, None when it was not said)."""

    def __init__(self, message: str, *, context_window: int | None = None, status: int = 400, **facts: Any) -> None:
        super().__init__(message, status=status, **facts)
        self.context_window = context_window


class ConnectFailedError(ProviderError):
    """No usable connection.

    ``kind`` is ``refused``, ``host_not_found``, ``unreachable`` or ``transport`` (reset, TLS, broken half way).
    """

    def __init__(self, message: str, *, kind: str = "transport", provider: str = "") -> None:
        super().__init__(message, provider=provider)
        self.kind = kind


class ProviderTimeoutError(ProviderError, TimeoutError):
    """The provider took too long. ``seconds`` is the limit, ``what`` names it (``connect``, ``total`` ...)."""

    def __init__(self, message: str, *, what: str = "", seconds: float | None = None, provider: str = "") -> None:
        super().__init__(message, provider=provider)
        self.what = what
        self.seconds = seconds


class StreamIdleTimeoutError(ProviderTimeoutError):
    """A stream said nothing for too long, before its first token or between two."""


class StreamLimitError(ProviderError):
    """A stream went past the size that was allowed."""


class ProviderBusyError(ProviderError):
    """The provider runs as many calls as it is allowed to, and the wait for a free place was too long."""


class BadAnswerError(ProviderError):
    """What the provider sent cannot be read: not JSON, not UTF-8, an HTML page, nothing at all."""


class TruncatedStreamError(BadAnswerError):
    """The stream ended without the sign that ends it; what arrived before is incomplete."""


class StreamErrorEvent(BadAnswerError, HttpStatusError):  # noqa: N818 - named for the event on the wire
    """The provider reported an error inside an answer that had begun as a success."""

    def __init__(self, message: str, *, status: int = 500, **facts: Any) -> None:
        HttpStatusError.__init__(self, message, status=status, **facts)


class ModelError(IronHiveError):
    """Something about a local model. ``model`` is its id or path."""

    def __init__(self, message: str, *, model: str = "") -> None:
        super().__init__(message)
        self.model = model


class ModelNotFoundError(ModelError):
    """No such model, here or at its source."""


class ModelLoadError(ModelError):
    """The file is there and cannot be loaded."""


class ModelMemoryError(ModelError):
    """The model needs more memory than there is."""


class DownloadError(ModelError):
    """The model could not be fetched."""


class ModelBusyError(ModelError):
    """The model is in use, and the wait was too long."""


class NotReadyError(ModelError):
    """A local model cannot take this request now: it is not ready, or it is not the model that was asked for."""


class BackendExitedError(ModelError):
    """The process that runs the model ended on its own. ``exit_code`` is negative for a signal."""

    def __init__(self, message: str, *, model: str = "", exit_code: int | None = None) -> None:
        super().__init__(message, model=model)
        self.exit_code = exit_code


class ToolError(IronHiveError):
    """A tool failed. The message is what the model reads."""


class ToolArgumentError(ToolError):
    """The arguments of a call do not fit the tool's parameters; it was not run. ``missing`` names required ones."""

    def __init__(self, message: str, *, tool: str = "", missing: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.tool = tool
        self.missing = missing
