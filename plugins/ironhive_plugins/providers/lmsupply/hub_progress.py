"""The progress bar that huggingface_hub is given: it draws nothing and reports bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tqdm.auto import tqdm  # type: ignore[import-untyped]  # comes with huggingface_hub

from ironhive.errors import DownloadError
from ironhive_plugins.providers.lmsupply.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from ironhive_plugins.providers.lmsupply.progress import ProgressCallback
    from ironhive_plugins.providers.lmsupply.quantisation import RemoteFile


def reporting_bar(
    file: RemoteFile, before: int, overall: int, progress: ProgressCallback, stopped: Callable[[], bool]
) -> type[Any]:
    """A class for ``tqdm_class``. It ends the download when nobody waits for it any more.

    :param before: bytes of the files that came before this one.
    :param overall: bytes of all files.
    """

    class Bar(tqdm):  # type: ignore[misc]  # untyped
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            kwargs["disable"] = True
            kwargs.pop("name", None)
            super().__init__(*args, **kwargs)
            self.counted = int(kwargs.get("initial") or 0)

        def update(self, n: float | None = 1) -> bool | None:
            if stopped():
                message = f"the download of {file.name} was cancelled; the next one resumes it"
                raise DownloadError(message, model=file.name)
            self.counted += int(n or 0)
            progress(Progress("downloading", file.name, self.counted, file.size, before + self.counted, overall))
            return None

    return Bar
