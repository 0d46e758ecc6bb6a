"""Models from a Hugging Face hub, through huggingface_hub."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

from ironhive.errors import DownloadError

if TYPE_CHECKING:
    from ironhive_plugins.providers.lmsupply.catalogue import CatalogueModel
    from ironhive_plugins.providers.lmsupply.config import LocalConfig
    from ironhive_plugins.providers.lmsupply.progress import ProgressCallback
    from ironhive_plugins.providers.lmsupply.resolve import ModelFile

PROBE_SECONDS = 3.0
"""How long a hub may take to answer before it counts as out of reach."""


async def hub_answers(repository: str) -> bool:
    """Whether a hub can be reached and has this repository. Quick, and silent when not."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[bool] = loop.create_future()

    def ask() -> None:
        found = _has(repository)
        loop.call_soon_threadsafe(lambda: answer.done() or answer.set_result(found))

    # a daemon thread: name resolution cannot be cancelled, and must not hold up the end of the process
    threading.Thread(target=ask, name="ironhive-hub-probe", daemon=True).start()
    try:
        return await asyncio.wait_for(answer, PROBE_SECONDS + 1)
    except TimeoutError:
        return False


def _has(repository: str) -> bool:
    try:
        from huggingface_hub import HfApi

        HfApi().model_info(repository, timeout=PROBE_SECONDS)
    except Exception:  # noqa: BLE001  # whatever a foreign client raises: the hub is of no use
        return False
    return True


async def fetch_from_hub(config: LocalConfig, model: CatalogueModel | str, progress: ProgressCallback) -> ModelFile:
    """Fetch a model file."""
    message = "not yet"
    raise DownloadError(message)
