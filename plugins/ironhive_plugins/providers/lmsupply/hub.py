"""Models from a Hugging Face hub, through huggingface_hub: which file, is there room, is it whole."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ironhive.errors import DownloadError, ModelNotFoundError, PluginError
from ironhive_plugins.providers.lmsupply import memory
from ironhive_plugins.providers.lmsupply.progress import Progress
from ironhive_plugins.providers.lmsupply.quantisation import Pick, RemoteFile, pick_model
from ironhive_plugins.providers.lmsupply.store import digest, require_room
from ironhive_plugins.providers.lmsupply.stores import ModelFile, hub_cache, own_hub

if TYPE_CHECKING:
    from collections.abc import Callable

    from ironhive_plugins.providers.lmsupply.catalogue import CatalogueModel
    from ironhive_plugins.providers.lmsupply.config import LocalConfig
    from ironhive_plugins.providers.lmsupply.progress import ProgressCallback

T = TypeVar("T")

PROBE_SECONDS = 3.0
"""How long a hub may take to answer before it counts as out of reach."""
PATIENCE = 3
"""How often in a row a connection may break without having brought anything."""
ONNX_CONFIG = "genai_config.json"


async def hub_answers(repository: str) -> bool:
    """Whether a hub can be reached and has this repository. Quick, and silent when not."""
    try:
        return await asyncio.wait_for(_in_daemon(lambda: _has(repository)), PROBE_SECONDS + 1)
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
    """Fetch a model into the Hugging Face cache, or below ``cacheDirectory`` where one is set. An interrupted download
    is resumed by the next one.

    :param model: an entry of the catalogue, or ``org/name`` with ``:file`` or ``:quantisation`` behind it.
    :raises ModelNotFoundError: there is no such repository, or no model file in it.
    :raises DownloadError: gated, no room, broken off, or not the file it should be.
    """
    if isinstance(model, str):
        repository, _, wanted = model.partition(":")
    else:
        repository, wanted = model.repository, model.quantisation
    stopped = threading.Event()
    try:
        path = await _in_daemon(lambda: _fetch(config, repository, wanted or None, progress, stopped.is_set))
    finally:
        stopped.set()
    progress(Progress("complete", file=path.name, overall_done=1, overall_total=1))
    return ModelFile(f"{repository}:{path.name}" if path.is_file() else repository, path)


async def _in_daemon(work: Callable[[], T]) -> T:
    """Run blocking work in a daemon thread: name resolution and foreign retries cannot be cancelled, and must not hold
    up the end of the process.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()

    def settle(value: Any, error: BaseException | None) -> None:
        if answer.done():
            return
        if error is None:
            answer.set_result(value)
        else:
            answer.set_exception(error)

    def run() -> None:
        value, failure = None, None
        try:
            value = work()
        except Exception as error:  # noqa: BLE001  # it belongs to whoever waits
            failure = error
        try:
            loop.call_soon_threadsafe(settle, value, failure)
        except RuntimeError:
            return  # the loop is closed: nobody waits any more

    threading.Thread(target=run, name="ironhive-hub", daemon=True).start()
    return await answer


def _fetch(
    config: LocalConfig, repository: str, wanted: str | None, progress: ProgressCallback, stopped: Callable[[], bool]
) -> Path:
    files = _translated(repository, lambda: _listing(repository))
    limit = int(memory.budget(config) / memory.OVERHEAD)
    pick = pick_model(files, wanted=wanted, limit=limit) or _onnx_folder(files, wanted)
    if pick is None:
        what = f"no file {wanted!r}" if wanted else "neither a GGUF file nor an ONNX GenAI folder"
        message = f"{repository} holds {what}; see its page on the hub and name a file as {repository}:<file>"
        raise ModelNotFoundError(message, model=repository)
    if not pick.fits:
        text = f"{repository}: even {pick.files[0].name} is more than the {limit / 1e9:.1f} GB that models may take"
        progress(Progress("notice", text=text))
    cache = own_hub(config) if config.cache_directory else hub_cache()
    require_room(cache, pick.size, repository)
    transfer = _Transfer(repository, cache, pick, progress, stopped)
    paths = [_translated(repository, partial(transfer.fetch, file)) for file in pick.files]
    return paths[0].parent if any(path.name == ONNX_CONFIG for path in paths) else paths[0]


def _listing(repository: str) -> list[RemoteFile]:
    from huggingface_hub import HfApi

    info = HfApi().model_info(repository, files_metadata=True)
    return [
        RemoteFile(item.rfilename, item.size or 0, getattr(item.lfs, "sha256", None)) for item in info.siblings or ()
    ]


def _onnx_folder(files: list[RemoteFile], wanted: str | None) -> Pick | None:
    """All files of the folder with an ONNX GenAI model; where there are many, the processor's in four bits."""
    folders = [file.name.removesuffix(ONNX_CONFIG) for file in files if file.name.endswith(ONNX_CONFIG)]
    if wanted is not None:
        folders = [folder for folder in folders if folder.strip("/") == wanted.strip("/")]
    if not folders:
        return None
    best = max(folders, key=lambda folder: ("cpu" in folder, "int4" in folder, -len(folder)))
    inside = [file for file in files if file.name.startswith(best) and "/" not in file.name.removeprefix(best)]
    return Pick(tuple(inside), fits=True)


@dataclass(frozen=True, slots=True)
class _Transfer:
    repository: str
    cache: Path
    pick: Pick
    progress: ProgressCallback
    stopped: Callable[[], bool]

    def fetch(self, file: RemoteFile) -> Path:
        """One file, whole and checked. A connection that breaks is taken up again for as long as that brings it on."""
        before = sum(other.size for other in self.pick.files[: self.pick.files.index(file)])
        reached = done = 0
        patience = PATIENCE

        def report(step: Progress) -> None:
            nonlocal done
            done = step.done
            self.progress(step)

        while True:
            try:
                path = self._download(file, before, report)
                break
            except Exception as error:
                patience = PATIENCE if done > reached else patience - 1
                reached = max(reached, done)
                if not _is_broken_connection(error) or not patience or self.stopped():
                    raise
        if file.sha256 is not None and not self.stopped():
            whole = before + file.size
            self.progress(Progress("checking", file.name, file.size, file.size, whole, self.pick.size))
            self._check(path, file, file.sha256)
        return path

    def _download(self, file: RemoteFile, before: int, report: ProgressCallback) -> Path:
        from huggingface_hub import hf_hub_download

        from ironhive_plugins.providers.lmsupply.hub_progress import reporting_bar

        bar = reporting_bar(file, before, self.pick.size, report, self.stopped)
        return Path(hf_hub_download(self.repository, file.name, cache_dir=self.cache, tqdm_class=bar))

    def _check(self, path: Path, file: RemoteFile, expected: str) -> None:
        found = digest(path, stopped=self.stopped)
        if found == expected or self.stopped():
            return
        path.resolve().unlink(missing_ok=True)
        path.unlink(missing_ok=True)
        message = f"{file.name} of {self.repository} arrived damaged: sha256 {found}, not {expected}; fetch it again"
        raise DownloadError(message, model=self.repository)


def _is_broken_connection(error: Exception) -> bool:
    """Whether the HTTP client under huggingface_hub lost the connection; which client that is differs by release."""
    names = {kind.__name__ for kind in type(error).__mro__}
    return bool(names & {"TransportError", "ConnectionError", "ChunkedEncodingError"})


def _translated(repository: str, work: Callable[[], T]) -> T:
    """Foreign failures as ours, each with what to do about it."""
    try:
        from huggingface_hub import errors
    except ModuleNotFoundError as error:
        message = "models from a hub need huggingface_hub: run  pip install 'ironhive[local]'"
        raise PluginError(message) from error
    try:
        return work()
    except errors.GatedRepoError as error:
        message = (
            f"{repository} is gated: accept its terms on the hub, then set HF_TOKEN to a token of that account "
            "(or run  hf auth login)"
        )
        raise DownloadError(message, model=repository) from error
    except (errors.RepositoryNotFoundError, errors.EntryNotFoundError) as error:
        message = f"the hub has no {repository}, or not for this account: check the name, or set HF_TOKEN"
        raise ModelNotFoundError(message, model=repository) from error
    except (DownloadError, ModelNotFoundError):
        raise
    except Exception as error:  # huggingface_hub lets its HTTP client's and the system's errors through
        said = str(error).strip().splitlines()
        message = (
            f"{repository} could not be fetched: {said[0] if said else type(error).__name__}; try again, it resumes"
        )
        raise DownloadError(message, model=repository) from error
